// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {IERC7572} from "./IERC7572.sol";

/// @title A collection whose creator tends its metadata: a base, single tokens, the contract's own, and a freeze.
/// @notice A token's URI is the base and the token's own part, or its id where it has none. Setting the base signals
/// nothing by itself: the creator says which tokens it changed. Frozen is for good.
contract MetadataCollection is ERC721URIStorage, Ownable, IERC7572 {
    string private _base;
    string private _contractURI;
    bool public metadataFrozen;
    mapping(uint256 tokenId => bool) public tokenFrozen;

    event PermanentURI(string value, uint256 indexed id);
    event MetadataFrozen();

    error MetadataIsFrozen();
    error TokenMetadataIsFrozen(uint256 tokenId);
    error InvalidRange(uint256 fromTokenId, uint256 toTokenId);

    modifier whenNotFrozen() {
        if (metadataFrozen) revert MetadataIsFrozen();
        _;
    }

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        string memory baseURI_,
        string memory contractURI_
    ) ERC721(name_, symbol_) Ownable(owner_) {
        _base = baseURI_;
        _contractURI = contractURI_;
    }

    function mint(address to, uint256 tokenId) external onlyOwner {
        _mint(to, tokenId);
    }

    function mintBatch(address to, uint256[] calldata tokenIds) external onlyOwner {
        for (uint256 i = 0; i < tokenIds.length; ++i) {
            _mint(to, tokenIds[i]);
        }
    }

    function setBaseURI(string calldata baseURI_) external onlyOwner whenNotFrozen {
        _base = baseURI_;
    }

    function setTokenURI(uint256 tokenId, string calldata uri) external onlyOwner whenNotFrozen {
        _requireOwned(tokenId);
        if (tokenFrozen[tokenId]) revert TokenMetadataIsFrozen(tokenId);
        _setTokenURI(tokenId, uri);
    }

    /// @notice Tells readers that one token's metadata changed (ERC-4906).
    function emitMetadataUpdate(uint256 tokenId) external onlyOwner {
        emit MetadataUpdate(tokenId);
    }

    /// @notice Tells readers that the metadata of a range changed, both ends included (ERC-4906).
    function emitBatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId) external onlyOwner {
        if (fromTokenId > toTokenId) revert InvalidRange(fromTokenId, toTokenId);
        emit BatchMetadataUpdate(fromTokenId, toTokenId);
    }

    function setContractURI(string calldata uri) external onlyOwner {
        _contractURI = uri;
        emit ContractURIUpdated();
    }

    /// @notice Fixes one token's own part of the URI; the base may still change.
    function freezeToken(uint256 tokenId) external onlyOwner whenNotFrozen {
        tokenFrozen[tokenId] = true;
        emit PermanentURI(tokenURI(tokenId), tokenId);
    }

    /// @notice Fixes the base and every token's URI.
    function freezeMetadata() external onlyOwner whenNotFrozen {
        metadataFrozen = true;
        emit MetadataFrozen();
    }

    function baseURI() external view returns (string memory) {
        return _base;
    }

    function contractURI() external view returns (string memory) {
        return _contractURI;
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}
