"""All ways to the goals that a bounded search finds in a feasible world, and what each has come to beside the reference's.

Two ways come to the same if ether, owners, units, coins and permissions end alike, but for what actors did to what is not the
agent's, and if the contracts of the task answer the same to questions about the world's own values, but for times.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.grading.frame import spoken_entry
from nftbench.grading.moment import named
from nftbench.validation.argument_values import Values, arguments, options
from nftbench.validation.candidates import Send, in_question, spoken_call, spoken_move
from nftbench.validation.harmless import harmless_line, other_end_line
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.search import Bounds, Node, Search
from nftbench.world.ledger import Entry
from nftbench.world.world import World

BOUNDS = Bounds(2_500, 500, wide=False)
_ASKED = 40
"""Calls of one view."""
_A_WHILE = 301
"""Seconds after which what answers otherwise is only a matter of time."""
_YEAR = 366 * 86_400
_MOST_TOLD = 4

Question = tuple[str, bytes]
"""A contract and the call of a view."""


class Ways(Struct, frozen=True):
    """`found` ways lead to the goals; `passing` are sentences about those that pass and come to something else, `failing`
    about those that fail and come to the same."""

    found: int
    passing: tuple[str, ...]
    failing: tuple[str, ...]


class Effect(Struct, frozen=True):
    """What a way has come to: the ledger entries that differ from the start, with their values, the views' answers, and what the
    goals read; `moves` is how often actors have moved."""

    entries: dict[Entry, Any]
    answers: dict[Question, bytes]
    readings: str
    moves: int

    def other_than(self, reference: Effect, world: World) -> str:
        """The first thing that is not what the reference comes to; empty if there is none."""
        for entry in dict.fromkeys([*self.entries, *reference.entries]):
            if self.entries.get(entry) != reference.entries.get(entry):
                mine, other = (
                    named(world, e.entries[entry]) if entry in e.entries else "as it was" for e in (self, reference)
                )
                return f"{spoken_entry(world, entry)} is {mine}, not {other}"
        if self.moves != reference.moves:
            return ""
        asked = next((q for q, answer in self.answers.items() if reference.answers[q] != answer), None)
        return f"{spoken_call(world, *asked)} says something else" if asked else ""


def compare_ways(rehearsal: Rehearsal) -> Ways:
    """Look for ways, by the reference's own calls and all others, and hold what they come to against what the reference does."""
    rehearsal.solve()
    world, ending = rehearsal.world, rehearsal.desk.ending
    questions = _questions(rehearsal)
    reference = _effect(rehearsal, questions)
    search = Search(rehearsal, rehearsal, given=True, bounds=BOUNDS)
    found, passing, failing = 0, dict[str, str](), dict[str, str]()
    for node in search.nodes():
        if node.missing > 1 or not node.won:
            continue
        if not node.complete and str(rehearsal.readings()) != reference.readings:
            continue
        effect = _effect(rehearsal, questions)
        other = effect.other_than(reference, world)
        if other and not node.complete:
            continue
        found += node.complete
        if other and (other in passing or _reviewed(rehearsal, node, other)):
            continue
        rehearsal.desk.ending = ending
        checks = [check for check in rehearsal.grade().checks if not check.passed]
        told = ", then ".join(search.spoken(node))[:300]
        if other and not checks:
            passing.setdefault(other, f"a way to the goals passes that comes to something else: {told} ({other})")
        if checks and not other and effect.readings == reference.readings:
            failed = f"{checks[0].name}: {checks[0].actual}"[:160]
            failing.setdefault(failed, f"a way that comes to the same fails: {told} ({failed})")
    return Ways(found, tuple(passing.values())[:_MOST_TOLD], tuple(failing.values())[:_MOST_TOLD])


def _reviewed(rehearsal: Rehearsal, node: Node, other: str) -> bool:
    """Whether one of the steps, or what the way comes to, stands on a reviewed list."""
    return other_end_line(rehearsal.task, other) is not None or any(
        harmless_line(rehearsal.task, rehearsal.world.contracts[move.to].artifact, spoken_move(rehearsal.world, move))
        for move in node.path
        if isinstance(move, Send) and move.to in rehearsal.world.contracts
    )


def _questions(rehearsal: Rehearsal) -> list[Question]:
    """Calls of the views of the task's contracts whose answers do not change by themselves."""
    world, values = rehearsal.world, Values(rehearsal)
    asked: list[Question] = []
    for contract in in_question(rehearsal):
        for function in world.interfaces[contract].functions:
            if function.read_only and len(function.inputs) <= 3:
                choices = [options(p, values, contract) for p in function.inputs]
                given = arguments(function.inputs, choices, values, contract, _ASKED)
                asked += ((contract, function.encode(one)) for one in given)
    now = _answers(rehearsal, asked)
    world.engine.advance_time(_A_WHILE)
    later = _answers(rehearsal, asked)
    rehearsal.solve()
    return [question for question in asked if now[question] == later[question]]


def _answers(rehearsal: Rehearsal, questions: list[Question]) -> dict[Question, bytes]:
    call, start = rehearsal.world.engine.call, rehearsal.task.fixture.start_time
    results = ((question, call(*question)) for question in questions)
    return {question: _untimed(result.output, start) if result.success else b"" for question, result in results}


def _untimed(answer: bytes, start: int) -> bytes:
    """The answer with every word that may be a time since the start taken for the same time."""
    words = (answer[i : i + 32] for i in range(0, len(answer), 32))
    return b"".join(b"" if start <= int.from_bytes(word, "big") <= start + _YEAR else word for word in words)


def _effect(rehearsal: Rehearsal, questions: list[Question]) -> Effect:
    mine = rehearsal.world.controlled
    moved = {d.entry for move in rehearsal.desk.stage.moves for d in move.differences}
    entries = {
        d.entry: d.after
        for d in rehearsal.differences()
        if d.entry.kind != "view"
        and (d.entry not in moved or not {d.entry.subject, d.entry.detail, d.after}.isdisjoint(mine))
    }
    readings, moves = str(rehearsal.readings()), len(rehearsal.desk.stage.moves)
    return Effect(entries, _answers(rehearsal, questions), readings, moves)
