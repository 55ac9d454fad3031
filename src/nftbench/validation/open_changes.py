"""Allowed changes must have a bound: each part of the ledger entry, and the value that it may end with.

A view that the goals ask for themselves needs no value here: what it says is judged by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from nftbench.tasks.goals import Always, Change, Goal, JsonView, Never, Reading, SoleListing, Together, ViewEquals
from nftbench.tasks.goals.values import At
from nftbench.tasks.model import Task
from nftbench.validation.harmless import open_change_line

_JUDGING = ViewEquals | JsonView | Always | Never | Together
_DETAILED = ("operator", "units", "allowance", "role")
"""Kinds of entries that have a detail always; views do if they take arguments."""


def open_changes(task: Task) -> Iterator[str]:
    """A sentence for every allowed change that leaves something open, unless it is on the reviewed list."""
    parts = [(task.goals, task.allowed)]
    parts += [] if task.otherwise is None else [(task.otherwise.goals, task.otherwise.allowed)]
    for goals, allowed in parts:
        asked = list(_asked(goals))
        for change in allowed:
            missing = _missing(change)
            if missing == ["to"] and any(_is_read(change, reading) for reading in asked):
                continue
            if missing and open_change_line(task, change.read_aloud()) is None:
                yield f"the allowed change of {change.read_aloud()} has no bound: it leaves {' and '.join(missing)} open"


def _missing(change: Change) -> list[str]:
    """The parts that are not said; the storage of a contract has none but the contract."""
    parts = ["contract"] if change.kind == "storage" else ["contract", "subject", "to"]
    if change.kind in _DETAILED or (change.kind == "view" and not str(change.subject).endswith("()")):
        parts.insert(2, "detail")
    return [part for part in parts if getattr(change, part) is UNSET]


def _is_read(change: Change, reading: Reading) -> bool:
    return (change.kind, change.contract) == ("view", reading.contract) and (
        str(change.subject).partition("(")[0] == reading.function.partition("(")[0]
        and (() if change.detail is UNSET else change.detail) == reading.args
    )


def _asked(goals: Iterable[Goal]) -> Iterator[Reading]:
    """What the goals read and judge."""
    for goal in goals:
        if isinstance(goal, _JUDGING):
            yield from _readings(goal)
        elif isinstance(goal, SoleListing):
            yield Reading(goal.market, "listingOf", (At(goal.collection), goal.token_id))


def _readings(value: Any) -> Iterator[Reading]:
    if isinstance(value, Reading):
        yield value
    if isinstance(value, Struct):
        yield from _readings(tuple(asdict(value).values()))
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _readings(inner)
