"""Seaport as counterparties trade at it: orders that the order book lists, and those that the contract has validated."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nftbench.chain.engine import Transaction
from nftbench.values import ZERO_ADDRESS
from nftbench.world.actors.offers import Bid, Offer, Wanted, allowing
from nftbench.world.actors.seaport_orders import CRITERIA, ERC20, NATIVE, NO_CONDUIT, TOKENS, Item, Order, validated
from nftbench.world.actors.sight import Sight
from nftbench.world.world import World

PARTS = ("Seaport", "Conduit", "ConduitController")
"""The artifacts of what belongs to it: an order may come alive when one of them changes."""


class SeaportMarket:
    """Listings: orders that give one token, or units of one, and ask for one currency. Bundles and barters are no offers here."""

    def watches(self, world: World, address: str) -> tuple[str, ...]:
        return tuple(a for a, contract in world.contracts.items() if contract.artifact in PARTS)

    def offers(self, sight: Sight, address: str, collection: str) -> Iterator[Offer]:
        for identity, order in known_orders(sight, address):
            item = _sold(order, collection)
            priced = order.price(sight.now)
            wanted = item is not None and priced is not None and order.is_open_at(sight.now)
            if wanted and _stands(sight, address, identity, order):
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

    def repricing(self, sight: Sight, offer: Offer, price: int) -> tuple[Transaction, ...]:
        """A new order in the old one's place, validated by the contract: an order of its own needs no signature there."""
        order: Order = offer.terms
        asked = [item.start * price // max(offer.price, 1) for item in order.consideration]
        asked[0] += price - sum(asked)
        items = [replace(i, start=a, end=a) for i, a in zip(order.consideration, asked, strict=True)]
        dearer = replace(order, consideration=tuple(items), salt=(order.salt + 1) % 2**256, signature=b"")
        validate = sight.call(offer.market, "validate", ((dearer.parameters, b""),))
        return (validate, *self.cancelling(sight, offer))

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
        order: Order = offer.terms
        world = sight.world
        if order.signature:
            return any(order.signature.startswith(bytes.fromhex(s["signature"][2:])) for s in world.signatures)
        return order.offerer in world.controlled and any(
            log.address == offer.market and log.block_number > world.start_block and offer.key in log.data
            for log in sight.engine.logs
            if log.topics and log.topics[0] == _validation(sight, offer.market)
        )

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


def _validation(sight: Sight, seaport: str) -> bytes:
    return sight.world.interfaces[seaport].event("OrderValidated").topic


def _stands(sight: Sight, seaport: str, identity: bytes, order: Order) -> bool:
    """Whether an order was neither cancelled nor filled, nor counted out."""
    _, cancelled, filled, size = sight.read(seaport, "getOrderStatus", identity, default=(False, True, 0, 0))
    if cancelled or (size and filled >= size):
        return False
    return bool(sight.read(seaport, "getCounter", order.offerer, default=0) == order.counter)


def known_orders(sight: Sight, seaport: str) -> Iterator[tuple[bytes, Order]]:
    """What anyone can know: the contract's own events."""
    yield from validated(sight, seaport)


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
