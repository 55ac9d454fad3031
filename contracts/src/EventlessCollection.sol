// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {BareCollection} from "./BareCollection.sol";

/// @title A collection that is minted when it is made, and whose tokens never come up in an event.
/// @notice Its tokens are numbered from 1 in the order of their first holders.
contract EventlessCollection is BareCollection {
    constructor(
        string memory name_,
        string memory symbol_,
        address owner_,
        address[] memory holders,
        string memory base_
    ) BareCollection(name_, symbol_, owner_, base_) {
        for (uint256 i = 0; i < holders.length; ++i) {
            _mint(holders[i], i + 1);
        }
    }

    function _sayTransferred(address, address, uint256) internal override {}

    function _sayApproved(address, address, uint256) internal override {}

    function _sayOperator(address, address, bool) internal override {}
}
