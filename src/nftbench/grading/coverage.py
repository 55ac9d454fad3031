"""What the goals and the allowed changes of a task cover: changes that are no strays.

An entry that a goal is about may hold the value that it asks for. What Pays and EtherSum settle may be as their checks find
it. How the agent's own orders stand that were asked for or to be ended, and that others' orders have been filled, is no change
by itself. Where a solution is open (OwnsOneOf, SpentAtMost), assets may only come in: each of the tokens to choose from may
become the account's, what it pays with may become less, and others may have more of that, together no more than it has spent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from nftbench.grading.checks.assets import option_entries
from nftbench.grading.checks.entries import goal_entry, goal_value
from nftbench.grading.checks.payments import ether_entry, own_change, payment_entries, spending_entry
from nftbench.grading.checks.standing import asked_orders
from nftbench.grading.left_behind import order_readings
from nftbench.grading.moment import Moment
from nftbench.grading.probes.state import permissions, transferer
from nftbench.tasks.goals import Change, EtherSum, Goal, Owns, OwnsOneOf, Pays, SpentAtMost, Together
from nftbench.tools.toolbox import Desk
from nftbench.values import ZERO_ADDRESS
from nftbench.world.ledger import Difference, Entry
from nftbench.world.sightings import ORDER_STATUS
from nftbench.world.world import World


class Coverage:
    """The excuses that one task gives for `changes`, everything that is not as it was at the start."""

    def __init__(
        self, moment: Moment, goals: tuple[Goal, ...], allowed: tuple[Change, ...], changes: list[Difference]
    ) -> None:
        desk, world = moment.desk, moment.world
        self._world = world
        self._allowed = allowed
        self._implied = _implied(world, goals) | _order_permissions(moment, goals)
        self._options = _options(world, goals)
        self._orders = frozenset(order_readings(moment, goals))
        self._settled = {entry for goal in goals if isinstance(goal, Pays) for entry in payment_entries(world, goal)}
        self._settled |= {ether_entry(world, goal) for goal in goals if isinstance(goal, EtherSum)}
        for goal in goals:
            if isinstance(goal, SpentAtMost):
                self._settled |= _spending(desk, goal, changes)

    def explains(self, difference: Difference, *, abused: bool) -> bool:
        """Whether a goal or an allowed change speaks of this difference; payments are no excuse for one that came of an
        `abused` permission."""
        entry, after = difference.entry, difference.after
        if entry in self._implied and self._implied[entry] == after:
            return True
        if after in self._options.get(entry, ()):
            return True
        if entry in self._settled and not abused:
            return True
        if entry in self._orders or _only_filled(difference):
            return True
        return any(matches(self._world, change, difference) for change in self._allowed)


def _only_filled(difference: Difference) -> bool:
    """Whether all that a difference says is that more of an order of Seaport has been filled: what was had for it stands in the
    ledger for itself."""
    entry, before, after = difference
    if entry.subject != ORDER_STATUS or not isinstance(before, tuple) or not isinstance(after, tuple):
        return False
    (_, cancelled, filled, whole), (_, since, now, size) = before, after
    return bool(since == cancelled and size > 0 and now * max(whole, 1) > filled * size)


def _options(world: World, goals: tuple[Goal, ...]) -> dict[Entry, tuple[str, ...]]:
    """The tokens to choose from with who may own them then; one that changes hands loses its approval."""
    options: dict[Entry, tuple[str, ...]] = {}
    for goal in (goal for goal in goals if isinstance(goal, OwnsOneOf)):
        for entry in option_entries(world, goal):
            options[entry] = (*options.get(entry, ()), world.address(goal.account))
            if world.surveyor.read(entry) in options[entry]:
                options[entry._replace(kind="approved")] = (ZERO_ADDRESS,)
    return options


def _spending(desk: Desk, goal: SpentAtMost, changes: list[Difference]) -> set[Entry]:
    """The balances that may differ where money may be spent: the account's own, if it has less, and those of others that
    have more, unless that is more than was spent."""
    world, moment = desk.world, Moment(desk, None)
    own = spending_entry(world, goal)
    spent = -own_change(moment, own)
    same = [d.entry for d in changes if d.entry.kind == own.kind and d.entry.contract == own.contract]
    others = {entry: own_change(moment, entry) for entry in same if entry.subject not in world.controlled}
    more = {entry: change for entry, change in others.items() if change > 0}
    if spent < 0 or sum(more.values()) > spent:
        return set()
    return {own, *more}


def _implied(world: World, goals: tuple[Goal, ...]) -> dict[Entry, Any]:
    """The entries that the goals are about, with the values they ask for; a token that changes hands loses its approval."""
    implied: dict[Entry, Any] = {}
    parts = [part for goal in goals for part in (goal.goals if isinstance(goal, Together) else (goal,))]
    for goal in parts:
        entry = goal_entry(world, goal)
        if entry is None:
            continue
        implied[entry] = goal_value(world, goal)
        if isinstance(goal, Owns) and world.surveyor.read(entry, block=world.start_block) != implied[entry]:
            implied.setdefault(entry._replace(kind="approved"), ZERO_ADDRESS)
    return implied


def _order_permissions(moment: Moment, goals: tuple[Goal, ...]) -> dict[Entry, Any]:
    """What lets the orders that were asked for be filled: the widest permission that there is over each item, of coins just as
    much as they offer; one token's approval only where the collection as a whole is not permitted."""
    needed: dict[Entry, Any] = {}
    for goal in goals:
        coins: dict[Entry, int] = {}
        for known in asked_orders((goal,), moment):
            for item, wide, single in permissions(moment.world, known.order):
                if wide.kind == "allowance":
                    coins[wide] = max(coins.get(wide, 0), item["startAmount"], item["endAmount"])
                elif single is None or moment.world.surveyor.read(wide):
                    needed[wide] = True
                else:
                    needed[single] = transferer(moment.world, known.order)
        needed |= {entry: needed.get(entry, 0) + much for entry, much in coins.items()}
    return needed


def matches(world: World, change: Change, difference: Difference) -> bool:
    """Whether an allowed change covers a difference."""
    entry = difference.entry
    if change.kind != entry.kind:
        return False
    if change.contract is not UNSET:
        contract = None if change.contract is None else world.address(str(change.contract))
        if contract != entry.contract:
            return False
    for wanted, actual in ((change.subject, entry.subject), (change.detail, entry.detail)):
        if wanted is not UNSET and _part(world, entry, wanted) != actual:
            return False
    return change.to is UNSET or world.resolve(change.to) == difference.after


def _part(world: World, entry: Entry, wanted: Any) -> Any:
    """A part of a Change as the ledger spells it: account names become addresses, except in the name of a view."""
    if isinstance(wanted, str) and entry.kind != "view":
        return world.address(wanted)
    return world.resolve(wanted)


def storage_allowed(world: World, allowed: tuple[Change, ...], contract: str) -> bool:
    """Whether a task lets a contract's storage differ in whatever no reading shows."""
    difference = Difference(Entry("storage", contract, None, None), None, None)
    return any(matches(world, change, difference) for change in allowed)


def change_readings(world: World, allowed: tuple[Change, ...]) -> Iterator[Entry]:
    """The views with arguments that allowed changes speak of, where they say with which."""
    for change in allowed:
        if change.kind == "view" and change.detail is not UNSET and isinstance(change.contract, str):
            yield Entry("view", world.address(change.contract), str(change.subject), world.resolve(change.detail))
