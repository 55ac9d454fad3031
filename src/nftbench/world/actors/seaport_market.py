"""Seaport as counterparties trade at it: orders that the order book lists, and those that the contract has validated."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nftbench.chain.engine import Transaction
from nftbench.chain.seaport import order_hash
from nftbench.values import UINT256_MAX, ZERO_ADDRESS
from nftbench.world.actors.offers import Bid, Offer, Repricing, Wanted, allowing
from nftbench.world.actors.seaport_orders import (
    CRITERIA,
    ERC20,
    NATIVE,
    NO_CONDUIT,
    TOKENS,
    Item,
    Order,
    order_from,
    validated,
)
from nftbench.world.actors.sight import Sight
from nftbench.world.world import World

PARTS = ("Seaport", "Conduit", "ConduitController")
"""The artifacts of what belongs to it: an order may come alive when one of them changes."""


class SeaportMarket:
    """Listings: orders that give one token, or units of one, and ask for one currency. Bundles and barters are no offers here."""

    def watches(self, world: World, address: str) -> tuple[str, ...]:
        return tuple(a for a, contract in world.contracts.items() if contract.artifact in PARTS)

    def offers(self, sight: Sight, address: str, collection: str, most: int = UINT256_MAX) -> Iterator[Offer]:
        for identity, order in known_orders(sight, address):
            item = _sold(order, collection)
            priced = order.price(sight.now)
            wanted = item is not None and priced is not None and priced[1] <= most
            if wanted and order.is_open_at(sight.now) and _stands(sight, address, identity, order):
                assert item is not None and priced is not None
                yield Offer(
                    address,
                    identity,
                    _label(identity),
                    order.offerer,
                    collection,
                    item,
                    priced[0],
                    priced[1],
                    terms=order,
                )

    def bids(self, sight: Sight, address: str, collection: str) -> Iterator[Bid]:
        for identity, order in known_orders(sight, address):
            wanted = _wanted(order, collection)
            if wanted is None or not order.is_open_at(sight.now) or not _stands(sight, address, identity, order):
                continue
            (coin,), item = order.offer, wanted
            amount = order.amount(coin, sight.now)
            token_id = None if item.kind in CRITERIA else item.identifier
            covered = _covered(sight, address, order.offerer, coin.token, amount)
            yield Bid(identity, _label(identity), order.offerer, token_id, coin.token, amount, covered, terms=order)

    def filling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        order: Order = offer.terms
        advanced = (order.parameters, 1, 1, order.signature, b"")
        value = offer.price if offer.currency is None else 0
        fill = sight.call(offer.market, "fulfillAdvancedOrder", advanced, (), NO_CONDUIT, sight.account, value=value)
        return (*allowing(sight, offer, offer.market), fill)

    def cancelling(self, sight: Sight, offer: Offer) -> tuple[Transaction, ...]:
        return (sight.call(offer.market, "cancel", (offer.terms.components,)),)

    def repricing(self, sight: Sight, offer: Offer, price: int) -> Repricing:
        order: Order = offer.terms
        asked = [item.start * price // max(offer.price, 1) for item in order.consideration]
        asked[0] += price - sum(asked)
        items = [replace(i, start=a, end=a) for i, a in zip(order.consideration, asked, strict=True)]
        dearer = replace(order, consideration=tuple(items), salt=(order.salt + 1) % 2**256, signature=b"")
        validations, posts = announced(sight, offer.market, dearer)
        return (*validations, *self.cancelling(sight, offer)), posts

    def spenders(self, sight: Sight, offer: Offer) -> tuple[str, ...]:
        return _spenders(sight, offer.market)

    def sales(self, sight: Sight, address: str, collection: str, currency: str | None) -> list[int]:
        interface = sight.world.interfaces[address]
        found = []
        for event in (interface.decode_log(log) for log in sight.engine.logs if log.address == address):
            if event is None or event.name != "OrderFulfilled":
                continue
            given, paid = event.arguments["offer"], event.arguments["consideration"]
            coins = {(item[0], item[1]) for item in paid}
            wanted = (0, ZERO_ADDRESS) if currency is None else (ERC20, currency)
            if len(given) == 1 and given[0][0] in TOKENS and given[0][1] == collection and coins == {wanted}:
                found.append(sum(item[3] for item in paid))
        return found

    def signed(self, sight: Sight, offer: Offer) -> bool:
        return is_agents(sight, offer.market, offer.terms)

    def moment(self, sight: Sight, address: str, wanted: Wanted) -> int | None:
        after, found = sight.memory.looked or 0, []
        for identity, order in known_orders(sight, address):
            priced = order.price(order.starts)
            if _sold(order, wanted.collection) is None or priced is None or priced[0] != wanted.currency:
                continue
            moment = order.falls_to(wanted.limit, after)
            fresh = moment is not None and not order.is_within(wanted.limit, after)
            if fresh and _stands(sight, address, identity, order):
                found.append(moment)
        return min((moment for moment in found if moment is not None), default=None)


def announced(sight: Sight, seaport: str, order: Order) -> Repricing:
    """How a counterparty makes an order of its own known: in the order book, or where there is none, by having the contract
    validate it, which asks its offerer for no signature."""
    book = sight.world.fixture.order_book
    if book is not None and sight.address(book) == seaport:
        return (), (sight.listing(seaport, order.components),)
    return (sight.call(seaport, "validate", ((order.parameters, b""),)),), ()


def is_agents(sight: Sight, seaport: str, order: Order) -> bool:
    """Whether an order stands by what the agent has done since it began: it signed it, or had the contract validate it."""
    world = sight.world
    if order.offerer not in world.controlled:
        return False
    if any(order.signature[:32] == bytes.fromhex(signed["signature"][2:66]) for signed in world.signatures):
        return True
    topic, identity = world.interfaces[seaport].event("OrderValidated").topic, order_hash(order.components)
    fresh = (log for log in sight.engine.logs if log.block_number > world.start_block and log.address == seaport)
    return any(log.topics[0] == topic and log.data[:32] == identity for log in fresh if log.topics)


def _stands(sight: Sight, seaport: str, identity: bytes, order: Order) -> bool:
    """Whether an order was neither cancelled nor filled, nor counted out."""
    _, cancelled, filled, size = sight.read(seaport, "getOrderStatus", identity, default=(False, True, 0, 0))
    if cancelled or (size and filled >= size):
        return False
    return bool(sight.read(seaport, "getCounter", order.offerer, default=0) == order.counter)


def known_orders(sight: Sight, seaport: str) -> Iterator[tuple[bytes, Order]]:
    """What the order book has, whatever it says of them, what the counterparty has kept, and what the contract has validated."""
    known = {
        e.hash: order_from(e.components, e.signature) for e in sight.world.order_book.entries if e.exchange == seaport
    }
    known |= {o.hash: order_from(o.components, o.signature) for o in sight.knows if o.exchange == seaport}
    yield from (known | dict(validated(sight, seaport))).items()


def _label(identity: bytes) -> str:
    return f"order 0x{identity.hex()[:8]}.."


def _spenders(sight: Sight, seaport: str) -> tuple[str, ...]:
    conduits = [a for a, contract in sight.world.contracts.items() if contract.artifact == "Conduit"]
    return (seaport, *conduits)


def _covered(sight: Sight, seaport: str, owner: str, coin: str, amount: int) -> bool:
    """Whether somebody has so many coins and lets Seaport, or a conduit, take them."""
    if sight.read(coin, "balanceOf(address)", owner, default=0) < amount:
        return False
    allowed = (sight.read(coin, "allowance(address,address)", owner, s, default=0) for s in _spenders(sight, seaport))
    return any(allowance >= amount for allowance in allowed)


def _wanted(order: Order, collection: str) -> Item | None:
    """The one item of a collection that an order bids coins for, be it any token of it; None if it is no such bid."""
    items = [item for item in order.consideration if item.kind not in (NATIVE, ERC20)]
    if len(order.offer) != 1 or order.offer[0].kind != ERC20 or len(items) != 1:
        return None
    (item,) = items
    fits = item.token == collection and item.recipient == order.offerer
    return item if fits and (item.kind in TOKENS or item.identifier == 0) else None


def _sold(order: Order, collection: str) -> int | None:
    """The id of the one token of a collection that an order sells; None if it sells something else."""
    if len(order.offer) != 1 or not order.consideration:
        return None
    (item,) = order.offer
    return item.identifier if item.kind in TOKENS and item.token == collection else None
