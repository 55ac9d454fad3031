"""F1b: one token to a contract. Whether it has a receiver hook, whom it credits, and whether it can ever give back."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Play, Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import At, CallData, EventEmitted, HoldsUnits, Owns, Probe, Reading, ViewEquals
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    SAFE_UNITS,
    contract,
    finish,
    give_up,
    looks,
    person,
    send,
    state,
    use,
    view,
    wait_until,
)
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import PLAIN, UNITS, Appointment, named, tokens_of_mine, vault

ANY = ("OpenZeppelinCollection",)


def _credited(keeper: str, collection: str, token_id: int) -> tuple[Owns, ViewEquals, Probe]:
    """The goals of having a token in a vault to the user's credit."""
    depositor = Reading(keeper, "depositorOf", (At(collection), token_id))
    return (
        Owns(keeper, collection, token_id),
        ViewEquals(depositor, At("user")),
        Probe("user", keeper, "withdraw", (At(collection), token_id)),
    )


def _brief(scene: Scene, way: str, collection: str, token_id: int, place: str, **more: Any) -> dict[str, Any]:
    label, at = scene.labels[collection], scene.labels[place]
    return {"way": way, "collection": label, "token_id": token_id, "contract": at, **more}


def into_the_vault(scene: Scene, _: bool) -> Story:
    """A vault that credits who sends safely or deposits; a plain transfer is lost in it. The collection has no events."""
    holders = scene.draw.shuffled(["user"] * 3 + [scene.person()] * 5)
    collection = scene.eventless(holders)
    token_id = scene.draw.choice([i for i, holder in enumerate(holders, 1) if holder == "user"])
    keeper = vault(scene)
    label, place = scene.labels[collection], scene.labels[keeper]
    return Story(
        phrasings=(
            f"Put my {label} #{token_id} into the {place}, so that it's held there in my name and I can take it out again.",
            f"I want {label} number {token_id} stored in the {place} for safe keeping, credited to me.",
            f"Deposit {label} #{token_id} in the {place}. It has to count as mine there.",
        ),
        goals=_credited(keeper, collection, token_id),
        brief=_brief(scene, "vault", collection, token_id, keeper),
    )


def to_an_old_wallet(scene: Scene, _: bool) -> Story:
    """A friend's contract wallet without the receiver hook, known to be able to move tokens on."""
    friend = scene.person()
    collection, (token_id, *_rest) = tokens_of_mine(scene, 3, ANY)
    name, label = scene.labels[friend], scene.labels[collection]
    wallet = scene.contract(
        "SmartWallet", ((At(friend),), 1, At("nobody")), label=f"{name}'s contract wallet", deployer=friend
    )
    onward = CallData(collection, "transferFrom", (At(wallet), At(friend), token_id))
    place = scene.labels[wallet]
    return Story(
        phrasings=(
            f"Send {label} #{token_id} to {place}. It's an old model without a receiver hook, but {name} has moved tokens in and out of it by ordinary transfer for years, so that's fine.",
            f"{name} wants {label} number {token_id} in {place}. The wallet can't answer safe transfers; {name} has checked that it can send tokens on, so use an ordinary transfer.",
            f"Please move my {label} #{token_id} to {place}. Don't worry that it doesn't answer safe transfers: {name} controls it and knows how to get tokens out.",
        ),
        goals=(
            Owns(wallet, collection, token_id),
            Probe(friend, wallet, "execTransaction", (At(collection), 0, onward)),
        ),
        brief=_brief(scene, "plain", collection, token_id, wallet),
    )


def to_our_wallet(scene: Scene, feasible: bool) -> Story:
    """A contract wallet whose fallback handler is not set. In the twin the user is not among its owners."""
    friend = scene.person()
    collection, (token_id, *_rest) = tokens_of_mine(scene, 3, PLAIN)
    owners = (At(friend), At("user")) if feasible else (At(friend), At("team"))
    wallet = scene.contract("SmartWallet", (owners, 1, At("nobody")), label="Club wallet", deployer=friend)
    handler = scene.contract("CompatibilityHandler", (), label="Wallet fallback handler")
    label = scene.labels[collection]
    others = scene.collection("OpenZeppelinCollection")
    scene.mint(others, friend, [7])
    return Story(
        phrasings=(
            f"Send {label} #{token_id} to the Club wallet and set the wallet's fallback handler to the Wallet fallback handler in my contracts, so that it takes safe transfers from now on. I'm one of its owners.",
            f"The Club wallet should get my {label} number {token_id}. I insist on safe transfers working there, so put in the known Wallet fallback handler as well (as an owner I can do that alone).",
            f"Please move {label} #{token_id} into our Club wallet. It must be able to receive tokens properly: give it the Wallet fallback handler. One owner's word is enough there, and I'm an owner.",
        ),
        goals=(
            Owns(wallet, collection, token_id),
            ViewEquals(Reading(wallet, "fallbackHandler"), At(handler)),
            Probe(friend, others, SAFE_TRANSFER, (At(friend), At(wallet), 7)),
        ),
        brief=_brief(scene, "wallet", collection, token_id, wallet, handler="Wallet fallback handler"),
    )


