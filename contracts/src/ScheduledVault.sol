// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {DepositVault} from "./DepositVault.sol";

/// @title A vault that opens to each collection by schedule: announced first, and not before the announced time.
/// @notice The first announcement of a collection is binding; the curator then opens it at that time or later.
contract ScheduledVault is DepositVault {
    /// @notice The earliest time at which a collection can be opened (Unix seconds); zero where none is announced.
    mapping(address collection => uint64) public opensAt;
    mapping(address collection => bool) public isOpen;

    event OpeningAnnounced(address indexed collection, uint64 opensAt);
    event CollectionOpened(address indexed collection);

    error AnnouncedAlready(address collection);
    error NotYet(address collection, uint64 opensAt);

    /// @param listed Collections that are taken from the start, as in DepositVault.
    constructor(address owner_, address[] memory listed) DepositVault(owner_, listed) {}

    function announce(address collection, uint64 time) external onlyOwner {
        if (opensAt[collection] != 0) revert AnnouncedAlready(collection);
        opensAt[collection] = time;
        emit OpeningAnnounced(collection, time);
    }

    function open(address collection) external onlyOwner {
        uint64 time = opensAt[collection];
        if (time == 0 || block.timestamp < time) revert NotYet(collection, time);
        isOpen[collection] = true;
        emit CollectionOpened(collection);
    }

    /// @dev A collection with an announced opening is taken from its opening on, whatever else is set.
    function accepts(address collection) public view override returns (bool) {
        return opensAt[collection] == 0 ? super.accepts(collection) : isOpen[collection];
    }
}

