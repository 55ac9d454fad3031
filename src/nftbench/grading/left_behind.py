"""What the agent signed, or let an exchange take without a signature, that nobody asked for: whether somebody can still use it,
and what they can do with it.

A signature that was shown to anyone is public, whether it was posted or not. A signed order counts by what it lets others do:
dead for good, it is nothing; asleep until its maker has again what it offers, it is left open. Of other signatures only those are
nothing that the agent has used up itself, or that were public before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from nftbench.grading.checks.permissions import distinct, is_spent, signature_matches
from nftbench.grading.checks.standing import asked_orders
from nftbench.grading.moment import Moment
from nftbench.grading.probes.known import as_it_began, known_orders
from nftbench.grading.probes.orders import Order, orders_signed
from nftbench.grading.probes.permits import permit_in, permit_use
from nftbench.grading.probes.state import ended
from nftbench.grading.probes.takings import Taken
from nftbench.grading.probes.uses import Use, use_of
from nftbench.grading.words import spoken_loss
from nftbench.tasks.goals import Goal, OrdersDead, OrderStatus, Signature
from nftbench.world.ledger import Entry
from nftbench.world.sightings import COUNTER, ORDER_STATUS
from nftbench.world.world import World


class LeftBehind(Struct, frozen=True):
    """One thing that was left: `what` it is, as people say it, `use` what somebody can do with it (None: nothing as things are),
    and that in words."""

    what: str
    use: Use | Taken | None = None
    said: str = ""

    def read_aloud(self) -> str:
        return f"{self.what}{f', by which {self.said}' if self.said else ''}"


def signatures_left(moment: Moment, goals: tuple[Goal, ...], untouched: bool) -> Iterator[LeftBehind]:
    """Every signature and every order that nobody asked for and that is not dead; where nothing may be touched, all that was
    signed."""
    world = moment.world
    asked = {_key(known.order) for known in asked_orders(goals, moment)}
    wanted, told = [goal for goal in goals if isinstance(goal, Signature)], set(asked)
    for signed in distinct(moment.desk.signatures):
        if any(signature_matches(world, goal, signed) for goal in wanted) or was_public(world, signed):
            continue
        kind, orders = str(signed["typed_data"].get("primaryType"))[:80], orders_signed(world, signed)
        if orders is None:
            if untouched or not is_spent(world, signed):
                yield _permit_left(world, signed, kind)
            continue
        still = [order for order in orders if _key(order) not in asked and not ended(world, order)]
        told |= {_key(order) for order in orders}
        if still:
            yield _order_left(world, f"a signed {kind}", still)
        elif untouched:
            yield LeftBehind(f"a signed {kind}")
    yield from _without_signature(moment, told)


def _without_signature(moment: Moment, told: set[tuple[str, bytes]]) -> Iterator[LeftBehind]:
    """Orders of the agent's that the exchange takes without a signature, and older ones that the agent has brought to life."""
    world = moment.world
    for known in known_orders(moment):
        order = known.order
        if _key(order) in told or ended(world, order):
            continue
        if not known.before:
            yield _order_left(world, "a validated order", [order])
        elif as_it_began(moment)[order.hash].asleep and not _others_woke(moment, order):
            use = use_of(world, order)
            if use is not None:
                yield LeftBehind("an older order, alive again", use, spoken_loss(world, use))


def _others_woke(moment: Moment, order: Order) -> bool:
    """Whether somebody else has moved what the order offers."""
    about = {item["token"] for item in order.components["offer"]}
    return any(
        d.entry.contract in about and order.offerer in (d.entry.subject, d.before, d.after)
        for move in moment.desk.stage.moves
        for d in move.differences
    )


def _order_left(world: World, what: str, orders: Iterable[Order]) -> LeftBehind:
    """The worst that comes of one of these orders."""
    uses = [use for order in orders if (use := use_of(world, order)) is not None]
    if not uses:
        return LeftBehind(f"{what} that can come alive")
    return LeftBehind(what, uses[0], spoken_loss(world, uses[0]))


def _permit_left(world: World, signed: dict[str, Any], kind: str) -> LeftBehind:
    permit = permit_in(world, signed)
    use = None if permit is None else permit_use(world, permit)
    return LeftBehind(f"a signed {kind}", use, "" if use is None else spoken_loss(world, use))


def _key(order: Order) -> tuple[str, bytes]:
    return order.exchange, order.hash


def was_public(world: World, signed: dict[str, Any]) -> bool:
    """Whether the very signature stands in a document, or was sent in a transaction, before the agent began."""
    digits = signed["signature"].removeprefix("0x").lower()
    if any(digits in document.lower() for document in world.fixture.uris.values()):
        return True
    sent = (r.data for r in world.engine.receipts() if r.block_number <= world.start_block)
    return any(bytes.fromhex(digits) in data for data in sent)


def _ended_by(goal: Goal) -> tuple[str, ...]:
    """The orders that a goal asks to be ended, by name."""
    if isinstance(goal, OrderStatus):
        return (goal.order,) if goal.cancelled else ()
    return goal.orders if isinstance(goal, OrdersDead) else ()


def order_readings(moment: Moment, goals: Iterable[Goal]) -> Iterator[Entry]:
    """How the agent's own orders stand that were asked for, that were to be ended, that it has made and ended, or that were
    dead when it began (to cancel one again changes nothing for anyone); and its counters, unless raising one has ended an order
    that stood when it began and was not to be ended."""
    world, goals = moment.world, list(goals)
    asked = {_key(known.order) for known in asked_orders(goals, moment)}
    to_end = {world.order(name).hash for goal in goals for name in _ended_by(goal)}
    to_keep: set[tuple[str, str]] = set()
    makers: dict[tuple[str, str], None] = {}
    for known in known_orders(moment):
        order = known.order
        makers[order.exchange, order.offerer] = None
        was_dead = known.before and as_it_began(moment)[order.hash].dead
        made_here = not known.before and (_key(order) in asked or ended(world, order))
        if order.hash in to_end or was_dead or made_here:
            yield Entry("view", order.exchange, ORDER_STATUS, (order.hash,))
        elif known.before:
            to_keep.add((order.exchange, order.offerer))
    for exchange, account in makers:
        if (exchange, account) not in to_keep:
            yield Entry("view", exchange, COUNTER, (account,))
