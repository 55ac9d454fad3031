"""Goals that ask one ledger entry to hold one value: which entry, and which value."""

from __future__ import annotations

from typing import Any

from nftbench.grading.moment import Finding, Moment, named
from nftbench.tasks.goals import (
    Allowance,
    Approval,
    At,
    CounterRaised,
    EtherChange,
    Goal,
    HoldsCoins,
    HoldsUnits,
    Operator,
    OrderStatus,
    Owns,
    Reading,
    ViewEquals,
)
from nftbench.tasks.orders import OrderHash
from nftbench.world.ledger import Entry
from nftbench.world.world import World


def goal_entry(world: World, goal: Goal) -> Entry | None:
    """The ledger entry that a goal is about, if it is about one."""
    match goal:
        case Owns():
            return world.entry("owner", goal.collection, goal.token_id)
        case HoldsUnits():
            return Entry("units", world.address(goal.collection), world.address(goal.account), goal.token_id)
        case HoldsCoins():
            return Entry("coins", world.address(goal.token), world.address(goal.account), None)
        case EtherChange():
            return Entry("ether", None, world.address(goal.account), None)
        case Approval():
            return world.entry("approved", goal.collection, goal.token_id)
        case Operator():
            return Entry(
                "operator", world.address(goal.collection), world.address(goal.owner), world.address(goal.operator)
            )
        case Allowance():
            return Entry("allowance", world.address(goal.token), world.address(goal.owner), world.address(goal.spender))
        case ViewEquals():
            return world.view_entry(goal.reading)
        case OrderStatus():
            return world.view_entry(status_of(world, goal))
        case CounterRaised():
            return world.view_entry(counter_of(goal))
    return None


def goal_value(world: World, goal: Goal) -> Any:
    """What the goal's ledger entry must hold; an EtherChange counts from the start."""
    match goal:
        case Owns():
            return world.address(goal.account)
        case HoldsUnits() | HoldsCoins() | Allowance():
            return goal.amount
        case EtherChange():
            return world.engine.balance(world.address(goal.account), block=world.start_block) + goal.wei
        case Approval():
            return world.address(goal.approved or "nobody")
        case Operator():
            return goal.allowed
        case ViewEquals():
            return world.resolve(goal.value)
        case OrderStatus():
            status = world.read(status_of(world, goal))
            return status if status_fits(goal, status) else None
        case CounterRaised():
            return world.read(counter_of(goal))
    return None


def status_of(world: World, goal: OrderStatus) -> Reading:
    """(validated, cancelled, filled, size) of the goal's order."""
    return Reading(world.names[world.order(goal.order).exchange], "getOrderStatus", (OrderHash(goal.order),))


def counter_of(goal: CounterRaised) -> Reading:
    return Reading(goal.exchange, "getCounter", (At(goal.account),))


def status_fits(goal: OrderStatus, status: tuple[bool, bool, int, int]) -> bool:
    """Whether an order's status is the one that the goal asks for; an order of which nothing is filled has the size 0."""
    _, cancelled, filled, size = status
    if goal.cancelled or cancelled:
        return goal.cancelled and cancelled
    if goal.filled is not None:
        return filled * goal.filled[1] == goal.filled[0] * max(size, 1)
    return filled < max(size, 1)


def check_entry(goal: Goal, moment: Moment) -> Finding:
    world = moment.world
    entry = goal_entry(world, goal)
    assert entry is not None
    actual = world.surveyor.read(entry, block=moment.block)
    if isinstance(goal, EtherChange):
        actual += world.fees_paid(entry.subject, world.start_block, moment.block)
        return actual == goal_value(world, goal), f"{actual - (goal_value(world, goal) - goal.wei)} wei"
    return actual == goal_value(world, goal), named(world, actual)
