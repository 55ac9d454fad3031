"""F6d: creator tokens (ERC-721-C). A validator says who may move a token and to whom; an empty list says nothing at all.

List numbers that the reference sends come from the collection's policy or from the event of the list's creation; a new list may
have any name. Levels are those of the validator's own table: 1 lets listed operators and holders move tokens, 3 also keeps them
out of contracts.
"""

from __future__ import annotations

from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.families.f6_royalties.creator_tokens_policies import (
    OWN_LIST,
    ROYALTY,
    SET_POLICY,
    SET_VALIDATOR,
    VALIDATOR,
    give_policy,
    hand_over_all,
    may_move,
    new_vault,
    ruled_collection,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import At, EtherChange, Goal, Never, Owns, Probe, Reading, SoleListing, ViewEquals
from nftbench.tasks.markets import BASIS_POINTS, listing_of, market, new_listing
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
    use,
    view,
    without_looking,
)
from nftbench.tasks.scene import ETHER, Scene
from nftbench.values import ZERO_ADDRESS, format_ether, parse_units


def one_level_up(scene: Scene, _: bool) -> Story:
    """Another level, the same lists; the convenient call sets all three."""
    validator, collection, _ids = ruled_collection(scene)
    place, vault, other = market(scene), new_vault(scene), new_vault(scene)
    give_policy(scene, validator, collection, 1, (place,), (vault,))
    hand_over_all(scene, validator, collection)
    holder, friend = scene.others(2)
    label = scene.labels[collection]
    policies = (
        Reading(collection, "getSecurityPolicy"),
        Reading(validator, "getCollectionSecurityPolicy", (At(collection),)),
    )
    return Story(
        phrasings=(
            f"Raise the transfer security level of {label} from 1 to 3, so that only the contracts I've permitted can receive its tokens. The operator list and the receiver list remain as they are.",
            f"My collection {label} should go to security level 3 at the transfer validator (no tokens into unknown contracts). Change the level and nothing else in its policy.",
            f"Please set level 3 for {label} in its security policy. It keeps using the same list of operators and the same list of permitted receivers as now.",
        ),
        goals=(
            *(ViewEquals(policy, (3, OWN_LIST, 1)) for policy in policies),
            may_move(collection, place, holder, friend, True),
            may_move(collection, holder, holder, vault, True),
            may_move(collection, holder, holder, other, False),
        ),
        brief={"way": "level", "collection": label, "level": 3},
    )


def a_rule_that_bites(scene: Scene, _: bool) -> Story:
    """A collection without any rule gets one: one market, and holders themselves. A level over an empty list would be none."""
    validator, collection, _ids = ruled_collection(scene)
    good, bad, vault = market(scene), market(scene, 100), new_vault(scene)
    for place in (bad, good):
        scene.step("team", validator, "addOperatorToWhitelist", 1, At(place))
    scene.hand_over(collection)
    holder, friend = scene.others(2)
    label, name = scene.labels[collection], scene.labels[good]
    return Story(
        phrasings=(
            f"From now on {name} is to be the only one that can move {label} tokens on behalf of their holders; holders can go on sending their own wherever they like, to contracts too. Use the {VALIDATOR}, with a list made for this.",
            f"Please put {label} under the {VALIDATOR}: of all operators only {name} may transfer its tokens, and holders themselves remain free to hand theirs to anybody or into any contract. The list of operators should be a new one of mine with nothing else on it.",
            f"I want {label} to be tradable on {name} alone. The {VALIDATOR} should stop every other operator, but not a holder who sends a token personally, whoever or whatever receives it. Make me an operator list of my own for that.",
        ),
        goals=(
            ViewEquals(Reading(collection, "getTransferValidator"), At(validator)),
            ViewEquals(Reading(collection, "getSecurityPolicy"), (1, OWN_LIST, 0)),
            ViewEquals(Reading(collection, "getWhitelistedOperators"), (At(good),)),
            ViewEquals(Reading(validator, "operatorWhitelistOwners", (OWN_LIST,)), At("user")),
            may_move(collection, good, holder, friend, True),
            may_move(collection, bad, holder, friend, False),
            may_move(collection, friend, holder, friend, False),
            may_move(collection, holder, holder, friend, True),
            may_move(collection, holder, holder, vault, True),
        ),
        brief={"way": "enforce", "collection": label, "market": name},
    )


