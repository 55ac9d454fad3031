// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {IERC5192} from "./IERC5192.sol";

/// @title Tokens bound to the account that they were minted to. The holder may burn one and nobody may move one.
contract SoulboundCollection is ERC721Enumerable, Ownable, IERC5192 {
    string private _base;

    error TokenIsSoulbound(uint256 tokenId);
    error NotTheHolder(uint256 tokenId, address caller);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
        emit Locked(tokenId);
    }

    function burn(uint256 tokenId) external {
        if (_requireOwned(tokenId) != msg.sender) revert NotTheHolder(tokenId, msg.sender);
        _burn(tokenId);
    }

    function locked(uint256 tokenId) external view returns (bool) {
        _requireOwned(tokenId);
        return true;
    }

    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IERC5192).interfaceId || super.supportsInterface(interfaceId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        if (_ownerOf(tokenId) != address(0) && to != address(0)) revert TokenIsSoulbound(tokenId);
        return super._update(to, tokenId, auth);
    }
}
