// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721A, IERC721A} from "erc721a/contracts/ERC721A.sol";
import {ERC4907A} from "erc721a/contracts/extensions/ERC4907A.sol";

/// @title A collection on ERC4907A: a token has an owner and, for a time, a user. It moves as freely as any other.
contract RentableCollection is ERC4907A, Ownable {
    string private _base;

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721A(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 quantity) external onlyOwner {
        _mint(to, quantity);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _startTokenId() internal pure override returns (uint256) {
        return 1;
    }
}

/// @title The same with a promise to renters: a token with a current user stays where it is.
contract RentalLockedCollection is RentableCollection {
    error RentedOut(uint256 tokenId, uint64 until);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        RentableCollection(name_, symbol_, owner_, baseURI_)
    {}

    function setUser(uint256 tokenId, address user, uint64 expires) public override {
        _requireNotRented(tokenId);
        super.setUser(tokenId, user, expires);
    }

    function _beforeTokenTransfers(address from, address to, uint256 startTokenId, uint256 quantity)
        internal
        override
    {
        if (from != address(0)) _requireNotRented(startTokenId);
        super._beforeTokenTransfers(from, to, startTokenId, quantity);
    }

    function _requireNotRented(uint256 tokenId) private view {
        if (userOf(tokenId) != address(0)) revert RentedOut(tokenId, uint64(userExpires(tokenId)));
    }
}
