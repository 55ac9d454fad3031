// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-5192, minimal soulbound tokens: whether a token is locked to its holder.
interface IERC5192 {
    event Locked(uint256 tokenId);
    event Unlocked(uint256 tokenId);

    function locked(uint256 tokenId) external view returns (bool);
}
