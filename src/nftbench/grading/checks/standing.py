"""Whether a listing or a bid stands: every order that may be the one is filled on a copy of the world, at each moment that
counts, and what everybody then has is compared with what was asked for to the unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from msgspec import Struct

from nftbench.grading.checks.wanted_tokens import bid_takings, unwanted_takings, wanted_token
from nftbench.grading.moment import Moment, named
from nftbench.grading.probes.fills import ERC721, NATIVE, Effect, Fill, Taking, fill, prepare
from nftbench.grading.probes.known import Known, known_orders
from nftbench.grading.probes.means import STRANGER, a_copy, has
from nftbench.grading.probes.moments import move_to
from nftbench.grading.probes.orders import Order
from nftbench.grading.probes.state import ended, transferer
from nftbench.grading.probes.takings import acts_alone
from nftbench.tasks.goals import BidStands, Due, Goal, ListingStands, Piece
from nftbench.tools.assets import Asset
from nftbench.world.orders import status_told
from nftbench.world.world import World

Standing = ListingStands | BidStands
ACTIVE = "active"
"""What the order book says of an order that can be filled, as far as it knows."""


class Judged(Struct, frozen=True):
    """The orders that do what a goal asks for, and what is wrong with the nearest of the others (empty: nothing)."""

    right: tuple[Known, ...]
    problem: str


def judged(goal: Standing, moment: Moment) -> Judged:
    """What comes of filling every order of the goal's maker; once a grading."""
    found = {} if moment.found is None else moment.found
    key = (goal, moment.block)
    if key not in found:
        found[key] = _judged(goal, moment)
    known: Judged = found[key]
    return known


def asked_orders(goals: Iterable[Goal], moment: Moment) -> list[Known]:
    """The orders by which standing goals hold: those that somebody asked for."""
    return [known for goal in goals if isinstance(goal, Standing) for known in judged(goal, moment).right]


def _judged(goal: Standing, moment: Moment) -> Judged:
    """Orders from before are tried only where none of the agent's own is right."""
    world, exchange = moment.world, moment.world.address(goal.exchange)
    maker = world.address(maker_of(goal, world))
    known = [
        each
        for each in known_orders(moment)
        if (each.order.exchange, each.order.offerer) == (exchange, maker) and each.block <= moment.last_block
    ]
    problem = ""
    for orders in ([each for each in known if not each.before], [each for each in known if each.before]):
        told = [(each, _amiss(goal, world, each.order)) for each in orders]
        right = [each for each, wrong in told if not wrong]
        if right:
            return Judged(tuple(right), _twice(goal, world, [each.order for each in right]))
        problem = problem or next((wrong for _, wrong in reversed(told)), "")
    return Judged((), problem or "no such order")


def _amiss(goal: Standing, world: World, order: Order) -> str:
    return ended(world, order) or problem_of(goal, world, order) or _unposted(goal, world, order)


def _unposted(goal: Standing, world: World, order: Order) -> str:
    """What keeps those who read the order book from filling the order."""
    entry = world.order_book.find(order.hash)
    if not goal.posted or (entry is not None and status_told(world, entry).startswith(ACTIVE)):
        return ""
    return "it is not in the order book" if entry is None else f"the order book has it as {status_told(world, entry)}"


def maker_of(goal: Standing, world: World) -> str:
    """Whose order it is to be."""
    maker = goal.seller if isinstance(goal, ListingStands) else goal.bidder
    return maker or world.fixture.user


def problem_of(goal: Standing, world: World, order: Order) -> str:
    """What is wrong with an order, in words; empty where it is what the goal asks for."""
    mover = transferer(world, order)
    if goal.through and mover not in [world.address(name) for name in goal.through]:
        return f"its offer is moved by {named(world, mover)}"
    if mover is not None and acts_alone(world, mover):
        return f"its offer is moved by {named(world, mover)}, which others may use, too"
    return _opening(goal, world, order) or next(filter(None, _fillings(goal, world, order)), "")


def _opening(goal: Standing, world: World, order: Order) -> str:
    """A price that moves does so from when it was to; what does not may have begun at any time."""
    start = order.components["startTime"]
    if goal.starts is not None or not any(piece.last is not None for piece in _pieces(goal)):
        return ""
    early = world.fixture.start_time
    return "" if start >= early else f"its price moves since {early - start} seconds before the request"


