"""Drafts of what is for sale: tokens with traits in lots with prices, drawn until the budget means something.

A draft is kept if the cheapest choice is clearly cheaper than the next best one, so that the budget can lie between them, and if
taking what is cheapest per trait costs at least a twentieth more than the budget: on the first rung, no more than it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nftbench.tasks.drawing import Draw
from nftbench.tasks.ladders.l3_budget.covers import Choice, Offer, at_sight, cheapest, next_best
from nftbench.tasks.markets import BASIS_POINTS

MILLIETHER = 10**15
KINDS = {
    "Background": ("Dawn", "Meadow", "Harbour", "Starfield", "Brickwork", "Snowdrift"),
    "Fur": ("Tabby", "Ginger", "Charcoal", "Ivory", "Calico", "Russet"),
    "Headgear": ("Crown", "Bowler", "Bonnet", "Helmet", "Wreath", "Beanie"),
    "Item": ("Compass", "Spyglass", "Violin", "Teacup", "Umbrella", "Scroll"),
}
TRAITS = tuple(value for values in KINDS.values() for value in values)
WANTED = {6: 3, 12: 4, 25: 5, 50: 6, 100: 7, 200: 8, 400: 9}
"""How many traits are wanted at each size."""

WARM_UP = 6
_STEP = MILLIETHER // 10  # what a budget is rounded to
_ATTEMPTS = 2_000


class Lot(NamedTuple):
    """Tokens, by places in the list of all of them, that one of two markets sells for a price in wei before its fee."""

    tokens: tuple[int, ...]
    market: int
    price: int


class Shape(NamedTuple):
    """What a draft is drawn for: lots, whether some are bundles, what is wanted by trait, and the markets' fees in basis points."""

    size: int
    bundles: bool
    wanted: dict[str, int]
    fees: tuple[int, int]


class Draft(NamedTuple):
    """Each token's traits, the lots, the cheapest choice, and the budget in wei."""

    traits: list[tuple[str, ...]]
    lots: list[Lot]
    best: Choice
    budget: int


def wanted(draw: Draw, size: int, twice: int) -> dict[str, int]:
    """What to want at this size: one of most traits, and two of the first `twice`; no more than three of a kind."""
    order = draw.shuffled([(kind, value) for kind, values in KINDS.items() for value in draw.sample(values, 3)])
    return {value: 2 if place < twice else 1 for place, (_, value) in enumerate(order[: WANTED[size]])}


def cost(lot: Lot, fees: tuple[int, int]) -> int:
    """What a buyer pays for a lot, in wei: its price and the market's fee, rounded down."""
    return lot.price + lot.price * fees[lot.market] // BASIS_POINTS


def drafted(draw: Draw, shape: Shape) -> Draft:
    """A draft that is worth keeping; RuntimeError if none comes up."""
    for _ in range(_ATTEMPTS):
        traits: list[tuple[str, ...]] = []
        lots = lots_of(draw, shape, traits, shape.size)
        offers = [offered(lot, traits, shape) for lot in lots]
        best = _best(offers, shape)
        budget = _budget(offers, shape, best) if best else None
        if best and budget:
            return Draft(traits, lots, best, budget)
    raise RuntimeError(f"no draft of {shape.size} lots is worth keeping")


def lots_of(draw: Draw, shape: Shape, traits: list[tuple[str, ...]], count: int) -> list[Lot]:
    """So many lots of tokens that are new, whose traits are added to the list."""
    lots = []
    for _ in range(count):
        many = draw.number(2, 3) if shape.bundles and draw.number(1, 10) <= 3 else 1
        first = len(traits)
        traits += [_traits(draw, shape.wanted) for _ in range(many)]
        tokens = tuple(range(first, first + many))
        lots.append(Lot(tokens, draw.number(0, 1), _price(draw, [traits[each] for each in tokens], shape.wanted)))
    return lots


def _traits(draw: Draw, wanted: dict[str, int]) -> tuple[str, ...]:
    """One value of each kind; those that are wanted come up more often than others."""
    found = []
    for values in KINDS.values():
        sought = [value for value in values if value in wanted]
        found.append(draw.choice(sought if sought and draw.number(1, 10) <= 3 else values))
    return tuple(found)


def _price(draw: Draw, tokens: list[tuple[str, ...]], wanted: dict[str, int]) -> int:
    """The more of what is wanted a lot has, the dearer it is."""
    worth = sum(value in wanted for traits in tokens for value in traits)
    return (6 * len(tokens) + 24 * worth) * draw.number(6_000, 14_000) * MILLIETHER // 4_000


def offered(lot: Lot, traits: Sequence[tuple[str, ...]], shape: Shape) -> Offer:
    """What a lot costs and has of what is wanted."""
    gains = tuple(sum(name in traits[token] for token in lot.tokens) for name in shape.wanted)
    return Offer(cost(lot, shape.fees), gains)


def _best(offers: list[Offer], shape: Shape) -> Choice | None:
    """The cheapest choice; None where what is taken at sight is too near it, or, on the first rung, is another one."""
    demand = tuple(shape.wanted.values())
    taken = at_sight(offers, demand)
    best = cheapest(offers, demand, limit=taken.cost) if taken else None
    if taken is None or best is None:
        return None
    if shape.size == WARM_UP:
        return best if taken.cost == best.cost else None
    return best if taken.cost * 100 >= _dearest(best) * 105 else None


def _dearest(best: Choice) -> int:
    """The largest budget that there may be, in wei: three hundredths above the cheapest choice."""
    return best.cost + best.cost * 3 // 100


def _budget(offers: list[Offer], shape: Shape, best: Choice) -> int | None:
    """Halfway between the best choice and the next best, and no more than three hundredths above the best; None where they are
    so near each other that nothing lies between them."""
    most = best.cost + best.cost * 6 // 100
    other = next_best(offers, tuple(shape.wanted.values()), best, most)
    above = most if other is None else other
    budget = min((best.cost + above) // 2, _dearest(best)) // _STEP * _STEP
    if above - best.cost < max(best.cost // 500, 4 * _STEP) or budget < best.cost:
        return None
    return budget
