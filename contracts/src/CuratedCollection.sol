// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title A collection whose curator decides who may pass tokens on.
/// @notice Anybody may buy one. Only the curator, and who is on the curator's list, can move one again.
contract CuratedCollection is ERC721, Ownable {
    string private _base;
    uint256 public totalSupply;
    mapping(address account => bool) private _dealers;

    event DealerChanged(address indexed account, bool allowed);

    error NotADealer(address holder);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
        totalSupply += tokenIds.length;
    }

    function setDealer(address account, bool allowed) external onlyOwner {
        _dealers[account] = allowed;
        emit DealerChanged(account, allowed);
    }

    function isDealer(address account) public view returns (bool) {
        return account == owner() || _dealers[account];
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = _ownerOf(tokenId);
        if (from != address(0) && !isDealer(from)) revert NotADealer(from);
        super._update(to, tokenId, auth);
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