def _pieces(goal: Standing) -> list[Piece]:
    if isinstance(goal, BidStands):
        return [goal.price, *(due.piece for due in goal.fees)]
    return [*goal.offer, *(due.piece for due in goal.due)]


def _fillings(goal: Standing, world: World, order: Order) -> Iterator[str]:
    """The problems of all fillings that must work, and of those that must not."""
    ways = list(_ways(goal, world, order))
    if not ways:
        yield "it does not take each of the tokens that are wanted"
        return
    for when in _open_moments(goal, world):
        for way in ways[:1] if when is not None else ways:
            yield _wrong(goal, world, order, way, when)
    for when in _shut_moments(goal, world):
        if _tried(world, order, ways[0], when).effect is not None:
            yield (
                f"it can still be filled at {when}" if when != _before(goal) else f"it can be filled at {when} already"
            )
    for way in _bad_ways(goal, world, order):
        made = _tried(world, order, way, _opens(goal, world))
        if made.effect is not None and _served(goal, world, way, made.effect):
            yield f"{named(world, way.taker) if way.taker in world.names else 'anyone'} can fill it{_spoken(way)}"


def _open_moments(goal: Standing, world: World) -> Iterator[int | None]:
    """When it must work (None: at once)."""
    first = _opens(goal, world)
    yield first
    last = goal.ends[0] if isinstance(goal.ends, tuple) else goal.ends
    yield (first or world.engine.pending_timestamp) + goal.lasting if last is None else last - 1


def _opens(goal: Standing, world: World) -> int | None:
    """When it is to open, if that is still to come."""
    return goal.starts if goal.starts is not None and goal.starts > world.engine.pending_timestamp else None


def _shut_moments(goal: Standing, world: World) -> Iterator[int]:
    before, last = _before(goal), goal.ends[1] if isinstance(goal.ends, tuple) else goal.ends
    if before is not None and before > world.engine.pending_timestamp:
        yield before
    if last is not None:
        yield last


def _before(goal: Standing) -> int | None:
    return None if goal.starts is None else goal.starts - 1


def _ways(goal: Standing, world: World, order: Order) -> Iterator[Taking]:
    """The fillings that must work."""
    if isinstance(goal, BidStands):
        yield from bid_takings(goal, world, order)
        return
    taker = STRANGER if goal.buyer is None else world.address(goal.buyer)
    yield Taking(taker)
    yield from (Taking(taker, part) for part in goal.fractions)


def _bad_ways(goal: Standing, world: World, order: Order) -> Iterator[Taking]:
    """The fillings that must not work, or get whoever tries nothing."""
    whom = goal.buyer if isinstance(goal, ListingStands) else goal.seller
    if whom is not None:
        yield from (Taking(STRANGER, way.fraction, way.choices) for way in list(_ways(goal, world, order))[:1])
    if isinstance(goal, BidStands):
        yield from unwanted_takings(goal, world, order)
    elif not goal.fractions and any(piece.amount > 1 for piece in goal.offer):
        whole = max(piece.amount for piece in goal.offer)
        yield from (Taking(STRANGER, (1, parts)) for parts in sorted({2, whole}) if parts > 1)


def _served(goal: Standing, world: World, way: Taking, effect: Effect) -> bool:
    """Whether somebody got what was not meant for them: what a listing offers, or a bidder's money for the wrong token."""
    if isinstance(goal, BidStands):
        return True
    offered = {asset_of_piece(world, piece) for piece in goal.offer}
    return any(change > 0 for (who, asset), change in effect.items() if who == way.taker and asset in offered)


def _tried(world: World, order: Order, way: Taking, when: int | None) -> Fill:
    """The order filled at a moment (None: as soon as can be), on a copy."""
    with a_copy(world):
        missing = prepare(world, order, way)
        if missing:
            return Fill(None, missing)
        if when is not None and not move_to(world, when):
            return Fill(None, f"{when} is over")
        return fill(world, order, way)


