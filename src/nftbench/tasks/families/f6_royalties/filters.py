"""F6c: operator filters. A collection may keep a market from moving its tokens; listing there still works, buying there doesn't.

Prices that the reference sends are the prompt's ether amounts in wei; code hashes are those that the registry answers.
"""

from __future__ import annotations

from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.families.f6_royalties.filters_registries import (
    FILTERED,
    FILTERED_CODE,
    REGISTRY,
    SUBSCRIPTION,
    block,
    filtering_collection,
    filters,
    subscribed,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import Approval, At, Change, EtherChange, Owns, Probe, Reading, SoleListing, ViewEquals
from nftbench.tasks.markets import BASIS_POINTS, listed_at, listing_of, market, new_listing
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    Step,
    awaited,
    conclude,
    contract,
    finish,
    person,
    send,
    state,
    view,
    without_looking,
)
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import ZERO_ADDRESS, format_ether, parse_units


def from_hand_to_hand(scene: Scene, _: bool) -> Story:
    """A holder's own transfer, which no filter concerns."""
    friend = scene.person()
    registry, collection, ids = filtering_collection(scene)
    block(scene, registry, collection, [market(scene), market(scene, 100)])
    token_id = scene.draw.choice(ids[::3])
    label, name = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Please give my {label} #{token_id} to {name}. I've heard that the collection blocks some markets; this is a present, no market involved.",
            f"{name} is to have {label} number {token_id} from my wallet, just a transfer between the two of us.",
            f"Send {label} #{token_id} to {name}. It's one of those collections with an operator filter, but I'm giving it away, not selling it.",
        ),
        goals=(Owns(friend, collection, token_id),),
        brief={"way": "gift", "collection": label, "token_id": token_id, "to": name},
    )


def where_it_can_be_sold(scene: Scene, feasible: bool) -> Story:
    """A first market that is filtered and a second one that is not. In the twin both are filtered."""
    draw = scene.draw
    buyer = scene.person()
    registry, collection, ids = filtering_collection(scene)
    first, second, third = market(scene), market(scene, 100), market(scene, 150)
    block(scene, registry, collection, [first, third] if feasible else [first, third, second])
    token_id, price = draw.choice(ids[::3]), draw.number(8, 40) * ETHER // 20
    scene.watch(*(listing_of(place, collection, i) for place in (first, second) for i in ids[::3]))
    label, one, two, amount = scene.labels[collection], scene.labels[first], scene.labels[second], format_ether(price)
    return Story(
        phrasings=(
            f"Put my {label} #{token_id} up for sale at {amount} ether, so that anybody can really buy it. My first choice is {one}, my second {two}; no other market, please, and not on both.",
            f"I'd like to sell {label} number {token_id} for {amount} ether, on one of two markets, {one} (rather) or {two}. The offer has to work for buyers when you're done, and I want just the one.",
            f"List {label} #{token_id} for {amount} ether at a single place. First choice {one}, second choice {two}, depending on which of them the collection allows to handle its tokens. It must be ready to be bought.",
        ),
        goals=(
            listed_at(second, collection, token_id, price),
            Approval(collection, token_id, second),
            Probe(buyer, second, "buy", (listing_of(second, collection, token_id),), value=price),
            SoleListing(second, collection, token_id),
        ),
        allowed=new_listing(second, collection, token_id),
        brief={"way": "sell", "collection": label, "token_id": token_id, "price": amount, "markets": [one, two]},
    )


def blocked_by_its_code(scene: Scene, _: bool) -> Story:
    """As the creator, let one market trade again. It is not its address that is on the list, but its code."""
    registry, collection, _ids = filtering_collection(scene)
    welcome, *others = market(scene), market(scene, 100), market(scene, 150)
    last = market(scene, 50)
    block(scene, registry, collection, others)
    for place in (welcome, last):
        scene.step(
            "team", registry, "updateCodeHash", At(collection), Reading(registry, "codeHashOf", (At(place),)), True
        )
    scene.hand_over(collection)
    label, name = scene.labels[collection], scene.labels[welcome]
    return Story(
        phrasings=(
            f"{name} pays royalties now, so let it trade my {label} again. Whatever else the collection blocks stays blocked.",
            f"Please take {name} off the blocks of {label} in the operator filter. Only that market; the others deserve it.",
            f"My collection {label} filters {name}. Change that so {name} can move its tokens, and leave every other filter of {label} in force.",
        ),
        goals=(
            ViewEquals(Reading(registry, "isOperatorAllowed", (At(collection), At(welcome))), True),
            ViewEquals(
                Reading(registry, FILTERED_CODE, (At(collection),)), (Reading(registry, "codeHashOf", (At(last),)),)
            ),
        ),
        brief={"way": "unblock", "collection": label, "market": name},
    )


