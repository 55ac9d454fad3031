"""F8c: bids for any token of a collection, or for any with a trait: which of one's own they take, how they are filled, and making
one.

Computed by rule: what is left of a bid after its fees, roots and proofs of published lists, and what is still to be wrapped.
"""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f8_offers.bid_book import CENT, net
from nftbench.tasks.families.f8_offers.criteria_book import COAT, FAMILIAR, LANTERN, CriteriaBook
from nftbench.tasks.families.f8_offers.criteria_plays import careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import BidStands, Change, EtherChange, HoldsCoins, Piece
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import WETH_LABEL
from nftbench.tasks.staging import crowd
from nftbench.values import format_ether


def _prices(scene: Scene) -> tuple[int, list[int]]:
    """A price in wei and four above it, all whole hundredths of an ether."""
    price, *higher = (number * CENT for number in scene.draw.numbers(5, 120, 190))
    return price, higher


def _brief(book: CriteriaBook, **more: Any) -> dict[str, Any]:
    told = {"way": "accept", "exchange": book.where, "collection": book.what, "takes": {WETH_LABEL: 1}}
    return {**told, "tokens": [book.ids[0]], "lists": book.lists, **more}


def for_any_of_them(scene: Scene, _: bool) -> Story:
    """The bid of somebody whom one knows, for any token of the collection."""
    crowd(scene, 3, 0)
    book = CriteriaBook(scene)
    price, higher = _prices(scene)
    wanted = book.bid(price, bidder=book.friend, among=())
    book.bid(price - 9 * CENT, among=book.with_trait(LANTERN, 0))
    book.bid(higher[0], ends=scene.start - 5 * HOUR, among=())
    book.bid(price - 30 * CENT, book.ids[1])
    book.open()
    label, where, who, asked = f"{book.what} #{book.ids[0]}", book.where, scene.labels[book.friend], format_ether(price)
    brief = _brief(book, bidder=who)
    del brief["lists"]
    return Story(
        phrasings=(
            f"{who} bids {asked} {WETH_LABEL} for any {book.what} on {where}. Please sell my {label} to {who} by that bid, and none of my others. The exchange's fee and the royalty come out of it, and no permission is to be left behind.",
            f"On {where} {who} has a bid of {asked} {WETH_LABEL} that takes whichever {book.what} one has. Use it for {label} and for nothing else; I pay the fee and the royalty that it names. Afterwards nobody may be allowed to move anything of mine.",
            f"Take {who}'s collection bid of {asked} {WETH_LABEL} on {where} with my {label}, fee and royalty at my expense. My other tokens stay, and so does no allowance.",
        ),
        goals=book.sold(wanted),
        brief=brief,
    )


