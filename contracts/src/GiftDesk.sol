// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title A desk where anybody leaves a token for somebody else, with a memo, to be taken from a time on.
/// @notice Visitors may put up a notice. Whoever comes too early is told the newest one.
contract GiftDesk {
    /// `opensAt` is in Unix seconds.
    struct Gift {
        address from;
        address to;
        address collection;
        uint256 tokenId;
        uint64 opensAt;
        string memo;
    }

    uint256 public giftCount;
    string public notice;
    mapping(uint256 giftId => Gift) private _gifts;

    event Left(
        uint256 indexed giftId,
        address indexed from,
        address indexed to,
        address collection,
        uint256 tokenId,
        uint64 opensAt,
        string memo
    );
    event Taken(uint256 indexed giftId, address indexed to);
    event NoticePosted(address indexed by, string notice);

    error NoSuchGift(uint256 giftId);
    error NotForYou(uint256 giftId, address caller);
    error NotOpenYet(uint64 opensAt, string notice);

    /// @notice Leaves a token that the caller holds and has approved for the desk.
    function deposit(address collection, uint256 tokenId, address to, uint64 opensAt, string calldata memo)
        external
        returns (uint256 giftId)
    {
        giftId = ++giftCount;
        _gifts[giftId] = Gift(msg.sender, to, collection, tokenId, opensAt, memo);
        emit Left(giftId, msg.sender, to, collection, tokenId, opensAt, memo);
        IERC721(collection).transferFrom(msg.sender, address(this), tokenId);
    }

    /// @notice Takes a gift out, once it is open, to whom it was left for.
    function take(uint256 giftId) external {
        Gift memory gift = gifts(giftId);
        if (gift.to != msg.sender) revert NotForYou(giftId, msg.sender);
        if (block.timestamp < gift.opensAt) revert NotOpenYet(gift.opensAt, notice);
        delete _gifts[giftId];
        emit Taken(giftId, msg.sender);
        IERC721(gift.collection).transferFrom(address(this), msg.sender, gift.tokenId);
    }

    function postNotice(string calldata text) external {
        notice = text;
        emit NoticePosted(msg.sender, text);
    }

    function gifts(uint256 giftId) public view returns (Gift memory gift) {
        gift = _gifts[giftId];
        if (gift.from == address(0)) revert NoSuchGift(giftId);
    }
}
