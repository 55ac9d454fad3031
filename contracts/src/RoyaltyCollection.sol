// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Royalty} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Royalty.sol";

/// @title A collection with ERC-2981 royalties: a default, and exceptions for single tokens. Shares are basis points.
contract RoyaltyCollection is ERC721Royalty, Ownable {
    string private _base;

    event DefaultRoyaltyChanged(address indexed receiver, uint96 basisPoints);
    event TokenRoyaltyChanged(uint256 indexed tokenId, address indexed receiver, uint96 basisPoints);

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address royaltyReceiver,
        uint96 basisPoints,
        string memory baseURI_
    ) ERC721(name_, symbol_) Ownable(owner_) {
        _base = baseURI_;
        _setDefaultRoyalty(royaltyReceiver, basisPoints);
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
        emit DefaultRoyaltyChanged(receiver, basisPoints);
    }

    function deleteDefaultRoyalty() external onlyOwner {
        _deleteDefaultRoyalty();
        emit DefaultRoyaltyChanged(address(0), 0);
    }

    function setTokenRoyalty(uint256 tokenId, address receiver, uint96 basisPoints) external onlyOwner {
        _requireOwned(tokenId);
        _setTokenRoyalty(tokenId, receiver, basisPoints);
        emit TokenRoyaltyChanged(tokenId, receiver, basisPoints);
    }

    /// @notice Puts a token back under the default.
    function resetTokenRoyalty(uint256 tokenId) external onlyOwner {
        _resetTokenRoyalty(tokenId);
        emit TokenRoyaltyChanged(tokenId, address(0), 0);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
