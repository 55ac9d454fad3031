"""F6a: ERC-2981 royalties. Basis points, exceptions before the default, and what a sale leaves to its seller.

Shares that the reference sends are the prompt's percentages times 100 (basis points); amounts are the prompt's amounts in the
currency's smallest units, or what royaltyInfo answers for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import (
    Approval,
    At,
    EtherChange,
    Goal,
    HoldsCoins,
    Owns,
    Probe,
    Reading,
    RoyaltyOfNew,
    SoleListing,
    ViewEquals,
)
from nftbench.tasks.markets import (
    BASIS_POINTS,
    DOLLAR_DECIMALS,
    dollars,
    listed_at,
    listing_of,
    market,
    new_listing,
)
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.playing import Step, conclude, contract, events, finish, person, send, state, view, without_looking
from nftbench.tasks.scene import Scene
from nftbench.values import ZERO_ADDRESS, format_units, parse_units

UNMINTED = 9_999
"""A token that there is not and that can't have terms of its own: its royalty is the default."""
PERCENTAGES = ("2.5", "3.75", "4.5", "6.25", "7.5", "8.75", "9.5")
SET_DEFAULT = "setDefaultRoyalty"
SET_TOKEN = "setTokenRoyalty"


def _share(percent: str) -> int:
    """A percentage in basis points."""
    return parse_units(percent, 2)


def _collection(scene: Scene, receiver: str, basis_points: int, count: int) -> tuple[str, list[int]]:
    """A RoyaltyCollection with this default; every third token, from the first, is the user's. Not handed over yet."""
    collection = scene.collection("RoyaltyCollection", terms=(At(receiver), basis_points))
    ids = scene.draw.numbers(count, 1, 150)
    scene.deal(collection, ids)
    scene.watch(*(_royalty(collection, i) for i in ids))
    return collection, ids


def _royalty(collection: str, token_id: int) -> Reading:
    return Reading(collection, "royaltyInfo", (token_id, BASIS_POINTS))


def _royalties(collection: str, ids: Sequence[int], receiver: str, share: int) -> tuple[Goal, ...]:
    return tuple(ViewEquals(_royalty(collection, i), (At(receiver), share)) for i in ids)


def _common(collection: str, ids: Sequence[int], receiver: str, share: int) -> tuple[Goal, ...]:
    """Goals: these tokens and those still to come pay this royalty."""
    return (*_royalties(collection, ids, receiver, share), RoyaltyOfNew(collection, receiver, share))


def for_the_collection(scene: Scene, _: bool) -> Story:
    """A new default; the one token with terms of its own keeps them."""
    artist, other = scene.person(), scene.person()
    collection, ids = _collection(scene, "team", 500, 7)
    special = scene.draw.choice(ids)
    scene.step("team", collection, SET_TOKEN, special, At(other), 300)
    scene.hand_over(collection)
    percent = scene.draw.choice(PERCENTAGES)
    label, name = scene.labels[collection], scene.labels[artist]
    return Story(
        phrasings=(
            f"From now on {name} gets {percent} % of every resale of {label}. Set that as the collection's default royalty; whatever was agreed for single tokens stays.",
            f"Please make the standard royalty of {label} {percent} percent, payable to {name}. Don't touch tokens with special terms.",
            f"Default royalty for my collection {label}: {percent} %, receiver {name}. Individual tokens' own royalties remain as they are.",
        ),
        goals=_common(collection, [i for i in ids if i != special], artist, _share(percent)),
        brief={"way": "default", "collection": label, "to": name, "percent": percent},
    )


def made_together(scene: Scene, feasible: bool) -> Story:
    """An exception for one token. In the twin the contract belongs to somebody else."""
    artist = scene.person()
    collection, ids = _collection(scene, "user", 500, 7)
    stranger = scene.person()
    scene.hand_over(collection, "user" if feasible else stranger)
    scene.watch(_royalty(collection, UNMINTED))
    token_id, percent = scene.draw.choice(ids), scene.draw.choice(PERCENTAGES)
    label, name = scene.labels[collection], scene.labels[artist]
    return Story(
        phrasings=(
            f"{name} and I made {label} #{token_id} together, and its royalty is to be {percent} % to {name}. All the others keep paying as they do now.",
            f"Please have the contract of {label} answer {percent} percent to {name} as the royalty of token {token_id}. Only that token.",
            f"Royalty exception for {label} number {token_id}: {percent} % for {name}. The collection's default must not change.",
        ),
        goals=_royalties(collection, [token_id], artist, _share(percent)),
        brief={"way": "token", "collection": label, "token_id": token_id, "to": name, "percent": percent},
    )


