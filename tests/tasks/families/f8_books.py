"""What the tests of F8 read in a sitting: the bids of the book, whole, and what the user has."""

from __future__ import annotations

from typing import Any

from tests.tasks.sittings import Sitting


def bids(sitting: Sitting) -> list[dict[str, Any]]:
    """Every bid of the book, whole, for whatever it is."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = sitting.use("list_orders", side="bid", **cursor)
        rows += page["orders"]
        if "next_cursor" not in page:
            return [sitting.use("list_orders", order_hash=row["order_hash"]) for row in rows]
        cursor = {"cursor": page["next_cursor"]}


def holdings(sitting: Sitting) -> set[tuple[str, int]]:
    """The user's tokens, by the world's own ledger."""
    user = bytes.fromhex(sitting.world.user[2:])
    ledger = sitting.world.surveyor.capture()
    return {(str(e.contract), e.subject) for e, word in ledger.items() if e.kind == "owner" and word[-20:] == user}
