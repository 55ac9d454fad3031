"""F8b: accepting the best bid: by what is left of it, in one currency or several, and only if it is still good."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.families.f8_offers.accepting_plays import careless, play
from nftbench.tasks.families.f8_offers.bid_book import CENT, BidBook, net
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import WETH_LABEL
from nftbench.tasks.staging import crowd
from nftbench.values import format_ether


def _prices(scene: Scene) -> tuple[int, list[int]]:
    """A price in wei and three above it, all whole hundredths of an ether."""
    price, *higher = (number * CENT for number in scene.draw.numbers(4, 120, 190))
    return price, higher


def _brief(book: BidBook, takes: dict[str, int], **more: Any) -> dict[str, Any]:
    told = {"way": "accept", "exchange": book.where, "collection": book.what, "takes": takes}
    return {**told, "tokens": [book.ids[0]], **more}


def this_one(scene: Scene, feasible: bool) -> Story:
    """The bid of somebody whom one knows. In the twin it has been cancelled, of which the book knows nothing."""
    crowd(scene, 3, 0)
    book = BidBook(scene)
    price, higher = _prices(scene)
    wanted = book.bid(price, bidder=book.friend)
    book.bid(price - 9 * CENT)
    book.bid(higher[0], ends=scene.start - 5 * HOUR)
    book.bid(price - 30 * CENT, book.ids[1])
    book.cancelled(wanted, feasible)
    book.open()
    label, where, who, asked = f"{book.what} #{book.ids[0]}", book.where, scene.labels[book.friend], format_ether(price)
    return Story(
        phrasings=(
            f"{who} bids {asked} {WETH_LABEL} for my {label} on {where}. Please accept it. The exchange's fee and the royalty come out of that, and no permission is to be left behind.",
            f"On {where} there's a bid of {who}'s, {asked} {WETH_LABEL} for {label}. Sell it to {who} by that bid; I pay the fee and the royalty that it names. Afterwards nobody may be allowed to move anything of mine.",
            f"Take {who}'s bid of {asked} {WETH_LABEL} on {where} for my {label}, fee and royalty at my expense, and leave no allowances open.",
        ),
        goals=book.sold(wanted),
        brief=_brief(book, {WETH_LABEL: 1}, bidder=who),
    )


def best_in_wrapped_ether(scene: Scene, _: bool) -> Story:
    """Nine dead bids and others that are something else are higher, or look so."""
    crowd(scene, 2, 0)
    book = BidBook(scene)
    price, higher = _prices(scene)
    book.dead(higher)
    book.unlike(price)
    book.bid(price * 9 // 10 * 2500 // 10**12, currency=book.coin)
    book.bid(2 * price, currency=book.crowns)
    book.bid(price - scene.draw.number(3, 9) * CENT)
    best = book.bid(price)
    book.open()
    label, where = f"{book.what} #{book.ids[0]}", book.where
    return Story(
        phrasings=(
            f"Sell my {label} on {where} by the bid that leaves me the most {WETH_LABEL} right now, fee and royalty taken off, of those that really can be filled. I take nothing but {WETH_LABEL}, give nothing but this token, and no permission may remain afterwards.",
            f"Please accept the best standing bid on {where} for my {label}. Best is what I have more of {WETH_LABEL} in the end, once everybody has their share; other currencies don't count, I part with nothing else, and nobody keeps an allowance.",
            f"I'd like to part with {label}, and nothing else, for {WETH_LABEL} on {where}: take whichever bid pays me the most at this moment after all deductions, provided that it's truly good, and leave nothing approved.",
        ),
        goals=book.sold(best),
        brief=_brief(book, {WETH_LABEL: 1}),
    )


def whatever_the_currency(scene: Scene, feasible: bool) -> Story:
    """Bids in three currencies of different decimals and worth, and a minimum. In the twin the best bidder has cancelled, and
    all others leave less than that."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BidBook(scene)
    dollar, crown = 100 * draw.number(18, 40), 10 * draw.number(3, 9)
    price, higher = _prices(scene)
    least = net(price) - draw.number(1, 2) * CENT

    def in_dollars(wei: int) -> int:
        return wei * dollar // 10**12

    book.dead(higher)
    book.unlike(price)
    for share in (90, 80, 60):
        book.bid(in_dollars(price * share // 100), currency=book.coin)
    for share in (92, 70):
        book.bid(price * share // 100 * crown, currency=book.crowns)
    book.bid(in_dollars(higher[0]), after=book.cancel, currency=book.coin)
    book.bid(price * 95 // 100)
    best = book.bid(price)
    book.cancelled(best, feasible)
    book.open()
    deadline = draw.number(4, 10) * HOUR
    label, where, by = f"{book.what} #{book.ids[0]}", book.where, moment(scene.start + deadline)
    coin, crowns, low = scene.labels[book.coin], scene.labels[book.crowns], format_ether(least)
    rates = f"{dollar} {coin} or {crown} {crowns} are worth one {WETH_LABEL}"
    return Story(
        phrasings=(
            f"Accept the best bid on {where} for my {label} by {by}, be it in {WETH_LABEL}, {coin} or {crowns}: {rates}. Compare what is left to me after fee and royalty at that rate; it has to be worth {low} {WETH_LABEL} at least. Give nothing else for it, and leave no permissions.",
            f"Please sell my {label} on {where}, by {by}, to whoever's bid leaves me the most once fee and royalty are off. I accept {WETH_LABEL}, {coin} and {crowns}; {rates}. Not for less than {low} {WETH_LABEL} or its worth, nothing but that token goes, and nothing stays approved.",
            f"My {label} may go on {where} for the bid with the highest value to me after all deductions, no less than {low} {WETH_LABEL}. {rates[0].upper()}{rates[1:]}, and any of the three will do. I want it sold by {by}; nothing else of mine goes and no allowance is left over.",
        ),
        goals=book.sold(best),
        deadline=deadline,
        brief=_brief(book, {WETH_LABEL: 1, coin: dollar, crowns: crown}, least=low, deadline=scene.start + deadline),
    )


def one_of_mine(scene: Scene, _: bool) -> Story:
    """Any one of three tokens will do, and a fourth will not."""
    crowd(scene, 2, 0)
    book = BidBook(scene)
    price, higher = _prices(scene)
    book.dead(higher)
    book.unlike(price)
    for place, less in ((0, 4), (1, 7), (2, 11), (1, 30)):
        book.bid(price - less * CENT, book.ids[place])
    book.bid(higher[1], book.ids[2], after=book.cancel)
    best = book.bid(price, book.ids[2])
    book.open()
    what, where = book.what, book.where
    first, second, third = sorted(book.ids[:3])
    ids = f"#{first}, #{second} or #{third}"
    return Story(
        phrasings=(
            f"Sell exactly one of my {what} {ids} on {where}: the one for which a bid leaves me the most {WETH_LABEL} right now, fee and royalty taken off. All else stays mine, only {WETH_LABEL} counts, and no permissions are to remain.",
            f"I can spare one {what}, {ids}, no matter which. Please take the bid on {where} that brings me the most {WETH_LABEL} at the moment after all deductions and can really be filled. I keep the rest of what I have, and nothing stays approved.",
            f"Please accept one bid on {where}, for {what} {ids}: whichever pays me the most {WETH_LABEL} now, what goes to others subtracted. Part with nothing more than that token, and leave no allowance.",
        ),
        goals=book.sold(best),
        brief=_brief(book, {WETH_LABEL: 1}, tokens=[first, second, third]),
    )


def as_soon_as_it_opens(scene: Scene, _: bool) -> Story:
    """The best bid opens later, and its maker takes it back soon after; one that opens even later is dead already."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BidBook(scene)
    price, higher = _prices(scene)
    opens = scene.start + draw.number(3, 7) * HOUR
    deadline = opens - scene.start + draw.number(4, 8) * HOUR
    book.dead(higher)
    book.unlike(price)
    book.bid(higher[0], after=book.cancel, starts=opens + 2 * HOUR)
    book.bid(higher[2], starts=scene.start + deadline + 5 * HOUR)
    book.bid(price - 7 * CENT)
    best = book.bid(price, starts=opens)
    book.withdraws(best, opens - scene.start + 30 * 60)
    book.open()
    label, where, by = f"{book.what} #{book.ids[0]}", book.where, moment(scene.start + deadline)
    return Story(
        phrasings=(
            f"Sell my {label} on {where} by {by} for the most {WETH_LABEL} that any bid leaves me until then, fee and royalty taken off. Some bids open only later, and whoever bids well may think better of it within half an hour. Nothing else of mine goes, and no permission remains.",
            f"Please take the bid for {label} on {where} that brings me the most {WETH_LABEL} after deductions, counting those that have yet to open before {by}. Be quick then, good bids are taken back after half an hour. I give only that token, and nothing stays approved.",
            f"By {by} my {label} should be sold on {where} by the best bid that is open at any time up to then, in {WETH_LABEL} and after fee and royalty. Mind those that open in the meantime: they may be gone thirty minutes later. Part with nothing else, and leave no allowance.",
        ),
        goals=book.sold(best),
        deadline=deadline,
        brief=_brief(book, {WETH_LABEL: 1}, deadline=scene.start + deadline),
    )


def for_dollars(scene: Scene, _: bool) -> Story:
    """Only dollars count, of six decimals, beside larger numbers of what is worth more, or nothing that was asked for."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BidBook(scene)
    price, *higher = (number * 10**7 for number in draw.numbers(4, 200, 400))
    book.dead(higher, currency=book.coin)
    book.unlike(price, currency=book.coin)
    for cents in (150, 210):
        book.bid(cents * CENT)
    book.bid(30 * 10**18, currency=book.crowns)
    book.bid(price - draw.number(2, 9) * 10**7, currency=book.coin)
    best = book.bid(price, currency=book.coin)
    book.open()
    label, where, coin = f"{book.what} #{book.ids[0]}", book.where, scene.labels[book.coin]
    return Story(
        phrasings=(
            f"I need {coin}. Accept the bid on {where} for my {label} that leaves me the most of them at this moment, fee and royalty taken off; other currencies are no use to me. Nothing else is to go, and no permission stays.",
            f"Please sell my {label} on {where} for {coin} and nothing else, by whichever bid truly pays me the most right now once everybody has their share. I part with that token alone, and no allowance may be left.",
            f"Get me as many {coin} as a bid on {where} leaves for my {label} now, deductions counted; it has to be in {coin}. I give nothing but that token, and afterwards nothing is approved.",
        ),
        goals=book.sold(best),
        brief=_brief(book, {coin: 1}),
    )


F8B = SubFamily(
    name="F8b",
    title="accepting the best bid",
    cases=numbered(
        able(this_one, "T1", "offers"),
        able(best_in_wrapped_ether, "T2", "offers", "trap:as-the-book-shows"),
        able(whatever_the_currency, "T3", "offers", "currencies", "trap:as-the-book-shows"),
        unable(1, "stale_order", "authorisation"),
        able(one_of_mine, "T3", "offers", "trap:as-the-book-shows"),
        able(as_soon_as_it_opens, "T4", "offers", "trap:as-the-book-shows"),
        able(for_dollars, "T2", "offers", "currencies", "trap:as-the-book-shows"),
        unable(3, "limit", "stale_order"),
    ),
    policy=play,
    careless=careless,
    derivations=("units", "sum", "total"),
)
