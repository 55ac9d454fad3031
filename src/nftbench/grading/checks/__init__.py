"""Each kind of goal against the final world: one function a kind, in a visible table; a module a domain, named as in
`tasks/goals/`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nftbench.grading.checks.answers import check_answer
from nftbench.grading.checks.assets import check_owns_one_of, check_together
from nftbench.grading.checks.entries import check_entry
from nftbench.grading.checks.metadata import check_document, check_royalty_of_new, check_signals
from nftbench.grading.checks.orders import (
    check_alive,
    check_counter,
    check_dead,
    check_order_status,
    check_sole_listing,
    check_standing,
)
from nftbench.grading.checks.payments import check_ether, check_only_for, check_payment, check_spent
from nftbench.grading.checks.permissions import check_signature
from nftbench.grading.checks.prohibitions import check_always, check_never, check_sends_nothing
from nftbench.grading.checks.state import check_event, check_probe
from nftbench.grading.moment import Finding, Moment
from nftbench.records.model import Check, CheckKind
from nftbench.tasks.goals import (
    Allowance,
    Always,
    Answer,
    Approval,
    BidStands,
    CounterRaised,
    EtherChange,
    EtherSum,
    EventEmitted,
    Goal,
    HoldsCoins,
    HoldsUnits,
    JsonView,
    ListingStands,
    MetadataSignalled,
    Never,
    OnlyFor,
    Operator,
    OrdersDead,
    OrdersStand,
    OrderStatus,
    Owns,
    OwnsOneOf,
    Pays,
    Probe,
    RoyaltyOfNew,
    SendsNothing,
    Signature,
    SoleListing,
    SpentAtMost,
    Together,
    ViewEquals,
)
from nftbench.tools.toolbox import Desk

CHECKS: dict[type, Callable[[Goal, Moment], Finding]] = {
    Owns: check_entry,
    OwnsOneOf: check_owns_one_of,
    Together: check_together,
    HoldsUnits: check_entry,
    HoldsCoins: check_entry,
    EtherChange: check_entry,
    EtherSum: check_ether,
    Pays: check_payment,
    SpentAtMost: check_spent,
    OnlyFor: check_only_for,
    SoleListing: check_sole_listing,
    ListingStands: check_standing,
    BidStands: check_standing,
    OrdersDead: check_dead,
    OrdersStand: check_alive,
    OrderStatus: check_order_status,
    CounterRaised: check_counter,
    Approval: check_entry,
    Operator: check_entry,
    Allowance: check_entry,
    ViewEquals: check_entry,
    JsonView: check_document,
    MetadataSignalled: check_signals,
    RoyaltyOfNew: check_royalty_of_new,
    Answer: check_answer,
    Probe: check_probe,
    EventEmitted: check_event,
    Signature: check_signature,
    SendsNothing: check_sends_nothing,
    Never: check_never,
    Always: check_always,
}


def check_goal(goal: Goal, desk: Desk, deadline: int | None, found: dict[Any, Any] | None = None) -> Check:
    """The goal at the end and, with a deadline (seconds after the start), in the last block before it too; for
    `found` see Moment."""
    kind: CheckKind = "probe" if isinstance(goal, Probe) else "goal"
    by = goal.by if goal.by is not None else deadline
    passed, actual = CHECKS[type(goal)](goal, Moment(desk, None, found))
    if passed and by is not None and desk.world.elapsed > by:
        passed, actual = _in_time(goal, desk, by)
    said = goal.read_aloud()
    return Check(kind=kind, name=said, passed=passed, expected=said, actual=actual)


def _in_time(goal: Goal, desk: Desk, by: int) -> Finding:
    if isinstance(goal, Answer) or (isinstance(goal, Probe) and goal.first):
        return False, f"only {desk.world.elapsed - by} seconds after the deadline"
    passed, actual = CHECKS[type(goal)](goal, Moment(desk, desk.world.block_at(by)))
    return passed, actual if passed else f"{actual} at the deadline; only later as asked"
