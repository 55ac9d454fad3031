// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "solady/src/auth/Ownable.sol";
import {ERC721} from "solady/src/tokens/ERC721.sol";
import {LibString} from "solady/src/utils/LibString.sol";

/// @title A collection on solady's ERC-721. It counts its tokens and can't list them.
contract SoladyCollection is ERC721, Ownable {
    string private _name;
    string private _symbol;
    string private _base;
    uint256 public totalSupply;

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_) {
        _name = name_;
        _symbol = symbol_;
        _base = baseURI_;
        _initializeOwner(owner_);
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
        ++totalSupply;
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
        totalSupply += tokenIds.length;
    }

    function burn(uint256 tokenId) external {
        _burn(msg.sender, tokenId);
        --totalSupply;
    }

    function setBaseURI(string calldata baseURI_) external onlyOwner {
        _base = baseURI_;
    }

    function name() public view override returns (string memory) {
        return _name;
    }

    function symbol() public view override returns (string memory) {
        return _symbol;
    }

    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        if (!_exists(tokenId)) revert TokenDoesNotExist();
        return bytes(_base).length == 0 ? "" : LibString.concat(_base, LibString.toString(tokenId));
    }
}
