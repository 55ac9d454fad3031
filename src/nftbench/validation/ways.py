"""All ways to the goals that a bounded search finds in a feasible world, and what each has come to beside the reference's.

What counts as coming to the same: ether, owners, units, coins and permissions. Which way it was, and what contracts tell beside
that, is the solver's own affair.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.grading.checks.moment import named
from nftbench.grading.frame import spoken_entry
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.search import Bounds, Search
from nftbench.world.ledger import Entry

EFFECTS = ("ether", "owner", "units", "coins", "approved", "operator", "allowance", "role")
BOUNDS = Bounds(4_000, 160, wide=False)
_MOST_TOLD = 4

Effect = dict[Entry, Any]


class Ways(Struct, frozen=True):
    """`found` ways lead to the goals; `passing` are sentences about those that pass and come to something else, `failing`
    about those that fail and come to the same."""

    found: int
    passing: tuple[str, ...]
    failing: tuple[str, ...]


def compare_ways(rehearsal: Rehearsal) -> Ways:
    """Look for ways, by the reference's own calls and all others, and hold what they come to against what the reference does."""
    rehearsal.solve()
    reference, ending = _effect(rehearsal), rehearsal.desk.ending
    search = Search(rehearsal, rehearsal, given=True, bounds=BOUNDS)
    found, passing, failing = 0, dict[str, str](), dict[str, str]()
    for node in search.nodes():
        if node.missing > 1 or not node.won:
            continue
        effect = _effect(rehearsal)
        same = effect == reference
        if not same and not node.complete:
            continue
        found += node.complete
        rehearsal.desk.ending = ending
        checks = [check for check in rehearsal.grade().checks if not check.passed]
        told = ", then ".join(search.spoken(node))[:300]
        if not checks and not same:
            other = _difference(rehearsal, effect, reference)
            passing.setdefault(other, f"a way to the goals passes that comes to something else: {told} ({other})")
        if checks and same:
            failed = f"{checks[0].name}: {checks[0].actual}"[:160]
            failing.setdefault(failed, f"a way that comes to the same fails: {told} ({failed})")
    return Ways(found, tuple(passing.values())[:_MOST_TOLD], tuple(failing.values())[:_MOST_TOLD])


def _effect(rehearsal: Rehearsal) -> Effect:
    return {d.entry: d.after for d in rehearsal.differences() if d.entry.kind in EFFECTS}


def _difference(rehearsal: Rehearsal, effect: Effect, reference: Effect) -> str:
    """The first thing that is not what the reference comes to."""
    world = rehearsal.world
    for entry in dict.fromkeys([*effect, *reference]):
        if effect.get(entry) != reference.get(entry):
            mine, other = (
                named(world, found[entry]) if entry in found else "as it was" for found in (effect, reference)
            )
            return f"{spoken_entry(world, entry)} is {mine}, not {other}"
    return "nothing"
