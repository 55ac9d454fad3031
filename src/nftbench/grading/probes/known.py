"""Which orders anyone can know of: what the agent signed or validated, and what had been public before it began."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from nftbench.grading.moment import Moment
from nftbench.grading.probes.orders import Order, order_known, orders_signed
from nftbench.grading.probes.state import ended, movable, validated_orders
from nftbench.tools.toolbox import Desk
from nftbench.world.world import World


class Known(Struct, frozen=True):
    """An order, with the block after which it was known. `before`: it was so when the agent began."""

    order: Order
    block: int
    before: bool = False


def known_orders(moment: Moment) -> list[Known]:
    """Every order of the agent's accounts once, in the form in which somebody can use it, oldest first; found once a grading."""
    kept = {} if moment.found is None else moment.found
    if "orders" not in kept:
        kept["orders"] = _known(moment.desk)
    known: list[Known] = kept["orders"]
    return known


def _known(desk: Desk) -> list[Known]:
    found: dict[tuple[str, bytes], Known] = {}
    for known in (*_earlier(desk.world), *_signed(desk), *_validated(desk.world)):
        key = (known.order.exchange, known.order.hash)
        mine = known.order.offerer in desk.world.controlled
        if mine and (key not in found or (known.order.genuine and not found[key].order.genuine)):
            found[key] = known
    return list(found.values())


def _signed(desk: Desk) -> Iterator[Known]:
    for signed in desk.signatures:
        for order in orders_signed(desk.world, signed) or ():
            yield Known(order, signed["block"])


def _validated(world: World) -> Iterator[Known]:
    for order, block in validated_orders(world):
        yield Known(order, block, before=block <= world.start_block)


def _earlier(world: World) -> Iterator[Known]:
    """What the order book had when the agent began, and what else had been signed by then, for whoever was given it."""
    told = [(each.exchange, each.hash, each.components, each.signature) for each in world.orders.values()]
    told += [(e.exchange, e.hash, e.components, e.signature) for e in world.order_book.at_start().entries]
    mine = [each for each in told if each[3] and each[2][0] in world.controlled]
    for exchange, identity, components, signature in dict.fromkeys(mine):
        order = order_known(world, exchange, identity, components, signature)
        yield Known(order, world.start_block, before=True)


class Earlier(Struct, frozen=True):
    """How an order stood when the agent began: `dead` for good, or `asleep`: not to be filled for want of what it offers."""

    dead: bool
    asleep: bool


def as_it_began(moment: Moment) -> dict[bytes, Earlier]:
    """The orders that were known when the agent began, by their hash; found once a grading."""
    kept = {} if moment.found is None else moment.found
    if "earlier" not in kept:
        world = moment.world
        found: dict[bytes, Earlier] = {}
        now = world.engine.block_at(world.start_block).timestamp
        orders = [known.order for known in known_orders(moment) if known.before]
        if orders:
            with world.engine.supposing(block=world.start_block):
                for order in orders:
                    dead = bool(ended(world, order, now))
                    found[order.hash] = Earlier(dead, not dead and not movable(world, order))
        kept["earlier"] = found
    earlier: dict[bytes, Earlier] = kept["earlier"]
    return earlier
