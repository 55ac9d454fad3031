"""Goals about who has what, beyond those that ask one ledger entry to hold one value."""

from __future__ import annotations

from typing import Any

from nftbench.grading.checks.entries import goal_entry, goal_value
from nftbench.grading.moment import Finding, Moment, named
from nftbench.tasks.goals import Goal, OwnsOneOf, Together
from nftbench.world.ledger import Entry
from nftbench.world.world import World


def option_entries(world: World, goal: OwnsOneOf) -> list[Entry]:
    """The ledger entries of the owners of the tokens to choose from."""
    return [world.entry("owner", collection, token_id) for collection, token_id in goal.options]


def check_owns_one_of(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, OwnsOneOf)
    world, account = moment.world, moment.world.address(goal.account)
    owned = [e for e in option_entries(world, goal) if world.surveyor.read(e, block=moment.block) == account]
    said = ", ".join(f"{named(world, e.contract)} #{e.subject}" for e in owned)
    enough = len(owned) >= goal.count if goal.or_more else len(owned) == goal.count
    return enough, said or "none of them"


def check_together(goal: Goal, moment: Moment) -> Finding:
    """After one transaction all of it held, and before it everything was as at the start."""
    assert isinstance(goal, Together)
    world = moment.world
    pairs = [(goal_entry(world, one), goal_value(world, one)) for one in goal.goals]
    parts = [(entry, value) for entry, value in pairs if entry is not None]

    def values(block: int) -> list[Any]:
        return [world.surveyor.read(entry, block=block) for entry, _ in parts]

    wanted, start = [value for _, value in parts], values(world.start_block)
    blocks = [r.block_number for r in moment.receipts() if r.success]
    if wanted != start and any(values(block) == wanted and values(block - 1) == start for block in blocks):
        return True, "in one transaction"
    return False, "in no single transaction"
