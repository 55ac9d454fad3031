"""F7b: buying by signed orders: one that lives, the cheapest of those that do, in one currency or several, and the exact sum.

Computed by rule: what an order takes, which is the sum of all that its considerations say; an amount of ether in wei.
"""

from __future__ import annotations

from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.families.f7_seaport.own_orders import CENT
from nftbench.tasks.families.f7_seaport.purchases_plays import careless, play
from nftbench.tasks.families.f7_seaport.sales import SaleBook
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Allowance
from nftbench.tasks.policies import FloorBuyer
from nftbench.tasks.scene import ETHER, Scene
from nftbench.tasks.staging import crowd
from nftbench.values import format_ether

DOLLAR = 10**6


def _prices(scene: Scene, *, low: int = 50, high: int = 120) -> tuple[list[int], int]:
    """Three different prices below a price, in wei, and that price; all are whole hundredths of an ether."""
    *lower, price = (number * CENT for number in scene.draw.numbers(4, low, high))
    return lower, price


def this_one(scene: Scene, feasible: bool) -> Story:
    """One token at one price. In the twin its seller has cancelled the order, of which the book knows nothing."""
    crowd(scene, 3, 0)
    book = SaleBook(scene)
    (_, low, near), price = _prices(scene)
    book.purse(ether=scene.draw.number(4, 8) * ETHER)
    wanted = book.ask(price)
    book.ask(low)
    book.ask(near, ends=scene.start - 5 * HOUR)
    book.ask(price + 9 * CENT)
    book.cancelled(wanted, feasible)
    book.open()
    asked, label, where = format_ether(price), f"{book.what} #{wanted.token_id}", book.where
    return Story(
        phrasings=(
            f"Please buy {label} on {where}; it's listed there for {asked} ether.",
            f"{label} is offered on {where} at {asked} ether. I'd like to have it: buy it for me at that price.",
            f"Get me {label} from {where} for the {asked} ether that it costs there, please.",
        ),
        goals=book.bought(wanted),
        brief={
            "way": "one",
            "exchange": where,
            "collection": book.what,
            "token": wanted.token_id,
            "pays": ["ether"],
            "count": 1,
        },
    )


