// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Proceeds} from "./Proceeds.sol";

/// @title What a minter needs of a collection: minting by token id, as its owner or with its minter role.
interface IMintable {
    function mint(address to, uint256 tokenId) external;
}

/// @title A shop that sells new tokens of another contract, ids counting up from `firstTokenId`.
abstract contract Minter is Ownable {
    IMintable public immutable collection;
    uint256 public immutable firstTokenId;
    uint256 public immutable supply;
    uint256 public sold;

    event Sold(address indexed buyer, uint256 firstTokenId, uint256 quantity, uint256 paid);

    error SoldOut(uint256 left, uint256 asked);

    constructor(IMintable collection_, address owner_, uint256 firstTokenId_, uint256 supply_) Ownable(owner_) {
        collection = collection_;
        firstTokenId = firstTokenId_;
        supply = supply_;
    }

    function _sell(address buyer, uint256 quantity, uint256 paid) internal {
        if (quantity > supply - sold) revert SoldOut(supply - sold, quantity);
        uint256 first = firstTokenId + sold;
        sold += quantity;
        emit Sold(buyer, first, quantity, paid);
        for (uint256 i = 0; i < quantity; ++i) {
            collection.mint(buyer, first + i);
        }
    }
}

/// @title What Dutch sales share: the price of a token falls by the second from start to end and then stays.
abstract contract DecayingSale is Minter {
    /// Prices are the smallest units of the currency for a token, times Unix seconds.
    struct Sale {
        uint128 startPrice;
        uint128 endPrice;
        uint64 startsAt;
        uint64 endsAt;
    }

    Sale private _sale;

    error NotStarted(uint256 startsAt);
    error InvalidSale();

    constructor(Sale memory sale_) {
        if (sale_.endPrice > sale_.startPrice || sale_.endsAt <= sale_.startsAt) revert InvalidSale();
        _sale = sale_;
    }

    function sale() external view returns (Sale memory) {
        return _sale;
    }

    function currentPrice() external view returns (uint256) {
        return priceAt(block.timestamp);
    }

    /// @notice The price of a token in a block of that time.
    function priceAt(uint256 timestamp) public view returns (uint256) {
        Sale memory terms = _sale;
        if (timestamp < terms.startsAt) revert NotStarted(terms.startsAt);
        if (timestamp >= terms.endsAt) return terms.endPrice;
        uint256 fallen =
            uint256(terms.startPrice - terms.endPrice) * (timestamp - terms.startsAt) / (terms.endsAt - terms.startsAt);
        return terms.startPrice - fallen;
    }
}

/// @title A Dutch sale in ether. What is overpaid comes back.
contract DecayingPriceMinter is DecayingSale, Proceeds {
    error WrongPayment(uint256 sent, uint256 needed);

    constructor(IMintable collection_, address owner_, uint256 firstTokenId_, uint256 supply_, Sale memory sale_)
        Minter(collection_, owner_, firstTokenId_, supply_)
        DecayingSale(sale_)
    {}

    function buy(uint256 quantity) external payable {
        uint256 needed = priceAt(block.timestamp) * quantity;
        _checkPayment(msg.value, needed);
        _sell(msg.sender, quantity, needed);
        if (msg.value > needed) _giveChange(msg.value - needed);
    }

    function withdraw(address payable to) external onlyOwner {
        _withdrawEther(to);
    }

    function _checkPayment(uint256 sent, uint256 needed) internal view virtual {
        if (sent < needed) revert WrongPayment(sent, needed);
    }

    function _giveChange(uint256 excess) internal virtual {
        Address.sendValue(payable(msg.sender), excess);
    }
}

/// @title The same sale against the exact price of the block; more is refused like less.
contract ExactDecayingPriceMinter is DecayingPriceMinter {
    constructor(IMintable collection_, address owner_, uint256 firstTokenId_, uint256 supply_, Sale memory sale_)
        DecayingPriceMinter(collection_, owner_, firstTokenId_, supply_, sale_)
    {}

    function _checkPayment(uint256 sent, uint256 needed) internal pure override {
        if (sent != needed) revert WrongPayment(sent, needed);
    }
}

/// @title The same sale without change: what is paid above the price of the block stays here.
contract KeepingDecayingPriceMinter is DecayingPriceMinter {
    constructor(IMintable collection_, address owner_, uint256 firstTokenId_, uint256 supply_, Sale memory sale_)
        DecayingPriceMinter(collection_, owner_, firstTokenId_, supply_, sale_)
    {}

    function _giveChange(uint256) internal pure override {}
}

/// @title A sale at a fixed price in an ERC-20 currency, which the buyer lets this contract take.
contract TokenPriceMinter is Minter {
    using SafeERC20 for IERC20;

    IERC20 public immutable currency;
    uint256 public immutable price;

    /// @param price_ Smallest units of the currency for a token.
    constructor(
        IMintable collection_,
        address owner_,
        uint256 firstTokenId_,
        uint256 supply_,
        IERC20 currency_,
        uint256 price_
    ) Minter(collection_, owner_, firstTokenId_, supply_) {
        currency = currency_;
        price = price_;
    }

    function buy(uint256 quantity) external {
        uint256 paid = price * quantity;
        _sell(msg.sender, quantity, paid);
        currency.safeTransferFrom(msg.sender, address(this), paid);
    }

    function withdraw(address to) external onlyOwner {
        currency.safeTransfer(to, currency.balanceOf(address(this)));
    }
}

/// @title A Dutch sale in an ERC-20 currency: it takes the price of the block from what the buyer lets it take.
contract DecayingTokenPriceMinter is DecayingSale {
    using SafeERC20 for IERC20;

    IERC20 public immutable currency;

    constructor(
        IMintable collection_,
        address owner_,
        uint256 firstTokenId_,
        uint256 supply_,
        IERC20 currency_,
        Sale memory sale_
    ) Minter(collection_, owner_, firstTokenId_, supply_) DecayingSale(sale_) {
        currency = currency_;
    }

    function buy(uint256 quantity) external {
        uint256 paid = priceAt(block.timestamp) * quantity;
        _sell(msg.sender, quantity, paid);
        currency.safeTransferFrom(msg.sender, address(this), paid);
    }

    function withdraw(address to) external onlyOwner {
        currency.safeTransfer(to, currency.balanceOf(address(this)));
    }
}
