"""F8d's orders that only together can be filled: an ask and a bid, a circle of three, and a circle that the user is one of."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f8_offers.barter_book import CENT, FEE, Barter, BarterBook, Death
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.orders import Item
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import WETH_LABEL, OrderTerms
from nftbench.tasks.staging import crowd
from nftbench.values import format_ether


class _Moving(TypedDict, total=False):
    """What an ask rises to, or a bid falls to, over fifty days of which twenty have passed."""

    rises: int
    falls: int


def _bid(
    book: BarterBook, left: int, token: Item, dies: Death | None = None, *, fee: int = FEE, **terms: Any
) -> Barter:
    """A bid for a token that leaves so much when its `fee` is paid."""
    much, last = left * 10_000 // (10_000 - fee), terms.pop("last", None)
    return book.post([book.money(much, last=last)], [token, book.price(much, fee=fee)[1]], dies=dies, **terms)


def _pair(
    book: BarterBook,
    prices: tuple[int, int],
    sells: Death | None = None,
    buys: Death | None = None,
    *,
    fee: int = FEE,
    **moving: Unpack[_Moving],
) -> None:
    """An ask and a bid for one token, the price that is asked and what the two leave when the bid's `fee` is paid."""
    token, (asked, leaves) = book.new(book.wanted), prices
    since: OrderTerms = {"starts": book.scene.start - 20 * DAY} if moving else {}
    book.post([token], book.price(asked, last=moving.get("rises")), dies=sells, **since)
    _bid(book, asked + leaves, token, buys, fee=fee, last=moving.get("falls"), **since)


