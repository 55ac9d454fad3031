// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A collection whose traits, and the JSON made of them, live on the chain.
contract TraitCollection is ERC721Enumerable, Ownable {
    using Strings for string;
    using Strings for uint256;

    struct Trait {
        string kind;
        string value;
    }

    string public description;
    mapping(uint256 tokenId => Trait[]) private _traits;

    constructor(string memory name_, string memory symbol_, address owner_, string memory description_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        description = description_;
    }

    function mint(address to, uint256 tokenId, Trait[] calldata traits) external onlyOwner {
        _mint(to, tokenId);
        for (uint256 i = 0; i < traits.length; ++i) {
            _traits[tokenId].push(traits[i]);
        }
    }

    function traitsOf(uint256 tokenId) external view returns (Trait[] memory) {
        _requireOwned(tokenId);
        return _traits[tokenId];
    }

    /// @notice The metadata as a base64 data URI.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireOwned(tokenId);
        string memory json = string.concat(
            '{"name":"',
            name().escapeJSON(),
            " #",
            tokenId.toString(),
            '","description":"',
            description.escapeJSON(),
            '","attributes":[',
            _attributes(tokenId),
            "]}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }

    function _attributes(uint256 tokenId) private view returns (string memory list) {
        Trait[] storage traits = _traits[tokenId];
        for (uint256 i = 0; i < traits.length; ++i) {
            list = string.concat(
                list,
                i == 0 ? "" : ",",
                '{"trait_type":"',
                traits[i].kind.escapeJSON(),
                '","value":"',
                traits[i].value.escapeJSON(),
                '"}'
            );
        }
    }
}