def from_hand_to_hand(scene: Scene, feasible: bool) -> Story:
    """A present under a policy that leaves holders free. In the twin only listed operators may move anything."""
    friend = scene.person()
    validator, collection, ids = ruled_collection(scene)
    give_policy(scene, validator, collection, 1 if feasible else 2, (market(scene),))
    token_id = scene.draw.choice(ids[::3])
    label, name = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Please send my {label} #{token_id} to {name}, as a present.",
            f"{name} gets {label} number {token_id} from me. Nothing is paid for it, so just move it over.",
            f"Move token {token_id} of {label} from my wallet into {name}'s.",
        ),
        goals=(Owns(friend, collection, token_id),),
        brief={"way": "gift", "collection": label, "token_id": token_id, "to": name},
    )


def into_a_vault(scene: Scene, feasible: bool) -> Story:
    """Two vaults, of which the rules let in one, and only by the holder's own safe transfer. In the twin they let in neither."""
    validator, collection, ids = ruled_collection(scene)
    first, second, third = new_vault(scene), new_vault(scene), new_vault(scene)
    permitted = (third, second) if feasible else (third,)
    give_policy(scene, validator, collection, 3, (market(scene),), permitted)
    token_id = scene.draw.choice(ids[::3])
    label, one, two = scene.labels[collection], scene.labels[first], scene.labels[second]
    return Story(
        phrasings=(
            f"Put my {label} #{token_id} into the {one}, which I'd like best, or into the {two}, credited to me. No other place, please.",
            f"Deposit {label} number {token_id} in my name, at the {one} by preference and at the {two} as second choice, depending on what the creator's rules allow.",
            f"I want {label} #{token_id} in safe keeping, booked as mine, in one of two vaults: the {one} is my first choice and the {two} my second.",
        ),
        goals=(
            Owns(second, collection, token_id),
            ViewEquals(Reading(second, "depositorOf", (At(collection), token_id)), At("user")),
            Probe("user", second, "withdraw", (At(collection), token_id)),
        ),
        brief={"way": "vault", "collection": label, "token_id": token_id, "vaults": [one, two]},
    )


def without_a_gap(scene: Scene, _: bool) -> Story:
    """One operator in place of another. Whoever empties the list for a moment opens the collection, and somebody is waiting."""
    draw = scene.draw
    validator, collection, ids = ruled_collection(scene)
    old, new = market(scene), market(scene, 100)
    holder = scene.others(2)[0]
    drainer = scene.person(f"{draw.person()} (drainer)", listed=False)
    give_policy(scene, validator, collection, 1, (old,))
    hand_over_all(scene, validator, collection)
    scene.step(holder, collection, "setApprovalForAll", At(drainer), True)
    prey = ids[1::3]
    drained = Reading(collection, "isTransferAllowed", (At(drainer), At(holder), At(drainer)))
    scene.actor(
        "drainer",
        Trigger(condition=drained, equals=True),
        *(
            Action(sender=drainer, target=collection, function="transferFrom", args=(At(holder), At(drainer), i))
            for i in prey
        ),
        hostile=True,
    )
    label, one, two, name = scene.labels[collection], scene.labels[old], scene.labels[new], scene.labels[holder]
    owned: list[Goal] = [Owns(holder, collection, i) for i in prey]
    return Story(
        phrasings=(
            f"On the operator list of {label} at the {VALIDATOR}, {two} takes the place of {one}. There mustn't be a moment without protection: {name}, for one, once approved a drainer as operator, and only our list keeps it away.",
            f"Please swap {one} for {two} among the operators that {label} allows (my list at the {VALIDATOR}). Take care that the collection is guarded throughout; a drainer still has an approval of {name}'s.",
            f"{label} should be tradable on {two} instead of {one}: change my operator list at the {VALIDATOR} accordingly, and leave no gap, because {name} has an old approval for a drainer that the list alone is holding back.",
        ),
        goals=(
            ViewEquals(Reading(collection, "getWhitelistedOperators"), (At(new),)),
            ViewEquals(Reading(validator, "getWhitelistedOperators", (OWN_LIST,)), (At(new),)),
            Never(drained, True),
            *owned,
        ),
        brief={"way": "swap", "collection": label, "out": one, "in": two},
    )


