"""The damage *one more call*: in a solved world, everything else that a contract lets the agent change must flip the grade.

Tried is every function of every contract from every account of the agent's, with the world's own values ranked, and then with
one thing in the arguments changed to what nobody has named. Only calls that leave other storage or other balances are graded, a
few of each function: those that write other slots first. Contracts that the task has nothing to do with stand for each other if
they are of one kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Struct

from nftbench.chain.revm import COINBASE, RevmEngine
from nftbench.validation.argument_values import Values
from nftbench.validation.candidates import Calling, Send, callings, hinted, in_question, spoken_move
from nftbench.validation.harmless import COUNTERS, harmless_line
from nftbench.validation.odd_values import nearby
from nftbench.validation.rehearsal import Rehearsal
from nftbench.world.world import World

NEAR, ASIDE = 48, 24
"""Calls of one function from one account that are tried with ranked values, in contracts of the task and in others."""
GRADED_NEAR, GRADED_ASIDE = 4, 2
"""Calls of one function from one account that are graded."""
ODD = 24
"""Calls of one function from one account that are tried with odd values."""
_ALIKE = 2
"""Calls graded that write the same slots."""

Changed = dict[tuple[str, int | None], tuple[int, int]]
End = frozenset[tuple[Any, Any]]


class MoreCalls(Struct, frozen=True):
    """How many calls were graded, those of them that passed by a line of the reviewed list, and sentences about others that
    passed."""

    graded: int
    harmless: dict[str, int]
    unnoticed: tuple[str, ...]


def call_once_more(rehearsal: Rehearsal, hints: Rehearsal) -> MoreCalls:
    """Do the damage in one world. `hints` is the feasible one of the pair, solved, for the values that its reference sends."""
    rehearsal.solve()
    world, values = rehearsal.world, Values(rehearsal)
    sent = [move for move in hinted(rehearsal, hints.acts, values) if isinstance(move, Send)]
    near = in_question(rehearsal) | {move.to for move in sent}
    harmless, unnoticed, ends = Counter[str](), dict[str, list[str]](), set[End]()
    for calling in _callings(world, near):
        artifact = world.contracts[calling.contract].artifact
        for move, changed in _ends(rehearsal, calling, values, calling.contract in near, ends):
            if not rehearsal.grade().success:
                continue
            told = spoken_move(world, move)
            line = COUNTERS if _only_counts(changed) else harmless_line(rehearsal.task, artifact, told)
            if line is None:
                unnoticed.setdefault(f"{artifact}.{calling.function.name}", []).append(told)
            else:
                harmless[line] += 1
    return MoreCalls(len(ends), dict(harmless), tuple(map(_sentence, unnoticed.values())))


def _sentence(calls: list[str]) -> str:
    more = f", nor {len(calls) - 1} more of its kind" if calls[1:] else ""
    return f"one more call is not noticed: {calls[0][:200]}{more}"


def _only_counts(changed: Changed) -> bool:
    return all(slot is not None and then > 0 and now == then + 1 for (_, slot), (then, now) in changed.items())


def _callings(world: World, near: set[str]) -> Iterator[Calling]:
    """Of every contract, but of those aside only one of a kind."""
    kinds: set[str] = set()
    for address, contract in world.contracts.items():
        if address in near or contract.artifact not in kinds:
            yield from callings(world, address)
        if address not in near:
            kinds.add(contract.artifact)


def _ends(
    rehearsal: Rehearsal, calling: Calling, values: Values, near: bool, ends: set[End]
) -> Iterator[tuple[Send, Changed]]:
    """Calls of one function from one account that come to ends which no call came to before, with what each changes. Each is
    done in the solved world when it is yielded; its end is put among the `ends`."""
    most, places = len(ends) + (GRADED_NEAR if near else GRADED_ASIDE), dict[frozenset[Any], int]()
    for move in _tried(rehearsal, calling, values, near):
        changed = _changed(rehearsal, move)
        end, place = frozenset(changed.items()), frozenset(changed)
        if changed and end not in ends and places.get(place, 0) < _ALIKE:
            ends.add(end)
            places[place] = places.get(place, 0) + 1
            yield move, changed
        rehearsal.solve()
        if len(ends) >= most:
            return


def _tried(rehearsal: Rehearsal, calling: Calling, values: Values, near: bool) -> Iterator[Send]:
    """Calls that succeed in the solved world: ranked ones, then those near the first ones of these."""
    worked = []
    for move in calling.ranked(values, NEAR if near else ASIDE):
        if _works(rehearsal, move):
            worked.append(move)
            yield move
    inputs = calling.function.inputs
    for base in worked[:2]:
        given = calling.function.decode_input(base.data)
        for other in islice(nearby(inputs, given, rehearsal.stranger), ODD):
            beside = calling.send(other, base.value)
            if beside is not None and _works(rehearsal, beside):
                yield beside


def _works(rehearsal: Rehearsal, move: Send) -> bool:
    return rehearsal.world.engine.call(move.to, move.data, sender=move.sender, value=move.value).success


def _changed(rehearsal: Rehearsal, move: Send) -> Changed:
    """Make the call: the slots that hold something else afterwards, and the ether of those who pay no fees here, with what
    they held before and hold now."""
    world, mark = rehearsal.world, rehearsal.solved_mark
    if not rehearsal.send(move.sender, move.to, move.data, move.value):
        return {}
    assert isinstance(world.engine, RevmEngine)
    changed: Changed = {}
    for (address, slot), (then, now) in world.engine.differing_since(mark).items():
        if slot is not None:
            changed[address, slot] = (then, now)
        elif address != COINBASE and address not in world.controlled and then.balance != now.balance:
            changed[address, slot] = (then.balance, now.balance)
    return changed