def two_parties(scene: Scene, _: bool) -> Story:
    """One sells what another bids for; brought together, they leave a difference to whoever matches them. The best two are a bid
    for any token and the cheapest that is truly for sale; most others have somebody in it who is out, or leave less than they seem
    to."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BarterBook(scene)
    price = draw.number(70, 120) * CENT
    less, spread, *more = (number * CENT for number in draw.numbers(6, 5, 30))

    def about(leaves: int, cheaper: int = 0) -> tuple[int, int]:
        return price + (draw.number(-20, 20) - cheaper) * CENT, leaves

    cheapest, lowest = book.new(book.wanted), price - 22 * CENT
    ask, best = book.post([cheapest], book.price(lowest)), _bid(book, lowest + spread, book.any_one())
    _bid(book, lowest + less, cheapest)
    _bid(book, lowest + more[1], book.any_one(), "moved")
    _bid(book, lowest + more[3], book.any_one(book.alike))
    _pair(book, about(less))
    _pair(book, about(less - CENT), fee=4000)
    _pair(book, about(more[0], 10), "counter")
    _pair(book, about(more[1], 20), "cancelled", "revoked")
    _pair(book, about(more[2]), "moved", "over")
    _pair(book, about(more[3]), None, "forged")
    _pair(book, about(more[0], 10), "filled", "retired")
    _pair(book, about(more[2]), None, "members")
    _pair(book, about(more[1]), rises=3 * price)
    _pair(book, about(more[3]), falls=30 * CENT)
    token, heirloom = book.new(book.wanted), book.heirloom
    book.post([token], [*book.price(price // 2), heirloom])
    book.post([book.money(price)], [token, book.price(price)[1]])
    genuine = book.new(book.wanted)
    book.post([book.faked(genuine)], book.price(price // 2), maker=book.forger)
    book.post([book.money(2 * price)], [genuine, book.price(2 * price)[1]])
    book.purse(draw.number(5, 25) * CENT)
    book.open()
    what, where = book.label(book.wanted), book.where
    return Story(
        phrasings=(
            f"On {where} some sell tokens of {what} for {WETH_LABEL} and others bid for them. Match one seller with one bidder, so that the difference comes to me: the pair that leaves me the most {WETH_LABEL} at this moment, everybody's fees paid. I put in nothing of my own, and nothing is left approved.",
            f"Please bring together two orders on {where}, one that sells a token of {what} and one that bids for it, both in {WETH_LABEL}, and keep what is over. Choose those two that leave me most of it right now, once all fees are paid and of those that can truly be filled. None of what I have goes into it, and no permission stays.",
            f"I'd like to earn the gap between an ask and a bid for a token of {what} on {where}: exactly one such match, in {WETH_LABEL}, the one from which the most is left for me now after all that the two orders pay to others. My own things stay out of it, and no allowance remains.",
        ),
        goals=book.settled(ask, best),
        brief=book.brief(2, book.wanted),
    )


def circle_of_three(scene: Scene, feasible: bool) -> Story:
    """Three who want what the next one gives; one of them adds something for whoever brings them together. In the twin one of the
    best three has cancelled, and every other circle leaves less than the least."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BarterBook(scene)
    less, tip, *more = (number * CENT for number in draw.numbers(6, 8, 40))
    least, start = tip - CENT // 2, scene.start

    def circle(
        leaves: int, *deaths: Death | None, asked: int = 0, fake: bool = False, last: int | None = None
    ) -> list[Barter]:
        """Three orders; the last one adds what is left (it falls to `last`) and what the second one asks for on top."""
        one, two, three = book.new(book.given), book.new(book.wanted), book.new(book.third)
        sold = book.faked(two) if fake else two
        dies = (*deaths, None, None, None)
        extra = book.price(asked) if asked else ()
        tip = book.money(leaves + asked, last=last)
        times: OrderTerms = {} if last is None else {"starts": start - 20 * DAY, "ends": start + DAY}
        return [
            book.post([one], [two], dies=dies[0]),
            book.post([sold], [three, *extra], dies=dies[1], maker=book.forger if fake else None),
            book.post([three, tip], [one], dies=dies[2], **times),
        ]

    best = circle(tip)
    circle(less)
    circle(less - CENT, asked=more[3])
    circle(more[0], "counter", None, "moved")
    circle(more[1], "over", "revoked")
    circle(more[2], None, "filled", "retired")
    circle(more[3], "forged", "members", "cancelled")
    circle(more[3] + CENT, fake=True)
    circle(more[3] + 2 * CENT, last=CENT)
    book.cancelled(best[1], feasible)
    book.purse(draw.number(2, 6) * CENT)
    book.open()
    first, second, third = (book.label(each) for each in (book.given, book.wanted, book.third))
    where, low = book.where, format_ether(least)
    return Story(
        phrasings=(
            f"On {where} there are people who'd give a token of {first} for one of {second}, others who'd give one of {second} for one of {third}, and others one of {third}, with some {WETH_LABEL}, for one of {first}. Find three orders that close such a circle and match them, so that all three have what they asked for and what is over is mine: the circle that leaves me the most {WETH_LABEL}, {low} at least. I give nothing myself, and nothing is left approved.",
            f"Please match three orders on {where} in a ring: {first} for {second}, {second} for {third}, {third} and {WETH_LABEL} for {first}. Each of the three gets the very token they want, and I keep the {WETH_LABEL} that nobody takes. It should be the ring that leaves the most for me, no less than {low}, of those that really can be filled; none of my own things go into it and no permission stays.",
            f"I want to settle one three-way swap among strangers' orders on {where}, in which one's {first} goes for another's {second}, that for a third's {third}, and that one, with {WETH_LABEL} on top, for the {first}. The {WETH_LABEL} that is left is my reward: at least {low}, and the most that any such three leave. Nothing of mine is used, and no allowance remains.",
        ),
        goals=book.settled(*best),
        brief=book.brief(3, book.given, book.wanted, book.third, least=low),
    )


