// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721, IERC165} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {IERC7572} from "./IERC7572.sol";

/// @title A collection that keeps its creator's JSON on the chain, word for word.
/// @notice Nothing is checked or escaped: what the creator stores is what a reader gets.
contract OnchainJsonCollection is ERC721, Ownable, IERC4906, IERC7572 {
    bytes4 private constant _ERC4906_ID = 0x49064906;

    mapping(uint256 tokenId => string) private _tokenJson;
    string private _contractJson;

    constructor(string memory name_, string memory symbol_, address owner_, string memory contractJson_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        _contractJson = contractJson_;
    }

    function mint(address to, uint256 tokenId, string calldata json) external onlyOwner {
        _mint(to, tokenId);
        _tokenJson[tokenId] = json;
    }

    function setTokenMetadata(uint256 tokenId, string calldata json) external onlyOwner {
        _requireOwned(tokenId);
        _tokenJson[tokenId] = json;
        emit MetadataUpdate(tokenId);
    }

    function setContractMetadata(string calldata json) external onlyOwner {
        _contractJson = json;
        emit ContractURIUpdated();
    }

    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireOwned(tokenId);
        return _dataUri(_tokenJson[tokenId]);
    }

    function contractURI() external view returns (string memory) {
        return _dataUri(_contractJson);
    }

    function supportsInterface(bytes4 interfaceId) public view override(ERC721, IERC165) returns (bool) {
        return interfaceId == _ERC4906_ID || super.supportsInterface(interfaceId);
    }

    function _dataUri(string memory json) private pure returns (string memory) {
        return string.concat("data:application/json;base64,", Base64.encode(bytes(json)));
    }
}