def _wrong(goal: Standing, world: World, order: Order, way: Taking, when: int | None) -> str:
    """What is wrong with one filling that must work."""
    with a_copy(world):
        missing = prepare(world, order, way)
        if missing or (when is not None and not move_to(world, when)):
            return missing or f"{when} is over"
        now = world.engine.pending_timestamp
        made = fill(world, order, way)
        if made.effect is None:
            return f"it can't be filled{_spoken(way)}{'' if when is None else f' at {when}'}: {made.reason}"
        wanted = {key: change for key, change in expected(goal, world, order, way, now).items() if change}
        slack = len(order.components["consideration"]) if any(p.last is not None for p in _pieces(goal)) else 0
        return "; ".join(_differences(world, wanted, made.effect, slack))[:500]


def _differences(world: World, wanted: Effect, found: Effect, slack: int) -> Iterator[str]:
    for key in dict.fromkeys((*wanted, *found)):
        asked, got = wanted.get(key, 0), found.get(key, 0)
        if abs(got - asked) > (slack if asked else 0):
            yield f"{_who(world, key[0])} gets {got:+d} {_what(world, key[1])}, not {asked:+d}"


def _who(world: World, account: str) -> str:
    return "whoever fills it" if account == STRANGER else named(world, account)


def _what(world: World, asset: Asset | None) -> str:
    if asset is None:
        return "wei"
    return f"{named(world, asset.contract)}{'' if asset.token_id is None else f' #{asset.token_id}'}"


def _spoken(way: Taking) -> str:
    tokens = "".join(f" with #{choice.token_id}" for choice in way.choices)
    return tokens + ("" if way.fraction == (1, 1) else f" to {way.fraction[0]}/{way.fraction[1]}")


def asset_of_piece(world: World, piece: Piece) -> Asset | None:
    """What a goal speaks of, as fillings tell of it; None for ether."""
    if piece.token is None:
        return None
    contract = world.address(piece.token)
    if piece.token_id is None:
        return Asset("coins", contract, None)
    return Asset("token" if has(world, contract, "ownerOf(uint256)") else "units", contract, piece.token_id)


def current(piece: Piece, order: Order, now: int, part: Fraction, up: bool) -> int:
    """How much of a piece is due at a moment, as Seaport has it: evenly from the order's start to its end, rounded up for what is
    paid and down for what is offered."""
    first = Fraction(piece.amount) * part
    last = first if piece.last is None else Fraction(piece.last) * part
    start, end = order.components["startTime"], order.components["endTime"]
    found = first + (last - first) * Fraction(now - start, end - start) if last != first else first
    return -(-found.numerator // found.denominator) if up else found.numerator // found.denominator


def expected(goal: Standing, world: World, order: Order, way: Taking, now: int) -> Effect:
    """What a filling at a moment must come to for everybody."""
    effect: Effect = {}

    def move(giver: str, taker: str, asset: Asset | None, much: int) -> None:
        for who, change in ((giver, -much), (taker, much)):
            effect[who, asset] = effect.get((who, asset), 0) + change

    maker, part = order.offerer, Fraction(*way.fraction)
    paid: Iterable[Due] = goal.fees if isinstance(goal, BidStands) else goal.due
    given: Iterable[Piece] = (goal.price,) if isinstance(goal, BidStands) else goal.offer
    for piece in given:
        move(maker, way.taker, asset_of_piece(world, piece), current(piece, order, now, part, up=False))
    for due in paid:
        much = current(due.piece, order, now, part, up=True)
        move(way.taker, world.address(due.to), asset_of_piece(world, due.piece), much)
    if isinstance(goal, BidStands):
        collection, token_id = wanted_token(goal, world, order, way)
        move(way.taker, maker, asset_of_piece(world, Piece(collection, goal.amount, token_id)), goal.amount)
    return effect


def _twice(goal: Standing, world: World, right: list[Order]) -> str:
    """Several right orders are one too many if a second can be filled after the first."""
    if len(right) < 2 or all(item["itemType"] in (NATIVE, ERC721) for item in right[0].components["offer"]):
        return ""
    first, *others = right
    with a_copy(world):
        for order, way in ((order, list(_ways(goal, world, order))) for order in (first, *others)):
            for each in way[:1] if order is first else way:
                done = not prepare(world, order, each) and fill(world, order, each).effect is not None
                if done and order is not first:
                    return f"there are {len(right)} such orders, and one can be filled after the other"
    return ""