def one_more_to_block(scene: Scene, _: bool) -> Story:
    """As the creator, block one more market, although the collection follows somebody else's list."""
    registry, collection, _ids = filtering_collection(scene)
    bad, worse, good, new = market(scene), market(scene, 100), market(scene, 150), market(scene, 50)
    curator = subscribed(scene, registry, collection, [bad, worse])
    scene.watch(Reading(registry, FILTERED, (At(curator),)))
    scene.hand_over(collection)
    label, name = scene.labels[collection], scene.labels[new]
    return Story(
        phrasings=(
            f"{name} has stopped paying royalties: block it for my collection {label} in the operator filter. So far we follow the list of Market Watch; from now on {label} keeps a list of its own, and everything that's blocked today has to remain blocked.",
            f"Please see to it that {name} can't trade {label} any longer. The collection gets a list of its own in the operator filter for that, instead of the one of Market Watch, and the markets that are filtered now stay filtered.",
            f"Add {name} to the markets that {label} filters. It relies on the list of Market Watch at present and should stand on its own from here on; none of today's blocks may be lost.",
        ),
        goals=(
            *(filters(registry, collection, m, m != good) for m in (bad, worse, new, good)),
            ViewEquals(Reading(registry, "isRegistered", (At(collection),)), True),
            ViewEquals(Reading(registry, SUBSCRIPTION, (At(collection),)), At("nobody")),
            Probe("user", registry, "filteredOperatorAt", (At(collection), 3), succeeds=False),
        ),
        allowed=(Change(kind="view", contract=registry, subject=FILTERED, detail=(At(collection),)),),
        brief={"way": "block", "collection": label, "market": name},
    )


