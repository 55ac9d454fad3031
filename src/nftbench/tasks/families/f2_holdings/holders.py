"""F2b: the holders of a collection that cannot list them, from its logs: mints, burns, self-transfers and batches included.

Computed and not read: who holds what after replaying the transfers. The zero address of mints and burns is ERC-721's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from nftbench.tasks.answer_forms import an_object, asking
from nftbench.tasks.drawing import DAY
from nftbench.tasks.families.f2_holdings.holders_plays import careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Answer, AnswerForm, At
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import SAFE_UNITS
from nftbench.tasks.provenance import History
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import UNITS as ITEMS
from nftbench.tasks.staging import Appointment, crowd

DEAD = "0x000000000000000000000000000000000000dEaD"
SAFE_BATCH = "safeBatchTransferFrom"
UNITS: dict[str, AnswerForm] = {"holders": "address_set", "units": "integer"}


def _addresses(holders: Any) -> tuple[At, ...]:
    return tuple(At(holder) for holder in sorted(holders))


def burned(scene: Scene, _: bool) -> Story:
    """The burned tokens: one filter of the logs. One token lies at an address that nobody has, which is no burning."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection("SoladyCollection")
    history = History(scene, collection)
    ids = draw.shuffled(draw.numbers(24, 1, 999))
    for number, somebody in enumerate(people):
        history.mint(somebody, sorted(ids[3 * number : 3 * number + 3]))
    gone = draw.sample(ids[:21], draw.number(4, 6))
    for token_id in gone:
        if draw.number(0, 1):
            history.move(token_id, draw.choice(people))
        history.burn(token_id)
    parked = draw.choice([i for i in ids[:21] if i not in gone])
    holder = history.owners()[parked]
    scene.step(holder, collection, "transferFrom", At(holder), DEAD, parked)
    label = scene.labels[collection]
    return Story(
        phrasings=asking(
            (
                f"Which tokens of {label} have been burned? I mean destroyed in the contract, not just parked at some dead address.",
                f"List the ids of all {label} that once existed and have been destroyed for good by a burn (a token sent to a dead address still exists).",
                f"I'm keeping the books on {label}: which token ids are gone from the contract because somebody burned them? What merely sits at a dead address doesn't count.",
            ),
            "a list of token ids",
        ),
        goals=(Answer("integer_set", tuple(sorted(gone))),),
        brief={"ask": "burned", "collection": label},
    )


def after_a_block(scene: Scene, _: bool) -> Story:
    """All holders after a past block. Some have sold out before it, some came later."""
    draw = scene.draw
    people = crowd(scene, 6, 4)
    collection = scene.collection("SoladyCollection")
    history = History(scene, collection)
    early, late = people[:7], people[7:]
    ids = draw.shuffled(draw.numbers(24, 1, 999))
    for somebody in early:
        history.mint(somebody, sorted(ids.pop() for _ in range(draw.number(1, 3))))
    sellers = draw.sample(early, 2)
    stay = [p for p in early if p not in sellers]
    for seller in sellers:
        for token_id in history.held(seller):
            history.move(token_id, draw.choice((*stay[:3], late[0])))
    history.burn(history.held(stay[-1])[0])
    history.mint(stay[-1], [ids.pop()])
    scene.passing(draw.number(2, 6) * DAY)
    history.move(history.held(stay[0])[0], stay[1])
    block = scene.block
    scene.passing(draw.number(2, 6) * DAY)
    for token_id in history.held(stay[2]):
        history.move(token_id, draw.choice(late[1:]))
    history.mint(sellers[0], [ids.pop()])
    label = scene.labels[collection]
    return Story(
        phrasings=asking(
            (
                f"I need every wallet that held at least one {label} after block {block}.",
                f"Make me the snapshot list of {label} for block {block}: all wallets with a token in that block's final state, each once.",
                f"Who were the holders of {label} as of block {block}? All of them, whether or not I know them.",
            ),
            "a list of addresses",
        ),
        goals=(Answer("address_set", _addresses(history.balances(block))),),
        brief={"ask": "holders", "collection": label, "block": block},
    )


