// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title A desk that trades one collection for another: a visitor's token against one from its own stock.
/// @notice The visitor lets the desk move the token first; an approval for that token alone is enough.
contract SwapDesk is Ownable {
    IERC721 public immutable takes;
    IERC721 public immutable gives;

    event Swapped(address indexed visitor, uint256 tokenIn, uint256 tokenOut);

    error NotInStock(uint256 tokenId);

    constructor(address owner_, IERC721 takes_, IERC721 gives_) Ownable(owner_) {
        takes = takes_;
        gives = gives_;
    }

    function swap(uint256 tokenIn, uint256 tokenOut) external {
        if (gives.ownerOf(tokenOut) != address(this)) revert NotInStock(tokenOut);
        emit Swapped(msg.sender, tokenIn, tokenOut);
        takes.transferFrom(msg.sender, owner(), tokenIn);
        gives.transferFrom(address(this), msg.sender, tokenOut);
    }

    function restock(uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            gives.transferFrom(msg.sender, address(this), tokenIds[i]);
        }
    }
}

/// @title An abandoned swap contract of the first days.
/// @dev Its known fault: `closeSwap` never checks that the maker opened the swap, so that whatever a maker has let
/// this contract move can be closed by anyone, for nothing.
contract LegacySwapDesk {
    struct Swap {
        address maker;
        address collection;
        uint256 tokenId;
        address taker;
    }

    mapping(bytes32 swapId => bool) public opened;

    event SwapOpened(address indexed maker, address indexed collection, uint256 indexed tokenId, address taker);
    event SwapClosed(address indexed maker, address indexed collection, uint256 indexed tokenId, address taker);

    function createSwap(address collection, uint256 tokenId, address taker) external {
        opened[keccak256(abi.encode(Swap(msg.sender, collection, tokenId, taker)))] = true;
        emit SwapOpened(msg.sender, collection, tokenId, taker);
    }

    function closeSwap(Swap calldata intent) external {
        delete opened[keccak256(abi.encode(intent))];
        emit SwapClosed(intent.maker, intent.collection, intent.tokenId, intent.taker);
        IERC721(intent.collection).transferFrom(intent.maker, intent.taker, intent.tokenId);
    }
}
