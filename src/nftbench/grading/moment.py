"""When a goal is looked at, and what every check reads: names, and the events up to then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from nftbench.chain.abi import DecodedEvent
from nftbench.chain.engine import Receipt
from nftbench.tools.toolbox import Desk
from nftbench.world.world import World


class Moment(Struct, frozen=True):
    """When a goal is looked at: after block `block` (None: at the end). `found` keeps what one grading has found out by trying,
    for whoever asks again; None where nothing is kept."""

    desk: Desk
    block: int | None
    found: dict[Any, Any] | None = None

    @property
    def world(self) -> World:
        return self.desk.world

    @property
    def last_block(self) -> int:
        """The block after which the world is looked at."""
        return self.world.engine.block.number if self.block is None else self.block

    def receipts(self) -> list[Receipt]:
        """Every transaction since the start, the actors' too, oldest first."""
        first, last = self.world.start_block, self.last_block
        return [r for r in self.world.engine.receipts() if first < r.block_number <= last]


Finding = tuple[bool, str]
"""Whether a goal holds, and what was found, as text for people."""


def amount(value: Any) -> int:
    """A reading as a number: one that failed is none, and so is what a contract gives that is no number."""
    if isinstance(value, bytes):
        return int.from_bytes(value[:32], "big")
    return value if isinstance(value, int) else 0


def named(world: World, value: Any) -> str:
    """A value with addresses by their names in the world."""
    if isinstance(value, str) and value in world.names:
        return world.names[value]
    if isinstance(value, tuple | list):
        return "(" + ", ".join(named(world, v) for v in value) + ")"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return "nothing" if value is None else str(value)


def spoken_status(status: tuple[bool, bool, int, int]) -> str:
    """What getOrderStatus says, in words."""
    validated, cancelled, filled, size = status
    if cancelled:
        return "cancelled"
    if filled:
        return "filled" if filled >= size else f"filled by {filled}/{size}"
    return "validated" if validated else "untouched"


def spoken_order(world: World, order_hash: bytes) -> str:
    """An order by its name in the fixture and its offerer, as far as anybody knows them."""
    known = next((order for order in world.orders.values() if order.hash == order_hash), None)
    if known is not None:
        return f"order {known.name!r} of {named(world, known.offerer)}"
    entry = world.order_book.find(order_hash)
    of = "" if entry is None else f" of {named(world, entry.offerer)}"
    return f"order 0x{order_hash.hex()[:8]}..{of}"


def events(contract: str, moment: Moment) -> Iterator[tuple[int, DecodedEvent]]:
    """The contract's events since the start, each with its block."""
    world = moment.world
    address = world.address(contract)
    for log in world.engine.logs:
        in_time = moment.block is None or log.block_number <= moment.block
        if log.address == address and log.block_number > world.start_block and in_time:
            event = world.interfaces[address].decode_log(log)
            if event is not None:
                yield log.block_number, event
