"""Keeping a run's spending under a limit, across threads and across kills.

Before a call the guard reserves what it can cost at most: an upper bound of its tokens at the highest prices seen so far, or
at the user's ceilings. A price of nothing, or one below any that is charged, teaches nothing. Where no ceilings bound the
price, calls run one at a time until it has held for STEADY calls, and afterwards beside each other only while all of them
would fit at JUMP times the price. So however prices move, by up to that factor between two calls, at most one call ends
beyond the limit: one that ran alone. With ceilings that the server keeps, none does.

A call whose reply was lost, or that a kill cut short, stays set aside at the most that it can have cost.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.agents.failure import CLIFailure
from nftbench.agents.wire.spend_journal import Journal, Reserved, Tokens

__all__ = ["Charge", "Prices", "SpendGuard", "Ticket", "Tokens"]

MILLION = 1_000_000
LOWEST_PRICE = 0.001 / MILLION
"""Dollars per token; what is below is a gift or a mistake, and no price that others can be told by."""
STEADY = 3
"""Calls that a price must hold for, rising by no more than HELD times, before calls may run beside each other."""
HELD = 2.0
JUMP = 64
"""How many times dearer than all before calls may turn out that run beside each other."""
MOST_LOST = 3
"""Calls that may be lost before any price is known: each may cost what it will."""


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
    """A reservation: `usd` is None for a call that runs before any price is known."""

    identifier: str
    tokens: Tokens
    usd: float | None


class SpendGuard:
    """Holds spending to `max_usd` dollars.

    `max_price_in` and `max_price_out` (dollars per million tokens) bound the price of every call, so that not even the first
    may pass the limit. `spent` is what earlier runs used. With `journal`, a file, reservations and bookings are written down
    before they count: a guard made later from the same file knows what was spent, what is missing included. `check` is
    called before anything is written there. Refusal for a journal that can't be trusted.
    """

    def __init__(
        self,
        max_usd: float,
        *,
        max_price_in: float | None = None,
        max_price_out: float | None = None,
        spent: float = 0.0,
        journal: str | os.PathLike[str] | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.max_usd = max_usd
        self.max_price_in, self.max_price_out = max_price_in, max_price_out
        self._ceiling = Prices(
            None if max_price_in is None else max_price_in / MILLION,
            None if max_price_out is None else max_price_out / MILLION,
        )
        self._changed = threading.Condition()
        self._open: dict[str, Ticket] = {}
        self._steady = 0
        self._journal = Journal(Path(journal), check) if journal is not None else None
        book = self._journal.book if self._journal is not None else None
        self._booked = spent + (book.spent if book else 0.0)
        self._seen = Prices(*book.prices) if book else Prices()
        self._unbooked: list[Reserved] = list(book.unbooked.values()) if book else []
        self.calls = book.calls if book else 0
        """Calls that the journal told of."""

    @property
    def spent(self) -> float:
        """Dollars booked so far, and set aside for lost replies."""
        with self._changed:
            return self._used()

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
                if self._used() >= self.max_usd:
                    raise self._limit("the limit is reached")
                if cost is None:
                    self._refuse_blind_calls()
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
            if cost is not None:
                self._close(ticket, cost if tokens or ticket.usd is None else max(cost, ticket.usd))
            elif self._open.pop(ticket.identifier, None) is not None:
                self._unbooked.append(Reserved(tokens or ticket.tokens, None, silent=tokens is not None))
                self._changed.notify_all()
                if tokens is not None:
                    self._write({"call": ticket.identifier, "untold": [tokens.prompt, tokens.completion]})

    def release(self, ticket: Ticket) -> None:
        """Frees the room of a call that cannot have cost anything."""
        with self._changed:
            self._close(ticket, 0.0)

    def _known_prices(self) -> Prices:
        return self._ceiling.at_least(self._seen)

    def _used(self) -> float:
        known = self._known_prices()
        return self._booked + sum(max(known.of(r.tokens) or 0.0, r.at_most_usd or 0.0) for r in self._unbooked)

    def _is_bounded(self) -> bool:
        """Whether ceilings bound the price, and no call has been dearer."""
        return self._ceiling.of(Tokens(1, 1)) is not None and self._known_prices() == self._ceiling

    def _refuse_blind_calls(self) -> None:
        """CLIFailure when a call without a known price would be one too many."""
        if any(reserved.silent for reserved in self._unbooked):
            why = "a call was made whose cost nothing tells"
        elif len(self._unbooked) >= MOST_LOST:
            why = f"{len(self._unbooked)} calls were lost before any price was known"
        else:
            return
        raise self._limit(f"{why}; give --max-price-in and --max-price-out to go on")

    def _has_room(self, cost: float | None) -> bool:
        if not self._open:
            return cost is None or self._used() + cost <= self.max_usd
        if cost is None or any(ticket.usd is None for ticket in self._open.values()):
            return False
        known = self._known_prices()
        reserved = sum(max(ticket.usd or 0.0, known.of(ticket.tokens) or 0.0) for ticket in self._open.values())
        if self._is_bounded():
            return self._used() + reserved + cost <= self.max_usd
        return self._steady >= STEADY and self._used() + JUMP * (reserved + cost) <= self.max_usd

    def _book_open(self, tokens: Tokens, cost: float | None) -> Ticket:
        ticket = Ticket(uuid.uuid4().hex, tokens, cost)
        self._write({"call": ticket.identifier, "tokens": [tokens.prompt, tokens.completion], "at_most_usd": cost})
        self._open[ticket.identifier] = ticket
        return ticket

    def _close(self, ticket: Ticket, cost: float) -> None:
        if self._open.pop(ticket.identifier, None) is None:
            return
        self._booked += cost
        self._changed.notify_all()
        self._write({"call": ticket.identifier, "usd": cost})

    def _learn(self, charge: Charge) -> None:
        before = self._seen
        self._seen = _learned(self._known_prices(), self._seen, charge)
        if charge.cost >= LOWEST_PRICE * (charge.tokens.prompt + charge.tokens.completion):
            self._steady = 0 if _rose(before, self._seen) else self._steady + 1
        if self._seen != before:
            self._write({"prices": [self._seen.prompt, self._seen.completion]})

    def _limit(self, why: str) -> CLIFailure:
        detail = f"spent ${self._used():.4f} of ${self.max_usd:.2f} (--max-usd): {why}"
        return CLIFailure("spend_limit", detail, cause="spend_limit")

    def _write(self, entry: dict[str, Any]) -> None:
        if self._journal is not None:
            self._journal.append(entry)


def _learned(known: Prices, seen: Prices, charge: Charge) -> Prices:
    """The highest prices, given one more charge. Where a reply tells only its total, each price is bounded by it, unless the
    prices that are known explain it; the bounds never sink, as a cheap call says nothing about the next one."""
    tokens = charge.tokens
    uncached = tokens.prompt - charge.cached if charge.cached < tokens.prompt else tokens.prompt
    apart = (charge.prompt_cost or 0.0) + (charge.completion_cost or 0.0)
    if charge.prompt_cost is not None and charge.completion_cost is not None and apart > 0:
        scale = max(1.0, charge.cost / apart)
        return seen.at_least(
            Prices(_per(charge.prompt_cost * scale, uncached), _per(charge.completion_cost * scale, tokens.completion))
        )
    explained = known.of(tokens)
    if explained is not None and charge.cost <= explained:
        return seen
    return seen.at_least(Prices(_per(charge.cost, uncached), _per(charge.cost, tokens.completion)))


def _rose(before: Prices, after: Prices) -> bool:
    """Whether a price has become known, or clearly higher."""
    pairs = ((before.prompt, after.prompt), (before.completion, after.completion))
    return any(new is not None and (old is None or new > HELD * old) for old, new in pairs)


def _per(cost: float, tokens: int) -> float | None:
    """A price that others can be told by, None for none."""
    return cost / tokens if tokens > 0 and cost / tokens >= LOWEST_PRICE else None


def _higher(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else max(one, other)
