"""What the shown rows of events add up to, account by account: the rules behind payments that are worked out from long lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from nftbench.values import ZERO_ADDRESS

DAY = 86_400
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_UNIX = re.compile(r"\b1[78][0-9]{8}\b")
_SMALL = re.compile(r"\b[0-9]{1,3}\b")

Row = dict[str, Any]


def owed(rows: Sequence[Row]) -> set[int]:
    """What any account may be owed: the sum of what its rows say under one key, less the newest unit price for each under
    another, less what its rows say under a third from some time on."""
    rows = sorted((row for row in rows if "args" in row), key=lambda row: int(row["block"]))
    keys = sorted({key for row in rows for key, value in row["args"].items() if _is_number(value)})
    found: set[int] = set()
    named = _by_account(rows)
    for paid, count, back in permutations(keys, 3):
        priced = [row["args"] for row in rows if {paid, count} <= set(row["args"]) and int(row["args"][count])]
        if priced:
            price = int(priced[-1][paid]) // int(priced[-1][count])
            found.update(value for own in named.values() for value in _left(own, (paid, count, back), price))
    return found


def _by_account(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows in which each address stands, in the same order."""
    named: dict[str, list[Row]] = {}
    for row in rows:
        for account in {v for v in row["args"].values() if isinstance(v, str) and _ADDRESS.fullmatch(v)}:
            named.setdefault(account, []).append(row)
    return named


def _left(own: Sequence[Row], keys: tuple[str, str, str], price: int) -> Iterator[int]:
    """What one account may be left to be paid."""
    paid, count, back = ([int(row["args"][key]) for row in own if key in row["args"]] for key in keys)
    due = sum(paid) - price * sum(count)
    yield from (due - sum(back[first:]) for first in range(len(back) + 1))


def _is_number(value: Any) -> bool:
    return isinstance(value, str) and value.isdecimal()


def held(rows: Sequence[Row], documents: Sequence[str], sums: set[int]) -> set[int]:
    """The parts of these sums by the token-seconds of each account, in a period between two times of a document, without those
    who come to fewer token-days than a number in it says; what goes to an address that it names, or comes from one, stays
    counted for who it was."""
    moves = [row for row in rows if {"from", "to", "tokenId"} <= set(row.get("args", ()))]
    found: set[int] = set()
    for text in documents:
        times = sorted({int(time) for time in _UNIX.findall(text)})
        named = {address.lower() for address in _ADDRESS.findall(text)}
        for begin, end in ((b, e) for b in times for e in times if b < e):
            seconds = _token_seconds(moves, named, begin, end)
            for fewest in {int(number) for number in _SMALL.findall(text)}:
                counting = [each for each in seconds if each >= fewest * DAY]
                found.update(pot * each // sum(counting) for pot in sums for each in counting if each)
    return found


def _token_seconds(moves: Sequence[Row], named: set[str], begin: int, end: int) -> list[int]:
    """Of each account, by what it had from one move of a token to the next."""
    seconds: dict[str, int] = {}
    holding: dict[tuple[str, str], tuple[str, int]] = {}
    for row in sorted(moves, key=lambda row: int(row["block"])):
        args, time = row["args"], int(row["time"])
        if not {args["from"].lower(), args["to"].lower()} & named:
            token = (row["contract"], args["tokenId"])
            _credit(seconds, holding.pop(token, None), (begin, end), time)
            if args["to"] != ZERO_ADDRESS:
                holding[token] = (args["to"], time)
    for last in holding.values():
        _credit(seconds, last, (begin, end), end)
    return list(seconds.values())


def _credit(seconds: dict[str, int], held_since: tuple[str, int] | None, period: tuple[int, int], until: int) -> None:
    """Add the time from when a holder had a token until now, as far as it lies in the period."""
    if held_since is not None:
        holder, since = held_since
        overlap = min(until, period[1]) - max(since, period[0])
        seconds[holder] = seconds.get(holder, 0) + max(0, overlap)