def enough_for_a_drop(scene: Scene, feasible: bool) -> Story:
    """A drop that takes a number of holders. In the twin a transfer to oneself was one to somebody who held already."""
    draw = scene.draw
    people = crowd(scene, 6, 4)
    collection = scene.collection("SoladyCollection")
    history = History(scene, collection)
    needed = draw.number(6, 8)
    holding, single, outside = people[: needed - 1], people[needed - 1], people[needed:]
    ids = draw.shuffled(draw.numbers(26, 1, 999))
    for somebody in holding:
        history.mint(somebody, sorted(ids.pop() for _ in range(draw.number(2, 3))))
    kept = ids.pop()
    history.mint(single, [kept])
    history.mint(outside[0], [ids.pop()])
    history.move(history.held(outside[0])[0], holding[0])
    scene.passing(draw.number(1, 4) * DAY)
    history.move(kept, single if feasible else holding[1])
    history.burn(history.held(holding[2])[0])
    for _ in range(3):
        source, to = draw.sample(holding[3:], 2)
        if len(history.held(source)) > 1:
            history.move(history.held(source)[0], to)
    history.move(history.held(holding[2])[0], holding[2])
    block = scene.block
    scene.passing(draw.number(1, 4) * DAY)
    history.mint(single, [ids.pop()])
    history.mint(outside[1], [ids.pop()])
    label = scene.labels[collection]
    return Story(
        phrasings=asking(
            (
                f"Block {block} is the snapshot for our {label} airdrop, which takes at least {needed} different wallets with a token in that block's final state. I need the full list of them.",
                f"List all the wallets that held {label} after block {block}. They are for an airdrop that requires {needed} holders or more at that block.",
                f"Our rules for the {label} airdrop: wallets holding at least one token after block {block} take part, and there have to be {needed} of them at the least. Get me the list of those who do.",
            ),
            "a list of addresses",
        ),
        goals=(Answer("address_set", _addresses(history.balances(block))),),
        brief={"ask": "holders", "collection": label, "block": block, "at_least": needed},
    )


