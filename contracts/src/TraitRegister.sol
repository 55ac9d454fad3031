// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title The traits of a collection's tokens: names that are kept once, and for each token which of them it has.
contract TraitRegister is Ownable {
    address public immutable collection;
    string[] private _names;
    mapping(uint256 tokenId => uint256 bits) private _traits;

    error NotRegistered(uint256 tokenId);

    constructor(address collection_, address owner_, string[] memory names_) Ownable(owner_) {
        collection = collection_;
        _names = names_;
    }

    /// @notice Bit i of a token's number stands for the name at place i.
    function register(uint256[] calldata tokenIds, uint256[] calldata bits) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _traits[tokenIds[i]] = bits[i];
        }
    }

    function traitsOf(uint256 tokenId) external view returns (string[] memory traits) {
        uint256 bits = _traits[tokenId];
        if (bits == 0) revert NotRegistered(tokenId);
        uint256 count = 0;
        for (uint256 i = 0; i < _names.length; ++i) {
            count += bits >> i & 1;
        }
        traits = new string[](count);
        for (uint256 i = _names.length; i > 0; --i) {
            if (bits >> (i - 1) & 1 == 1) traits[--count] = _names[i - 1];
        }
    }
}
