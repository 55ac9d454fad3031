"""How an order stands on chain: for good at an end, or only asleep until its maker has again what it offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.chain.seaport import order_hash
from nftbench.grading.moment import amount
from nftbench.grading.probes.fills import ERC20, ERC721, ERC1155
from nftbench.grading.probes.orders import Order, Parameters, components_of, exchanges, words
from nftbench.tasks.goals import Reading
from nftbench.world.ledger import Entry
from nftbench.world.world import World


def ended(world: World, order: Order, now: int | None = None) -> str:
    """Why nobody can ever fill the order, whatever its maker does but sign again; empty while somebody may come to. `now` in Unix
    seconds (None: when the next block comes)."""
    name = world.names[order.exchange]
    validated, cancelled, filled, whole = world.read(Reading(name, "getOrderStatus", (order.hash,)))
    now = world.engine.pending_timestamp if now is None else now
    if cancelled:
        return "cancelled"
    if whole and filled == whole:
        return "filled"
    if order.components["endTime"] <= now:
        return "past its end"
    if world.read(Reading(name, "getCounter", (order.offerer,))) != order.components["counter"]:
        return "of another counter"
    return "" if order.genuine or validated else "nothing that the exchange takes"


def transferer(world: World, order: Order) -> str | None:
    """Who moves what the order offers: its conduit, or the exchange itself; None for a conduit that there is not."""
    key = order.components["conduitKey"]
    if not any(key):
        return order.exchange
    _, _, controller = world.read(Reading(world.names[order.exchange], "information", ()))
    if controller not in world.names:
        return None
    found = world.read(Reading(world.names[controller], "getConduit", (key,)))
    return str(found[0]) if isinstance(found, tuple) and found[1] else None


def permissions(world: World, order: Order) -> Iterator[tuple[Parameters, Entry, Entry | None]]:
    """What lets the order's transferer move each item that it offers: the item, the permission over the collection or the
    currency, and that over the one token."""
    mover = transferer(world, order)
    for item in order.components["offer"] if mover else ():
        token, kind, number = item["token"], item["itemType"], item["identifierOrCriteria"]
        if kind == ERC20:
            yield item, Entry("allowance", token, order.offerer, mover), None
        elif kind:
            single = Entry("approved", token, number, None) if kind == ERC721 else None
            yield item, Entry("operator", token, order.offerer, mover), single


def movable(world: World, order: Order) -> bool:
    """Whether its maker has what the order offers, and lets it be moved."""
    read, mover = world.surveyor.read, transferer(world, order)
    for item, wide, single in permissions(world, order):
        token, number = item["token"], item["identifierOrCriteria"]
        allowed = amount(read(wide))
        if single is not None and read(single) == mover:
            allowed = 1
        wanted = min(item["startAmount"], item["endAmount"])
        if item["itemType"] == ERC20:
            held = amount(read(Entry("coins", token, order.offerer, None)))
            if min(held, allowed) < wanted:
                return False
        elif not allowed:
            return False
        elif item["itemType"] == ERC721:
            if read(Entry("owner", token, number, None)) != order.offerer:
                return False
        elif item["itemType"] == ERC1155 and not amount(read(Entry("units", token, order.offerer, number))):
            return False
    return mover is not None


def validated_orders(world: World) -> Iterator[tuple[Order, int]]:
    """The orders that were validated on chain, so that nobody needs a signature to fill them, each with its block."""
    for exchange in exchanges(world):
        interface = world.interfaces[exchange]
        for log in world.engine.logs:
            event = interface.decode_log(log) if log.address == exchange else None
            if event is not None and event.name == "OrderValidated":
                order_id, parameters = event.arguments.values()
                yield _validated(world, exchange, order_id, parameters), log.block_number


def _validated(world: World, exchange: str, order_id: bytes, parameters: Any) -> Order:
    """With the counter that its maker has now, if it is of that one; its hash tells."""
    components = components_of(parameters)
    counter = world.read(Reading(world.names[exchange], "getCounter", (components["offerer"],)))
    current = components | {"counter": counter}
    stands = order_hash(words(current)) == order_id
    return Order(exchange, current if stands else components | {"counter": -1}, order_id, b"")
