// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title A collection whose owner may move anybody's tokens.
/// @notice Its logs can tell that a famous account was minted a token and sent it on, without that account ever having
/// signed anything: what is known as sleepminting.
contract ForcedTransferCollection is ERC721, Ownable {
    string private _base;

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function _isAuthorized(address holder, address spender, uint256 tokenId) internal view override returns (bool) {
        return spender == owner() || super._isAuthorized(holder, spender, tokenId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