def for_a_trait(scene: Scene, feasible: bool) -> Story:
    """The best bid is for a trait that the token has, and a minimum. In the twin the token has another coat, so that it is not on
    the list, and all others leave less than that."""
    crowd(scene, 2, 0)
    book = CriteriaBook(scene, has_coat=feasible)
    price, higher = _prices(scene)
    least = net(price) - scene.draw.number(1, 2) * CENT
    book.dead(higher)
    book.unlike(price)
    book.excluding(higher)
    book.bid(price * 95 // 100, among=())
    book.bid(price * 90 // 100, among=book.with_trait(LANTERN, 0))
    book.bid(price * 85 // 100)
    best = book.bid(price, among=book.with_trait(COAT, 0))
    book.open()
    label, where, low, lists = f"{book.what} #{book.ids[0]}", book.where, format_ether(least), book.lists
    return Story(
        phrasings=(
            f"Sell my {label} on {where} by the bid that leaves me the most {WETH_LABEL} right now, fee and royalty taken off: bids for this token, for any of the collection, or for a trait. The tokens of each trait, by which such bids go, are listed at {lists}. It has to leave me {low} {WETH_LABEL} at least. Nothing else of mine goes, and no permission stays.",
            f"Please accept the best bid on {where} that {label} can really be sold by, no matter if it names the token, the whole collection or a trait ({lists} says which tokens have which). What I have more of {WETH_LABEL} in the end is what counts, and it mustn't be less than {low}. I part with that token alone, and nobody keeps an allowance.",
            f"I'd let {label} go on {where} for {low} {WETH_LABEL} or more after all deductions, to whichever bid brings me the most at this moment. Collection bids and trait bids are welcome, too; here are the exchange's lists of traits: {lists}. I give nothing but that token, and leave nothing approved.",
        ),
        goals=book.sold(best),
        brief=_brief(book, least=low),
    )


def not_that_trait(scene: Scene, _: bool) -> Story:
    """The roots of the highest bids leave the token out, and a lower one for any token wins."""
    crowd(scene, 2, 0)
    book = CriteriaBook(scene)
    price, higher = _prices(scene)
    least = net(price) - scene.draw.number(8, 20) * CENT
    book.dead(higher[::-1])
    book.unlike(price)
    book.excluding(higher)
    book.bid(price - 4 * CENT, among=book.with_trait(COAT, 0))
    book.bid(price - 9 * CENT)
    book.bid(price - 16 * CENT, among=())
    best = book.bid(price, among=())
    book.open()
    label, where, low, lists = f"{book.what} #{book.ids[0]}", book.where, format_ether(least), book.lists
    return Story(
        phrasings=(
            f"Sell my {label} on {where} for {WETH_LABEL}, by the highest bid that truly takes it now, fee and royalty counted. Some are for certain traits only; who has which is in {lists}. I want {low} for it at the least. Just this token goes, and no permission may remain afterwards.",
            f"Please find the bid on {where} that pays me the most {WETH_LABEL} for {label} at this moment once everybody has their share, and accept it. Trait bids go by the lists at {lists}. At least {low} should be left. Part with no other token, and leave no allowance.",
            f"My {label} is to be sold on {where}, and nothing besides it. Take the bid, be it for the token, the collection or a trait (see {lists}), from which most {WETH_LABEL} stays with me right now, {low} or more. Nothing may be left approved.",
        ),
        goals=book.sold(best),
        brief=_brief(book, least=low),
    )


def two_by_one_bid(scene: Scene, feasible: bool) -> Story:
    """Bids for two tokens each, which one token can't fill: they are filled by halves. In the twin the best of them may only be
    filled as a whole, which no two tokens do, and the others leave too little."""
    crowd(scene, 2, 0)
    book = CriteriaBook(scene)
    first, second = book.ids[:2]
    price, *higher = (2 * number * CENT for number in scene.draw.numbers(5, 120, 190))
    least = net(price) - scene.draw.number(1, 2) * CENT
    book.in_twos()
    book.dead(higher)
    book.unlike(price)
    book.excluding(higher, amount=2, partial=True)
    book.bid(higher[0], among=(), amount=2)
    book.bid(higher[1], among=book.with_trait(LANTERN, 0), amount=2, partial=True)
    book.bid(price * 9 // 10, among=())
    book.bid(price * 95 // 100, among=(), amount=2, partial=True)
    best = book.bid(price, among=book.with_trait(COAT, 0), amount=2, partial=feasible)
    book.open()
    where, low, lists, ids = book.where, format_ether(least), book.lists, f"{book.what} #{first} and #{second}"
    return Story(
        phrasings=(
            f"Sell my two tokens {ids} on {where} together, by one bid for two of that collection: the one that leaves me the most {WETH_LABEL} right now, fee and royalty taken off, and {low} at least for both. Which tokens a trait bid takes follows from {lists}. Nothing else of mine goes, and no permission stays.",
            f"Please let the two of them, {ids}, go to one bidder on {where} who bids for two, be it for any or for a trait (lists: {lists}). Take the bid that both can really be sold by and that brings me the most {WETH_LABEL} now after all deductions, no less than {low} in all. I keep everything else, and leave no allowance.",
            f"I want to be rid of {ids} in one go: find the bid on {where} for two tokens that pays me the most {WETH_LABEL} for these two once everybody has their share. It has to come to {low} or more in total; {lists} has the exchange's traits. No other token goes, and nothing stays approved.",
        ),
        goals=book.sold(best, (second,)),
        brief=_brief(book, tokens=[first, second], together=True, least=low),
    )


def bid_for_a_trait(scene: Scene, _: bool) -> Story:
    """A bid of the user's own, for any token with a trait, over all that have it and no others: some were made after the exchange
    had made its list."""
    crowd(scene, 2, 0)
    book = CriteriaBook(scene)
    price, higher = _prices(scene)
    book.dead(higher)
    book.unlike(price)
    book.excluding(higher)
    book.newer(scene.draw.number(2, 3), FAMILIAR, 2)
    book.open()
    ends = scene.draw.number(2, 6) * DAY
    value, wanted = book.values[FAMILIAR][2], book.with_trait(FAMILIAR, 2)
    held = book.held(book.sea.weth)
    where, by, much, lists = book.where, moment(scene.start + ends), format_ether(price), book.lists
    return Story(
        phrasings=(
            f'Post one bid of mine on {where}: {much} {WETH_LABEL} for any one {book.what} whose {FAMILIAR} is "{value}". It takes every token that has it, as the collection itself records that now, and none without; {where} publishes lists at {lists}. It is open to whoever has one from now until {by}, and whoever sells gets the whole price, with no fees. Wrap just what I lack of the {WETH_LABEL}.',
            f"I want a {book.what} with \"{value}\" as its {FAMILIAR} and don't mind which. Please make a single bid on {where} and put it in the book there, {much} {WETH_LABEL}, without fees, so that the seller has all of it. Each token with that trait by the collection's own record of today must be good for it, no other may be; the exchange's lists are at {lists}. It stands from now until {by}, for anybody. Turn no more ether into {WETH_LABEL} than is needed for that.",
            f'Bid {much} {WETH_LABEL} on {where} for one {book.what}, one bid in the book for all those with {FAMILIAR} "{value}" alike as the collection has it today and for nothing else (the traits by {where}: {lists}). Anyone can take it, from now until {by}, and no fee comes off what the seller gets. What I hold of {WETH_LABEL} counts; wrap only the rest.',
        ),
        goals=(
            BidStands(
                exchange=book.sea.seaport,
                price=Piece(book.sea.weth, price),
                tokens=tuple((book.collection, token_id) for token_id in wanted),
                ends=scene.start + ends,
                posted=True,
            ),
            HoldsCoins("user", book.sea.weth, price),
            EtherChange("user", held - price),
            EtherChange(book.sea.weth, price - held),
        ),
        allowed=(Change(kind="view", contract=book.sea.weth, subject="totalSupply()", to=book.wrapped + price - held),),
        brief={
            "way": "bid",
            "exchange": where,
            "collection": book.what,
            "price": much,
            "kind": FAMILIAR,
            "value": value,
            "until": scene.start + ends,
            "lists": lists,
        },
    )


def before_others_sell(scene: Scene, _: bool) -> Story:
    """The best bid opens later, for a trait, and another holder sells into it soon after; one that opens later still is dead, and
    a higher one takes others."""
    crowd(scene, 2, 0)
    draw, book = scene.draw, CriteriaBook(scene)
    price, higher = _prices(scene)
    opens = scene.start + draw.number(3, 7) * HOUR
    deadline = opens - scene.start + draw.number(4, 8) * HOUR
    book.dead(higher)
    book.unlike(price)
    book.bid(higher[0], after=book.cancel, starts=opens + 2 * HOUR, among=())
    book.bid(higher[2], starts=opens - HOUR, among=book.with_trait(LANTERN, 1))
    book.bid(higher[3], starts=scene.start + deadline + 5 * HOUR, among=())
    book.bid(price - 7 * CENT, among=())
    best = book.bid(price, starts=opens, among=book.with_trait(COAT, 0))
    book.taken_by_another(best, opens - scene.start + 20 * 60)
    book.open()
    label, where, lists, by = f"{book.what} #{book.ids[0]}", book.where, book.lists, moment(scene.start + deadline)
    return Story(
        phrasings=(
            f"Sell my {label} on {where} by {by} for the most {WETH_LABEL} that any bid leaves me until then, fee and royalty taken off. Some bids open only later, some are for a trait (the lists are at {lists}), and others who have such tokens sell into the good ones within 20 minutes. Nothing else of mine goes, and no permission remains.",
            f"Please take the bid that brings me the most {WETH_LABEL} for {label} on {where} after deductions, counting those that have yet to open before {by}, for the token, the collection or a trait that it has by {lists}. Be quick then: 20 minutes later somebody else will have sold theirs. I give only that token, and nothing stays approved.",
            f"By {by} my {label} should be sold on {where} by the best bid that takes it at any time up to then, in {WETH_LABEL} and after fee and royalty. {lists} has the traits that bids go by. Mind those that open in the meantime, for within 20 minutes other holders take them. Part with nothing else, and leave no allowance.",
        ),
        goals=book.sold(best),
        deadline=deadline,
        brief=_brief(book, deadline=scene.start + deadline),
    )


F8C = SubFamily(
    name="F8c",
    title="bids for a collection or a trait",
    cases=numbered(
        able(for_any_of_them, "T1", "offers", "criteria"),
        able(for_a_trait, "T3", "offers", "criteria", "trap:as-the-book-shows"),
        unable(2, "proof", "limit", "stale_order"),
        able(not_that_trait, "T2", "offers", "criteria", "trap:as-the-book-shows"),
        able(two_by_one_bid, "T3", "offers", "criteria", "trap:as-the-book-shows"),
        unable(5, "limit", "proof", "stale_order"),
        able(bid_for_a_trait, "T3", "offers", "criteria", "signatures", "trap:an-old-list"),
        able(before_others_sell, "T4", "offers", "criteria", "trap:as-the-book-shows"),
    ),
    policy=play,
    careless=careless,
    derivations=("units", "sum", "total", "difference", "moment", "word"),
)
