// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

/// @title A wallet of several owners, after the manner of a Safe.
/// @notice An owner runs a call with `execTransaction` once enough other owners have approved its hash. Calls that
/// the wallet does not know, the token hooks among them, go to the fallback handler; without one they return nothing.
contract SmartWallet {
    uint256 public nonce;
    uint256 public threshold;
    address public fallbackHandler;
    address[] private _owners;
    mapping(address owner => mapping(bytes32 hash => bool)) public approvedHashes;

    event Received(address indexed from, uint256 amount);
    event HashApproved(address indexed owner, bytes32 indexed hash);
    event ExecutionSuccess(bytes32 indexed hash);
    event FallbackHandlerChanged(address indexed handler);
    event OwnerAdded(address indexed owner);
    event OwnerRemoved(address indexed owner);
    event ThresholdChanged(uint256 threshold);

    error NotAnOwner(address caller);
    error OnlyThroughTheWallet();
    error NotEnoughApprovals(uint256 have, uint256 need);
    error InvalidOwner(address owner);
    error InvalidThreshold(uint256 threshold);

    modifier onlyWallet() {
        if (msg.sender != address(this)) revert OnlyThroughTheWallet();
        _;
    }

    modifier onlyOwner() {
        if (!isOwner(msg.sender)) revert NotAnOwner(msg.sender);
        _;
    }

    /// @param handler Answers the token hooks; the zero address means that safe transfers to the wallet fail.
    constructor(address[] memory owners, uint256 threshold_, address handler) {
        for (uint256 i = 0; i < owners.length; ++i) {
            _addOwner(owners[i]);
        }
        _setThreshold(threshold_);
        fallbackHandler = handler;
    }

    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    /// @dev The caller's address goes after the call data, so that the handler knows who asked.
    fallback() external {
        address handler = fallbackHandler;
        if (handler == address(0)) return;
        (bool success, bytes memory result) = handler.call(abi.encodePacked(msg.data, msg.sender));
        _return(success, result);
    }

    /// @notice Runs a call of the wallet. The calling owner counts as one approval; a failed call undoes everything.
    function execTransaction(address to, uint256 value, bytes calldata data)
        external
        payable
        onlyOwner
        returns (bytes memory result)
    {
        bytes32 hash = getTransactionHash(to, value, data, nonce);
        uint256 approvals = _countApprovals(hash);
        if (approvals < threshold) revert NotEnoughApprovals(approvals, threshold);
        ++nonce;
        bool success;
        (success, result) = to.call{value: value}(data);
        if (!success) _return(false, result);
        emit ExecutionSuccess(hash);
    }

    function approveHash(bytes32 hash) external onlyOwner {
        approvedHashes[msg.sender][hash] = true;
        emit HashApproved(msg.sender, hash);
    }

    function setFallbackHandler(address handler) external onlyWallet {
        fallbackHandler = handler;
        emit FallbackHandlerChanged(handler);
    }

    function addOwnerWithThreshold(address owner, uint256 threshold_) external onlyWallet {
        _addOwner(owner);
        _setThreshold(threshold_);
    }

    function removeOwner(address owner, uint256 threshold_) external onlyWallet {
        uint256 count = _owners.length;
        for (uint256 i = 0; i < count; ++i) {
            if (_owners[i] == owner) {
                _owners[i] = _owners[count - 1];
                _owners.pop();
                emit OwnerRemoved(owner);
                _setThreshold(threshold_);
                return;
            }
        }
        revert InvalidOwner(owner);
    }

    function changeThreshold(uint256 threshold_) external onlyWallet {
        _setThreshold(threshold_);
    }

    /// @notice What the other owners approve: one call of this wallet at one nonce.
    function getTransactionHash(address to, uint256 value, bytes calldata data, uint256 nonce_)
        public
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, address(this), to, value, keccak256(data), nonce_));
    }

    function getOwners() external view returns (address[] memory) {
        return _owners;
    }

    function isOwner(address account) public view returns (bool) {
        for (uint256 i = 0; i < _owners.length; ++i) {
            if (_owners[i] == account) return true;
        }
        return false;
    }

    function _countApprovals(bytes32 hash) private view returns (uint256 count) {
        for (uint256 i = 0; i < _owners.length; ++i) {
            if (_owners[i] == msg.sender || approvedHashes[_owners[i]][hash]) ++count;
        }
    }

    function _addOwner(address owner) private {
        if (owner == address(0) || owner == address(this) || isOwner(owner)) revert InvalidOwner(owner);
        _owners.push(owner);
        emit OwnerAdded(owner);
    }

    function _setThreshold(uint256 threshold_) private {
        if (threshold_ == 0 || threshold_ > _owners.length) revert InvalidThreshold(threshold_);
        if (threshold_ == threshold) return;
        threshold = threshold_;
        emit ThresholdChanged(threshold_);
    }

    /// @dev Ends the call with exactly the given bytes, as a return or as a revert.
    function _return(bool success, bytes memory result) private pure {
        assembly ("memory-safe") {
            switch success
            case 0 { revert(add(result, 32), mload(result)) }
            default { return(add(result, 32), mload(result)) }
        }
    }
}

/// @title Answers the token hooks for wallets that name it as their fallback handler.
contract CompatibilityHandler is IERC721Receiver, IERC1155Receiver {
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return IERC721Receiver.onERC721Received.selector;
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return IERC1155Receiver.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return IERC1155Receiver.onERC1155BatchReceived.selector;
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC721Receiver).interfaceId || interfaceId == type(IERC1155Receiver).interfaceId
            || interfaceId == type(IERC165).interfaceId;
    }
}
