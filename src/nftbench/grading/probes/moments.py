"""When what was left is tried: at once, after a while, and about the times that it names itself."""

from __future__ import annotations

from nftbench.world.world import World

SOON, LATE = 3_600, 30 * 86_400
"""An hour and thirty days, in seconds: how long a signature is commonly forgotten."""


def later(world: World, first: int, last: int) -> list[int]:
    """The moments after now at which something that holds from `first` until just before `last` (Unix seconds) is tried: at its
    start and end, in an hour and in thirty days. Sorted; a moment outside is left out."""
    now = world.engine.pending_timestamp
    moments = {first, last - 1, now + SOON, now + LATE}
    return sorted(moment for moment in moments if max(now + 1, first) <= moment < last)


def move_to(world: World, when: int) -> bool:
    """Let the next transaction be mined at this moment; False if it is over."""
    ahead = when - world.engine.pending_timestamp
    if ahead > 0:
        world.engine.advance_time(ahead)
    return ahead >= 0