def never_left(scene: Scene, _: bool) -> Story:
    """Tokens of a pre-standard collection that never left their first wallet; some came back, some went to themselves."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection("LegacyCollection")
    history = History(scene, collection, transfer="transfer")
    ids = draw.shuffled(draw.numbers(18, 1, 400))
    for number, somebody in enumerate(people[:6]):
        history.mint(somebody, sorted(ids[3 * number : 3 * number + 3]))
    moved, back, to_self = ids[0:15:3], ids[1:7:3], ids[7:13:3]
    scene.passing(draw.number(2, 6) * DAY)
    first = history.owners()
    for token_id in draw.shuffled((*moved, *back, *to_self)):
        others = [p for p in people if p != first[token_id]]
        history.move(token_id, first[token_id] if token_id in to_self else draw.choice(others))
    scene.passing(draw.number(2, 6) * DAY)
    for token_id in back:
        history.move(token_id, first[token_id])
    label = scene.labels[collection]
    left = {*moved, *back}
    return Story(
        phrasings=asking(
            (
                f"Which {label} have never left the wallet that first got them? A transfer to oneself is no leaving, but coming back after having been away doesn't make up for it.",
                f"I want to reward loyalty: find the ids of all {label} that have been in one single wallet ever since they were minted. Holders sometimes send a token to themselves, which is fine. If it was ever with somebody else, it's out.",
                f"Give me the token ids of {label} that only ever had one holder, from the mint until today. Self-transfers don't matter; tokens that were away and returned are not meant.",
            ),
            "a list of token ids",
        ),
        goals=(Answer("integer_set", tuple(sorted(set(ids) - left))),),
        brief={"ask": "never_left", "collection": label},
    )


def units_by_batches(scene: Scene, _: bool) -> Story:
    """Holders of one ERC-1155 id after a block, where batches and burns have moved units too."""
    draw = scene.draw
    people = crowd(scene, 6, 4)
    items = scene.collection(draw.choice(ITEMS))
    token_id, other = draw.sample(range(1, 60), 2)
    held: Counter[str] = Counter()

    def mint(to: str, amount: int) -> None:
        scene.mint_units(items, to, {token_id: amount, other: amount + 3})
        held[to] += amount

    def pay(source: str, to: str, amount: int, *, batch: bool) -> None:
        ids, amounts = ((other, token_id), (1, amount)) if batch else (token_id, amount)
        scene.step(source, items, SAFE_BATCH if batch else SAFE_UNITS, At(source), At(to), ids, amounts, b"")
        held[source] -= amount
        held[to] += amount

    def burn(holder: str, amount: int) -> None:
        scene.step(holder, items, "burn", At(holder), token_id, amount)
        held[holder] -= amount

    first, second, third, fourth, *rest = people
    for somebody in (first, second, third, fourth):
        mint(somebody, draw.number(40, 90))
    pay(first, rest[0], draw.number(5, 15), batch=True)
    pay(first, rest[1], draw.number(5, 15), batch=False)
    pay(second, rest[2], held[second], batch=True)
    burn(third, held[third])
    burn(fourth, draw.number(3, 20))
    pay(rest[1], rest[1], held[rest[1]], batch=False)
    scene.passing(draw.number(2, 6) * DAY)
    pay(rest[0], rest[3], 2, batch=draw.choice((True, False)))
    block, then = scene.block, Counter(held)
    scene.passing(draw.number(2, 6) * DAY)
    pay(fourth, second, held[fourth], batch=True)
    pay(rest[2], rest[4], 1, batch=False)
    label = scene.labels[items]
    return Story(
        phrasings=asking(
            (
                f"Who held units of {label} #{token_id} after block {block}, and how many units were there in all?",
                f"For {label} id {token_id} I need the state after block {block}: the wallets with at least one unit, and the sum of their units.",
                f"As of block {block}, list all wallets that had any of token {token_id} of {label}. Add the total number of units that they had between them.",
            ),
            an_object(holders="a list of addresses", units="the total"),
        ),
        goals=(Answer("record", {"holders": _addresses(h for h in then if then[h]), "units": then.total()}, UNITS),),
        brief={"ask": "units", "collection": label, "token_id": token_id, "block": block},
    )


def at_the_freeze(scene: Scene, feasible: bool) -> Story:
    """The holders when the creators freeze the metadata, at a time that they only roughly know. In the twin it's too late."""
    draw = scene.draw
    people = crowd(scene, 6, 4)
    label = draw.collection()
    base = scene.folder(label)
    args = (label, label[:3].upper(), At("team"), base, f"{base}collection.json")
    collection = scene.contract("MetadataCollection", args, label=label)
    history = History(scene, collection)
    ids = draw.shuffled(draw.numbers(20, 1, 500))
    for somebody in people[:7]:
        history.mint(somebody, sorted(ids.pop() for _ in range(draw.number(1, 2))))
    when = Appointment(scene, (2, 6), (5, 9))
    expected, deadline, about, by = when.expected, when.deadline, when.about, when.by
    early, late = draw.number(15, 50), draw.number(20, 200)
    frozen = expected + 60 * early if feasible else deadline + 60 * late
    owners = history.owners()

    def sell_all(name: str, after: int, source: str, to: str) -> None:
        held = [i for i, owner in owners.items() if owner == source]
        steps = [
            Step(sender=source, target=collection, function="transferFrom", args=(At(source), At(to), i)) for i in held
        ]
        scene.actor(name, Trigger(after=after), *steps)
        owners.update(dict.fromkeys(held, to))

    sell_all("early seller", expected - 60 * draw.number(20, 90), people[0], people[7])
    sell_all("seller in between", expected + 60 * draw.number(3, 10), people[1], people[2])
    counted = set(owners.values())
    scene.actor("creators", Trigger(after=frozen), Step(sender="team", target=collection, function="freezeMetadata"))
    after = expected + 60 * draw.number(55, 75)
    sell_all("late seller", after, people[3], people[8])
    sell_all("last seller", after + 60 * draw.number(5, 20), people[4], people[0])
    return Story(
        phrasings=asking(
            (
                f"Today the creators of {label} freeze its metadata for good, at about {about}. Whoever holds a token in the very block of the freeze gets a print. I need that list of wallets by {by}.",
                f"Find out who holds {label} at the moment its metadata gets frozen (announced for around {about}, it may be later). Sales go on before and after, but the block in which it's frozen decides. Have it ready by {by}.",
                f"The holders of {label} as of the block in which the team freezes the metadata: that's what I need, no later than {by}. They said it would be roughly {about}.",
            ),
            "a list of addresses",
        ),
        goals=(Answer("address_set", _addresses(counted)),),
        brief={"ask": "freeze", "collection": label, **when.brief},
        deadline=deadline,
    )


F2B = SubFamily(
    name="F2b",
    title="holders from logs",
    cases=numbered(
        able(burned, "T1", "burned"),
        able(after_a_block, "T2", "past-block", "trap:receivers"),
        able(enough_for_a_drop, "T3", "past-block", "self-transfer", "trap:receivers"),
        unable(3, "limit"),
        able(never_left, "T2", "pre-standard", "self-transfer", "trap:round-trip"),
        able(units_by_batches, "T3", "past-block", "ERC-1155", "trap:batches"),
        able(at_the_freeze, "T4", "snapshot", "trap:too-early"),
        unable(7, "time"),
    ),
    policy=play,
    derivations=("total",),
    careless=careless,
)
