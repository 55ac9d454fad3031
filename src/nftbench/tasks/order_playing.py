"""The words for reference policies that deal in signed orders: reading an order book, and what the exchange's functions take."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.playing import Step, use
from nftbench.values import UINT256_MAX

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


def signed_order(order: dict[str, Any]) -> dict[str, Any]:
    """The Order that fulfillOrder takes."""
    parameters = {key: value for key, value in order["components"].items() if key != "counter"}
    parameters["totalOriginalConsiderationItems"] = order["total_original_consideration_items"]
    return {"parameters": parameters, "signature": order["signature"]}


def asked(order: dict[str, Any], now: int) -> int:
    """What whoever fills an order pays in all at a moment, in whatever currency: each item goes in a line from its start to its
    end, rounded up."""
    terms = order["components"]
    start, end = int(terms["startTime"]), int(terms["endTime"])
    past = min(max(now, start), end) - start
    total = 0
    for item in terms["consideration"]:
        first, last = int(item["startAmount"]), int(item["endAmount"])
        total += -((first * (end - start) + (last - first) * past) // -(end - start))
    return total


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


def everything() -> str:
    """An allowance for all that there ever is."""
    return str(UINT256_MAX)
