// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title A market for one collection. Lots of one or several tokens, for ether; the buyer pays the market's fee on top of the price.
/// @notice Tokens stay with their seller, who lets the market move them, until the lot is bought.
contract LotMarket is Ownable, ReentrancyGuard {
    struct Lot {
        address seller;
        uint256[] tokenIds;
        uint256 price;
    }

    uint256 private constant _BASIS_POINTS = 10_000;

    IERC721 public immutable collection;
    uint256 public immutable feeBasisPoints;
    uint256 public lotCount;
    mapping(uint256 lotId => Lot) private _lots;

    event LotListed(uint256 indexed lotId, address indexed seller, uint256[] tokenIds, uint256 price);
    event LotCancelled(uint256 indexed lotId);
    event LotBought(uint256 indexed lotId, address indexed buyer, uint256 price, uint256 fee);

    error NoSuchLot(uint256 lotId);
    error NotTheSeller(uint256 lotId, address caller);
    error NotTheHolder(uint256 tokenId, address caller);
    error WrongPayment(uint256 sent, uint256 needed);
    error EmptyLot();

    constructor(IERC721 collection_, address owner_, uint256 feeBasisPoints_) Ownable(owner_) {
        collection = collection_;
        feeBasisPoints = feeBasisPoints_;
    }

    function list(uint256[][] calldata tokenIds, uint256[] calldata prices) external {
        for (uint256 i = 0; i < prices.length; ++i) {
            if (tokenIds[i].length == 0) revert EmptyLot();
            for (uint256 j = 0; j < tokenIds[i].length; ++j) {
                if (collection.ownerOf(tokenIds[i][j]) != msg.sender) revert NotTheHolder(tokenIds[i][j], msg.sender);
            }
            _lots[++lotCount] = Lot(msg.sender, tokenIds[i], prices[i]);
            emit LotListed(lotCount, msg.sender, tokenIds[i], prices[i]);
        }
    }

    function cancel(uint256[] calldata lotIds) external {
        for (uint256 i = 0; i < lotIds.length; ++i) {
            if (getLot(lotIds[i]).seller != msg.sender) revert NotTheSeller(lotIds[i], msg.sender);
            delete _lots[lotIds[i]];
            emit LotCancelled(lotIds[i]);
        }
    }

    /// @notice What a buyer pays in all: the price and the market's fee.
    function costOf(uint256 lotId) public view returns (uint256) {
        uint256 price = getLot(lotId).price;
        return price + price * feeBasisPoints / _BASIS_POINTS;
    }

    function getLot(uint256 lotId) public view returns (Lot memory lot) {
        lot = _lots[lotId];
        if (lot.seller == address(0)) revert NoSuchLot(lotId);
    }

    /// @notice Buys a whole lot for exactly its cost.
    function buy(uint256 lotId) external payable nonReentrant {
        Lot memory lot = getLot(lotId);
        uint256 needed = costOf(lotId);
        if (msg.value != needed) revert WrongPayment(msg.value, needed);
        delete _lots[lotId];
        emit LotBought(lotId, msg.sender, lot.price, needed - lot.price);
        for (uint256 i = 0; i < lot.tokenIds.length; ++i) {
            collection.transferFrom(lot.seller, msg.sender, lot.tokenIds[i]);
        }
        Address.sendValue(payable(lot.seller), lot.price);
        if (needed > lot.price) Address.sendValue(payable(owner()), needed - lot.price);
    }
}
