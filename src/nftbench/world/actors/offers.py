"""What is for sale at a market, as anyone can see it: one face for every kind of market that counterparties trade at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from msgspec import Struct

from nftbench.chain.engine import Log, Transaction
from nftbench.values import UINT256_MAX, ZERO_ADDRESS
from nftbench.world.actors.sight import Sight
from nftbench.world.order_book import Entry
from nftbench.world.world import World


class Offer(Struct, frozen=True):
    """One order to sell: `key` is what the market knows it by, `price` all that its taker pays now, in wei or smallest units of
    `currency` (None: ether). `label` is what people call it. `terms` is the market's own. It may be dead all the same."""

    market: str
    key: Any
    label: str
    seller: str
    collection: str
    token_id: int
    currency: str | None
    price: int
    terms: Any = None


class Bid(Struct, frozen=True):
    """One order to buy, of a token or, with `token_id` None, of any of a collection: `amount` of `currency` is what the bidder
    gives in all. `covered` says that it has so much and lets the market take it."""

    key: Any
    label: str
    bidder: str
    token_id: int | None
    currency: str
    amount: int
    covered: bool
    terms: Any = None


class Wanted(Struct, frozen=True):
    """What a buyer is after: a collection, a currency (None: ether), and the most that it pays."""

    collection: str
    currency: str | None
    limit: int


Repricing = tuple[tuple[Transaction, ...], tuple[Entry, ...]]
"""What is sent, and what is posted in the order book."""


class Market(Protocol):
    """A kind of market. Addresses throughout."""

    def watches(self, world: World, address: str) -> tuple[str, ...]:
        """The contracts whose events may change what is for sale at it, beside the collections and currencies."""
        ...

    def offers(self, sight: Sight, address: str, collection: str, most: int = UINT256_MAX) -> Iterator[Offer]:
        """The orders for a collection that have not been cancelled or filled and ask at most so much."""
        ...

    def bids(self, sight: Sight, address: str, collection: str) -> Iterator[Bid]:
        """The orders to buy tokens of a collection that have not been cancelled or filled."""
        ...

    def filling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        """What the counterparty sends to take an offer."""
        ...

    def cancelling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        """What its seller sends to withdraw it."""
        ...

    def repricing(self, sight: Sight, offer: Offer, price: int) -> Repricing:
        """What its seller does to ask another price."""
        ...

    def spenders(self, sight: Sight, offer: Offer) -> tuple[str, ...]:
        """Who must be let take the currency of an offer from those who fill it."""
        ...

    def sales(self, sight: Sight, address: str, collection: str, currency: str | None) -> list[int]:
        """What the sales of a collection came to there, oldest first."""
        ...

    def signed(self, sight: Sight, offer: Offer) -> bool:
        """Whether taking an offer uses a signature that the agent has made, or what stands for one."""
        ...

    def moment(self, sight: Sight, address: str, wanted: Wanted) -> int | None:
        """The next moment after its last look at which time alone makes an order that is wanted cheap enough."""
        ...


class FixedPrices:
    """SimpleMarket: listings by number, in the contract's own storage."""

    def watches(self, world: World, address: str) -> tuple[str, ...]:
        return (address,)

    def offers(self, sight: Sight, address: str, collection: str, most: int = UINT256_MAX) -> Iterator[Offer]:
        for number in range(1, sight.read(address, "listingCount", default=0) + 1):
            listing = sight.read(address, "getListing", number)
            if listing is None or listing[1] != collection or listing[4] > most:
                continue
            seller, _, token_id, currency, price = listing
            coin = None if currency == ZERO_ADDRESS else currency
            yield Offer(address, number, f"listing {number}", seller, collection, token_id, coin, price)

    def bids(self, sight: Sight, address: str, collection: str) -> Iterator[Bid]:
        return iter(())

    def filling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        value = offer.price if offer.currency is None else 0
        return (*allowing(sight, offer, offer.market), sight.call(offer.market, "buy(uint256)", offer.key, value=value))

    def cancelling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        return (sight.call(offer.market, "cancel(uint256)", offer.key),)

    def repricing(self, sight: Sight, offer: Offer, price: int) -> Repricing:
        return (sight.call(offer.market, "setPrice(uint256,uint256)", offer.key, price),), ()

    def spenders(self, sight: Sight, offer: Offer) -> tuple[str, ...]:
        return (offer.market,)

    def sales(self, sight: Sight, address: str, collection: str, currency: str | None) -> list[int]:
        interface = sight.world.interfaces[address]
        listed: set[int] = set()
        found = []
        for event in map(interface.decode_log, _logs(sight, address)):
            given = {} if event is None else event.arguments
            if event is not None and event.name == "Listed":
                if (given["collection"], given["currency"]) == (collection, currency or ZERO_ADDRESS):
                    listed.add(given["listingId"])
            elif event is not None and event.name == "Bought" and given["listingId"] in listed:
                found.append(given["price"])
        return found

    def signed(self, sight: Sight, offer: Offer) -> bool:
        return False

    def moment(self, sight: Sight, address: str, wanted: Wanted) -> int | None:
        return None


def allowing(sight: Sight, offer: Offer, spender: str) -> tuple[Transaction, ...]:
    """What the taker of an offer sends first so that its currency can be taken; nothing if it can already."""
    if offer.currency is None:
        return ()
    allowed = sight.read(offer.currency, "allowance(address,address)", sight.account, spender, default=0)
    if allowed >= offer.price:
        return ()
    return (sight.call(offer.currency, "approve(address,uint256)", spender, offer.price),)


def _logs(sight: Sight, address: str) -> Iterator[Log]:
    return (log for log in sight.engine.logs if log.address == address)
