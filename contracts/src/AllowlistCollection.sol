// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Proceeds} from "./Proceeds.sol";

/// @title What the two allowlist collections share: a Merkle root that the owner sets, claims counted by wallet.
/// @notice Pairs are hashed in sorted order, as in OpenZeppelin's trees.
abstract contract MerkleMint is ERC721, Ownable, Proceeds {
    bytes32 public merkleRoot;
    uint256 public immutable price;
    uint256 public immutable maxSupply;
    uint256 public totalMinted;
    mapping(address account => uint256) public claimed;
    string private _base;

    event MerkleRootChanged(bytes32 root);

    error InvalidProof(address account);
    error WrongPayment(uint256 sent, uint256 needed);
    error AllowanceExceeded(uint256 allowance, uint256 claimed, uint256 asked);
    error SoldOut(uint256 left, uint256 asked);

    constructor(bytes32 root, uint256 price_, uint256 maxSupply_, string memory baseURI_) {
        merkleRoot = root;
        price = price_;
        maxSupply = maxSupply_;
        _base = baseURI_;
    }

    function setMerkleRoot(bytes32 root) external onlyOwner {
        merkleRoot = root;
        emit MerkleRootChanged(root);
    }

    function withdraw(address payable to) external onlyOwner {
        _withdrawEther(to);
    }

    function _claim(uint256 quantity, uint256 allowance, bytes32 leaf, bytes32[] calldata proof) internal {
        if (!MerkleProof.verifyCalldata(proof, merkleRoot, leaf)) revert InvalidProof(msg.sender);
        if (msg.value != price * quantity) revert WrongPayment(msg.value, price * quantity);
        uint256 before = claimed[msg.sender];
        if (before + quantity > allowance) revert AllowanceExceeded(allowance, before, quantity);
        if (totalMinted + quantity > maxSupply) revert SoldOut(maxSupply - totalMinted, quantity);
        claimed[msg.sender] = before + quantity;
        for (uint256 i = 0; i < quantity; ++i) {
            _mint(msg.sender, ++totalMinted);
        }
    }

    function _baseURI() internal view override returns (string memory) {
        return _base;
    }
}

/// @title An allowlist of accounts and how many tokens each may mint.
contract AllowlistCollection is MerkleMint {
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        bytes32 root,
        uint256 price_,
        uint256 maxSupply_,
        string memory baseURI_
    ) ERC721(name_, symbol_) Ownable(owner_) MerkleMint(root, price_, maxSupply_, baseURI_) {}

    /// @param allowance The number that stands beside the caller on the list.
    function allowlistMint(uint256 quantity, uint256 allowance, bytes32[] calldata proof) external payable {
        _claim(quantity, allowance, leafOf(msg.sender, allowance), proof);
    }

    /// @notice The leaf of an account and its allowance: their ABI encoding, hashed twice.
    function leafOf(address account, uint256 allowance) public pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(account, allowance))));
    }
}

/// @title An allowlist of accounts alone; each may mint as many as the collection lets any wallet have.
contract AddressAllowlistCollection is MerkleMint {
    uint256 public immutable walletLimit;

    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        bytes32 root,
        uint256 price_,
        uint256 maxSupply_,
        uint256 walletLimit_,
        string memory baseURI_
    ) ERC721(name_, symbol_) Ownable(owner_) MerkleMint(root, price_, maxSupply_, baseURI_) {
        walletLimit = walletLimit_;
    }

    function allowlistMint(uint256 quantity, bytes32[] calldata proof) external payable {
        _claim(quantity, walletLimit, leafOf(msg.sender), proof);
    }

    /// @notice The leaf of an account: its 20 bytes, hashed once.
    function leafOf(address account) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(account));
    }
}
