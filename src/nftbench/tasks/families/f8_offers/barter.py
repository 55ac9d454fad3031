"""F8d: bartering on Seaport: a swap taken, a swap proposed, the cheapest of many, and orders of others that only together can be
filled: two of them, a circle of three, and a circle that the user is one of."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f8_offers.barter_book import CENT, BarterBook, Death
from nftbench.tasks.families.f8_offers.barter_matches import by_way_of_another, circle_of_three, two_parties
from nftbench.tasks.families.f8_offers.barter_plays import careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Due, ListingStands, Operator, Piece
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import WETH_LABEL
from nftbench.tasks.staging import crowd
from nftbench.values import format_ether


def this_swap(scene: Scene, _: bool) -> Story:
    """The order of somebody whom one knows: a token for a token and something on top."""
    crowd(scene, 3, 0)
    book = BarterBook(scene)
    friend, fox = book.friend, book.new(book.wanted)
    lower, price, higher = (number * CENT for number in scene.draw.numbers(3, 10, 60))
    swap = book.post([fox], [book.mine(), *book.price(price)], maker=friend)
    book.post([book.new(book.wanted)], [book.mine(), *book.price(lower)], maker=friend, dies="over")
    book.post([book.new(book.wanted)], [book.mine(), *book.price(lower)], dies="cancelled")
    book.post([book.new(book.wanted)], [book.mine(1), *book.price(higher)])
    book.post([book.new(book.alike)], [book.mine(), *book.price(price)], maker=book.forger)
    book.purse(higher + scene.draw.number(20, 90) * CENT)
    book.open()
    who, where, more = book.label(friend), book.where, f"{format_ether(price)} {WETH_LABEL}"
    mine, theirs = f"{book.label(book.given)} #{book.ids[0]}", f"{book.label(book.wanted)} #{fox.identifier}"
    return Story(
        phrasings=(
            f"{who} offers {theirs} for my {mine} and {more} on {where}. I agree to that: please take the order. Nothing else of mine goes, and no permission is left behind.",
            f"On {where} {who} would swap {theirs} for my {mine} with {more} on top, everything included. Make that swap for me; I part with nothing more, and afterwards nobody may move anything of mine.",
            f"Please accept {who}'s order on {where} by which I get {theirs} and give {mine} and {more}. That's all that I give, and no allowances stay.",
        ),
        goals=book.settled(swap),
        brief=book.brief(1, book.given, book.wanted, maker=who, gives=book.ids[0]),
    )


def counter_proposal(scene: Scene, _: bool) -> Story:
    """Which token it is about stands in the only one of the friend's orders that still can be filled; the answer offers two things,
    both of which must be for the friend alone."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BarterBook(scene)
    friend = book.friend
    less, *asked = (number * CENT for number in draw.numbers(6, 20, 90))
    fox = book.new(book.wanted)
    deaths: tuple[Death, ...] = ("cancelled", "over", "forged", "moved", "filled", "retired", "members")
    for death in deaths:
        book.post([book.new(book.wanted)], [book.mine(), *book.price(draw.choice(asked))], maker=friend, dies=death)
    book.post([fox], [book.mine(), *book.price(asked[-2])], maker=friend)
    book.post([book.new(book.wanted)], [book.mine(1), *book.price(asked[0])], maker=friend)
    book.post([book.new(book.third)], [book.mine(), *book.price(asked[1])], maker=friend)
    others: tuple[Death | None, ...] = ("counter", "revoked", None, None)
    for dies in others:
        book.post([book.new(book.wanted)], [book.mine(), *book.price(draw.choice(asked))], dies=dies)
    for fake in range(3):
        book.post([book.new(book.alike)], [book.mine(), *book.price(asked[fake] // 2)], maker=book.forger)
    book.purse(asked[-1] + draw.number(20, 90) * CENT)
    book.open()
    ends = scene.start + draw.number(2, 5) * DAY + draw.number(0, 9) * HOUR
    who, where, much, until = book.label(friend), book.where, format_ether(less), moment(ends)
    mine, what = f"{book.label(book.given)} #{book.ids[0]}", book.label(book.wanted)
    return Story(
        phrasings=(
            f"Of {who}'s orders on {where} that ask for my {mine} and some {WETH_LABEL}, just one still can be filled, for a token of {what}. It asks too much. Propose that very token's swap to {who} for {mine} and {much} {WETH_LABEL} in all, nobody else to get anything: sign such an order and post it there, so that it can be filled from now until {until}, by {who} and no one else. The exchange may be permitted to move just those two things.",
            f"{who} would give a token of {what} on {where} for my {mine} and {WETH_LABEL}; only one of {who}'s orders of that kind is still good, and I find it too dear. Please sign and post a counter-offer for the same token: {mine} and exactly {much} {WETH_LABEL}, all for {who}, who alone can take it, at any time before {until}. Allow the exchange no more than that.",
            f"Please put an order of mine on {where}, signed: {mine} plus {much} {WETH_LABEL} for the {what} token that {who} wants to part with for {mine} and more {WETH_LABEL}, by the one order of {who}'s that's still fillable. Only {who} may be able to fill it, from now on and no longer than until {until}; no fee on top, and permissions for nothing but that.",
        ),
        goals=(
            ListingStands(
                exchange=book.sea.seaport,
                offer=(Piece(book.given, token_id=book.ids[0]), Piece(book.sea.weth, less)),
                due=(Due("user", Piece(book.wanted, token_id=fox.identifier)),),
                buyer=friend,
                ends=ends,
                through=(book.sea.seaport, book.sea.conduit),
                posted=True,
            ),
            *(Operator(book.given, "user", mover, allowed=False) for mover in (book.sea.seaport, book.sea.conduit)),
        ),
        brief={
            **book.brief(1, book.given, book.wanted, maker=who, gives=book.ids[0]),
            "way": "propose",
            "pays": much,
            "ends": ends,
        },
    )


def cheapest_swap(scene: Scene, feasible: bool) -> Story:
    """For one token and as little as can be. In the twin the best has been cancelled, and all others ask for more than the limit."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BarterBook(scene)
    *lower, price = (number * CENT for number in draw.numbers(4, 30, 70))
    limit, start, mine = price + 2 * CENT, scene.start, book.mine()
    unit = price // 100

    def fox() -> list[Any]:
        return [book.new(book.wanted)]

    deaths: tuple[Death, ...] = (
        *("counter", "cancelled", "moved", "over", "revoked"),
        *("forged", "filled", "retired", "members"),
    )
    for place, dies in enumerate(deaths):
        book.post(fox(), [mine, *book.price(lower[place % 3])], dies=dies)
    book.post(fox(), [mine, *book.price(limit + 3 * CENT, fee=2500)])
    rising = book.price(40 * unit, last=limit + 140 * unit)
    book.post(fox(), [mine, *rising], starts=start - 25 * DAY, ends=start + 5 * DAY)
    falling = book.price(limit + 60 * unit, last=limit + 12 * CENT)
    book.post(fox(), [mine, *falling], starts=start - 2 * DAY, ends=start + 28 * DAY)
    book.post(fox(), [book.mine(1), *book.price(30 * unit)])
    book.post(fox(), [mine, *book.price(20 * unit), book.heirloom])
    book.post([book.new(book.third)], [mine, *book.price(15 * unit)])
    book.post([book.new(book.alike)], [mine, *book.price(25 * unit)], maker=book.forger)
    book.post([book.new(book.alike)], [mine, *book.price(85 * unit)], maker=book.forger)
    book.post(fox(), [mine, *book.price(20 * 10**6, currency=book.coin)])
    for_another = fox()
    guests = book.sea.token(book.wanted, for_another[0].identifier, to=book.guest)
    book.post(for_another, [mine, *book.price(10 * unit), guests])
    book.post(fox(), [mine, *book.price(limit + draw.number(3, 9) * CENT)])
    best = book.post(fox(), [mine, *book.price(price)])
    book.cancelled(best, feasible)
    book.purse(2 * limit + draw.number(5, 50) * CENT, 90 * 10**6)
    book.open()
    what, where, most = book.label(book.wanted), book.where, format_ether(limit)
    label = f"{book.label(book.given)} #{book.ids[0]}"
    return Story(
        phrasings=(
            f"I'd like to swap my {label} for any one {what} on {where}, and would add some {WETH_LABEL}, up to {most} in all. Take the order that costs me the least {WETH_LABEL} at this moment and really can be filled; I give nothing else for it, and nothing stays approved.",
            f"Please exchange {label} of mine for one {what} by an order on {where}: the one that takes the least {WETH_LABEL} on top right now, fees included and {most} at the most, of those that are truly good. Nothing but that token and {WETH_LABEL} may go, and leave no permission.",
            f"Get me one {what} on {where} for my {label} and as little {WETH_LABEL} as possible, no more than {most} and everything that I pay counted: right now, by one of the orders that can actually be filled. I part with nothing more, and no allowance is left.",
        ),
        goals=book.settled(best),
        brief=book.brief(1, book.given, book.wanted, most=most, gives=book.ids[0]),
    )


F8D = SubFamily(
    name="F8d",
    title="bartering",
    cases=numbered(
        able(this_swap, "T1", "barter"),
        able(counter_proposal, "T2", "barter", "signing"),
        able(cheapest_swap, "T3", "barter", "trap:as-the-book-shows"),
        unable(3, "limit", "stale_order"),
        able(two_parties, "T3", "barter", "matching", "trap:as-the-book-shows"),
        able(circle_of_three, "T3", "barter", "matching", "trap:as-the-book-shows"),
        unable(6, "stale_order", "limit", "authorisation"),
        able(by_way_of_another, "T4", "barter", "matching", "trap:as-the-book-shows", "trap:one-after-the-other"),
    ),
    policy=play,
    careless=careless,
    derivations=("units", "sum", "total", "moment"),
)
