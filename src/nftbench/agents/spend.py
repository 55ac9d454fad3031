"""Keeping a run's spending under a limit, across threads and across kills.

Before a call the guard reserves what it can cost at most: an upper bound of its tokens at the highest prices seen so far.
While no price is known, one call runs alone; it is the only one that may pass the limit. A call whose reply was lost is
booked at what was reserved for it.
"""

from __future__ import annotations

import json
import os
import threading
import uuid
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.agents.failure import CLIFailure
from nftbench.agents.wire.line_log import append_line

MILLION = 1_000_000


class Tokens(Struct, frozen=True):
    """An amount of tokens: read by the model, and written."""

    prompt: int
    completion: int


class Prices(Struct, frozen=True):
    """Dollars per token; None where nothing is known."""

    prompt: float | None = None
    completion: float | None = None

    def of(self, tokens: Tokens) -> float | None:
        """What so many tokens cost."""
        if self.prompt is None or self.completion is None:
            return None
        return self.prompt * tokens.prompt + self.completion * tokens.completion

    def at_least(self, other: Prices) -> Prices:
        """The higher price of each."""
        return Prices(_higher(self.prompt, other.prompt), _higher(self.completion, other.completion))


class Charge(Struct, frozen=True):
    """What one call turned out to cost in dollars, with its tokens, as far as the reply tells: the cost of the prompt and of
    the completion apart where it does. `cached` prompt tokens came at a discount that hides the full price."""

    cost: float
    tokens: Tokens
    prompt_cost: float | None = None
    completion_cost: float | None = None
    cached: int = 0


class Ticket(Struct, frozen=True):
    """A reservation: `usd` is None for the one call that runs before any price is known."""

    identifier: str
    tokens: Tokens
    usd: float | None


