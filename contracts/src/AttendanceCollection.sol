// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// @title A token for everybody who was at an evening, as attendance badges are given out.
contract AttendanceCollection is ERC721, Ownable {
    uint256 public totalAwarded;
    string private _base;

    event Attended(uint256 indexed evening, address indexed guest, uint256 tokenId);

    constructor(string memory name_, string memory symbol_, address owner_, string memory baseURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _base = baseURI_;
    }

    /// @notice Gives each guest of an evening the next token, ids running from 1 on.
    function award(uint256 evening, address[] calldata guests) external onlyOwner {
        for (uint256 i = 0; i < guests.length; ++i) {
            uint256 tokenId = ++totalAwarded;
            emit Attended(evening, guests[i], tokenId);
            _mint(guests[i], tokenId);
        }
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
