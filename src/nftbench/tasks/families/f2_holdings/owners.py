"""F2a: who has what, and who had it. Now, after a past block, on a past day, behind a vault, and at a moment still to come.

Computed and not read: the answers' sums and differences, and a moment in UTC as a Unix time.
"""

from __future__ import annotations

from collections import Counter

from nftbench.tasks.answer_forms import an_object, asking
from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f2_holdings.owners_plays import careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Answer, AnswerForm, At
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import SAFE_TRANSFER, SAFE_UNITS
from nftbench.tasks.provenance import History
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import PLAIN, UNITS, crowd, vault

OWNER_AND_BALANCE: dict[str, AnswerForm] = {"owner": "address", "balance": "integer"}


def _first_holders(history: History, people: list[str]) -> list[int]:
    """Two to four tokens for everybody; ids that are left over, in drawn order."""
    draw = history.scene.draw
    ids = draw.shuffled(draw.numbers(40, 1, 900))
    for somebody in people:
        history.mint(somebody, sorted(ids.pop() for _ in range(draw.number(2, 4))))
    return ids


def _some_more(history: History, holder: str, ids: list[int]) -> None:
    history.mint(holder, sorted(ids.pop() for _ in range(history.scene.draw.number(1, 5))))


def units_of_one(scene: Scene, _: bool) -> Story:
    """Units of one ERC-1155 id, with other ids and other holders beside it."""
    draw = scene.draw
    people = [scene.person() for _ in range(5)]
    holder = draw.choice(people)
    items = scene.collection(draw.choice(UNITS))
    ids = draw.numbers(3, 1, 60)
    token_id = draw.choice(ids)
    amounts = {p: dict(zip(ids, draw.numbers(3, 101, 9899), strict=True)) for p in people}
    for somebody in people:
        scene.mint_units(items, somebody, amounts[somebody])
    gone = draw.number(3, 90)
    scene.step(holder, items, SAFE_UNITS, At(holder), At("user"), token_id, gone, b"")
    label, name = scene.labels[items], scene.labels[holder]
    return Story(
        phrasings=asking(
            (
                f"How many units of {label} #{token_id} does {name} hold?",
                f"I need {name}'s balance of token {token_id} in {label}.",
                f"{name} says to have plenty of {label} (id {token_id}). How many exactly?",
            ),
            "the bare number",
        ),
        goals=(Answer("integer", amounts[holder][token_id] - gone),),
        brief={"ask": "units", "collection": label, "token_id": token_id, "who": name},
    )


def then_and_now(scene: Scene, _: bool) -> Story:
    """The owner after a past block and what that wallet held then; the token and others have moved since."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection(draw.choice(PLAIN))
    history = History(scene, collection)
    ids = _first_holders(history, people)
    first, then, now = people[:3]
    token_id = history.held(first)[0]
    history.move(token_id, then)
    _some_more(history, then, ids)
    scene.passing(draw.number(2, 6) * DAY)
    history.move(history.held(people[3])[0], people[4])
    block = scene.block
    scene.passing(draw.number(2, 6) * DAY)
    history.move(token_id, now)
    for sold in history.held(then)[:2]:
        history.move(sold, now)
    label = scene.labels[collection]
    return Story(
        phrasings=asking(
            (
                f"Who was the owner of {label} #{token_id} as of block {block}, and how many {label} did that wallet have in all at that block?",
                f"For a tax question I need the state after block {block}: which wallet held {label} number {token_id}, and how many tokens of {label} it held then.",
                f"Go back to block {block}. Whose was {label} #{token_id}, and what was that owner's balance of {label} at the same block?",
            ),
            an_object(owner="the address", balance="the number of tokens"),
        ),
        goals=(Answer("record", {"owner": At(then), "balance": history.balances(block)[then]}, OWNER_AND_BALANCE),),
        brief={"ask": "past", "collection": label, "token_id": token_id, "block": block},
    )


def on_a_day(scene: Scene, feasible: bool) -> Story:
    """A burned token that was issued anew before the day in question. In the twin that came only after it."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection("OpenZeppelinCollection")
    history = History(scene, collection)
    first, second, third, last = people[:4]
    ids = draw.shuffled(draw.numbers(14, 1, 700))
    token_id = ids.pop()
    history.mint(first, [token_id])
    history.mint(second, sorted(ids[:5]))
    for _ in range(draw.number(1, 12)):
        history.move(draw.choice(ids[1:5]), draw.choice(people))
    asked = scene.start - draw.number(5, 9) * DAY + draw.number(-3, 3) * HOUR
    scene.pass_until(asked - draw.number(9, 12) * DAY)
    history.move(token_id, second)
    scene.pass_until(asked - draw.number(5, 8) * DAY)
    history.burn(token_id)
    history.move(ids[0], third)
    before, after = asked - draw.number(10, 70) * HOUR, asked + draw.number(5, 20) * HOUR
    scene.pass_until(before if feasible else after)
    history.mint(third, [token_id])
    block = scene.block
    scene.pass_until(asked + draw.number(30, 60) * HOUR)
    history.move(token_id, last)
    label, when = scene.labels[collection], moment(asked)
    return Story(
        phrasings=asking(
            (
                f"Who owned {label} #{token_id} on {when}, and in which block had it come to that owner?",
                f"I'm settling who was entitled to a payout: the owner of {label} number {token_id} on {when}. I also need the block in which that owner had received it.",
                f"Which wallet had {label} #{token_id} at this moment: {when}? And since which block?",
            ),
            an_object(owner="the address", block="the block number"),
        ),
        goals=(Answer("record", {"owner": At(third), "block": block}, {"owner": "address", "block": "integer"}),),
        brief={"ask": "day", "collection": label, "token_id": token_id, "time": asked},
    )


