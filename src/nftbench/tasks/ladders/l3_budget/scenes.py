"""The scene of a purchase to a budget: two markets with fees of their own, what they sell, and as many lots that are gone.

A lot is gone when it was sold or cancelled, when its token has left its seller, or when its seller lets the market move nothing
any more. The markets still list those of the last two kinds.
"""

from __future__ import annotations

from nftbench.tasks.drawing import DAY, HOUR, Draw
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At, Change, OwnsOneOf, SpentAtMost
from nftbench.tasks.ladders.l3_budget.drafts import (
    TRAITS,
    Draft,
    Lot,
    Shape,
    cost,
    drafted,
    lots_of,
    wanted,
)
from nftbench.tasks.ladders.l3_budget.requests import brief, phrasings
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import format_ether

FEES = (0, 50, 100, 150, 250, 400, 500, 600)
_AT_ONCE = 40
SOLD, CANCELLED, MOVED, LAPSED = range(4)


class Stock:
    """All lots of a scene: `ids` are the tokens' numbers by their places, `fates` tell what became of those that are gone."""

    def __init__(self, draw: Draw, draft: Draft, shape: Shape) -> None:
        self.traits = list(draft.traits)
        self.fees = shape.fees
        self.live = draft.lots
        self.gone = lots_of(draw, shape, self.traits, shape.size)
        self.fates = [place % 4 for place in range(shape.size)]
        self.ids = draw.shuffled(draw.numbers(len(self.traits), 1, 5 * len(self.traits)))

    def tokens(self, lots: list[Lot]) -> list[int]:
        return [self.ids[token] for lot in lots for token in lot.tokens]


def tell(size: int, bundles: bool, twice: int, scene: Scene, feasible: bool) -> Story:
    """Tokens of the wanted traits for at most the budget. In the twin the purse holds a little less than the cheapest choice
    costs."""
    draw = scene.draw
    fees = draw.sample(FEES, 2)
    shape = Shape(size, bundles, wanted(draw, size, twice), (fees[0], fees[1]))
    draft = drafted(draw, shape)
    stock = Stock(draw, draft, shape)
    collection = scene.collection("SoladyCollection")
    label = scene.labels[collection]
    register = scene.contract(
        "TraitRegister",
        (At(collection), At("team"), TRAITS),
        label=f"{label} Traits",
        note=f"says which traits the tokens of {label} have",
    )
    keeper = scene.person(listed=False)
    markets = [_market(scene, collection, keeper, fee) for fee in shape.fees]
    _history(scene, stock, (collection, register), markets)
    spare, short = draw.number(1, 3) * ETHER, draft.best.cost * draw.number(10, 40) // 1_000
    scene.purse(draft.budget + spare if feasible else draft.best.cost - short)
    names = (label, scene.labels[register], scene.labels[markets[0]], scene.labels[markets[1]])
    return Story(
        phrasings=phrasings(names, shape, format_ether(draft.budget)),
        goals=_goals(stock, shape, collection, draft.budget),
        brief=brief(names, shape.wanted, draft.budget),
        allowed=tuple(
            Change(kind="owner", contract=collection, subject=token, to=At("user"))
            for token in stock.tokens(stock.live)
        ),
    )


def _market(scene: Scene, collection: str, keeper: str, fee: int) -> str:
    label = f"{scene.draw.collection().split()[0]} Market"
    return scene.contract("LotMarket", (At(collection), At(keeper), fee), label=label)


def _goals(stock: Stock, shape: Shape, collection: str, budget: int) -> tuple[OwnsOneOf | SpentAtMost, ...]:
    tokens = [token for lot in stock.live for token in lot.tokens]
    goals = []
    for name, count in shape.wanted.items():
        options = tuple((collection, stock.ids[token]) for token in tokens if name in stock.traits[token])
        goals.append(OwnsOneOf("user", options, count=count, or_more=True))
    return (*goals, SpentAtMost("user", budget))


def _history(scene: Scene, stock: Stock, places: tuple[str, str], markets: list[str]) -> None:
    """Sellers list everything over some days, and then part of it goes."""
    draw, (collection, register) = scene.draw, places
    size = len(stock.live)
    sellers = [scene.person(ether=20) for _ in range(min(12, max(2, size // 8)))]
    lapsed = [scene.person(listed=False, ether=20) for _ in range(max(1, size // 50))]
    buyer, friend = scene.person(ether=1_000), scene.person(ether=20)
    rows: list[tuple[str, Lot, int | None]] = [(draw.choice(sellers), lot, None) for lot in stock.live]
    rows += [
        (draw.choice(lapsed if fate == LAPSED else sellers), lot, fate)
        for lot, fate in zip(stock.gone, stock.fates, strict=True)
    ]
    rows = draw.shuffled(rows)
    for who in (*sellers, *lapsed):
        mine = stock.tokens([lot for seller, lot, _ in rows if seller == who])
        if mine:
            scene.mint(collection, who, sorted(mine))
        for market in markets:
            scene.step(who, collection, "setApprovalForAll", At(market), True)
    scene.fill()
    _registered(scene, stock, register)
    scene.passing(draw.number(2, 5) * DAY)
    numbered = _listed(scene, stock, markets, rows)
    scene.passing(draw.number(20, 60) * HOUR)
    _gone(scene, stock, (collection, buyer, friend), markets, numbered)
    for who in lapsed:
        for market in markets:
            scene.step(who, collection, "setApprovalForAll", At(market), False)


def _registered(scene: Scene, stock: Stock, register: str) -> None:
    bits = [sum(1 << TRAITS.index(name) for name in names) for names in stock.traits]
    for first in range(0, len(bits), 200):
        some = slice(first, first + 200)
        scene.step("team", register, "register", tuple(stock.ids[some]), tuple(bits[some]))


Row = tuple[str, Lot, int | None]


def _listed(scene: Scene, stock: Stock, markets: list[str], rows: list[Row]) -> list[tuple[int, Row]]:
    """List the lots in groups of one seller on one market; gives each with its number there."""
    groups: dict[tuple[int, str, int], list[Row]] = {}
    for place, row in enumerate(rows):
        groups.setdefault((place // (2 * _AT_ONCE), row[0], row[1].market), []).append(row)
    numbers, numbered = [0, 0], []
    for (_, seller, market), some in groups.items():
        ids = tuple(tuple(stock.tokens([lot])) for _, lot, _ in some)
        scene.step(seller, markets[market], "list", ids, tuple(lot.price for _, lot, _ in some))
        for row in some:
            numbers[market] += 1
            numbered.append((numbers[market], row))
    return numbered


def _gone(
    scene: Scene, stock: Stock, parts: tuple[str, str, str], markets: list[str], numbered: list[tuple[int, Row]]
) -> None:
    """What is sold, is cancelled, or leaves its seller."""
    collection, buyer, friend = parts
    cancelled: dict[tuple[str, int], list[int]] = {}
    for number, (seller, lot, fate) in numbered:
        if fate == SOLD:
            scene.step(buyer, markets[lot.market], "buy", number, value=cost(lot, stock.fees))
        elif fate == MOVED:
            token = stock.ids[lot.tokens[0]]
            scene.step(seller, collection, "transferFrom", At(seller), At(friend), token)
        elif fate == CANCELLED:
            cancelled.setdefault((seller, lot.market), []).append(number)
    for (seller, market), numbers in cancelled.items():
        scene.step(seller, markets[market], "cancel", tuple(numbers))
