// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721A} from "erc721a/contracts/ERC721A.sol";
import {ERC721AQueryable} from "erc721a/contracts/extensions/ERC721AQueryable.sol";

/// @title A collection on ERC721A: ids count up from 1 and whole runs of them are minted at once.
contract SequentialCollection is ERC721AQueryable, Ownable {
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

    function burn(uint256 tokenId) external {
        _burn(tokenId, true);
    }

    function setBaseURI(string calldata baseURI_) external onlyOwner {
        _base = baseURI_;
    }

    function totalMinted() external view returns (uint256) {
        return _totalMinted();
    }

    function numberMinted(address account) external view returns (uint256) {
        return _numberMinted(account);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }

    function _startTokenId() internal pure override returns (uint256) {
        return 1;
    }
}
