"""F1c: ERC-1155 units, many at once. Exact amounts, parallel arrays, several receivers, and one unit short."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.drawing import listed
from nftbench.tasks.family import Play, Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import At, Goal, HoldsUnits, Together
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import (
    SAFE_BATCH,
    SAFE_UNITS,
    contract,
    finish,
    give_up,
    holdings,
    looks,
    person,
    send,
    state,
    use,
    view,
    wait_until,
)
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import UNITS, Appointment, named


def _moved(collection: str, to: str, held: dict[int, int], moved: dict[int, int]) -> tuple[Goal, ...]:
    """The goals of moving some units from the user to somebody who had none."""
    goals: list[Goal] = []
    for token_id, amount in moved.items():
        goals += [
            HoldsUnits("user", collection, token_id, held[token_id] - amount),
            HoldsUnits(to, collection, token_id, amount),
        ]
    return tuple(goals)


def a_few(scene: Scene, _: bool) -> Story:
    """Some units of one id to one person; a neighbouring id and a namesake collection lie close by."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection(draw.choice(UNITS))
    token_id, amount = draw.number(3, 60), draw.number(2, 7)
    held = {token_id: amount + draw.number(3, 9), token_id + 1: 20}
    scene.mint_units(collection, "user", held)
    double = scene.collection("MultiToken", f"{scene.labels[collection]} II")
    scene.mint_units(double, "user", held)
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Send {amount} of my {label} #{token_id} to {to}.",
            f"{to} gets {amount} units of {label}, token id {token_id}, from me.",
            f"Please pass {amount} pieces of {label} (id {token_id}) to {to}; keep the others.",
        ),
        goals=_moved(collection, friend, held, {token_id: amount}),
        brief={"way": "ids", "collection": label, "to": [to], "amounts": {token_id: amount}},
    )


def by_name(scene: Scene, _: bool) -> Story:
    """Four kinds of items by the names in their metadata, found through `uri` with {id} filled in as ERC-1155 has it."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("MultiToken")
    names, ids = draw.items(7), draw.shuffled(draw.numbers(7, 1, 40))
    held = {token_id: draw.number(6, 30) for token_id in ids}
    scene.mint_units(collection, "user", held)
    for token_id, name in zip(ids, names, strict=True):
        document = {"name": name, "decimals": 0, "properties": {"weight": draw.number(1, 90)}}
        scene.uris[f"{scene.folder(scene.labels[collection])}{token_id:064x}.json"] = json.dumps(document)
    wanted = {ids[i]: draw.number(1, held[ids[i]] - 1) for i in range(4)}
    spoken = listed([f"{amount} {names[ids.index(token_id)]}" for token_id, amount in wanted.items()])
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"From my {label}, give {to}: {spoken}. (The names are in the items' metadata.)",
            f"{to} traded for some of my {label} items. Hand over {spoken}, going by the names in the metadata.",
            f"Please send {spoken} to {to}. They are {label} items; look up which token id is which.",
        ),
        goals=_moved(collection, friend, held, wanted),
        brief={
            "way": "names",
            "collection": label,
            "to": [to],
            "amounts": {names[ids.index(token_id)]: amount for token_id, amount in wanted.items()},
        },
    )


def to_three_people(scene: Scene, feasible: bool) -> Story:
    """The same amounts of two ids to three people. In the twin the user holds one unit less than that takes."""
    draw = scene.draw
    friends = [scene.person() for _ in range(3)]
    collection = scene.collection(draw.choice(UNITS))
    first, second = draw.numbers(2, 5, 70)
    amounts = {first: draw.number(3, 8), second: draw.number(2, 6)}
    held = {first: 3 * amounts[first] + draw.number(1, 4), second: 3 * amounts[second]}
    if not feasible:
        held[second] -= 1
    scene.mint_units(collection, "user", held)
    goals: list[Goal] = [HoldsUnits("user", collection, i, held[i] - 3 * amounts[i]) for i in amounts]
    goals += [HoldsUnits(friend, collection, i, amount) for friend in friends for i, amount in amounts.items()]
    label, people = scene.labels[collection], [scene.labels[friend] for friend in friends]
    each = f"{amounts[first]} of #{first} and {amounts[second]} of #{second}"
    return Story(
        phrasings=(
            f"Send {each} of my {label} to each of {listed(people)}. Everybody gets the full share.",
            f"{listed(people)} won the draw: each one gets {each} ({label}), all three in full.",
            f"Please give {listed(people)} {each} of {label} each. Nobody is to come out short.",
        ),
        goals=tuple(goals),
        brief={"way": "ids", "collection": label, "to": people, "amounts": amounts},
    )


def half_of_each(scene: Scene, _: bool) -> Story:
    """Half of every kind that the user holds, rounded down; single pieces stay."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("SoladyMultiToken")
    ids = draw.numbers(6, 1, 80)
    held = {token_id: draw.number(3, 41) for token_id in ids} | {ids[2]: 1, ids[3]: 2 * draw.number(4, 20) + 1}
    scene.mint_units(collection, "user", held)
    scene.mint_units(collection, "team", dict.fromkeys(ids, 50))
    moved = {token_id: amount // 2 for token_id, amount in held.items() if amount > 1}
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Give {to} half of each kind of my {label} items, rounded down.",
            f"{to} and I split up. Of every {label} item that I hold, {to} gets half; where the number is odd the extra one stays with me.",
            f"Please share my {label} with {to}: for each id, half of what I have goes over (round down).",
        ),
        goals=(*_moved(collection, friend, held, moved), HoldsUnits("user", collection, ids[2], 1)),
        brief={"way": "half", "collection": label, "to": [to]},
    )