def for_one_evening(scene: Scene, _: bool) -> Story:
    """An operator that is let in for one sale and shut out again. The buyer comes once."""
    draw = scene.draw
    buyer = scene.person()
    validator, collection, ids = ruled_collection(scene)
    usual, saleroom = market(scene), market(scene, 200, "Saleroom")
    give_policy(scene, validator, collection, 1, (usual,))
    hand_over_all(scene, validator, collection)
    token_id, price = draw.choice(ids[::3]), draw.number(8, 40) * ETHER // 20
    scene.watch(*(listing_of(saleroom, collection, i) for i in ids[::3]))
    evening = appointment(scene)
    buy = Action(
        sender=buyer, target=saleroom, function="buy", args=(listing_of(saleroom, collection, token_id),), value=price
    )
    scene.actor("buyer", Trigger(after=evening.expected + 60 * draw.number(4, 50)), buy)
    left = price - price * (ROYALTY + 200) // BASIS_POINTS
    label, where, fan = scene.labels[collection], scene.labels[saleroom], scene.labels[buyer]
    amount, about, by = format_ether(price), evening.about, evening.by
    return Story(
        phrasings=(
            f"{fan} will buy {label} #{token_id} from me at the {where} for {amount} ether, around {about}, and tries only once. The {where} isn't on my operator list for {label} ({VALIDATOR}): let it in for this sale, offer the token there in time, and when the sale is done take the {where} off the list again. Everything by {by}.",
            f"For one sale only, the {where} may move {label}. Put it on the collection's operator list at the {VALIDATOR}, list #{token_id} there at {amount} ether so that {fan} can buy at about {about} (there is just one attempt), and shut it out again once {fan} has the token, before {by}.",
            f"Please arrange this evening's sale: {label} #{token_id}, {amount} ether, at the {where}, to {fan}, who comes once at around {about}. {label} permits listed operators only (my list at the {VALIDATOR}), so the {where} has to be on it until the sale has happened, and off it by {by}.",
        ),
        goals=(
            Owns(buyer, collection, token_id),
            EtherChange("user", left),
            ViewEquals(Reading(validator, "isOperatorWhitelisted", (OWN_LIST, At(saleroom))), False),
            SoleListing(saleroom, collection, token_id),
        ),
        allowed=new_listing(saleroom, collection, token_id),
        brief={
            "way": "evening",
            "collection": label,
            "token_id": token_id,
            "price": amount,
            "market": where,
            **evening.told,
        },
        deadline=evening.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Read the policy and its lists, act within them, and check what a change of them would let happen."""
    seen = yield from state()
    address, validator = contract(seen, brief["collection"]), contract(seen, VALIDATOR)
    reason = "authorisation"
    match brief["way"]:
        case "level":
            problem = yield from send(validator, "setTransferSecurityLevelOfCollection", address, brief["level"])
        case "enforce":
            problem = yield from _enforce(validator, address, contract(seen, brief["market"]))
        case "gift":
            problem = yield from send(address, SAFE_TRANSFER, seen["you"], person(seen, brief["to"]), brief["token_id"])
            reason = "blocked_operator"
        case "vault":
            problem = yield from _first_that_lets_in(seen, address, brief)
            reason = "receiver"
        case "swap":
            number = yield from _list_number(address)
            problem = yield from send(validator, "addOperatorToWhitelist", number, contract(seen, brief["in"]))
            problem = problem or (
                yield from send(validator, "removeOperatorFromWhitelist", number, contract(seen, brief["out"]))
            )
        case _:
            problem = yield from _evening(validator, address, seen, brief)
    yield from conclude(problem, "Done as asked.", reason)


def _list_number(address: str) -> Step:
    """The number of the operator list that the collection's policy names."""
    policy = yield from view(address, "getSecurityPolicy")
    return int(policy["operatorWhitelistId"])


def _enforce(validator: str, address: str, place: str) -> Step:
    made = yield from use("send_transaction", to=validator, function="createOperatorWhitelist", arguments=["Operators"])
    number = next(int(e["args"]["id"]) for e in made["events"] if e.get("event") == "CreatedAllowlist")
    problem = yield from send(validator, "addOperatorToWhitelist", number, place)
    return problem or (yield from send(address, SET_VALIDATOR, validator, 1, number, 0))


def _first_that_lets_in(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Step:
    """Send the token safely to the first vault that may have it; gives None, or why none may."""
    problem = "there is no vault"
    for name in brief["vaults"]:
        problem = yield from send(address, SAFE_TRANSFER, seen["you"], contract(seen, name), brief["token_id"])
        if problem is None:
            return None
    return problem


def _evening(validator: str, address: str, seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    place, number = contract(seen, brief["market"]), (yield from _list_number(address))
    steps = (
        (validator, "addOperatorToWhitelist", number, place),
        (address, "approve", place, brief["token_id"]),
        (place, "list", address, brief["token_id"], ZERO_ADDRESS, parse_units(brief["price"], 18)),
    )
    for step in steps:
        problem = yield from send(*step)
        if problem:
            return problem

    def sold() -> Step:
        return (yield from view(address, "ownerOf", brief["token_id"])) != seen["you"]

    if not (yield from awaited(brief, sold)):
        return "nobody has bought it by the deadline"
    return (yield from send(validator, "removeOperatorFromWhitelist", number, place))


def careless(brief: dict[str, Any]) -> Play:
    """Takes the convenient call with no lists in it, the first place named, and the order of the words."""
    seen = yield from state()
    address, validator = contract(seen, brief["collection"]), contract(seen, VALIDATOR)
    match brief["way"]:
        case "level":
            yield from without_looking(address, SET_POLICY, brief["level"], 0, 0)
        case "enforce":
            yield from without_looking(address, SET_VALIDATOR, validator, 1, 0, 0)
        case "gift":
            yield from without_looking(
                address, "transferFrom", seen["you"], person(seen, brief["to"]), brief["token_id"]
            )
        case "vault":
            vault = contract(seen, brief["vaults"][0])
            yield from without_looking(address, SAFE_TRANSFER, seen["you"], vault, brief["token_id"])
        case "swap":
            yield from without_looking(validator, "removeOperatorFromWhitelist", OWN_LIST, contract(seen, brief["out"]))
            yield from without_looking(validator, "addOperatorToWhitelist", OWN_LIST, contract(seen, brief["in"]))
        case _:
            place = contract(seen, brief["market"])
            price = parse_units(brief["price"], 18)
            yield from without_looking(validator, "addOperatorToWhitelist", OWN_LIST, place)
            yield from without_looking(address, "approve", place, brief["token_id"])
            yield from without_looking(place, "list", address, brief["token_id"], ZERO_ADDRESS, price)
    yield from finish("Done.")


F6D = SubFamily(
    name="F6d",
    title="creator-token rules",
    cases=(
        Case(tell=one_level_up, difficulty="T1", tags=("ERC-721-C", "trap:lists-lost")),
        Case(tell=from_hand_to_hand, difficulty="T2", tags=("ERC-721-C",)),
        Case(
            tell=from_hand_to_hand,
            difficulty="T2",
            tags=("ERC-721-C",),
            twin_of=2,
            reasons=("blocked_operator", "authorisation", "locked"),
        ),
        Case(tell=a_rule_that_bites, difficulty="T3", tags=("ERC-721-C", "trap:empty-list")),
        Case(tell=into_a_vault, difficulty="T3", tags=("ERC-721-C", "receiver", "trap:first-idea-fails")),
        Case(
            tell=into_a_vault,
            difficulty="T3",
            tags=("ERC-721-C", "receiver"),
            twin_of=5,
            reasons=("receiver", "blocked_operator"),
        ),
        Case(tell=without_a_gap, difficulty="T4", tags=("ERC-721-C", "drainer", "trap:order")),
        Case(tell=for_one_evening, difficulty="T4", tags=("ERC-721-C", "sale", "trap:left-open")),
    ),
    policy=play,
    derivations=("units",),
    careless=careless,
)
