"""A campaign part by part: which of its requests are right, each for itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nftbench.records.model import Check, PartGrade
from nftbench.tasks.answer_forms import WrongForm, normalise
from nftbench.tasks.model import Task
from nftbench.tools.toolbox import Desk
from nftbench.world.ledger import Difference
from nftbench.world.world import World


def grade_parts(task: Task, desk: Desk, goals: Sequence[Check], strays: Iterable[Difference]) -> tuple[PartGrade, ...]:
    """The parts of a task in their order, empty for one that has none; `goals` are the checks of its goals in their order.

    A part is right if all of its own goals hold, nothing else has changed in what is its own, and the answer names it just where
    it can't be done. What accounts have of ether that several parts share is no part's own.
    """
    if not task.parts:
        return ()
    touched = {name for stray in strays for name in _named_in(desk.world, stray)}
    named = _named_by_answer(desk)
    found, place = [], 0
    for number, part in enumerate(task.parts, 1):
        own = goals[place : place + part.goals]
        place += part.goals
        right = all(check.passed for check in own) and touched.isdisjoint(part.handles)
        right = right and (number in named) is not part.feasible
        found.append(PartGrade(case=part.case, feasible=part.feasible, right=right))
    return tuple(found)


def _named_by_answer(desk: Desk) -> frozenset[int]:
    """The numbers that the answer gives as undone; none where it is of another form."""
    try:
        return frozenset(normalise("integer_set", desk.ending.answer, {})) if desk.ending else frozenset()
    except WrongForm:
        return frozenset()


def _named_in(world: World, stray: Difference) -> Iterator[str]:
    """The names of the accounts and contracts that a stray change is about."""
    entry = stray.entry
    detail: Any = entry.detail if isinstance(entry.detail, tuple) else (entry.detail,)
    for each in (entry.contract, entry.subject, *detail):
        if isinstance(each, str) and each in world.names:
            yield world.names[each]