def in_a_vault(scene: Scene, feasible: bool) -> Story:
    """A token that a vault keeps for somebody. In the twin it was sent there by a plain transfer, to nobody's credit."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection("OpenZeppelinCollection")
    keeper = vault(scene)
    history = History(scene, collection)
    ids = _first_holders(history, people)
    earlier, entitled = people[:2]
    _some_more(history, entitled, ids)
    token_id = history.held(earlier)[0]
    scene.step(earlier, collection, SAFE_TRANSFER, At(earlier), At(keeper), token_id)
    scene.step(people[2], collection, SAFE_TRANSFER, At(people[2]), At(keeper), history.held(people[2])[0])
    scene.passing(draw.number(2, 8) * DAY)
    scene.step(earlier, keeper, "withdraw", At(collection), token_id)
    history.move(token_id, entitled)
    function = SAFE_TRANSFER if feasible else "transferFrom"
    scene.step(entitled, collection, function, At(entitled), At(keeper), token_id)
    label, balance = scene.labels[collection], history.balances()[entitled] - 1
    return Story(
        phrasings=asking(
            (
                f"Who can dispose of {label} #{token_id}? Where a vault keeps it, I don't mean the vault but the wallet that may take it out. Tell me also how many {label} that wallet holds itself.",
                f"I want to make an offer for {label} number {token_id}, to the one who has the say over it: where a vault is only looking after it, the depositor who can withdraw it. And how many {label} has that wallet in its own hands?",
                f"Find the person behind {label} #{token_id}, whoever is able to get it out where it's in a vault, and that wallet's own balance of {label}.",
            ),
            an_object(owner="the wallet's address", balance="how many it holds itself"),
        ),
        goals=(Answer("record", {"owner": At(entitled), "balance": balance}, OWNER_AND_BALANCE),),
        brief={"ask": "behind", "collection": label, "token_id": token_id},
    )


def gained_most(scene: Scene, _: bool) -> Story:
    """Whose balance grew the most between two blocks: not the one who received the most, nor the one who has the most."""
    draw = scene.draw
    people = [scene.person() for _ in range(6)]
    scene.fill()
    items = scene.collection(draw.choice(UNITS))
    token_id = draw.number(2, 50)
    held: Counter[str] = Counter()

    def pay(source: str, to: str, amount: int) -> None:
        scene.step(source, items, SAFE_UNITS, At(source), At(to), token_id, amount, b"")
        held[source] -= amount
        held[to] += amount

    winner, through, rich, *others = draw.shuffled(people)
    for somebody in people:
        amount = draw.number(500, 900) + (2000 if somebody == rich else 0)
        scene.mint_units(items, somebody, {token_id: amount, token_id + 1: amount + 7})
        held[somebody] += amount
    pay(rich, others[0], draw.number(20, 60))
    first, before = scene.block, Counter(held)
    gain = draw.number(100, 180)
    pay(rich, through, 2 * gain + 40)
    pay(others[1], winner, gain // 2)
    scene.passing(draw.number(1, 4) * DAY)
    pay(through, others[2], gain - 20)
    pay(through, others[0], gain - 30 + draw.number(0, 9))
    pay(others[2], winner, gain - gain // 2)
    second = scene.block
    gained = held - before
    scene.passing(draw.number(1, 4) * DAY)
    pay(winner, others[1], gain + draw.number(1, 50))
    pay(rich, through, draw.number(200, 300))
    label = scene.labels[items]
    best = max(gained, key=lambda who: gained[who])
    return Story(
        phrasings=asking(
            (
                f"Of the people in my address book, whose balance of {label} #{token_id} grew the most from block {first} to block {second} (each as it stood after the block), and by how many units?",
                f"Compare balances of token {token_id} of {label} after block {first} and after block {second}. Which address-book wallet has the largest net increase, and how large is it?",
                f"Between block {first} and block {second}, who in my address book ended up with the biggest plus in {label} (id {token_id})? What counts is the balance after the one block against that after the other.",
            ),
            an_object(wallet="the address", gained="the number of units"),
        ),
        goals=(
            Answer("record", {"wallet": At(best), "gained": gained[best]}, {"wallet": "address", "gained": "integer"}),
        ),
        brief={"ask": "gained", "collection": label, "token_id": token_id, "blocks": [first, second]},
    )


def at_the_hour(scene: Scene, _: bool) -> Story:
    """A moment later today. Sales go on before it and right after it."""
    draw = scene.draw
    people = crowd(scene)
    collection = scene.collection(draw.choice(PLAIN))
    history = History(scene, collection)
    ids = _first_holders(history, people)
    seller, buyer, last, other = people[:4]
    _some_more(history, buyer, ids)
    token_id, more = history.held(seller)[0], history.held(other)[:2]
    asked = draw.number(3, 7) * HOUR
    deadline = asked + draw.number(3, 6) * HOUR

    def sale(name: str, after: int, source: str, to: str, sold: int) -> None:
        step = Step(sender=source, target=collection, function="transferFrom", args=(At(source), At(to), sold))
        scene.actor(name, Trigger(after=after), step)

    sale("first sale", asked - 60 * draw.number(30, 100), seller, buyer, token_id)
    sale("second sale", asked - 60 * draw.number(5, 25), other, buyer, more[0])
    sale("third sale", asked + 60 * draw.number(4, 9), buyer, last, token_id)
    sale("fourth sale", asked + 60 * draw.number(12, 40), other, buyer, more[1])
    label, when, by = scene.labels[collection], moment(scene.start + asked), moment(scene.start + deadline)
    balance = history.balances()[buyer] + 2
    return Story(
        phrasings=asking(
            (
                f"A snapshot counts: who owns {label} #{token_id} on {when}, on the dot, and how many {label} does that wallet hold at that moment? I need to know by {by}.",
                f"On {when} I must know whose {label} number {token_id} is at that very moment, and what that owner's {label} balance is then. Trading goes on before and after; only that moment matters. Let me have it no later than {by}.",
                f"Our raffle goes to the owner of {label} #{token_id} as of {when}, with one ticket for each {label} that this wallet holds at that instant. Find out both, and finish before {by}.",
            ),
            an_object(owner="the address", balance="the number of tokens"),
        ),
        goals=(Answer("record", {"owner": At(buyer), "balance": balance}, OWNER_AND_BALANCE),),
        brief={"ask": "hour", "collection": label, "token_id": token_id, "time": scene.start + asked},
        deadline=deadline,
    )


F2A = SubFamily(
    name="F2a",
    title="present and past owners",
    cases=numbered(
        able(units_of_one, "T1", "ERC-1155"),
        able(then_and_now, "T2", "past-block", "trap:present-state"),
        able(on_a_day, "T3", "past-time", "burned", "trap:present-state"),
        unable(3, "ownership", "time"),
        able(in_a_vault, "T2", "custody", "trap:custody"),
        able(gained_most, "T3", "past-block", "ERC-1155", "trap:largest-balance"),
        able(at_the_hour, "T4", "snapshot", "trap:too-early"),
        unable(5, "ownership", "authorisation", "locked"),
    ),
    policy=play,
    derivations=("difference",),
    careless=careless,
)