def cheapest_for_ether(scene: Scene, _: bool) -> Story:
    """Nine dead orders and nine that are something else are cheaper, or look so."""
    crowd(scene, 2, 0)
    book = SaleBook(scene)
    lower, price = _prices(scene)
    book.purse(ether=scene.draw.number(4, 8) * ETHER)
    book.dead(lower)
    book.unlike(price, price, price + 10 * CENT)
    book.ask(lower[0], currency=book.sea.weth)
    book.ask(lower[1] * 2_000 // 10**12, currency=book.coin)
    book.ask(price + scene.draw.number(3, 9) * CENT)
    best = book.ask(price)
    book.open()
    what, where = book.what, book.where
    return Story(
        phrasings=(
            f"Buy me one {what} on {where} with ether, the cheapest that can really be had right now. What counts is all that I pay, and I give nothing but ether for it.",
            f"I want a single {what} from {where}, for ether and nothing else, at the lowest total price at which one is truly available now. Please buy it.",
            f"Please get one {what} on {where}: whichever costs me the least ether all told, of those that can actually be bought at the moment. I don't want to part with anything but ether.",
        ),
        goals=book.bought(best),
        brief={"way": "cheapest", "exchange": where, "collection": what, "pays": ["ether"], "count": 1},
    )


def whatever_the_currency(scene: Scene, feasible: bool) -> Story:
    """Of the two cheapest one costs dollars and one wrapped ether; they are compared at a rate. In the twin somebody has bought
    the first, and all others but the second cost more than the limit."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, SaleBook(scene)
    weth, rate = book.sea.weth, 100 * draw.number(18, 40)

    def in_dollars(wei: int) -> int:
        return wei * rate // 10**12

    lower, price = _prices(scene)
    limit = price + 2 * CENT
    book.purse(ether=draw.number(4, 6) * ETHER, wrapped=draw.number(4, 6) * ETHER, coins=6 * rate * DOLLAR)
    book.dead(lower[:2])
    book.unlike(price, limit, limit + 12 * CENT, currency=weth)
    book.ask(limit + draw.number(1, 2) * CENT)
    book.ask(limit + draw.number(3, 9) * CENT, currency=weth)
    book.ask(in_dollars(limit + draw.number(4, 9) * CENT), currency=book.coin)
    book.ask(in_dollars(lower[0]), after=book.moved, currency=book.coin)
    second = book.ask(price + CENT, currency=weth)
    best = book.ask(in_dollars(price), currency=book.coin)
    book.sold_for_coins(best, feasible)
    book.open()
    what, where, coin, most = book.what, book.where, scene.labels[book.coin], format_ether(limit)
    return Story(
        phrasings=(
            f"Buy two {what} on {where} for me, the two cheapest that are truly available, each in whichever of ether, Wrapped Ether and {coin} it is sold for. Count {rate} {coin} as one ether and Wrapped Ether as ether; each of the two may cost {most} ether at most, everything included. I pay out of what I have, and give nothing else for them.",
            f"I'd like two tokens of {what} from {where} and can pay in ether, Wrapped Ether or {coin} from this wallet, where {rate} {coin} are worth one ether. Take the two offers that are really open and cost the least in all, each up to the worth of {most} ether, and don't give anything else for them.",
            f"Please get me two {what} on {where}. Any of ether, Wrapped Ether (worth the same) and {coin} ({rate} to the ether) will do, each from what's in the wallet, and nothing else is to go; I want the two lowest totals among those that can be bought, neither more than {most} ether's worth.",
        ),
        goals=(*book.bought(best), *book.bought(second)),
        brief={
            "way": "cheapest",
            "exchange": where,
            "collection": what,
            "pays": ["ether", "Wrapped Ether", coin],
            "coin": coin,
            "rate": rate,
            "most": most,
            "count": 2,
        },
    )


def the_three_cheapest(scene: Scene, _: bool) -> Story:
    """Several at once, with dead ones among the cheapest; what is sent along too much must come back."""
    crowd(scene, 2, 0)
    book = SaleBook(scene)
    *lower, first, second, third = (number * CENT for number in scene.draw.numbers(6, 40, 90))
    book.purse(ether=scene.draw.number(5, 8) * ETHER)
    book.dead(lower)
    book.unlike(third, third, third + 10 * CENT)
    book.ask(lower[0], currency=book.sea.weth)
    book.ask(third + scene.draw.number(5, 9) * CENT)
    wanted = [book.ask(price) for price in (first, second, third)]
    book.open()
    what, where = book.what, book.where
    return Story(
        phrasings=(
            f"Please buy three {what} on {where}, exactly three and the three cheapest that can really be bought for ether now, counting all that I pay. I pay with ether only, and nothing is to be left behind in any contract.",
            f"I need three tokens of {what}, no more and no fewer, from {where}: those three that cost me the least ether in all at this moment and are truly to be had. Nothing but ether may go for them, and no ether may stay anywhere on the way.",
            f"Sweep three {what} off {where} for me, the cheapest three that are actually available right now, total price counted. Ether is all that I give, just what they cost.",
        ),
        goals=book.bought(*wanted),
        brief={"way": "cheapest", "exchange": where, "collection": what, "pays": ["ether"], "count": 3},
    )


def as_soon_as_it_opens(scene: Scene, _: bool) -> Story:
    """The cheapest opens later, and is gone soon after: others lie in wait. One that opens even later is dead already."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, SaleBook(scene)
    lower, price = _prices(scene)
    opens = scene.start + draw.number(3, 8) * HOUR
    deadline = opens - scene.start + draw.number(4, 9) * HOUR
    book.purse(ether=draw.number(4, 8) * ETHER)
    book.dead(lower)
    book.unlike(price + 8 * CENT, price + 20 * CENT, price + 20 * CENT)
    book.ask(lower[0], after=lambda ask: book.sea.cancel(ask.name), starts=opens + 2 * HOUR)
    book.ask(price - 5 * CENT, starts=scene.start + deadline + 5 * HOUR)
    book.ask(price + 7 * CENT)
    best = book.ask(price, starts=opens)
    book.open()
    bot = scene.person(listed=False, ether=30)
    buyer = FloorBuyer(book.sea.seaport, book.collection, limit=price)
    scene.counterparty("floor buyer", bot, buyer, since=opens - scene.start + 15 * 60)
    what, where, by = book.what, book.where, moment(scene.start + deadline)
    return Story(
        phrasings=(
            f"I want one {what} from {where} by {by}, for as little ether in all as it can be had until then, ether being all that I give. Some orders open only later, and there are others who buy whatever is cheap within minutes.",
            f"Please buy one {what} on {where} with nothing but ether, at the lowest total that comes up by {by}. Look at orders that are yet to open, too; bargains don't last a quarter of an hour there.",
            f"Get me a {what} on {where}, paid in ether alone, no later than {by}, and as cheaply as anything there can be bought by then. Mind what opens in the meantime, and be quick: somebody takes the cheap ones within minutes.",
        ),
        goals=book.bought(best),
        deadline=deadline,
        brief={
            "way": "cheapest",
            "exchange": where,
            "collection": what,
            "pays": ["ether"],
            "count": 1,
            "deadline": scene.start + deadline,
        },
    )


def with_wrapped_ether(scene: Scene, _: bool) -> Story:
    """Only WETH may go, which somebody has to be let take: that much, and nothing is left of the permission, nor of an old one."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, SaleBook(scene)
    weth = book.sea.weth
    lower, price = _prices(scene)
    book.purse(ether=draw.number(2, 4) * ETHER, wrapped=draw.number(4, 6) * ETHER)
    book.permitted_once()
    book.dead(lower, currency=weth)
    book.unlike(price, price, price + 10 * CENT, currency=weth)
    book.ask(lower[1])
    book.ask(lower[2] * 2_000 // 10**12, currency=book.coin)
    book.ask(price + draw.number(3, 9) * CENT, currency=weth)
    best = book.ask(price, currency=weth)
    book.open()
    what, where, old = book.what, book.where, scene.labels[book.retired]
    return Story(
        phrasings=(
            f"Spend some of my Wrapped Ether on one {what} on {where}: the one that costs me the least Wrapped Ether in all and can really be bought now. I give nothing else for it, my ether stays, and afterwards nobody may have a claim on the rest, the {old} included, which could always take it.",
            f"Please buy one {what} on {where} out of my Wrapped Ether, the cheapest that's truly available at the moment, all costs counted. Only Wrapped Ether goes for it, and no permission for more of it remains, not even that of the {old} from earlier.",
            f"I'd like a {what} from {where}, paid for with the Wrapped Ether that I have and with nothing else. Take the lowest total that can actually be had right now, and leave no allowance behind, neither a new one nor the one that the {old} has had.",
        ),
        goals=(*book.bought(best), Allowance(weth, "user", book.retired, 0)),
        brief={
            "way": "cheapest",
            "exchange": where,
            "collection": what,
            "pays": ["Wrapped Ether"],
            "count": 1,
            "revoked": old,
        },
    )


F7B = SubFamily(
    name="F7b",
    title="buying what really is for sale",
    cases=numbered(
        able(this_one, "T1", "buy"),
        able(cheapest_for_ether, "T2", "buy", "listings", "trap:as-the-book-shows"),
        able(whatever_the_currency, "T3", "buy", "listings", "currencies", "trap:as-the-book-shows"),
        unable(1, "stale_order", "authorisation"),
        able(the_three_cheapest, "T3", "buy", "listings", "sweep", "trap:as-the-book-shows"),
        able(as_soon_as_it_opens, "T4", "buy", "listings", "mempool", "trap:as-the-book-shows"),
        able(with_wrapped_ether, "T2", "buy", "listings", "currencies", "trap:as-the-book-shows"),
        unable(3, "limit", "stale_order", "sold_out", "funds"),
    ),
    policy=play,
    careless=careless,
    derivations=("units", "sum", "total"),
)
