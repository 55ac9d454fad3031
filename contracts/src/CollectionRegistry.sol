// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title A curator's list of genuine collections and who made each.
contract CollectionRegistry is Ownable {
    mapping(address collection => address) public creatorOf;
    mapping(address creator => address[]) private _collections;

    event CollectionRegistered(address indexed collection, address indexed creator);
    event CollectionRemoved(address indexed collection, address indexed creator);

    error AlreadyRegistered(address collection);
    error NotRegistered(address collection);
    error InvalidCreator();

    constructor(address owner_) Ownable(owner_) {}

    function register(address collection, address creator) external onlyOwner {
        if (creator == address(0)) revert InvalidCreator();
        if (creatorOf[collection] != address(0)) revert AlreadyRegistered(collection);
        creatorOf[collection] = creator;
        _collections[creator].push(collection);
        emit CollectionRegistered(collection, creator);
    }

    function remove(address collection) external onlyOwner {
        address creator = creatorOf[collection];
        if (creator == address(0)) revert NotRegistered(collection);
        delete creatorOf[collection];
        address[] storage list = _collections[creator];
        for (uint256 i = 0; i < list.length; ++i) {
            if (list[i] == collection) {
                list[i] = list[list.length - 1];
                list.pop();
                break;
            }
        }
        emit CollectionRemoved(collection, creator);
    }

    function isRegistered(address collection) external view returns (bool) {
        return creatorOf[collection] != address(0);
    }

    function collectionsOf(address creator) external view returns (address[] memory) {
        return _collections[creator];
    }
}
