"""The order book: signed orders as a marketplace's API tells of them, off chain and sometimes stale.

What stands in it is what its posters sent. It takes no notice of what happened on chain before the agent began, except as the
fixture says; from then on it follows the exchange's own events, as an indexer does, and nothing else: tokens that move,
approvals that go and ends that pass leave an entry as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from nftbench.chain.seaport import Components

Side = Literal["ask", "bid", "trade"]
_CURRENCIES = (0, 1)


class Entry(Struct, frozen=True):
    """One order of the book. `listed` is when it was posted, in Unix seconds; `status` what the book tells of it; `poster`
    whoever posted it, where that was the agent."""

    hash: bytes
    exchange: str
    components: Components
    signature: bytes
    listed: int
    status: str = "active"
    poster: str | None = None

    @property
    def offerer(self) -> str:
        return str(self.components[0])

    @property
    def side(self) -> Side:
        """An ask gives tokens for currency, a bid gives currency for tokens; the rest are trades."""
        gives = [item[0] in _CURRENCIES for item in self.components[2]]
        asks = [item[0] in _CURRENCIES for item in self.components[3]]
        if gives and not any(gives) and asks and asks[0]:
            return "ask"
        return "bid" if gives and all(gives) and asks and not asks[0] else "trade"


class OrderBook:
    """The entries in the order in which they were posted."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self._entries = {entry.hash: entry for entry in entries}
        self._begun = self.entries

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._entries.values())

    def find(self, order_hash: bytes) -> Entry | None:
        return self._entries.get(order_hash)

    def add(self, entry: Entry) -> None:
        """Post an order; one that stands there already keeps its place, with the newest signature."""
        self._entries[entry.hash] = entry

    def restore(self, entries: Sequence[Entry]) -> None:
        """Let these stand in it, as they stood at an earlier moment, and nothing else."""
        self._entries = {entry.hash: entry for entry in entries}

    def begin(self) -> None:
        """From here on the agent acts; `at_start` is the book as it is now."""
        self._begun = self.entries

    def at_start(self) -> OrderBook:
        """A book of its own as it was when the agent began."""
        other = OrderBook(self._begun)
        other.begin()
        return other

    @property
    def posted(self) -> tuple[Entry, ...]:
        """What the agent has posted."""
        return tuple(entry for entry in self._entries.values() if entry.poster is not None)
