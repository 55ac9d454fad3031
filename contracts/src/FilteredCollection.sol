// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Royalty} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Royalty.sol";
import {UpdatableOperatorFilterer} from "operator-filter-registry/src/UpdatableOperatorFilterer.sol";

/// @title A collection that asks an operator filter registry whom it lets move other people's tokens.
/// @notice Holders always move their own. Filtered operators can be neither approved nor used.
contract FilteredCollection is ERC721Royalty, UpdatableOperatorFilterer, Ownable {
    string private _base;

    /// @param registry The operator filter registry, where this collection registers itself.
    /// @param subscription Whose list it follows; the zero address means its own, empty at first.
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address registry,
        address subscription,
        string memory baseURI_
    )
        ERC721(name_, symbol_)
        Ownable(owner_)
        UpdatableOperatorFilterer(registry, subscription, subscription != address(0))
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
    }

    function setDefaultRoyalty(address receiver, uint96 basisPoints) external onlyOwner {
        _setDefaultRoyalty(receiver, basisPoints);
    }

    function approve(address to, uint256 tokenId) public override onlyAllowedOperatorApproval(to) {
        super.approve(to, tokenId);
    }

    function setApprovalForAll(address operator, bool approved)
        public
        override
        onlyAllowedOperatorApproval(operator)
    {
        super.setApprovalForAll(operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) public override onlyAllowedOperator(from) {
        super.transferFrom(from, to, tokenId);
    }

    function owner() public view override(Ownable, UpdatableOperatorFilterer) returns (address) {
        return super.owner();
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