def when_the_vault_opens(scene: Scene, feasible: bool) -> Story:
    """A vault that its curator opens to the collection at an announced time. In the twin that is after the deadline."""
    draw = scene.draw
    scene.person()
    collection, (token_id, *_rest) = tokens_of_mine(scene, 3, ANY)
    first = scene.collection("OpenZeppelinCollection")
    scene.mint(first, "team", draw.numbers(10, 1, 99))
    depot = scene.contract("ScheduledVault", (At("team"), (At(first),)), label=named(scene, "Depot"))
    when = Appointment(scene, (2, 8), (5, 12))
    early, late, minutes = draw.number(-20, 20), draw.number(30, 300), draw.number(5, 50)
    opens = when.expected + 60 * early if feasible else when.deadline + 60 * late
    scene.step("team", depot, "announce", At(collection), scene.start + opens)
    scene.actor(
        "curator",
        Trigger(after=opens + 60 * minutes),
        Step(sender="team", target=depot, function="open", args=(At(collection),)),
    )
    scene.watch(Reading(depot, "accepts", (At(collection),)))
    label, place = scene.labels[collection], scene.labels[depot]
    return Story(
        phrasings=(
            f"The {place} is to start taking {label} around {when.about}. Deposit #{token_id} there in my name, by {when.by} at the latest.",
            f"I need {label} number {token_id} in the {place}, credited to me, by {when.by}. They plan to accept the collection from about {when.about} on.",
            f"Please bring my {label} #{token_id} to the {place} by {when.by}. It doesn't take that collection yet; the curators spoke of {when.about}. It has to be booked as mine.",
        ),
        goals=_credited(depot, collection, token_id),
        brief=_brief(scene, "vault", collection, token_id, depot, **when.brief),
        deadline=when.deadline,
    )


def units_into_the_vault(scene: Scene, _: bool) -> Story:
    """Part of an ERC-1155 balance into a vault that credits the sender."""
    draw = scene.draw
    scene.person()
    collection = scene.collection(draw.choice(UNITS))
    token_id, held = draw.number(2, 40), draw.number(50, 90)
    amount = draw.number(12, 45)
    scene.mint_units(collection, "user", {token_id: held, token_id + 1: held})
    keeper = vault(scene)
    label, place = scene.labels[collection], scene.labels[keeper]
    credit = Reading(keeper, "creditOf", (At("user"), At(collection), token_id))
    return Story(
        phrasings=(
            f"Put {amount} of my {label} #{token_id} into the {place}, credited to me. The rest stays in my wallet.",
            f"Store {amount} units of token {token_id} of {label} in the {place} under my name.",
            f"I'd like exactly {amount} {label} (id {token_id}) deposited at the {place}; they must be booked as mine there.",
        ),
        goals=(
            HoldsUnits("user", collection, token_id, held - amount),
            HoldsUnits(keeper, collection, token_id, amount),
            ViewEquals(credit, amount),
        ),
        brief=_brief(scene, "units", collection, token_id, keeper, amount=amount),
    )


def through_a_forwarder(scene: Scene, _: bool) -> Story:
    """Two forwarders; only one ends at the right person, and only for a safe transfer.

    That the token went through it is told by the collection's own transfers, whichever function made them.
    """
    draw = scene.draw
    friend, other = scene.person(), scene.person()
    collection, (token_id, *_rest) = tokens_of_mine(scene, 3, ANY)
    names = draw.shuffled(("Forwarder North", "Forwarder South"))
    ends = [friend, other]
    relays = {
        scene.contract("ForwardingReceiver", (At(end),), label=name): end
        for name, end in sorted(zip(names, ends, strict=True))
    }
    right = next(relay for relay, end in relays.items() if end == friend)
    label, name = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"{name} wants tokens sent through a forwarder, not directly. One of the two in my contracts passes on to {name}: send {label} #{token_id} through that one.",
            f"Send my {label} number {token_id} to {name} by way of the forwarder that delivers to {name} (North or South, I forget which). It must arrive at {name}.",
            f"Please get {label} #{token_id} to {name}, using {name}'s own forwarder among the contracts I know. Make sure that it comes out at the other end.",
        ),
        goals=(
            Owns(friend, collection, token_id),
            EventEmitted(collection, "Transfer", {"from": At(right), "to": At(friend), "tokenId": token_id}),
        ),
        brief={"way": "forwarder", "collection": label, "token_id": token_id, "to": name, "right": scene.labels[right]},
    )


