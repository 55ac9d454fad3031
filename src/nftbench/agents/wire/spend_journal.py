"""The journal of a run's spending: what each call was to cost at most, and what it did cost, told so that nobody can take a
line away unseen.

Each line has its number and a sum over itself and all lines before it. A last line that a kill or a full disk has torn is no
line: its call had not been sent, or counts in full. Anything else that does not fit refuses the journal, as money would be
spent again. Lines without a sum are those of nftbench 0.1 before sums; they may only stand before all others.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from nftbench.agents.wire.line_log import append_line
from nftbench.errors import Refusal

MOST_TOKENS = 10**12
"""Of one call; more is no count."""
MOST_USD = 1e9


class Tokens(Struct, frozen=True):
    """An amount of tokens: read by the model, and written."""

    prompt: int
    completion: int


class Reserved(Struct, frozen=True):
    """A call that was written down: its tokens and dollars at most, dollars None where no price was known. `silent` says
    that its reply came, and did not tell what it cost."""

    tokens: Tokens
    at_most_usd: float | None
    silent: bool = False


class Book(Struct):
    """What a journal tells: dollars booked, the highest prices seen (dollars per token, None for unknown), and the calls
    that were never booked, by their identifiers. `calls` counts all reservations."""

    spent: float = 0.0
    prices: tuple[float | None, float | None] = (None, None)
    unbooked: dict[str, Reserved] = field(default_factory=dict)
    calls: int = 0


class Journal:
    """One file, for one thread at a time. `check` is called before each line is written; it raises where the file is no
    longer this run's. Refusal if the file can't be read, or has been changed."""

    def __init__(self, path: Path, check: Callable[[], None] = lambda: None) -> None:
        self._path, self._check = path, check
        self._number, self._sum = 0, ""
        self.book = Book()
        try:
            lines = path.read_bytes().split(b"\n") if path.exists() else []
        except OSError as problem:
            raise Refusal(f"{path} can't be read ({problem.strerror}), so what was spent is unknown") from None
        self._recall(lines)

    def append(self, entry: dict[str, Any]) -> None:
        """Adds an entry, and returns when the disk has it. OSError if the disk refuses."""
        self._check()
        numbered = {"n": self._number + 1, **entry}
        following = _sum(self._sum, numbered)
        is_new = not self._path.exists()
        append_line(self._path, json.dumps({**numbered, "sum": following}).encode("ascii"), lasting=True)
        if is_new:
            _sync_folder(self._path.parent)
        self._number, self._sum = self._number + 1, following

    def _recall(self, lines: list[bytes]) -> None:
        for position, raw in enumerate(lines, start=1):
            entry = _object(raw)
            if entry is None:
                continue
            if "sum" not in entry:
                if self._number:
                    raise self._damaged(position, "has no sum")
            elif entry.get("n") != self._number + 1:
                raise self._damaged(position, f"should be number {self._number + 1}: lines are missing, or stand twice")
            else:
                told = {name: value for name, value in entry.items() if name != "sum"}
                if entry["sum"] != _sum(self._sum, told):
                    raise self._damaged(position, "has been changed, or one before it")
                self._number, self._sum = self._number + 1, entry["sum"]
            if not _take(self.book, entry):
                raise self._damaged(position, "can't be understood")

    def _damaged(self, position: int, why: str) -> Refusal:
        return Refusal(
            f"{self._path} can't be trusted (line {position} {why}), so what was spent is unknown and nothing more is "
            "spent: restore the file, or choose another --out"
        )


def _object(raw: bytes) -> dict[str, Any] | None:
    """The entry in a line; None for a line that was torn, which is no JSON object."""
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _take(book: Book, entry: dict[str, Any]) -> bool:
    """Enter an entry; whether it makes sense."""
    call = entry.get("call")
    if "prices" in entry:
        prices = entry["prices"]
        if not isinstance(prices, list) or len(prices) != 2 or not all(p is None or _is_amount(p) for p in prices):
            return False
        pairs = zip(book.prices, prices, strict=True)
        highest = [max((p for p in pair if p is not None), default=None) for pair in pairs]
        book.prices = (highest[0], highest[1])
    elif not isinstance(call, str):
        return False
    elif "tokens" in entry:
        tokens, at_most = tokens_of(entry["tokens"]), entry.get("at_most_usd")
        if tokens is None or call in book.unbooked or not (at_most is None or _is_amount(at_most)):
            return False
        book.unbooked[call] = Reserved(tokens, at_most)
        book.calls += 1
    elif call not in book.unbooked:
        return False
    elif "untold" in entry:
        tokens = tokens_of(entry["untold"])
        if tokens is None:
            return False
        book.unbooked[call] = Reserved(tokens, None, silent=True)
    elif _is_amount(entry.get("usd")):
        del book.unbooked[call]
        book.spent += entry["usd"]
    else:
        return False
    return True


def tokens_of(pair: object) -> Tokens | None:
    """The tokens in a pair of counts; None where they are no counts."""
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        return None
    prompt, completion = pair
    if not all(type(count) is int and 0 <= count <= MOST_TOKENS for count in (prompt, completion)):
        return None
    return Tokens(prompt, completion)


def _is_amount(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value <= MOST_USD and math.isfinite(value)  # type: ignore[operator, arg-type]


def _sum(before: str, entry: dict[str, Any]) -> str:
    text = before + json.dumps(entry, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _sync_folder(folder: Path) -> None:
    """Make a new file outlive a power cut, where the system can open folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
