// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC2981} from "@openzeppelin/contracts/interfaces/IERC2981.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title A fixed-price market. A token stays with its seller, who lets the market move it, until it is bought.
/// @notice Out of the price come the market's fee and the collection's ERC-2981 royalty; the seller gets the rest.
contract SimpleMarket is Ownable, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// The currency is an ERC-20, or the zero address for ether; the price is in its smallest units.
    struct Listing {
        address seller;
        address collection;
        uint256 tokenId;
        address currency;
        uint256 price;
    }

    uint256 private constant _BASIS_POINTS = 10_000;

    uint96 public immutable feeBasisPoints;
    uint256 public listingCount;
    mapping(uint256 listingId => Listing) private _listings;
    mapping(address collection => mapping(uint256 tokenId => uint256)) private _newest;

    event Listed(
        uint256 indexed listingId,
        address indexed seller,
        address indexed collection,
        uint256 tokenId,
        address currency,
        uint256 price
    );
    event PriceChanged(uint256 indexed listingId, uint256 price);
    event Cancelled(uint256 indexed listingId);
    event Bought(uint256 indexed listingId, address indexed buyer, uint256 price, uint256 royalty, uint256 fee);

    error NoSuchListing(uint256 listingId);
    error NotTheSeller(uint256 listingId, address caller);
    error NotTheHolder(address collection, uint256 tokenId, address caller);
    error WrongPayment(uint256 sent, uint256 needed);
    error DeductionsExceedPrice(uint256 price, uint256 royalty, uint256 fee);

    constructor(address owner_, uint96 feeBasisPoints_) Ownable(owner_) {
        feeBasisPoints = feeBasisPoints_;
    }

    function list(address collection, uint256 tokenId, address currency, uint256 price)
        external
        returns (uint256 listingId)
    {
        if (IERC721(collection).ownerOf(tokenId) != msg.sender) {
            revert NotTheHolder(collection, tokenId, msg.sender);
        }
        listingId = ++listingCount;
        _listings[listingId] = Listing(msg.sender, collection, tokenId, currency, price);
        _newest[collection][tokenId] = listingId;
        emit Listed(listingId, msg.sender, collection, tokenId, currency, price);
    }

    function setPrice(uint256 listingId, uint256 price) external {
        _ownListing(listingId).price = price;
        emit PriceChanged(listingId, price);
    }

    function cancel(uint256 listingId) external {
        _ownListing(listingId);
        _remove(listingId);
        emit Cancelled(listingId);
    }

    /// @notice Buys at the listed price: exactly that much ether, or so much of the currency that the market may take.
    function buy(uint256 listingId) external payable nonReentrant {
        Listing memory listing = getListing(listingId);
        (, address receiver, uint256 royalty, uint256 fee) = payouts(listingId);
        uint256 needed = listing.currency == address(0) ? listing.price : 0;
        if (msg.value != needed) revert WrongPayment(msg.value, needed);
        _remove(listingId);
        emit Bought(listingId, msg.sender, listing.price, royalty, fee);
        IERC721(listing.collection).transferFrom(listing.seller, msg.sender, listing.tokenId);
        _pay(listing.currency, receiver, royalty);
        _pay(listing.currency, owner(), fee);
        _pay(listing.currency, listing.seller, listing.price - royalty - fee);
    }

    /// @notice A token's newest listing if that still stands, and 0 otherwise.
    function listingOf(address collection, uint256 tokenId) public view returns (uint256 listingId) {
        listingId = _newest[collection][tokenId];
        if (_listings[listingId].seller == address(0)) listingId = 0;
    }

    function isListed(address collection, uint256 tokenId) external view returns (bool) {
        return listingOf(collection, tokenId) != 0;
    }

    function getListing(uint256 listingId) public view returns (Listing memory listing) {
        listing = _listings[listingId];
        if (listing.seller == address(0)) revert NoSuchListing(listingId);
    }

    /// @notice Who gets what when the listing is bought at its price.
    function payouts(uint256 listingId)
        public
        view
        returns (uint256 toSeller, address royaltyReceiver, uint256 royalty, uint256 fee)
    {
        Listing memory listing = getListing(listingId);
        fee = listing.price * feeBasisPoints / _BASIS_POINTS;
        if (ERC165Checker.supportsInterface(listing.collection, type(IERC2981).interfaceId)) {
            (royaltyReceiver, royalty) = IERC2981(listing.collection).royaltyInfo(listing.tokenId, listing.price);
            if (royaltyReceiver == address(0)) royalty = 0;
        }
        if (royalty + fee > listing.price) revert DeductionsExceedPrice(listing.price, royalty, fee);
        toSeller = listing.price - royalty - fee;
    }

    function _ownListing(uint256 listingId) private view returns (Listing storage listing) {
        listing = _listings[listingId];
        if (listing.seller == address(0)) revert NoSuchListing(listingId);
        if (listing.seller != msg.sender) revert NotTheSeller(listingId, msg.sender);
    }

    /// What is left of a listing that is gone is its number.
    function _remove(uint256 listingId) private {
        Listing storage listing = _listings[listingId];
        if (_newest[listing.collection][listing.tokenId] == listingId) {
            delete _newest[listing.collection][listing.tokenId];
        }
        delete _listings[listingId];
    }

    function _pay(address currency, address to, uint256 amount) private {
        if (amount == 0) return;
        if (currency == address(0)) {
            Address.sendValue(payable(to), amount);
        } else {
            IERC20(currency).safeTransferFrom(msg.sender, to, amount);
        }
    }
}
