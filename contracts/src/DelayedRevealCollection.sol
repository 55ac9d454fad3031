// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721, IERC165} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A collection minted in batches under a placeholder, each batch revealed later with the URI it promised.
/// @notice The promise is a commitment, keccak256(abi.encodePacked(uri, salt)). Revealing changes what `tokenURI`
/// answers and signals nothing by itself: the creator says which tokens changed (ERC-4906).
contract DelayedRevealCollection is ERC721, Ownable, IERC4906 {
    using Strings for uint256;

    /// Token ids from `first` to `last`; the reveal is open from `revealsAt` (Unix seconds) on.
    struct Batch {
        uint256 first;
        uint256 last;
        uint64 revealsAt;
        bool revealed;
        bytes32 commitment;
        string uri;
    }

    bytes4 private constant _ERC4906_ID = 0x49064906;

    uint256 public totalMinted;
    string public placeholderURI;
    Batch[] private _batches;

    event BatchMinted(uint256 indexed batch, uint256 first, uint256 last, bytes32 commitment);
    event TokenURIRevealed(uint256 indexed batch, string uri);

    error NoSuchBatch(uint256 batch);
    error EmptyBatch();
    error AlreadyRevealed(uint256 batch);
    error RevealTooEarly(uint64 revealsAt);
    error CommitmentMismatch(bytes32 commitment, bytes32 got);
    error InvalidRange(uint256 fromTokenId, uint256 toTokenId);

    constructor(string memory name_, string memory symbol_, address owner_, string memory placeholderURI_)
        ERC721(name_, symbol_)
        Ownable(owner_)
    {
        placeholderURI = placeholderURI_;
    }

    function mintBatch(address to, uint256 quantity, bytes32 commitment, uint64 revealsAt)
        external
        onlyOwner
        returns (uint256 batch)
    {
        if (quantity == 0) revert EmptyBatch();
        batch = _batches.length;
        uint256 first = totalMinted + 1;
        uint256 last = totalMinted + quantity;
        totalMinted = last;
        _batches.push(Batch(first, last, revealsAt, false, commitment, ""));
        for (uint256 tokenId = first; tokenId <= last; ++tokenId) {
            _mint(to, tokenId);
        }
        emit BatchMinted(batch, first, last, commitment);
    }

    function reveal(uint256 batch, string calldata uri, bytes32 salt) external onlyOwner {
        if (batch >= _batches.length) revert NoSuchBatch(batch);
        Batch storage chosen = _batches[batch];
        if (chosen.revealed) revert AlreadyRevealed(batch);
        if (block.timestamp < chosen.revealsAt) revert RevealTooEarly(chosen.revealsAt);
        bytes32 got = keccak256(abi.encodePacked(uri, salt));
        if (got != chosen.commitment) revert CommitmentMismatch(chosen.commitment, got);
        chosen.revealed = true;
        chosen.uri = uri;
        emit TokenURIRevealed(batch, uri);
    }

    /// @notice Tells readers that the metadata of a range changed, both ends included (ERC-4906).
    function emitBatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId) external onlyOwner {
        if (fromTokenId > toTokenId) revert InvalidRange(fromTokenId, toTokenId);
        emit BatchMetadataUpdate(fromTokenId, toTokenId);
    }

    function batchCount() external view returns (uint256) {
        return _batches.length;
    }

    function batchInfo(uint256 batch) external view returns (Batch memory) {
        if (batch >= _batches.length) revert NoSuchBatch(batch);
        return _batches[batch];
    }

    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        _requireOwned(tokenId);
        for (uint256 i = 0; i < _batches.length; ++i) {
            if (tokenId <= _batches[i].last) {
                return _batches[i].revealed ? string.concat(_batches[i].uri, tokenId.toString()) : placeholderURI;
            }
        }
        return placeholderURI;
    }

    function supportsInterface(bytes4 interfaceId) public view override(ERC721, IERC165) returns (bool) {
        return interfaceId == _ERC4906_ID || super.supportsInterface(interfaceId);
    }
}
