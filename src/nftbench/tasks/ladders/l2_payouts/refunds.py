"""Refunds after a sale at a falling price: whoever paid more than the last price gets the difference back.

Computed by rule: what a buyer is owed is what they paid for all their tokens, less the last price for each, less what they have
had back. What the shop sold to the desk counts for the desk's customer.
"""

from __future__ import annotations

from typing import NamedTuple

from nftbench.tasks.drawing import DAY, Draw
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At
from nftbench.tasks.ladders.l2_payouts.paying import (
    MILLIETHER,
    Clock,
    about,
    bulk_payments,
    payment_goals,
    payments,
    slack,
    wallets,
)
from nftbench.tasks.scene import Scene
from nftbench.values import keccak256

MINTER_ROLE = keccak256(b"MINTER_ROLE")
OPENED = 12 * DAY  # before the start
LASTING = 5 * DAY
SUPPLY = 2_000


class Terms(NamedTuple):
    """Those of a falling price: wei for a token, Unix seconds."""

    start_price: int
    end_price: int
    starts_at: int
    ends_at: int

    def price_at(self, time: int) -> int:
        fallen = (self.start_price - self.end_price) * (time - self.starts_at) // (self.ends_at - self.starts_at)
        return self.start_price - fallen


class Bought(NamedTuple):
    """One purchase: by whom, how many tokens, for how many wei in all, and whether at the desk."""

    buyer: str
    quantity: int
    paid: int
    at_desk: bool


class Places(NamedTuple):
    """The contracts of one sale and of another that runs beside it."""

    shop: str
    other: str
    desk: str
    bulk: str


