"""Goals about what is for sale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nftbench.grading.checks.entries import counter_of, status_fits, status_of
from nftbench.grading.checks.standing import judged
from nftbench.grading.moment import Finding, Moment, spoken_status
from nftbench.grading.probes.orders import Order, order_known
from nftbench.grading.probes.state import ended, movable
from nftbench.grading.probes.uses import use_of
from nftbench.tasks.goals import (
    At,
    BidStands,
    CounterRaised,
    Goal,
    ListingStands,
    OrdersDead,
    OrdersStand,
    OrderStatus,
    Reading,
    SoleListing,
)
from nftbench.world.world import World


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


def check_dead(goal: Goal, moment: Moment) -> Finding:
    """Which of the orders somebody may still come to fill."""
    assert isinstance(goal, OrdersDead)
    alive = [name for name, why in _ends(goal.orders, moment) if not why]
    return not alive, f"{', '.join(alive)} can come alive" if alive else "all of them are"


def check_alive(goal: Goal, moment: Moment) -> Finding:
    """Those that could be filled when the agent began must be fillable now, at once or later; of the others it is enough that
    they are not dead."""
    assert isinstance(goal, OrdersStand)
    world, lost = moment.world, []
    for name, why in _ends(goal.orders, moment):
        if why:
            lost.append(f"{name} is {why}")
        elif moment.block is None and not _slept(moment, name) and use_of(world, _named(world, name)) is None:
            lost.append(f"{name} is not to be filled any more")
    return not lost, ", ".join(lost) or "all of them do"


def _ends(names: Iterable[str], moment: Moment) -> list[tuple[str, str]]:
    """Each order with why it is dead, if it is, at the moment that is asked for."""
    world = moment.world
    now = None if moment.block is None else world.engine.block_at(moment.block).timestamp
    with world.engine.supposing(block=moment.block):
        return [(name, ended(world, _named(world, name), now)) for name in names]


def _slept(moment: Moment, name: str) -> bool:
    world = moment.world
    with world.engine.supposing(block=world.start_block):
        return not movable(world, _named(world, name))


def _named(world: World, name: str) -> Order:
    told = world.order(name)
    return order_known(world, told.exchange, told.hash, told.components, told.signature)


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
