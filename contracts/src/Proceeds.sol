// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Pays out all the ether that a contract has taken.
abstract contract Proceeds {
    event ProceedsWithdrawn(address indexed to, uint256 amount);

    function _withdrawEther(address payable to) internal {
        uint256 amount = address(this).balance;
        emit ProceedsWithdrawn(to, amount);
        Address.sendValue(to, amount);
    }
}
