// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721A, IERC721A} from "erc721a/contracts/ERC721A.sol";
import {ERC721AQueryable} from "erc721a/contracts/extensions/ERC721AQueryable.sol";

/// @title A large collection on ERC721A whose holders choose their numbers, from 1 to a last one (spot mints).
/// @notice `tokensOfOwner` looks at one number after another, as collections of 2021 did: with many numbers it runs out
/// of gas. `tokensOfOwnerIn` looks at a range of them.
contract NumberedCollection is ERC721AQueryable, Ownable {
    uint256 public immutable lastNumber;
    string private _base;

    error NoSuchNumber(uint256 tokenId, uint256 lastNumber);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_, uint256 lastNumber_)
        ERC721A(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
        lastNumber = lastNumber_;
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            if (tokenIds[i] > lastNumber) revert NoSuchNumber(tokenIds[i], lastNumber);
            _mintSpot(to, tokenIds[i]);
        }
    }

    function burn(uint256 tokenId) external {
        _burn(tokenId, true);
    }

    /// @notice Every token of `owner`, found by asking for the holder of each number.
    function tokensOfOwner(address owner)
        external
        view
        override(ERC721AQueryable)
        returns (uint256[] memory tokenIds)
    {
        tokenIds = new uint256[](balanceOf(owner));
        uint256 found;
        for (uint256 tokenId = 1; tokenId <= lastNumber && found < tokenIds.length; ++tokenId) {
            if (_exists(tokenId) && ownerOf(tokenId) == owner) tokenIds[found++] = tokenId;
        }
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    /// @dev No number is given out in sequence: 0 is the only one that could be, and nobody gets it.
    function _sequentialUpTo() internal pure override returns (uint256) {
        return 0;
    }
}
