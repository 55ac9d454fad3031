"""F2c: traits and rarity under a price. Cards on the chain and behind URIs, listings that moved on, and a collection too large to list.

Computed and not read: counts over a collection, amounts of ether in wei, and a moment in UTC as a Unix time. The zero
address, of mints and of ether as a currency, is ERC-721's and the market's.
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.answer_forms import an_object, asking
from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f2_holdings.traits_market import CENT, TRAITS, Stall, cards_with, price_between
from nftbench.tasks.families.f2_holdings.traits_plays import careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Answer, AnswerForm, At
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.provenance import History
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import dollars
from nftbench.values import format_ether

TOKEN_AND_PRICE: dict[str, AnswerForm] = {"token_id": "integer", "price_wei": "integer"}
PRICED = an_object(token_id="the token's number", price_wei="its price in wei")


def _carded(scene: Scene, owners: dict[int, str], cards: dict[int, dict[str, str]], collection: str) -> None:
    for token_id in sorted(cards):
        scene.step("team", collection, "mint", At(owners[token_id]), token_id, tuple(cards[token_id].items()))


def _trait_collection(scene: Scene) -> str:
    label = scene.draw.collection()
    return scene.contract(
        "TraitCollection", (label, label[:3].upper(), At("team"), f"{label}, drawn by hand"), label=label
    )


def _people(scene: Scene) -> list[str]:
    people = [scene.person() for _ in range(5)]
    scene.fill()
    return people


def one_card(scene: Scene, _: bool) -> Story:
    """What is on one token's card."""
    draw = scene.draw
    people = _people(scene)
    collection = _trait_collection(scene)
    ids = draw.numbers(7, 1, 300)
    cards = {i: {kind: draw.choice(values) for kind, values in TRAITS.items()} for i in ids}
    _carded(scene, {i: draw.choice(people) for i in ids}, cards, collection)
    token_id, label = draw.choice(ids), scene.labels[collection]
    card = cards[token_id]
    return Story(
        phrasings=asking(
            (
                f"What are the backdrop, the headgear and the eyes of {label} #{token_id}?",
                f"Look up the traits of {label} number {token_id} for me: Backdrop, Headgear and Eyes.",
                f"I'm about to print a label for {label} #{token_id}. Which backdrop, headgear and eyes does it have?",
            ),
            an_object(backdrop="the value", headgear="the value", eyes="the value"),
        ),
        goals=(Answer("record", {k.lower(): v for k, v in card.items()}, {k.lower(): "text" for k in card}),),
        brief={"ask": "card", "collection": label, "token_id": token_id},
    )


def cheapest_with_trait(scene: Scene, _: bool) -> Story:
    """The lowest price for a trait, where listings were repriced and taken back and cheaper ones lack the trait."""
    draw = scene.draw
    people = _people(scene)
    collection, stall = _trait_collection(scene), Stall(scene)
    kind = draw.choice(list(TRAITS))
    value, common = draw.sample(TRAITS[kind], 2)
    ids = draw.shuffled(draw.numbers(9, 1, 300))
    cards = cards_with(draw, ids, kind, {value: 4, common: 5})
    owners = {i: draw.choice(people) for i in ids}
    _carded(scene, owners, cards, collection)
    raised, best, withdrawn, dear, plain, other = ids[0], ids[1], ids[2], ids[3], ids[4], ids[5]
    asked = {
        raised: price_between(draw, 30, 40),
        best: price_between(draw, 80, 90),
        withdrawn: price_between(draw, 20, 29),
        dear: price_between(draw, 95, 140),
        plain: price_between(draw, 10, 19),
        other: price_between(draw, 41, 60),
    }
    listings = {i: stall.list(owners[i], collection, i, asked[i]) for i in draw.shuffled(list(asked))}
    scene.passing(draw.number(1, 5) * DAY)
    price = price_between(draw, 61, 79)
    for token_id in draw.shuffled((raised, best, withdrawn)):
        if token_id == withdrawn:
            stall.cancel(listings[token_id])
        else:
            stall.reprice(listings[token_id], price if token_id == best else price_between(draw, 91, 150))
    label, place = scene.labels[collection], stall.label
    return Story(
        phrasings=asking(
            (
                f'Which is the cheapest {label} with {kind} "{value}" that is on sale at the {place} now, and what does it cost?',
                f"I collect {label} whose {kind} is {value}. Find the lowest price for one at the {place} as things stand, and the token it belongs to.",
                f"At the {place}, what would I pay today for the cheapest {label} that has {value} as its {kind}, and which one is it?",
            ),
            PRICED,
        ),
        goals=(Answer("record", {"token_id": best, "price_wei": price}, TOKEN_AND_PRICE),),
        brief={"ask": "cheapest", "collection": label, "market": place, "kind": kind, "value": value},
    )