def cheapest_that_works(scene: Scene, feasible: bool) -> Story:
    """As a buyer: the cheaper offer stands on a filtered market. In the twin the other one is beyond the limit."""
    draw = scene.draw
    seller = scene.person()
    registry, collection, ids = filtering_collection(scene)
    cheap, dear = market(scene), market(scene, 100)
    token_id = draw.choice(ids[1::3])
    low, middle, limit, high = sorted(draw.sample(range(14, 29), 4))
    prices = {cheap: low * ETHER // 10, dear: (middle if feasible else high) * ETHER // 10}
    for place, price in prices.items():
        scene.step(seller, collection, "setApprovalForAll", At(place), True)
        scene.step(seller, place, "list", At(collection), token_id, At("nobody"), price)
        scene.watch(Reading(place, "getListing", (1,)))
    block(scene, registry, collection, [cheap])
    paid = middle * ETHER // 10
    fee = paid * 100 // BASIS_POINTS
    one, two = (scene.labels[place] for place in draw.shuffled((cheap, dear)))
    label, most = scene.labels[collection], format_ether(limit * ETHER // 10)
    return Story(
        phrasings=(
            f"Buy {label} #{token_id} for me. It's listed on {one} and on {two}; take the cheapest offer that really goes through, and spend {most} ether at most.",
            f"I want {label} number {token_id}, up to {most} ether. Both {one} and {two} have it on offer. Get it as cheaply as it can be had.",
            f"Please purchase {label} #{token_id} on {one} or {two}, wherever it works at the lower price. My limit is {most} ether.",
        ),
        goals=(
            Owns("user", collection, token_id),
            EtherChange("user", -paid),
            EtherChange(seller, paid - fee),
            EtherChange("team", fee),
        ),
        allowed=(Change(kind="view", contract=dear, subject="getListing(uint256)", detail=(1,), to=None),),
        brief={"way": "buy", "collection": label, "token_id": token_id, "markets": [one, two], "most": most},
    )


def once_the_block_is_lifted(scene: Scene, _: bool) -> Story:
    """A curator lifts a market's block later in the day; a buyer takes the token as soon as the market can move it. An offer of
    it on another blocked market is left over and has to go."""
    draw = scene.draw
    buyer = scene.person()
    registry, collection, ids = filtering_collection(scene)
    place, other = market(scene), market(scene, 100)
    curator = subscribed(scene, registry, collection, [place, other])
    token_id, price = draw.choice(ids[::3]), draw.number(8, 40) * ETHER // 20
    scene.step("user", other, "list", At(collection), token_id, At("nobody"), price // 2)
    scene.watch(*(listing_of(market_, collection, i) for market_ in (place, other) for i in ids[::3]))
    end = appointment(scene)
    lift = Action(sender=curator, target=registry, function="updateOperator", args=(At(curator), At(place), False))
    scene.actor("curator", Trigger(after=end.expected + 60 * draw.number(4, 50)), lift)
    scene.actor(
        "buyer",
        Trigger(condition=Reading(place, "isListed", (At(collection), token_id)), equals=True),
        Action(
            sender=buyer, target=place, function="buy", args=(listing_of(place, collection, token_id),), value=price
        ),
    )
    fee = price * 250 // BASIS_POINTS
    label, where, fan, amount = scene.labels[collection], scene.labels[place], scene.labels[buyer], format_ether(price)
    old, about, by = scene.labels[other], end.about, end.by
    return Story(
        phrasings=(
            f"{fan} wants my {label} #{token_id} for {amount} ether, through {where}, and buys as soon as the offer there works. {where} is on the block list of Market Watch that {label} follows; they take it off around {about}. Get the sale done by {by}, and cancel the offer of that token that I still have on {old}.",
            f"Sell {label} number {token_id} on {where} for {amount} ether before {by}. {fan} is waiting to buy it. At the moment {where} is blocked for that collection, by Market Watch's list, but the block ends at about {about}. My old listing of it on {old} is to be withdrawn.",
            f"By {by}, {fan} should have bought {label} #{token_id} from me on {where} at {amount} ether. Market Watch still blocks {where}; they have said they'd lift that around {about}. Offer it so that the purchase goes through, and take it off {old}, where I listed it long ago.",
        ),
        goals=(
            Owns(buyer, collection, token_id),
            EtherChange("user", price - fee),
            ViewEquals(listing_of(other, collection, token_id), 0),
            SoleListing(place, collection, token_id),
        ),
        allowed=new_listing(place, collection, token_id),
        brief={
            "way": "lifted",
            "collection": label,
            "token_id": token_id,
            "price": amount,
            "markets": [where],
            "old": old,
            **end.told,
        },
        deadline=end.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Ask the registry about an operator before relying on it; change only the entry that is meant."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    markets = [contract(seen, name) for name in brief.get("markets", [])]
    match brief["way"]:
        case "gift":
            problem = yield from send(address, SAFE_TRANSFER, seen["you"], person(seen, brief["to"]), brief["token_id"])
        case "unblock":
            problem = yield from _unblock(contract(seen, REGISTRY), address, contract(seen, brief["market"]))
        case "block":
            problem = yield from _block_one(contract(seen, REGISTRY), address, contract(seen, brief["market"]))
        case "buy":
            problem = yield from _buy(address, markets, brief)
        case _:
            if "old" in brief:
                old = contract(seen, brief["old"])
                yield from send(old, "cancel", int((yield from view(old, "listingOf", address, brief["token_id"]))))
            problem = yield from _sell(contract(seen, REGISTRY), address, markets, brief)
    yield from conclude(problem, "Done as asked.", "blocked_operator" if markets else "authorisation")


def _unblock(registry: str, address: str, place: str) -> Step:
    problem = None
    if (yield from view(registry, "isOperatorFiltered", address, place)):
        problem = yield from send(registry, "updateOperator", address, place, False)
    if not problem and (yield from view(registry, "isCodeHashOfFiltered", address, place)):
        code = yield from view(registry, "codeHashOf", place)
        problem = yield from send(registry, "updateCodeHash", address, code, False)
    return problem


def _block_one(registry: str, address: str, place: str) -> Step:
    followed = yield from view(registry, "subscriptionOf", address)
    if int(followed, 16):
        problem = yield from send(registry, "unsubscribe", address, True)
        if problem:
            return problem
    return (yield from send(registry, "updateOperator", address, place, True))


def _buy(address: str, markets: list[str], brief: dict[str, Any]) -> Step:
    """Buy at the lowest price that goes through; gives None, or why none does within the limit."""
    offers = []
    for place in markets:
        number = yield from view(place, "listingOf", address, brief["token_id"])
        offer = yield from view(place, "getListing", number)
        offers.append((int(offer["price"]), place, int(number)))
    problem = "there is no offer within the limit"
    for price, place, number in sorted(offers):
        if price <= parse_units(brief["most"], 18):
            problem = yield from send(place, "buy", number, value=price)
            if problem is None:
                return None
    return problem


def _sell(registry: str, address: str, markets: list[str], brief: dict[str, Any]) -> Step:
    """List on the first market that may move the tokens, waiting for it if there is a time to wait for."""

    def allowed() -> Step:
        for place in markets:
            if (yield from view(registry, "isOperatorAllowed", address, place)):
                return place
        return None

    place = (yield from allowed()) or ("deadline" in brief and (yield from awaited(brief, allowed)))
    if not place:
        return "the registry lets none of the markets move these tokens"
    problem = yield from send(address, "approve", place, brief["token_id"])
    price = parse_units(brief["price"], 18)
    return problem or (yield from send(place, "list", address, brief["token_id"], ZERO_ADDRESS, price))


def careless(brief: dict[str, Any]) -> Play:
    """Uses the first or cheapest market without asking the filter, and changes the list that comes to hand."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    match brief["way"]:
        case "gift":
            yield from without_looking(
                address, "transferFrom", seen["you"], person(seen, brief["to"]), brief["token_id"]
            )
        case "unblock" | "block":
            registry, place = contract(seen, REGISTRY), contract(seen, brief["market"])
            if brief["way"] == "block":
                yield from without_looking(registry, "unsubscribe", address, False)
            yield from without_looking(registry, "updateOperator", address, place, brief["way"] == "block")
        case "buy":
            offers = []
            for place in (contract(seen, name) for name in brief["markets"]):
                offers.append((int((yield from view(place, "getListing", 1))["price"]), place))
            yield from without_looking(min(offers)[1], "buy", 1, value=min(offers)[0])
        case _:
            place, price = contract(seen, brief["markets"][0]), parse_units(brief["price"], 18)
            yield from without_looking(place, "list", address, brief["token_id"], ZERO_ADDRESS, price)
            yield from without_looking(address, "approve", place, brief["token_id"])
    yield from finish("Done.")


F6C = SubFamily(
    name="F6c",
    title="operator filters",
    cases=(
        Case(tell=from_hand_to_hand, difficulty="T1", tags=("operator-filter",)),
        Case(tell=where_it_can_be_sold, difficulty="T2", tags=("operator-filter", "listing", "trap:first-market")),
        Case(
            tell=where_it_can_be_sold,
            difficulty="T2",
            tags=("operator-filter", "listing"),
            twin_of=2,
            reasons=("blocked_operator",),
        ),
        Case(tell=blocked_by_its_code, difficulty="T3", tags=("operator-filter", "trap:first-idea-fails")),
        Case(tell=one_more_to_block, difficulty="T3", tags=("operator-filter", "trap:lost-blocks")),
        Case(tell=cheapest_that_works, difficulty="T2", tags=("operator-filter", "buying", "trap:cheapest")),
        Case(
            tell=cheapest_that_works,
            difficulty="T2",
            tags=("operator-filter", "buying"),
            twin_of=6,
            reasons=("blocked_operator", "limit"),
        ),
        Case(tell=once_the_block_is_lifted, difficulty="T4", tags=("operator-filter", "sale", "trap:too-early")),
    ),
    policy=play,
    derivations=("units",),
    careless=careless,
)
