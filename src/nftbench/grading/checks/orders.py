"""Goals about what is for sale."""

from __future__ import annotations

from typing import Any

from nftbench.grading.checks.entries import counter_of, status_fits, status_of
from nftbench.grading.checks.standing import judged
from nftbench.grading.moment import Finding, Moment, spoken_status
from nftbench.tasks.goals import At, BidStands, CounterRaised, Goal, ListingStands, OrderStatus, Reading, SoleListing


def check_sole_listing(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, SoleListing)
    world, block = moment.world, moment.block

    def read(function: str, *args: Any, at: int | None = block) -> Any:
        return world.read(Reading(goal.market, function, args), block=at)

    newest = read("listingOf", At(goal.collection), goal.token_id)
    fresh = range(read("listingCount", at=world.start_block) + 1, read("listingCount") + 1)
    mine = [i for i in fresh if isinstance(found := read("getListing", i), tuple) and found[0] in world.controlled]
    return mine == [newest] * bool(newest), f"of the new listings {mine} stand; the token's is {newest}"


def check_standing(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, ListingStands | BidStands)
    found = judged(goal, moment)
    passed = bool(found.right) and not found.problem
    return passed, found.problem or f"{len(found.right)} such order{'s' * (len(found.right) > 1)}"


def check_unknown(goal: Goal, moment: Moment) -> Finding:
    """Nothing passes that nobody has tried to fill."""
    return False, "orders of the book are not tried out yet"


def check_order_status(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, OrderStatus)
    world, block = moment.world, moment.block
    status = world.read(status_of(world, goal), block=block)
    order = world.order(goal.order)
    counter = world.read(Reading(world.names[order.exchange], "getCounter", (order.offerer,)), block=block)
    open_ = not goal.cancelled and goal.filled is None
    alive = not open_ or counter == order.components[10]
    return status_fits(goal, status) and alive, spoken_status(status) if alive else "of an older counter"


def check_counter(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, CounterRaised)
    world = moment.world
    now = world.read(counter_of(goal), block=moment.block)
    raised = now != world.read(counter_of(goal), block=world.start_block)
    return raised, "raised" if raised else "as it was"
