// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Pays many accounts in one transaction, all of them or none.
/// @notice It keeps nothing: what is sent along must be exactly the sum of the amounts.
contract BulkPayments {
    /// `amount` is in wei.
    event Paid(address indexed from, address indexed to, uint256 amount);

    error LengthsDiffer(uint256 accounts, uint256 amounts);
    error WrongTotal(uint256 sent, uint256 needed);

    function pay(address payable[] calldata to, uint256[] calldata amounts) external payable {
        if (to.length != amounts.length) revert LengthsDiffer(to.length, amounts.length);
        uint256 needed;
        for (uint256 i = 0; i < to.length; ++i) {
            needed += amounts[i];
        }
        if (msg.value != needed) revert WrongTotal(msg.value, needed);
        for (uint256 i = 0; i < to.length; ++i) {
            emit Paid(msg.sender, to[i], amounts[i]);
            Address.sendValue(to[i], amounts[i]);
        }
    }
}