def rare_in_budget(scene: Scene, feasible: bool) -> Story:
    """A rare value within a budget, among dead and common listings. In the twin its own listing is dead: the seller has moved
    the token away.
    """
    draw = scene.draw
    people = _people(scene)
    collection, stall = _trait_collection(scene), Stall(scene)
    kind = draw.choice(list(TRAITS))
    unique, pair, four, many = draw.sample(TRAITS[kind], 4)
    ids = draw.shuffled(draw.numbers(13, 1, 300))
    cards = cards_with(draw, ids, kind, {unique: 1, pair: 2, four: 4, many: 6})
    owners = {i: draw.choice(people) for i in ids}
    _carded(scene, owners, cards, collection)
    single, wanted, moved, fourth, plain = ids[0], ids[1], ids[2], ids[3], ids[7]
    budget = draw.number(60, 90)
    asked = {
        single: price_between(draw, budget + 20, budget + 60),
        wanted: price_between(draw, budget + 2, budget + 15),
        moved: price_between(draw, 20, 40),
        fourth: price_between(draw, 20, 50),
        plain: price_between(draw, 5, 18),
    }
    listings = {i: stall.list(owners[i], collection, i, asked[i]) for i in draw.shuffled(list(asked))}
    scene.passing(draw.number(1, 5) * DAY)
    to = draw.choice([p for p in people if p != owners[moved]])
    scene.step(owners[moved], collection, "transferFrom", At(owners[moved]), At(to), moved)
    down = price_between(draw, 42, budget - 2)
    stall.reprice(listings[wanted], down)
    gone = plain if feasible else wanted
    elsewhere = draw.choice([p for p in people if p not in (owners[plain], owners[wanted])])
    scene.step(owners[gone], collection, "transferFrom", At(owners[gone]), At(elsewhere), gone)
    label, place, most = scene.labels[collection], stall.label, format_ether(budget * CENT)
    fields: dict[str, AnswerForm] = {"token_id": "integer", "count": "integer", "price_wei": "integer"}
    return Story(
        phrasings=asking(
            (
                f"For at most {most} ether I want a {label} from the {place} with a rare value of {kind}: one that no more than two tokens of the whole collection share. It has to be for real sale, with the seller still holding it. Which one is there, how many tokens share its {kind}, and what does it cost?",
                f"Look through the {place} for a {label} whose {kind} occurs at most twice in the entire collection and that can really be bought (its seller still has it) for {most} ether or less. Tell me which, the number of tokens with that {kind}, and the price.",
                f"My limit is {most} ether. Rare, to me, is a {kind} which one or two tokens of {label} have, out of all there are. Which rare one can be bought at the {place} within my limit, from somebody who still owns it? Include how many have that {kind}, and the price.",
            ),
            an_object(
                token_id="the token's number", count=f"how many tokens have that {kind}", price_wei="its price in wei"
            ),
        ),
        goals=(Answer("record", {"token_id": wanted, "count": 2, "price_wei": down}, fields),),
        brief={"ask": "rare", "collection": label, "market": place, "kind": kind, "budget": budget * CENT},
    )