class SpendGuard:
    """Holds spending to `max_usd` dollars.

    `max_price_in` and `max_price_out` (dollars per million tokens) bound the price of every call, so that not even the first
    may pass the limit. `spent` is what earlier runs used. With `journal`, a file, reservations and bookings are written down
    before they count: a guard made later from the same file knows what was spent, what is missing included.
    """

    def __init__(
        self,
        max_usd: float,
        *,
        max_price_in: float | None = None,
        max_price_out: float | None = None,
        spent: float = 0.0,
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        self.max_usd = max_usd
        self.max_price_in, self.max_price_out = max_price_in, max_price_out
        self._ceiling = Prices(
            None if max_price_in is None else max_price_in / MILLION,
            None if max_price_out is None else max_price_out / MILLION,
        )
        self._changed = threading.Condition()
        self._open: dict[str, Ticket] = {}
        self._spent = spent
        self._seen = Prices()
        self._untold: list[Tokens] = []
        self._journal = Path(journal) if journal is not None else None
        if self._journal is not None and self._journal.exists():
            self._recall(self._journal)

    @property
    def spent(self) -> float:
        """Dollars booked so far, lost replies included."""
        with self._changed:
            return self._spent

    @property
    def prices(self) -> Prices:
        """The prices that reservations are made at."""
        with self._changed:
            return self._known_prices()

    def reserve(self, tokens: Tokens) -> Ticket:
        """Room for a call of at most so many tokens; waits for calls under way where they may leave room. CLIFailure
        (spend_limit) if there is none."""
        with self._changed:
            while True:
                cost = self._known_prices().of(tokens)
                if self._spent >= self.max_usd:
                    raise self._limit("the limit is reached")
                if cost is None and self._untold:
                    raise self._limit(
                        "a call was made whose cost nothing tells; give --max-price-in and --max-price-out to go on"
                    )
                if self._has_room(cost):
                    return self._book_open(tokens, cost)
                if not self._open:
                    raise self._limit(
                        f"the next call can cost ${cost:.4f}; raise --max-usd, or lower --max-tokens or --max-price-out"
                    )
                self._changed.wait()

    def settle(self, ticket: Ticket, charge: Charge) -> None:
        """Books what a call cost, and learns from it."""
        with self._changed:
            self._learn(charge)
            self._close(ticket, charge.cost)

    def settle_untold(self, ticket: Ticket, tokens: Tokens | None) -> None:
        """Books a call that may have cost something that nothing tells, at the most it can have been: by its tokens where
        they are known, else by what was reserved."""
        with self._changed:
            cost = self._known_prices().of(tokens or ticket.tokens)
            if cost is None:
                self._untold.append(tokens or ticket.tokens)
                self._open.pop(ticket.identifier, None)
                self._changed.notify_all()
            else:
                self._close(ticket, cost if tokens or ticket.usd is None else max(cost, ticket.usd))

    def release(self, ticket: Ticket) -> None:
        """Frees the room of a call that cannot have cost anything."""
        with self._changed:
            self._close(ticket, 0.0)

    def _known_prices(self) -> Prices:
        return self._ceiling.at_least(self._seen)

    def _has_room(self, cost: float | None) -> bool:
        if cost is None or any(ticket.usd is None for ticket in self._open.values()):
            return not self._open
        reserved = sum(ticket.usd or 0.0 for ticket in self._open.values())
        return self._spent + reserved + cost <= self.max_usd

    def _book_open(self, tokens: Tokens, cost: float | None) -> Ticket:
        ticket = Ticket(uuid.uuid4().hex, tokens, cost)
        self._write({"call": ticket.identifier, "tokens": [tokens.prompt, tokens.completion], "at_most_usd": cost})
        self._open[ticket.identifier] = ticket
        return ticket

    def _close(self, ticket: Ticket, cost: float) -> None:
        if self._open.pop(ticket.identifier, None) is None:
            return
        self._spent += cost
        self._changed.notify_all()
        self._write({"call": ticket.identifier, "usd": cost})

    def _learn(self, charge: Charge) -> None:
        before = self._seen
        self._seen = _learned(self._seen, charge)
        if self._seen != before:
            self._write({"prices": [self._seen.prompt, self._seen.completion]})
            self._book_untold()

    def _book_untold(self) -> None:
        for tokens in list(self._untold):
            cost = self._known_prices().of(tokens)
            if cost is not None:
                self._spent += cost
                self._untold.remove(tokens)

    def _limit(self, why: str) -> CLIFailure:
        detail = f"spent ${self._spent:.4f} of ${self.max_usd:.2f} (--max-usd): {why}"
        return CLIFailure("spend_limit", detail, cause="spend_limit")

    def _write(self, entry: dict[str, Any]) -> None:
        if self._journal is not None:
            append_line(self._journal, json.dumps(entry).encode("ascii"))

    def _recall(self, journal: Path) -> None:
        """Takes up a journal; calls without a booking were lost with the run that made them. A torn line is no line: its
        call had not been sent, or counts in full."""
        pending: dict[str, Tokens] = {}
        at_most: dict[str, float | None] = {}
        for line in journal.read_bytes().splitlines():
            try:
                entry = json.loads(line)
                if "prices" in entry:
                    self._seen = self._seen.at_least(Prices(*entry["prices"]))
                elif "tokens" in entry:
                    pending[entry["call"]] = Tokens(*entry["tokens"])
                    at_most[entry["call"]] = entry["at_most_usd"]
                elif pending.pop(entry["call"], None) is not None:
                    self._spent += entry["usd"]
            except (ValueError, TypeError, KeyError):
                continue
        for identifier, tokens in pending.items():
            cost = at_most[identifier]
            cost = self._known_prices().of(tokens) if cost is None else cost
            if cost is None:
                self._untold.append(tokens)
            else:
                self._spent += cost


def _learned(seen: Prices, charge: Charge) -> Prices:
    """The highest prices, given one more charge. Where a reply tells only its total, each price is bounded by it; a later
    total that the bounds cannot explain raises them, one that they exceed lowers them."""
    tokens, uncached = charge.tokens, charge.tokens.prompt - charge.cached
    if charge.prompt_cost is not None and charge.completion_cost is not None:
        scale = max(1.0, charge.cost / (charge.prompt_cost + charge.completion_cost or 1.0))
        told = Prices(
            _per(charge.prompt_cost * scale, uncached if uncached > 0 else tokens.prompt),
            _per(charge.completion_cost * scale, tokens.completion),
        )
        return seen.at_least(told)
    bound = Prices(_per(charge.cost, tokens.prompt), _per(charge.cost, tokens.completion))
    explained = seen.of(tokens)
    if explained is None or charge.cost > explained:
        return seen.at_least(bound)
    if charge.cached or charge.cost == 0:
        return seen
    return Prices(_lower(seen.prompt, bound.prompt), _lower(seen.completion, bound.completion))


def _per(cost: float, tokens: int) -> float | None:
    return cost / tokens if tokens > 0 else None


def _higher(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else max(one, other)


def _lower(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else min(one, other)
