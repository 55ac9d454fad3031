// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// @title A register of which wallets are one person's.
/// @notice A wallet claims that another is its main one, and counts as linked once that one confirms it. A later link takes the
/// place of an earlier one. A main wallet may itself be linked to another; links never make a circle.
contract WalletLinks {
    /// The main wallet that a wallet is linked to; the zero address where it is linked to none.
    mapping(address wallet => address) public mainOf;
    mapping(address wallet => address) public claimOf;

    event Claimed(address indexed wallet, address indexed main);
    event Confirmed(address indexed wallet, address indexed main);
    event Released(address indexed wallet, address indexed main);

    error NothingClaimed(address wallet, address main);
    error Circle(address wallet, address main);
    error NotLinked(address wallet);

    function claim(address main) external {
        claimOf[msg.sender] = main;
        emit Claimed(msg.sender, main);
    }

    function confirm(address wallet) external {
        if (claimOf[wallet] != msg.sender) revert NothingClaimed(wallet, msg.sender);
        for (address next = msg.sender; next != address(0); next = mainOf[next]) {
            if (next == wallet) revert Circle(wallet, msg.sender);
        }
        delete claimOf[wallet];
        mainOf[wallet] = msg.sender;
        emit Confirmed(wallet, msg.sender);
    }

    /// @notice Ends the caller's own link.
    function release() external {
        address main = mainOf[msg.sender];
        if (main == address(0)) revert NotLinked(msg.sender);
        delete mainOf[msg.sender];
        emit Released(msg.sender, main);
    }
}
