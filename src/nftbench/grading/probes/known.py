"""Which orders anyone can know of: what the agent signed or validated, and what had been public before it began."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from nftbench.grading.probes.orders import Order, order_known, orders_signed
from nftbench.grading.probes.state import validated_orders
from nftbench.tools.toolbox import Desk
from nftbench.world.world import World


class Known(Struct, frozen=True):
    """An order, with the block after which it was known. `before`: it was so when the agent began."""

    order: Order
    block: int
    before: bool = False


def known_orders(desk: Desk) -> list[Known]:
    """Every order once, in the form in which somebody can use it, oldest first."""
    found: dict[tuple[str, bytes], Known] = {}
    for known in (*_earlier(desk.world), *_signed(desk), *_validated(desk.world)):
        key = (known.order.exchange, known.order.hash)
        if key not in found or (known.order.genuine and not found[key].order.genuine):
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
    signed = [(each.exchange, each.components, each.signature) for each in world.orders.values()]
    signed += [(each.exchange, each.components, each.signature) for each in world.order_book.at_start().entries]
    for exchange, components, signature in signed:
        if signature:
            yield Known(order_known(world, exchange, components, signature), world.start_block, before=True)
