"""Goals that ask one ledger entry to hold one value: which entry, and which value."""

from __future__ import annotations

from typing import Any

from nftbench.grading.moment import Finding, Moment, named
from nftbench.tasks.goals import (
    Allowance,
    Approval,
    EtherChange,
    Goal,
    HoldsCoins,
    HoldsUnits,
    Operator,
    Owns,
    ViewEquals,
)
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
    return None


def check_entry(goal: Goal, moment: Moment) -> Finding:
    world = moment.world
    entry = goal_entry(world, goal)
    assert entry is not None
    actual = world.surveyor.read(entry, block=moment.block)
    if isinstance(goal, EtherChange):
        actual += world.fees_paid(entry.subject, world.start_block, moment.block)
        return actual == goal_value(world, goal), f"{actual - (goal_value(world, goal) - goal.wei)} wei"
    return actual == goal_value(world, goal), named(world, actual)
