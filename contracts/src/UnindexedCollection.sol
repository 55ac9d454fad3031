// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {BareCollection} from "./BareCollection.sol";

/// @title A collection whose events leave the token id unindexed, as some of the years before the standard settled do.
contract UnindexedCollection is BareCollection {
    event Transfer(address indexed from, address indexed to, uint256 tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    constructor(string memory name_, string memory symbol_, address owner_, string memory base_)
        BareCollection(name_, symbol_, owner_, base_)
    {}

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
    }

    function _sayTransferred(address from, address to, uint256 tokenId) internal override {
        emit Transfer(from, to, tokenId);
    }

    function _sayApproved(address holder, address approved, uint256 tokenId) internal override {
        emit Approval(holder, approved, tokenId);
    }

    function _sayOperator(address holder, address operator, bool allowed) internal override {
        emit ApprovalForAll(holder, operator, allowed);
    }
}
