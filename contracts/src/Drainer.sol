// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title An adversary: takes whatever its victims have let it move.
contract Drainer is Ownable {
    using SafeERC20 for IERC20;

    constructor(address owner_) Ownable(owner_) {}

    function drain(address collection, address victim, uint256 tokenId, address to) external onlyOwner {
        IERC721(collection).transferFrom(victim, to, tokenId);
    }

    function drainAmount(address collection, address victim, uint256 id, uint256 amount, address to)
        external
        onlyOwner
    {
        IERC1155(collection).safeTransferFrom(victim, to, id, amount, "");
    }

    function drainCurrency(address currency, address victim, uint256 amount, address to) external onlyOwner {
        IERC20(currency).safeTransferFrom(victim, to, amount);
    }
}