def in_plain_ether(scene: Scene, _: bool) -> Story:
    """Cards behind URIs, and prices in ether, wrapped ether and a coin of six decimals."""
    draw = scene.draw
    people = _people(scene)
    collection, stall = scene.collection("OpenZeppelinCollection"), Stall(scene)
    coin = dollars(scene)
    wrapped = scene.contract("WrappedEther", (), label="Wrapped Ether")
    kind = draw.choice(list(TRAITS))
    value, common = draw.sample(TRAITS[kind], 2)
    ids = draw.shuffled(draw.numbers(8, 1, 300))
    cards = cards_with(draw, ids, kind, {value: 4, common: 4})
    label = scene.labels[collection]
    for token_id in sorted(ids):
        about = f"A former {value}." if cards[token_id][kind] != value else "One of a kind."
        attributes = [{"trait_type": k, "value": v} for k, v in cards[token_id].items()]
        card = {"name": f"{label} #{token_id}", "description": about, "attributes": attributes}
        scene.uris[f"{scene.folder(label)}{token_id}"] = json.dumps(card)
    owners = {i: draw.choice(people) for i in ids}
    for somebody in people:
        mine = sorted(i for i in ids if owners[i] == somebody)
        if mine:
            scene.mint(collection, somebody, mine)
    price = price_between(draw, 50, 70)
    asked = {
        ids[0]: (draw.number(150, 900) * 10**6, coin),
        ids[1]: (price_between(draw, 20, 40), wrapped),
        ids[2]: (price, "nobody"),
        ids[3]: (price_between(draw, 71, 99), "nobody"),
        ids[4]: (price_between(draw, 10, 19), "nobody"),
        ids[5]: (price_between(draw, 20, 49), "nobody"),
    }
    for token_id in draw.shuffled(list(asked)):
        stall.list(owners[token_id], collection, token_id, *asked[token_id])
    place = stall.label
    return Story(
        phrasings=asking(
            (
                f'What is the cheapest {label} with {kind} "{value}" that is on sale at the {place} for ether itself? Listings in wrapped ether or other coins don\'t count.',
                f"Which {label} having {value} for its {kind} is the cheapest at the {place} among those whose price is in native ether? Leave out what is priced in wrapped ether or in other coins.",
                f"Find me the {label} ({kind}: {value}) with the lowest price at the {place}, counting only listings in native ether, none in wrapped ether or another coin.",
            ),
            PRICED,
        ),
        goals=(Answer("record", {"token_id": ids[2], "price_wei": price}, TOKEN_AND_PRICE),),
        brief={"ask": "ether", "collection": label, "market": place, "kind": kind, "value": value},
    )


def too_large_to_list(scene: Scene, _: bool) -> Story:
    """One collector's numbers in a collection of very many, after a block; the call that lists them runs out of gas."""
    draw = scene.draw
    people = _people(scene)
    last = 10_000 * draw.number(2, 9)
    label = draw.collection()
    args = (label, label[:3].upper(), At("team"), scene.folder(label), last)
    collection = scene.contract("NumberedCollection", args, label=label)
    history = History(scene, collection)
    collector, *others = draw.shuffled(people)
    ids = draw.shuffled(draw.numbers(36, 1, last))
    for somebody in others[:3]:
        history.mint(somebody, sorted(ids.pop() for _ in range(6)))
    history.mint(collector, sorted(ids.pop() for _ in range(draw.number(6, 9))))
    for token_id in draw.sample(history.held(others[0]), 3):
        history.move(token_id, collector)
    sold, *gone = draw.sample(history.held(collector), 4)
    history.move(sold, others[1])
    for token_id in gone[:2]:
        history.burn(token_id)
    history.move(gone[2], collector)
    scene.passing(draw.number(1, 5) * DAY)
    history.move(history.held(others[2])[-1], collector)
    block = scene.block
    scene.passing(draw.number(1, 5) * DAY)
    history.burn(history.held(collector)[0])
    history.move(history.held(others[1])[0], collector)
    history.move(history.held(collector)[-1], others[0])
    name = scene.labels[collector]
    return Story(
        phrasings=asking(
            (
                f"Which numbers of {label} did {name} own after block {block}? The collection goes up to {last}.",
                f"{name}'s {label} as of block {block}, please: every token id, complete. Numbers go up to {last}, most of them unclaimed.",
                f"I need the full list of {label} ids in {name}'s wallet in the final state of block {block}. (There are {last} possible numbers.)",
            ),
            "a list of token ids",
        ),
        goals=(Answer("integer_set", tuple(history.held(collector, block))),),
        brief={"ask": "numbers", "collection": label, "who": name, "block": block, "last": last},
    )


