"""What the goals look at by views: a change that shows in these readings is judged by the goals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nftbench.grading.checks.entries import goal_entry
from nftbench.grading.checks.metadata import unborn_tokens
from nftbench.tasks.goals import (
    Always,
    At,
    Goal,
    JsonView,
    MetadataSignalled,
    Never,
    Reading,
    RoyaltyOfNew,
    SoleListing,
    Together,
)
from nftbench.world.ledger import Entry
from nftbench.world.world import World


def goal_readings(world: World, goals: Iterable[Goal]) -> Iterator[Entry]:
    """The ledger entries and views that the goals ask about, those that read state and try nothing out."""
    for goal in goals:
        if isinstance(goal, Together):
            yield from goal_readings(world, goal.goals)
            continue
        entry = goal_entry(world, goal)
        if entry is not None:
            yield entry
        for reading in _views(world, goal):
            yield world.view_entry(reading)


def _views(world: World, goal: Goal) -> Iterator[Reading]:
    match goal:
        case JsonView() | Never() | Always():
            yield goal.reading
        case MetadataSignalled():
            yield from (Reading(goal.collection, "tokenURI", (i,)) for i in goal.token_ids)
        case RoyaltyOfNew():
            yield from unborn_tokens(world, goal)
        case SoleListing():
            newest = Reading(goal.market, "listingOf", (At(goal.collection), goal.token_id))
            yield newest
            listing = world.read(newest)
            if isinstance(listing, int):
                yield Reading(goal.market, "getListing", (listing,))
