"""Goals about what tokens and collections say of themselves."""

from __future__ import annotations

from typing import Any

from nftbench.grading.documents import NoDocument, document_of, says_the_same
from nftbench.grading.moment import Finding, Moment, events, named
from nftbench.tasks.goals import Goal, JsonView, MetadataSignalled, Reading, RoyaltyOfNew
from nftbench.values import keccak256
from nftbench.world.world import World

_WHOLE = 10_000
"""A price of which a royalty is as many as it has basis points."""


def check_document(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, JsonView)
    world = moment.world
    try:
        document = document_of(world.read(goal.reading, block=moment.block))
    except NoDocument as problem:
        return False, str(problem)[:500]
    return says_the_same(document, world.resolve(goal.document)), str(document)[:500]


def check_signals(goal: Goal, moment: Moment) -> Finding:
    """At the block of a token's newest signal its URI must have been the one it has now."""
    assert isinstance(goal, MetadataSignalled)
    wanted = set(goal.token_ids)
    newest: dict[int, int] = {}
    for block, event in events(goal.collection, moment):
        if event.name in ("MetadataUpdate", "BatchMetadataUpdate"):
            ends = tuple(event.arguments.values())
            low, high = ends[0], ends[-1]
            if not (high - low < len(wanted) and wanted.issuperset(range(low, high + 1))):
                return False, f"signalled {low} to {high}"
            newest |= dict.fromkeys(range(low, high + 1), block)
    missing = sorted(wanted - newest.keys())
    early = [
        i for i, block in sorted(newest.items()) if _uri(goal, i, moment, block) != _uri(goal, i, moment, moment.block)
    ]
    return not (missing or early), f"not signalled: {missing}; signalled before the URI changed: {early}"


def _uri(goal: MetadataSignalled, token_id: int, moment: Moment, block: int | None) -> Any:
    return moment.world.read(Reading(goal.collection, "tokenURI", (token_id,)), block=block)


def check_royalty_of_new(goal: Goal, moment: Moment) -> Finding:
    """Looked at are the token after the last one, and one whose number nobody would think of."""
    assert isinstance(goal, RoyaltyOfNew)
    world = moment.world
    wanted = (world.address(goal.receiver), goal.basis_points)
    found = [world.read(reading, block=moment.block) for reading in unborn_tokens(world, goal)]
    return all(one == wanted for one in found), named(world, found[0])


def unborn_tokens(world: World, goal: RoyaltyOfNew) -> list[Reading]:
    """The royalties of tokens that do not exist."""
    address = world.address(goal.collection)
    next_one = max(world.surveyor.token_ids(address), default=0) + 1
    far_off = int.from_bytes(keccak256(b"unborn " + address.encode()), "big")
    return [Reading(goal.collection, "royaltyInfo", (token_id, _WHOLE)) for token_id in (next_one, far_off)]