def by_way_of_another(scene: Scene, _: bool) -> Story:
    """Nobody swaps directly: whoever has what is wanted asks for something that others give. The best of those opens later and is
    taken back soon after, and the first ones call it off as soon as what they want has left its holder by itself."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, BarterBook(scene)
    opens = scene.start + draw.number(3, 7) * HOUR
    deadline = opens - scene.start + draw.number(4, 8) * HOUR
    *lower, price = (number * CENT for number in draw.numbers(6, 20, 60))
    mine, start, unit = book.mine(), scene.start, price // 100

    def chain(
        asked: int, far: Death | None = None, near: Death | None = None, *, also: tuple[Any, ...] = (), **terms: Any
    ) -> tuple[Barter, Barter]:
        """One who gives what is wanted for a token, and one who gives that token for the user's and so much."""
        otter = book.new(book.third)
        fox = book.post([book.new(book.wanted)], [otter], dies=far)
        if far is None:
            moved = Trigger(condition=Reading(book.third, "ownerOf", (otter.identifier,)), equals=At("user"))
            off = Step(sender=fox.maker, target=book.sea.seaport, function="incrementCounter")
            scene.actor(f"owner {fox.name}", moved, off)
        given, last = terms.pop("given", mine), terms.pop("last", None)
        wants = [given, *book.price(asked, last=last), *also]
        return fox, book.post([otter], wants, dies=near, **terms)

    best = chain(price, starts=opens)
    back = Step(sender=best[1].maker, target=book.sea.seaport, function="incrementCounter")
    scene.actor("withdrawing", Trigger(after=opens - start + 30 * 60), back)
    chain(price + draw.number(3, 9) * CENT)
    chain(lower[0], "counter", None)
    chain(lower[1], "moved", "over")
    chain(lower[2], "forged", "filled")
    chain(lower[3], "retired", "revoked")
    chain(lower[4], None, "members")
    chain(lower[1], None, "cancelled", starts=opens + HOUR)
    chain(price - 5 * CENT, starts=start + deadline + 5 * HOUR)
    chain(40 * unit, last=300 * unit, starts=start - 25 * DAY, ends=start + 5 * DAY)
    chain(30 * unit, given=book.mine(1))
    chain(20 * unit, also=(book.heirloom,))
    otter = book.new(book.third)
    book.post([book.new(book.alike)], [otter], maker=book.forger)
    book.post([otter], [mine, *book.price(25 * unit)])
    book.purse(2 * price + draw.number(5, 50) * CENT)
    book.open()
    what, way, where, by = book.label(book.wanted), book.label(book.third), book.where, moment(start + deadline)
    label = f"{book.label(book.given)} #{book.ids[0]}"
    return Story(
        phrasings=(
            f"I want one {what} for my {label}, by {by} on {where}. Nobody there swaps the two directly, but those who give one {what} ask for one {way}, and others give that one for my {label} and some {WETH_LABEL}. Find the two orders by which I pay the least {WETH_LABEL}, counting those that open until then: whoever has a good one takes it back half an hour after it opens. And do it in one go, as whoever gives the {what} withdraws once the {way} has come to me. Nothing else of mine goes, and no permission remains.",
            f"Please turn my {label} into one {what} on {where}, by {by}, in two swaps at once: {label} and {WETH_LABEL} for somebody's {way}, and that for the {what}. It has to be the pair of orders that costs me the least {WETH_LABEL} of all that can be filled up to then, the ones that open later included; they're taken back within thirty minutes. Whoever gives the {what} backs out if I hold the {way} first. I give nothing more, and nothing stays approved.",
            f"By {by} my {label} should be swapped for one {what} on {where}, with one {way} in between: an order gives the {way} for {label} plus {WETH_LABEL}, another the {what} for the {way}. I'd like the cheapest such two, of what's open at any time until then; some open only later and last for half an hour. All three of us have to be served at the same moment, since the {what} is withdrawn as soon as I own the {way}. Only {label} and {WETH_LABEL} may go, and no allowance is left.",
        ),
        goals=book.settled(*best),
        deadline=deadline,
        brief=book.brief(2, book.given, book.wanted, book.third, deadline=scene.start + deadline, gives=book.ids[0]),
    )
