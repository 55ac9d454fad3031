"""Goals about what must not happen, in between either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.grading.moment import Finding, Moment, named
from nftbench.tasks.goals import Always, Goal, Never, SendsNothing


def check_sends_nothing(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, SendsNothing)
    world = moment.world
    sent = [r for r in moment.receipts() if r.sender in world.controlled]
    return not sent, f"{len(sent)} sent, the first to {named(world, sent[0].to)}" if sent else "nothing sent"


def check_never(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Never)
    unwanted = moment.world.resolve(goal.value)
    for block, found in _history(goal, moment):
        if found == unwanted:
            return False, f"{named(moment.world, found)} after block {block}"
    return True, "never"


def check_always(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Always)
    wanted = moment.world.resolve(goal.value)
    for block, found in _history(goal, moment):
        if found != wanted:
            return False, f"{named(moment.world, found)} after block {block}"
    return True, "all along"


def _history(goal: Never | Always, moment: Moment) -> Iterator[tuple[int, Any]]:
    """What was read after each block since the start."""
    for block in range(moment.world.start_block + 1, moment.last_block + 1):
        yield block, moment.world.read(goal.reading, block=block)