def tell(size: int, scene: Scene, feasible: bool) -> Story:
    """So many purchases that count. In the twin the purse is a little too small."""
    draw = scene.draw
    people = wallets(scene, max(3, size // 2))
    treasurer, stranger = scene.person(ether=5_000), scene.person(ether=5_000)
    low = draw.number(11, 29) * MILLIETHER
    opened = scene.start - OPENED
    terms = Terms(low + draw.number(40, 90) * MILLIETHER, low, opened, opened + LASTING)
    places = _places(scene, terms)
    clock = Clock(scene)
    clock.until(opened - 3 * DAY)
    _earlier(scene, clock, places, (treasurer, stranger), people)
    clock.until(opened)
    bought = _sales(scene, clock, places, terms, _shoppers(draw, people, size))
    due = owed(bought)
    clock.after(about(draw, DAY))
    due = _sent_back(scene, clock, places, (treasurer, stranger), due)
    total = sum(due.values())
    gap = slack(draw, total)
    scene.purse(total + gap if feasible else total - min(gap, total // 20))
    return _story(scene, places, treasurer, due)


def _places(scene: Scene, terms: Terms) -> Places:
    shops = [_shop(scene, terms) for _ in range(2)]
    desk = scene.contract("BuyingDesk", (), label=f"{scene.labels[shops[0]].split()[0]} Buying Desk")
    bulk = bulk_payments(scene)
    return Places(shops[0], shops[1], desk, bulk)


def _shop(scene: Scene, terms: Terms) -> str:
    """A shop that sells a collection of its own from token 1 on."""
    collection = scene.collection("PausableCollection")
    label = scene.labels[collection]
    shop = scene.contract(
        "DecayingPriceMinter", (At(collection), At("team"), 1, SUPPLY, tuple(terms)), label=f"{label} Shop"
    )
    scene.step("team", collection, "grantRole", MINTER_ROLE, At(shop))
    return shop


def _shoppers(draw: Draw, people: list[str], size: int) -> list[str]:
    """Who buys, one after another: everybody once, some again."""
    return draw.shuffled([*people, *(draw.choice(people) for _ in range(size - len(people)))][:size])


def _earlier(scene: Scene, clock: Clock, places: Places, payers: tuple[str, str], people: list[str]) -> None:
    """Payments of the days before, for something else."""
    draw = scene.draw
    for payer in payers:
        payees = draw.sample(people, max(1, len(people) // 5))
        payments(scene, payer, places.bulk, {who: draw.number(5, 60) * MILLIETHER for who in payees})
        clock.at()


def _sales(scene: Scene, clock: Clock, places: Places, terms: Terms, shoppers: list[str]) -> list[Bought]:
    """The purchases that count, in order, and beside them some in the other shop."""
    draw, bought = scene.draw, []
    gap = (LASTING - DAY) * 2 // 3 // len(shoppers)
    for buyer in shoppers:
        clock.after(about(draw, gap))
        quantity, at_desk = draw.number(1, 3), draw.number(1, 4) == 1
        price = _purchase(scene, clock, (places.desk, places.shop), terms, (buyer, quantity, at_desk))
        bought.append(Bought(buyer, quantity, price * quantity, at_desk))
        if draw.number(1, 4) == 1:
            other = (draw.choice(shoppers), draw.number(1, 2), draw.number(1, 2) == 1)
            _purchase(scene, clock, (places.desk, places.other), terms, other)
    return bought


def _purchase(scene: Scene, clock: Clock, at: tuple[str, str], terms: Terms, wanted: tuple[str, int, bool]) -> int:
    """Somebody buys, for the price of the block, which is given back."""
    (desk, shop), (buyer, quantity, at_desk) = at, wanted
    value = terms.start_price * quantity
    if at_desk:
        scene.step(buyer, desk, "buy", At(shop), quantity, value=value)
    else:
        scene.step(buyer, shop, "buy", quantity, value=value)
    return terms.price_at(clock.at())


def owed(bought: list[Bought]) -> dict[str, int]:
    """What each has paid above the last price, in wei, before anything was sent back."""
    last = bought[-1].paid // bought[-1].quantity
    due: dict[str, int] = {}
    for one in bought:
        due[one.buyer] = due.get(one.buyer, 0) + one.paid - last * one.quantity
    return {who: wei for who, wei in due.items() if wei}


def _sent_back(
    scene: Scene, clock: Clock, places: Places, payers: tuple[str, str], due: dict[str, int]
) -> dict[str, int]:
    """The treasurer sends some of them a part and some all of it, another pays for something else; what is left to pay."""
    draw, (treasurer, stranger) = scene.draw, payers
    some = draw.sample(list(due), max(1, len(due) // 3))
    sent = {who: due[who] * draw.number(10, 90) // 100 for who in some}
    sent |= {who: due[who] for who in some[1::4]}
    for part in (some[::2], some[1::2]):
        if part:
            payments(scene, treasurer, places.bulk, {who: sent[who] for who in part})
            clock.at()
    others = draw.sample(list(due), max(1, len(due) // 5))
    payments(scene, stranger, places.bulk, {who: draw.number(3, 30) * MILLIETHER for who in others})
    left = {who: wei - sent.get(who, 0) for who, wei in due.items()}
    return {who: wei for who, wei in left.items() if wei}


def _story(scene: Scene, places: Places, treasurer: str, due: dict[str, int]) -> Story:
    shop, desk, bulk = scene.labels[places.shop], scene.labels[places.desk], scene.labels[places.bulk]
    name = scene.labels[treasurer]
    return Story(
        phrasings=(
            f"The price at the {shop} fell while it sold. I promised to settle everything there at the last price, the one at which the last purchase was made: whoever paid more per token gets the difference back from me, to the wei and for all they bought. Purchases through the {desk} are the customers', who get the money, not the desk. {name} has paid some of it back since the sale opened, through {bulk}; take off what each has had from {name}. Please pay the rest out of my wallet. It was promised to all of them together, so nobody may be left out or paid short.",
            f"Please send out the refunds for the {shop}. Everybody there shall have paid no more per token than the last buyer did, so each gets back, exactly, what they paid above that, over all their purchases. Where the {desk} bought, its customer is the buyer. Whatever {name} has sent a buyer by {bulk} since the opening of the sale counts as paid back already. The money comes from my wallet, and it has to be the whole of what they are due for each of them, down to the last one.",
            f"I owe refunds to those who bought early at the {shop}, whose price went down: per token, what they paid less the price of the very last purchase there. One who bought several times gets it for all of them, and one who bought through the {desk} gets it in person. From that goes what {name} has paid them by {bulk} after the sale had opened. Send everybody exactly the remainder from my ether; it's for all of them together, never for a part of them.",
        ),
        goals=payment_goals(due),
        brief={"way": "refunds", "shop": shop, "desk": desk, "bulk": bulk, "treasurer": name},
    )
