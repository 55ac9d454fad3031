// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {OwnableBasic} from "@limitbreak/creator-token-standards/src/access/OwnableBasic.sol";
import {ERC721C} from "@limitbreak/creator-token-standards/src/erc721c/ERC721C.sol";
import {ERC721OpenZeppelin} from "@limitbreak/creator-token-standards/src/token/erc721/ERC721OpenZeppelin.sol";
import {BasicRoyalties, ERC2981} from "@limitbreak/creator-token-standards/src/programmable-royalties/BasicRoyalties.sol";

/// @title A creator token (ERC721-C): a transfer validator, chosen by the owner, says who may move tokens and to whom.
contract CreatorTokenCollection is ERC721C, OwnableBasic, BasicRoyalties {
    string private _base;

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address royaltyReceiver,
        uint96 basisPoints,
        string memory baseURI_
    ) ERC721OpenZeppelin(name_, symbol_) BasicRoyalties(royaltyReceiver, basisPoints) {
        _base = baseURI_;
        _transferOwnership(owner_);
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

    function supportsInterface(bytes4 interfaceId) public view override(ERC721C, ERC2981) returns (bool) {
        return super.supportsInterface(interfaceId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