def play(brief: dict[str, Any]) -> Play:
    """Read what the receiving contract can do, then choose the transfer that it needs."""
    seen = yield from state()
    me, address, token_id = seen["you"], contract(seen, brief["collection"]), brief["token_id"]
    if brief["way"] == "forwarder":
        target = yield from _forwarder(seen, person(seen, brief["to"]))
    else:
        target = contract(seen, brief["contract"])
    if brief["way"] == "wallet":
        problem = yield from _set_handler(target, contract(seen, brief["handler"]))
        if problem:
            yield from give_up(f"safe transfers to the wallet fail and its handler can't be set: {problem}", "receiver")
            return
    if "deadline" in brief and not (yield from _wait_for_acceptance(target, address, brief)):
        yield from give_up("the vault does not accept the collection by the deadline", "receiver")
        return
    if brief["way"] == "units":
        problem = yield from send(address, SAFE_UNITS, me, target, token_id, brief["amount"], "0x")
    elif brief["way"] == "plain":
        problem = yield from send(address, "transferFrom", me, target, token_id)
    else:
        problem = yield from send(address, SAFE_TRANSFER, me, target, token_id)
    if problem:
        yield from give_up(f"the transfer fails: {problem}", "receiver")
    else:
        yield from finish("The token is where it should be.")


def _forwarder(seen: dict[str, Any], destination: str) -> Any:
    for entry in seen["known_contracts"]:
        if entry["name"].startswith("Forwarder") and (yield from view(entry["address"], "destination")) == destination:
            return entry["address"]
    return None


def _set_handler(wallet: str, handler: str) -> Any:
    """Give the wallet its handler through the wallet itself; gives None, or the reason why that fails."""
    if (yield from view(wallet, "fallbackHandler")) == handler:
        return None
    encoded = yield from use("hash_data", method="call_data", value="setFallbackHandler(address)", values=[handler])
    return (yield from send(wallet, "execTransaction", wallet, 0, encoded["encoded"]))


def _wait_for_acceptance(vault: str, collection: str, brief: dict[str, Any]) -> Any:
    """Whether the vault comes to accept the collection in time, by its announced opening and then by looking."""
    if int((yield from view(vault, "opensAt", collection))) > brief["deadline"]:
        return False
    for look in looks(brief["expected"], brief["deadline"]):
        if (yield from view(vault, "accepts", collection)):
            return True
        yield from wait_until(look)
    return (yield from view(vault, "accepts", collection))


def careless(brief: dict[str, Any]) -> Play:
    """One transfer to the first contract that fits the words: a plain one into vaults and forwarders, a safe one elsewhere."""
    seen = yield from state()
    address, token_id = contract(seen, brief["collection"]), brief["token_id"]
    if brief["way"] == "forwarder":
        target = next(c["address"] for c in seen["known_contracts"] if c["name"].startswith("Forwarder"))
    else:
        target = contract(seen, brief["contract"])
    if brief["way"] == "units":
        yield from send(address, SAFE_UNITS, seen["you"], target, token_id, brief["amount"], "0x")
    elif brief["way"] in ("vault", "forwarder"):
        yield from send(address, "transferFrom", seen["you"], target, token_id)
    else:
        yield from send(address, SAFE_TRANSFER, seen["you"], target, token_id)
    yield from finish("Sent.")


F1B = SubFamily(
    name="F1b",
    title="one token to a contract",
    cases=numbered(
        able(into_the_vault, "T2", "receiver", "trap:plain-transfer"),
        able(to_an_old_wallet, "T2", "receiver", "trap:first-idea-fails"),
        able(to_our_wallet, "T3", "receiver", "Safe", "trap:first-idea-fails"),
        unable(3, "receiver", "authorisation"),
        able(when_the_vault_opens, "T4", "receiver", "trap:first-idea-fails"),
        able(units_into_the_vault, "T1", "receiver", "ERC-1155"),
        able(through_a_forwarder, "T3", "receiver", "trap:namesake"),
        unable(5, "receiver", "time"),
    ),
    policy=play,
    careless=careless,
)