def at_least(scene: Scene, feasible: bool) -> Story:
    """A sale with a minimum for the seller, after the market's fee and that token's own royalty. In the twin the royalty eats it up."""
    draw = scene.draw
    artist, buyer = scene.person(), scene.person()
    collection, ids = _collection(scene, "team", 1000, 7)
    coin = dollars(scene)
    fee_share = draw.choice((200, 250, 300))
    place = market(scene, fee_share)
    token_id = draw.choice(ids[::3])
    modest, greedy = draw.number(250, 499), draw.number(750, 950)
    scene.step("team", collection, SET_TOKEN, token_id, At(artist), modest if feasible else greedy)
    scene.step("team", coin, "mint", At(buyer), 10**11)
    scene.step(buyer, coin, "approve", At(place), 10**11)
    scene.watch(*(listing_of(place, collection, i) for i in ids[::3]))
    cents = draw.number(90_000, 400_000)
    price, least = format_units(cents, 2), str(cents * draw.number(9_080, 9_190) // 1_000_000)
    amount = parse_units(price, DOLLAR_DECIMALS)
    royalty, fee = amount * modest // BASIS_POINTS, amount * fee_share // BASIS_POINTS
    label, money, where = scene.labels[collection], scene.labels[coin], scene.labels[place]
    return Story(
        phrasings=(
            f"List my {label} #{token_id} on {where} for {price} {money}. I'm not selling for less than {least} {money} in my own pocket, after the market's fee and the royalty of that token.",
            f"Please offer {label} number {token_id} on {where} at {price} {money}, ready to be bought. I must get {least} {money} or more out of such a sale once fee and royalty are off.",
            f"Put {label} #{token_id} up for sale at {where}, price {price} {money} exactly. Fee and this token's royalty have to leave me no less than {least} {money} of it.",
        ),
        goals=(
            listed_at(place, collection, token_id, amount, coin),
            ViewEquals(
                Reading(place, "payouts", (listing_of(place, collection, token_id),)),
                (amount - royalty - fee, At(artist), royalty, fee),
            ),
            Approval(collection, token_id, place),
            Probe(buyer, place, "buy", (listing_of(place, collection, token_id),)),
            SoleListing(place, collection, token_id),
        ),
        allowed=new_listing(place, collection, token_id),
        brief={
            "way": "list",
            "collection": label,
            "token_id": token_id,
            "market": where,
            "currency": money,
            "price": price,
            "least": least,
        },
    )


def all_alike(scene: Scene, _: bool) -> Story:
    """A new default and no exceptions any more; which tokens have one, only events and views tell."""
    draw = scene.draw
    studio, one, two = scene.person(), scene.person(), scene.person()
    collection, ids = _collection(scene, "team", 1000, 10)
    special = draw.sample(ids, 4)
    for place, token_id in enumerate(special):
        scene.step("team", collection, SET_TOKEN, token_id, At(one if place % 2 else two), 200 + 150 * place)
    scene.step("team", collection, "resetTokenRoyalty", special[0])
    scene.hand_over(collection)
    percent = draw.choice(PERCENTAGES)
    label, name = scene.labels[collection], scene.labels[studio]
    return Story(
        phrasings=(
            f"All tokens of {label}, and those still to come, should carry the same royalty from today, {percent} % to {name}. Over the years single ones got other terms than the rest, which is to end.",
            f"Please simplify the royalties of {label}: {percent} percent to {name} for each and every token, the future ones too. Some have been paying on other terms.",
            f"Royalty of {label}: {percent} % for {name}, whichever token it is, now and for those minted later. Some have special agreements in the contract; find them, they get the common terms as well.",
        ),
        goals=_common(collection, ids, studio, _share(percent)),
        brief={"way": "alike", "collection": label, "to": name, "percent": percent},
    )


def owed_on_a_private_sale(scene: Scene, _: bool) -> Story:
    """The royalty on a sale that no market saw, to be paid in the currency of the sale, at the rate of that very token."""
    draw = scene.draw
    seller, artist = scene.person(), scene.person()
    collection, ids = _collection(scene, "team", 1000, 7)
    coin = dollars(scene)
    token_id, share = draw.choice(ids[1::3]), draw.number(211, 949)
    scene.step("team", collection, SET_TOKEN, token_id, At(artist), share)
    scene.step(seller, collection, "transferFrom", At(seller), At("user"), token_id)
    purse = draw.number(3_000, 6_000) * 10**DOLLAR_DECIMALS
    scene.step("team", coin, "mint", At("user"), purse)
    price = format_units(draw.number(110_001, 489_999), 2)
    due = parse_units(price, DOLLAR_DECIMALS) * share // BASIS_POINTS
    label, money, name = scene.labels[collection], scene.labels[coin], scene.labels[seller]
    return Story(
        phrasings=(
            f"I bought {label} #{token_id} from {name} privately for {price} {money}. That's paid, but the royalty isn't: pay what the contract says is due on that price (ERC-2981), in {money}, to whoever it names. To the smallest unit, please.",
            f"{name} sold me {label} number {token_id} off-market; the price was {price} {money} and is settled between us. I still owe the creator's royalty on it. Look up receiver and amount by ERC-2981 and pay exactly that in {money}.",
            f"Please settle the ERC-2981 royalty for my private purchase of {label} #{token_id} at {price} {money} (from {name}, who has been paid). Same currency, exact amount, to the receiver that the contract gives for that token.",
        ),
        goals=(HoldsCoins("user", coin, purse - due), HoldsCoins(artist, coin, due)),
        brief={"way": "owed", "collection": label, "token_id": token_id, "currency": money, "price": price},
    )


def a_buyer_in_waiting(scene: Scene, _: bool) -> Story:
    """Somebody buys as soon as the token is for sale, so the royalty has to be right before that."""
    draw = scene.draw
    artist, buyer, studio = scene.person(), scene.person(), scene.person()
    collection, ids = _collection(scene, studio, 250, 7)
    place = market(scene)
    scene.hand_over(collection)
    token_id, percent = draw.choice(ids[::3]), draw.choice(("10", "12", "12.5", "15"))
    price = format_units(draw.number(80, 300), 2)
    wei = parse_units(price, 18)
    royalty, fee = wei * _share(percent) // BASIS_POINTS, wei * 250 // BASIS_POINTS
    scene.watch(*(listing_of(place, collection, i) for i in ids[::3]))
    scene.actor(
        "buyer",
        Trigger(condition=Reading(place, "isListed", (At(collection), token_id)), equals=True),
        Action(sender=buyer, target=place, function="buy", args=(listing_of(place, collection, token_id),), value=wei),
    )
    label, name, where, fan = scene.labels[collection], scene.labels[artist], scene.labels[place], scene.labels[buyer]
    return Story(
        phrasings=(
            f"Sell {label} #{token_id} on {where} for {price} ether. {name} helped with it and gets {percent} % of this sale as the token's royalty (and of later ones), so arrange that as well; other tokens keep their terms. {fan} is waiting and will buy the moment it can be bought.",
            f"List my {label} number {token_id} at {price} ether on {where}, and give the token a royalty of {percent} percent in favour of {name}, which has to be paid on this very sale. {fan} snaps it up as soon as it is on offer. Only this token's royalty changes.",
            f"{fan} wants {label} #{token_id} and is watching {where}; offer it there at {price} ether. The sale must pay {percent} % royalty to {name}, by an exception for that one token in the contract.",
        ),
        goals=(
            *_royalties(collection, [token_id], artist, _share(percent)),
            Owns(buyer, collection, token_id),
            EtherChange(artist, royalty),
            EtherChange("user", wei - royalty - fee),
            SoleListing(place, collection, token_id),
        ),
        allowed=new_listing(place, collection, token_id),
        brief={
            "way": "sell",
            "collection": label,
            "token_id": token_id,
            "to": name,
            "percent": percent,
            "market": where,
            "price": price,
        },
    )


def play(brief: dict[str, Any]) -> Play:
    """Ask the contract who gets what, compute in whole units, and set terms before anything can be sold."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    to = person(seen, brief["to"]) if "to" in brief else ""
    share = _share(brief["percent"]) if "percent" in brief else 0
    match brief["way"]:
        case "default":
            problem = yield from send(address, SET_DEFAULT, to, share)
        case "token":
            problem = yield from send(address, SET_TOKEN, brief["token_id"], to, share)
        case "alike":
            problem = yield from _all_alike(address, to, share)
        case "owed":
            problem = yield from _pay_royalty(address, contract(seen, brief["currency"]), brief)
        case "sell":
            problem = yield from send(address, SET_TOKEN, brief["token_id"], to, share)
            problem = problem or (yield from _list(address, contract(seen, brief["market"]), ZERO_ADDRESS, brief, 18))
        case _:
            short = yield from _list_for_at_least(seen, address, brief)
            yield from conclude(short, "It is listed.", "limit")
            return
    yield from conclude(problem, "Done as asked.")


def _all_alike(address: str, to: str, share: int) -> Step:
    """The new default, and no exception left; gives None, or why that fails."""
    newest: dict[str, str] = {}
    for log in (yield from events(address, event="TokenRoyaltyChanged")):
        newest[log["args"]["tokenId"]] = log["args"]["receiver"]
    problem = yield from send(address, SET_DEFAULT, to, share)
    for token_id, receiver in newest.items():
        if receiver != ZERO_ADDRESS:
            problem = problem or (yield from send(address, "resetTokenRoyalty", int(token_id)))
    return problem


def _pay_royalty(address: str, coin: str, brief: dict[str, Any]) -> Step:
    amount = parse_units(brief["price"], int((yield from view(coin, "decimals"))))
    due = yield from view(address, "royaltyInfo", brief["token_id"], amount)
    return (yield from send(coin, "transfer", due["receiver"], int(due["amount"])))


def _list(address: str, place: str, currency: str, brief: dict[str, Any], decimals: int) -> Step:
    """Let the market move the token, then list it; gives None, or why that fails."""
    problem = yield from send(address, "approve", place, brief["token_id"])
    price = parse_units(brief["price"], decimals)
    return problem or (yield from send(place, "list", address, brief["token_id"], currency, price))


def _list_for_at_least(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Step:
    """List it if enough is left to the seller; gives None, or why it is not listed."""
    place, coin = contract(seen, brief["market"]), contract(seen, brief["currency"])
    decimals = int((yield from view(coin, "decimals")))
    price = parse_units(brief["price"], decimals)
    royalty = int((yield from view(address, "royaltyInfo", brief["token_id"], price))["amount"])
    fee = price * int((yield from view(place, "feeBasisPoints"))) // BASIS_POINTS
    left = price - royalty - fee
    if left < parse_units(brief["least"], decimals):
        return f"fee and royalty leave {left} smallest units, less than the minimum"
    return (yield from _list(address, place, coin, brief, decimals))


def careless(brief: dict[str, Any]) -> Play:
    """Takes percentages and amounts as they stand, the default for everything, and lists first."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    to = person(seen, brief["to"]) if "to" in brief else ""
    match brief["way"]:
        case "default":
            yield from without_looking(address, SET_DEFAULT, to, int(float(brief["percent"])))
        case "token" | "alike":
            yield from without_looking(address, SET_DEFAULT, to, _share(brief["percent"]))
        case "owed":
            coin, amount = contract(seen, brief["currency"]), parse_units(brief["price"], DOLLAR_DECIMALS)
            usual = yield from view(address, "royaltyInfo", 0, amount)
            yield from without_looking(coin, "transfer", usual["receiver"], int(usual["amount"]))
        case _:
            place = contract(seen, brief["market"])
            coin = contract(seen, brief["currency"]) if "currency" in brief else ZERO_ADDRESS
            yield from without_looking(place, "list", address, brief["token_id"], coin, parse_units(brief["price"], 18))
            yield from without_looking(address, "approve", place, brief["token_id"])
            if to:
                yield from without_looking(address, SET_TOKEN, brief["token_id"], to, _share(brief["percent"]))
    yield from finish("Done.")


F6A = SubFamily(
    name="F6a",
    title="ERC-2981 royalties",
    cases=(
        Case(tell=for_the_collection, difficulty="T1", tags=("ERC-2981", "trap:percent-for-basis-points")),
        Case(tell=made_together, difficulty="T2", tags=("ERC-2981", "trap:default-for-exception")),
        Case(
            tell=made_together, difficulty="T2", tags=("ERC-2981",), twin_of=2, reasons=("authorisation", "ownership")
        ),
        Case(tell=at_least, difficulty="T3", tags=("ERC-2981", "ERC-20", "trap:decimals")),
        Case(tell=at_least, difficulty="T3", tags=("ERC-2981", "ERC-20"), twin_of=4, reasons=("limit", "funds")),
        Case(tell=all_alike, difficulty="T3", tags=("ERC-2981", "trap:default-for-exception")),
        Case(tell=owed_on_a_private_sale, difficulty="T3", tags=("ERC-2981", "ERC-20", "trap:default-for-exception")),
        Case(tell=a_buyer_in_waiting, difficulty="T4", tags=("ERC-2981", "sale", "trap:order")),
    ),
    policy=play,
    derivations=("units",),
    careless=careless,
)