def one_kind_at_a_time(scene: Scene, _: bool) -> Story:
    """A receiving contract that takes single transfers and turns batches away."""
    draw = scene.draw
    scene.person()
    collection = scene.collection("MultiToken")
    ids = draw.numbers(5, 1, 60)
    held = {token_id: draw.number(9, 40) for token_id in ids}
    scene.mint_units(collection, "user", held)
    shelf = scene.contract("SingleItemShelf", (At("team"),), label=named(scene, "Shelf"))
    wanted = {token_id: draw.number(1, 8) for token_id in ids[:3]}
    label, place = scene.labels[collection], scene.labels[shelf]
    spoken = listed([f"{amount} of #{token_id}" for token_id, amount in wanted.items()])
    return Story(
        phrasings=(
            f"Put {spoken} of my {label} on the {place}.",
            f"The {place} is to show some of my {label}: move {spoken} there.",
            f"Please hand the {place} contract {spoken}, all of {label}.",
        ),
        goals=_moved(collection, shelf, held, wanted),
        brief={"way": "ids", "collection": label, "shelf": place, "to": [], "amounts": wanted},
    )


def after_the_delivery(scene: Scene, feasible: bool) -> Story:
    """Units that are still on their way complete the amount. In the twin the supplier has one unit less than it takes."""
    draw = scene.draw
    supplier, friend = scene.person(), scene.person()
    collection = scene.collection("MultiToken")
    token_id, missing, own = draw.number(2, 50), draw.number(4, 9), draw.number(5, 20)
    total = own + missing
    scene.mint_units(collection, "user", {token_id: own, token_id + 3: 12})
    delivered = missing if feasible else missing - 1
    scene.mint_units(collection, supplier, {token_id: delivered})
    when = Appointment(scene, (2, 7), (6, 20))
    give = Step(
        sender=supplier,
        target=collection,
        function=SAFE_UNITS,
        args=(At(supplier), At("user"), token_id, delivered, b""),
    )
    scene.actor("delivery", Trigger(after=when.expected + 60 * draw.number(2, 40)), give)
    label, name, to = scene.labels[collection], scene.labels[supplier], scene.labels[friend]
    about, by = when.about, when.by
    return Story(
        phrasings=(
            f"{to} must get {total} of my {label} #{token_id} by {by}, in one go. {name} is sending me what I'm missing, around {about}.",
            f"I owe {to} {total} units of {label}, id {token_id}, due by {by}. The rest of them comes to me from {name} at about {about}; {to} wants no part deliveries.",
            f"Send {total} pieces of {label} (id {token_id}) to {to} by {by}, all of them together. {name} should top me up about {about}.",
        ),
        goals=(
            HoldsUnits("user", collection, token_id, 0),
            HoldsUnits(friend, collection, token_id, total),
            Together((HoldsUnits(friend, collection, token_id, total),)),
        ),
        brief={
            "way": "ids",
            "collection": label,
            "to": [to],
            "amounts": {token_id: total},
            **when.brief,
        },
        deadline=when.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Work out ids and amounts, make sure that there is enough for all, then send batch by batch, or one by one."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    receivers = [person(seen, label) for label in brief["to"]] or [contract(seen, brief["shelf"])]
    held = {int(i): int(amount) for i, amount in holdings(seen, address).get("units", {}).items()}
    amounts = yield from _amounts(brief, address, held)
    if "expected" in brief:
        held = yield from _await_delivery(address, seen["you"], amounts, brief)
    for token_id, amount in amounts.items():
        if held.get(token_id, 0) < amount * len(receivers):
            needed = amount * len(receivers)
            yield from give_up(f"there are {held.get(token_id, 0)} of #{token_id} and {needed} are needed", "funds")
            return
    for receiver in receivers:
        problem = yield from _hand_over(address, seen["you"], receiver, amounts)
        if problem:
            yield from give_up(f"the transfer fails: {problem}", "receiver")
            return
    yield from finish("Everything has been sent.")


def _amounts(brief: dict[str, Any], address: str, held: dict[int, int]) -> Any:
    if brief["way"] == "half":
        return {token_id: amount // 2 for token_id, amount in held.items() if amount > 1}
    if brief["way"] == "ids":
        return {int(token_id): amount for token_id, amount in brief["amounts"].items()}
    amounts = {}
    for token_id in held:
        template = yield from view(address, "uri", token_id)
        document = yield from use("fetch_uri", uri=template.replace("{id}", f"{token_id:064x}"))
        name = json.loads(document["content"])["name"]
        if name in brief["amounts"]:
            amounts[token_id] = brief["amounts"][name]
    return amounts


def _await_delivery(address: str, me: str, amounts: dict[int, int], brief: dict[str, Any]) -> Any:
    """What is held once it is enough, or just before the deadline."""
    held: dict[int, int] = {}
    for look in looks(brief["expected"], brief["deadline"]):
        yield from wait_until(look)
        for token_id in amounts:
            held[token_id] = int((yield from view(address, "balanceOf", me, token_id)))
        if all(held[i] >= amounts[i] for i in amounts):
            break
    return held


def _hand_over(address: str, me: str, receiver: str, amounts: dict[int, int]) -> Any:
    ids, values = list(amounts), list(amounts.values())
    if len(ids) > 1:
        problem = yield from send(address, SAFE_BATCH, me, receiver, ids, values, "0x")
        if not problem:
            return None
    for token_id, value in amounts.items():
        problem = yield from send(address, SAFE_UNITS, me, receiver, token_id, value, "0x")
        if problem:
            return problem
    return None


def careless(brief: dict[str, Any]) -> Play:
    """One batch to each receiver, at once, of the ids that the words name or of half of all that is there."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    held = {int(i): int(amount) for i, amount in holdings(seen, address).get("units", {}).items()}
    amounts = yield from _amounts(brief, address, held)
    for receiver in [person(seen, label) for label in brief["to"]] or [contract(seen, brief["shelf"])]:
        yield from send(address, SAFE_BATCH, seen["you"], receiver, list(amounts), list(amounts.values()), "0x")
    yield from finish("Sent.")


F1C = SubFamily(
    name="F1c",
    title="ERC-1155 batches",
    cases=numbered(
        able(a_few, "T1", "ERC-1155", "namesake"),
        able(by_name, "T2", "ERC-1155", "metadata"),
        able(to_three_people, "T2", "ERC-1155", "all-or-none"),
        unable(3, "funds", "ownership"),
        able(half_of_each, "T3", "ERC-1155"),
        able(one_kind_at_a_time, "T3", "ERC-1155", "receiver", "trap:first-idea-fails"),
        able(after_the_delivery, "T4", "ERC-1155", "trap:first-idea-fails"),
        unable(7, "funds", "ownership", "time"),
    ),
    policy=play,
    careless=careless,
    derivations=("half",),
)
