"""The tools of the order book: what a marketplace's API tells of signed orders, and posting one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.chain.seaport import as_json, order_hash
from nftbench.tasks.orders import ItemType, OrderType
from nftbench.tools.arguments import Argument, ArgumentError
from nftbench.tools.paging import fitting
from nftbench.tools.parameters import CURSOR
from nftbench.tools.rendering import contract_label, utc
from nftbench.tools.solidity_values import decode_call_arguments
from nftbench.tools.toolbox import Desk, Tool
from nftbench.world.order_book import Entry
from nftbench.world.orders import objection, status_told
from nftbench.world.world import World

_CURRENCIES = (ItemType.NATIVE, ItemType.ERC20)
_CRITERIA = (ItemType.ERC721_WITH_CRITERIA, ItemType.ERC1155_WITH_CRITERIA)


def list_orders(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """The orders that fit, in the order in which they were posted; or one, whole, by its hash."""
    world = desk.world
    if given["order_hash"] is not None:
        entry = world.order_book.find(bytes.fromhex(given["order_hash"][2:]))
        if entry is None:
            raise ArgumentError(f"argument 'order_hash': the book has no order {given['order_hash']}")
        return _whole(world, entry)
    fitting_ones = [entry for entry in world.order_book.entries if _fits(entry, given)]
    first = given["cursor"] or 0
    if first > len(fitting_ones):
        raise ArgumentError(f"argument 'cursor': there are {len(fitting_ones)} such orders; got {first}")
    rows = fitting([_row(world, entry) for entry in fitting_ones[first:]])
    page: dict[str, Any] = {"count": len(fitting_ones), "orders": rows}
    if first + len(rows) < len(fitting_ones):
        page["next_cursor"] = str(first + len(rows))
    return page


def _fits(entry: Entry, given: dict[str, Any]) -> bool:
    items = [*entry.components[2], *entry.components[3]]
    tokens = [item for item in items if item[0] not in _CURRENCIES]
    if given["collection"] is not None:
        tokens = [item for item in tokens if item[1] == given["collection"]]
    if given["token_id"] is not None:
        tokens = [item for item in tokens if _may_be(item, given["token_id"])]
    money = [item[1] for item in items if item[0] in _CURRENCIES]
    return (
        bool(tokens or (given["collection"] is None and given["token_id"] is None))
        and given["side"] in (None, entry.side)
        and given["offerer"] in (None, entry.offerer)
        and (given["currency"] is None or given["currency"] in money)
    )


def _may_be(item: tuple[Any, ...], token_id: int) -> bool:
    """Whether an item may come to a token: by its id, by criteria that any token meets, or by a root that nobody can read."""
    return item[0] in _CRITERIA or item[2] == token_id


def _row(world: World, entry: Entry) -> dict[str, Any]:
    """An order in short."""
    offer, consideration, starts, ends = entry.components[2], entry.components[3], *entry.components[5:7]
    row = {
        "order_hash": "0x" + entry.hash.hex(),
        "status": status_told(world, entry),
        "side": entry.side,
        "offerer": entry.offerer,
        "offer": [_item(world, item) for item in offer],
        "consideration": [_item(world, item) for item in consideration],
        "listed": utc(entry.listed),
        "ends": _moment(ends),
    }
    return row if starts <= world.engine.block.timestamp else row | {"starts": _moment(starts)}


def _item(world: World, item: tuple[Any, ...]) -> str:
    """An item as a line: amount, what, and to whom."""
    kind, token, identifier, start, end, *recipient = item
    amount = str(start) if start == end else f"{start} to {end}"
    label = contract_label(world, token)
    name = f"{label} ({token})" if label else token
    to = f" to {recipient[0]}" if recipient else ""
    if kind == ItemType.NATIVE:
        return f"{amount} wei{to}"
    if kind == ItemType.ERC20:
        return f"{amount} units of ERC-20 {name}{to}"
    if kind in _CRITERIA:
        which = f"with criteria root 0x{identifier:064x}" if identifier else "any token"
        return f"{amount} of {name}, {which}{to}"
    return f"{amount} of {name} #{identifier}{to}"


def _moment(timestamp: int) -> str:
    """A time of an order, which may be any number."""
    return f"{timestamp} ({utc(timestamp)})" if timestamp < 2**37 else str(timestamp)


def _whole(world: World, entry: Entry) -> dict[str, Any]:
    """An order with all that the exchange's functions take."""
    return {
        "order_hash": "0x" + entry.hash.hex(),
        "exchange": entry.exchange,
        "status": status_told(world, entry),
        "side": entry.side,
        "listed": utc(entry.listed),
        "components": as_json("OrderComponents", entry.components),
        "total_original_consideration_items": str(len(entry.components[3])),
        "signature": "0x" + entry.signature.hex(),
    }


def post_order(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """As a marketplace takes orders: what the exchange would refuse is refused, in its terms."""
    world = desk.world
    exchange = world.address(str(world.fixture.order_book))
    taken = world.interfaces[exchange].function("getOrderHash").inputs
    (components,) = decode_call_arguments(taken, [given["order"]], "post_order")
    for problem in _malformed(components):
        raise ArgumentError(f"argument 'order': {problem}")
    signature = given["signature"] or b""
    entry = Entry(
        order_hash(components), exchange, components, signature, world.engine.block.timestamp, poster=world.user
    )
    told = {"order_hash": "0x" + entry.hash.hex()}
    reason = objection(world, entry)
    if reason is not None:
        return told | {"status": "refused", "reason": reason}
    world.order_book.add(entry)
    desk.stage.react()
    return told | {"status": "active", "side": entry.side}


def _malformed(components: tuple[Any, ...]) -> Iterator[str]:
    """What no order can have."""
    kinds = [item[0] for item in (*components[2], *components[3])]
    if any(kind not in tuple(ItemType) for kind in kinds):
        yield f"item types are {', '.join(f'{int(t)} {t.name}' for t in ItemType)}"
    if components[4] not in tuple(OrderType):
        yield f"order types are {', '.join(f'{int(t)} {t.name}' for t in OrderType)}; got {components[4]}"
    if not components[2]:
        yield "the offer is empty"


ORDER_TOOLS = (
    Tool(
        "list_orders",
        "A market's off-chain book of signed orders; it may lag behind the chain.",
        (
            Argument(name="order_hash", kind="hash", description="one with components and signature"),
            Argument(name="collection", kind="address"),
            Argument(name="token_id", kind="integer"),
            Argument(name="side", kind="text", choices=("ask", "bid", "trade")),
            Argument(name="offerer", kind="address"),
            Argument(name="currency", kind="address", description="zero address: ether"),
            CURSOR,
        ),
        list_orders,
    ),
    Tool(
        "post_order",
        "Put a signed order into the book.",
        (
            Argument(name="order", kind="object", description="OrderComponents as JSON text", required=True),
            Argument(name="signature", kind="data", description="none if validated on chain"),
        ),
        post_order,
    ),
)