def cheapest_at_the_hour(scene: Scene, feasible: bool) -> Story:
    """The lowest price for a trait at a moment later today. In the twin the last one is bought before and not after it."""
    draw = scene.draw
    people = _people(scene)
    collection, stall = _trait_collection(scene), Stall(scene)
    kind = draw.choice(list(TRAITS))
    value, common = draw.sample(TRAITS[kind], 2)
    ids = draw.shuffled(draw.numbers(8, 1, 300))
    cards = cards_with(draw, ids, kind, {value: 3, common: 5})
    seller, buyer, other = draw.sample(people, 3)
    owners = dict.fromkeys(ids, seller)
    _carded(scene, owners, cards, collection)
    first, second, late, plain = ids[0], ids[1], ids[2], ids[3]
    low, high, price = price_between(draw, 30, 40), price_between(draw, 70, 90), price_between(draw, 41, 69)
    asked = {first: low, second: high, plain: price_between(draw, 10, 29)}
    listings = {i: stall.list(seller, collection, i, asked[i]) for i in draw.shuffled(list(asked))}
    scene.step(seller, collection, "approve", At(stall.market), late)
    moment_asked = draw.number(3, 7) * HOUR
    deadline = moment_asked + draw.number(3, 6) * HOUR

    def acts(name: str, minutes: int, sender: str, function: str, *args: Any, value: int = 0) -> None:
        step = Step(sender=sender, target=stall.market, function=function, args=args, value=value)
        scene.actor(name, Trigger(after=moment_asked + 60 * minutes), step)

    acts("first buyer", -draw.number(80, 110), buyer, "buy", listings[first], value=low)
    acts("seller", -draw.number(40, 70), seller, "setPrice", listings[second], price)
    before, after = -draw.number(5, 30), draw.number(5, 30)
    acts("second buyer", after if feasible else before, other, "buy", listings[second], value=price)
    acts(
        "late seller",
        draw.number(35, 60),
        seller,
        "list",
        At(collection),
        late,
        At("nobody"),
        price_between(draw, 20, 29),
    )
    label, place = scene.labels[collection], stall.label
    when, by = moment(scene.start + moment_asked), moment(scene.start + deadline)
    return Story(
        phrasings=asking(
            (
                f'What counts for our price index is {when}: which {label} with {kind} "{value}" is then the cheapest on sale at the {place}, and at which price? Report by {by}.',
                f"At the {place}, on {when} sharp, what is the lowest asking price for a {label} whose {kind} is {value}, and for which token? Buyers and sellers are busy before and after, only that moment counts. I need it by {by}.",
                f"Take down the cheapest offer of a {label} ({kind}: {value}) at the {place} as it stands on {when}, token and price, and let me know no later than {by}.",
            ),
            PRICED,
        ),
        goals=(Answer("record", {"token_id": second, "price_wei": price}, TOKEN_AND_PRICE),),
        brief={
            "ask": "hour",
            "collection": label,
            "market": place,
            "kind": kind,
            "value": value,
            "time": scene.start + moment_asked,
        },
        deadline=deadline,
    )


F2C = SubFamily(
    name="F2c",
    title="traits and rarity under a price",
    cases=numbered(
        able(one_card, "T1", "traits"),
        able(cheapest_with_trait, "T2", "traits", "listings", "trap:old-price"),
        able(rare_in_budget, "T3", "rarity", "listings", "trap:dead-listing"),
        unable(3, "stale_order", "ownership", "limit", "sold_out"),
        able(in_plain_ether, "T3", "metadata", "listings", "trap:currency"),
        able(too_large_to_list, "T3", "past-block", "burned", "trap:out-of-gas"),
        able(cheapest_at_the_hour, "T4", "traits", "snapshot", "trap:too-early"),
        unable(7, "sold_out", "time"),
    ),
    policy=play,
    careless=careless,
)
