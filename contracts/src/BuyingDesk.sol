// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title What the desk needs of a shop: one that sells running ids of a collection and gives change.
interface IShop {
    function collection() external view returns (IERC721);
    function firstTokenId() external view returns (uint256);
    function sold() external view returns (uint256);
    function buy(uint256 quantity) external payable;
}

/// @title A desk that buys at shops for its customers: the shop sees the desk, the tokens and the change go to the customer.
contract BuyingDesk {
    /// `paid` is what the shop took, in wei.
    event BoughtFor(address indexed customer, address indexed shop, uint256 quantity, uint256 paid);

    function buy(IShop shop, uint256 quantity) external payable {
        uint256 before = address(this).balance - msg.value;
        uint256 first = shop.firstTokenId() + shop.sold();
        shop.buy{value: msg.value}(quantity);
        uint256 change = address(this).balance - before;
        emit BoughtFor(msg.sender, address(shop), quantity, msg.value - change);
        IERC721 collection = shop.collection();
        for (uint256 i = 0; i < quantity; ++i) {
            collection.transferFrom(address(this), msg.sender, first + i);
        }
        if (change > 0) Address.sendValue(payable(msg.sender), change);
    }

    receive() external payable {}
}
