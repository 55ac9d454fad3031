"""The words for reference policies that deal in signed orders: reading an order book, and what the exchange's functions take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.chain.seaport import typed_data
from nftbench.tasks.playing import Step, use
from nftbench.values import UINT256_MAX, ZERO_ADDRESS

NO_CONDUIT = "0x" + "00" * 32
"""The conduit key for the exchange itself."""
CURRENCIES = ("0", "1")
"""Item types of ether and of ERC-20 coins."""


def order_rows(**filters: Any) -> Step:
    """All orders of the book that fit, in short, page by page."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = yield from use("list_orders", **filters, **cursor)
        rows += page["orders"]
        if "next_cursor" not in page:
            return rows
        cursor = {"cursor": page["next_cursor"]}


def whole_order(row: dict[str, Any]) -> Step:
    """An order of the book with its components and its signature."""
    return (yield from use("list_orders", order_hash=row["order_hash"]))


def whole_orders(**filters: Any) -> Step:
    """All orders of the book that fit, each with its components and its signature."""
    found = []
    for row in (yield from order_rows(**filters)):
        found.append((yield from whole_order(row)))
    return found


def signed_order(order: dict[str, Any]) -> dict[str, Any]:
    """The Order that fulfillOrder takes."""
    parameters = {key: value for key, value in order["components"].items() if key != "counter"}
    parameters["totalOriginalConsiderationItems"] = order["total_original_consideration_items"]
    return {"parameters": parameters, "signature": order["signature"]}


def advanced_order(order: dict[str, Any]) -> dict[str, Any]:
    """The AdvancedOrder that asks for all of it."""
    return {**signed_order(order), "numerator": "1", "denominator": "1", "extraData": "0x"}


def own_order(
    seen: dict[str, Any],
    exchange: str,
    offer: Sequence[tuple[str, ...]],
    consideration: Sequence[tuple[str, ...]],
    *,
    times: tuple[str, str] = ("0", str(UINT256_MAX)),
    counter: str = "0",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """An order of the agent's own, whose offer the exchange itself moves, as the book would tell of it unsigned, and the typed
    data to sign for it. Items are item type, token, identifier, the amounts at the start and at the end, and the recipient."""
    components = (seen["you"], ZERO_ADDRESS, offer, consideration, "0", *times, NO_CONDUIT, "0", NO_CONDUIT, counter)
    return unsigned_order(seen, exchange, components)


def unsigned_order(
    seen: dict[str, Any], exchange: str, components: tuple[Any, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """An order of these components, in Seaport's order of them, as the book would tell of it, and the typed data to sign."""
    typed = typed_data(int(seen["chain_id"]), exchange, components)
    told = {"components": typed["message"], "total_original_consideration_items": str(len(components[3]))}
    return told | {"signature": "0x"}, typed


def amount_at(item: dict[str, Any], terms: dict[str, Any], now: int, *, is_asked: bool) -> int:
    """An item's amount at a moment: in a line from its start to its end, rounded up where it is asked for and down where it is
    offered."""
    start, end = int(terms["startTime"]), int(terms["endTime"])
    past, span = min(max(now, start), end) - start, end - start
    total = int(item["startAmount"]) * (span - past) + int(item["endAmount"]) * past
    return -(-total // span) if is_asked else total // span


def asked(order: dict[str, Any], now: int) -> int:
    """What whoever fills an order pays in all at a moment, in whatever currency: each item goes in a line from its start to its
    end, rounded up."""
    terms = order["components"]
    return sum(amount_at(item, terms, now, is_asked=True) for item in terms["consideration"])


def in_one_currency(order: dict[str, Any]) -> str | None:
    """The currency that alone is asked for (the zero address for ether); None where a token is asked for as well, or several
    currencies are."""
    items = order["components"]["consideration"]
    currencies = {item["token"] for item in items if item["itemType"] in CURRENCIES}
    alone = len(currencies) == 1 and all(item["itemType"] in CURRENCIES for item in items)
    return str(currencies.pop()) if alone else None


def is_over(status: Any) -> bool:
    """Whether getOrderStatus says that an order is cancelled or filled up."""
    _, cancelled, filled, size = status.values() if isinstance(status, dict) else status
    return bool(cancelled) or (int(size) > 0 and int(filled) >= int(size))
