// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title Names for accounts under one ending, after the manner of ENS: a name's node has an owner and an address.
/// @notice Whoever owns a name says which address it stands for, which need not be the owner's own.
contract NameRegistry is Ownable {
    struct Record {
        address owner;
        address account;
    }

    string public ending;
    bytes32 private immutable _root;
    mapping(bytes32 node => Record) private _records;
    mapping(address account => string) private _claimed;

    event NameRegistered(bytes32 indexed node, string name, address owner);
    event AddressChanged(bytes32 indexed node, address account);
    event NameTransferred(bytes32 indexed node, address owner);
    event NameClaimed(address indexed account, string name);

    error AlreadyRegistered(string name);
    error NotTheOwner(bytes32 node, address caller);
    error InvalidName(string name);

    constructor(address registrar, string memory ending_) Ownable(registrar) {
        ending = ending_;
        _root = keccak256(abi.encodePacked(bytes32(0), keccak256(bytes(ending_))));
    }

    /// @notice Gives out a name, without its ending. It stands for `account` until its owner says otherwise.
    function register(string calldata label, address owner_, address account) external onlyOwner {
        bytes32 node = _node(label);
        string memory name = string.concat(label, ".", ending);
        if (bytes(label).length == 0 || owner_ == address(0)) revert InvalidName(name);
        if (_records[node].owner != address(0)) revert AlreadyRegistered(name);
        _records[node] = Record(owner_, account);
        emit NameRegistered(node, name, owner_);
        emit AddressChanged(node, account);
    }

    function setAddr(bytes32 node, address account) external {
        if (_records[node].owner != msg.sender) revert NotTheOwner(node, msg.sender);
        _records[node].account = account;
        emit AddressChanged(node, account);
    }

    function transferName(bytes32 node, address to) external {
        if (_records[node].owner != msg.sender) revert NotTheOwner(node, msg.sender);
        _records[node].owner = to;
        emit NameTransferred(node, to);
    }

    /// @notice Says which name the caller goes by. Anybody can say anything: only `addr` of that name confirms it.
    function claimName(string calldata name) external {
        _claimed[msg.sender] = name;
        emit NameClaimed(msg.sender, name);
    }

    /// @notice The node of a label under this registry's ending: the name's EIP-137 namehash.
    function nodeOf(string calldata label) external view returns (bytes32) {
        return _node(label);
    }

    /// @return The zero address where nobody has the name.
    function nameOwner(bytes32 node) external view returns (address) {
        return _records[node].owner;
    }

    /// @return The zero address where the name stands for nobody.
    function addr(bytes32 node) external view returns (address) {
        return _records[node].account;
    }

    function claimedName(address account) external view returns (string memory) {
        return _claimed[account];
    }

    function _node(string calldata label) private view returns (bytes32) {
        return keccak256(abi.encodePacked(_root, keccak256(bytes(label))));
    }
}
