"""F4a: a public drop. Which phase is open, at what price, and how many the wallet may still claim, whatever it holds.

Computed by rule: the ether sent is the phase's price times the quantity; what a wallet may still claim is the phase's limit
less what it has claimed in that phase; the id of a fresh token is the one in its mint event.
"""

from __future__ import annotations

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.drops import Phase, drop
from nftbench.tasks.families.f4_minting.phases_plays import careless, play
from nftbench.tasks.families.f4_minting.sales import (
    MILLIETHER,
    counters,
    ether,
    minted,
    paid,
    price,
    reads,
)
from nftbench.tasks.family import Case, Story, SubFamily
from nftbench.tasks.goals import At, Change, EtherChange, Reading
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.scene import Scene

COUNTERS = ("totalMinted", "totalSupply")


def _claimed(scene: Scene, collection: str, *wallets: str, phases: int) -> None:
    """Watch what these wallets have claimed in each phase."""
    scene.watch(*(Reading(collection, "claimedBy", (At(w), phase)) for w in wallets for phase in range(phases)))


def running_sale(scene: Scene, _: bool) -> Story:
    """The second phase of a drop is open. A second edition of like name sells more cheaply."""
    draw = scene.draw
    first, second = scene.person(), scene.person()
    early, cost, now = price(draw), price(draw), scene.start
    phases = (
        Phase(now - 40 * DAY, now - 20 * DAY, early, 2),
        Phase(now - 2 * DAY, now + draw.number(2, 5) * DAY, cost, draw.number(4, 6)),
    )
    collection = drop(scene, draw.number(200, 900), phases)
    label = scene.labels[collection]
    drop(scene, draw.number(200, 900), (Phase(now - DAY, now + 3 * DAY, cost // 2, 5),), f"{label} Encore")
    scene.step(first, collection, "mint", 2, value=2 * early)
    scene.step(second, collection, "mint", 1, value=early)
    quantity = draw.number(2, 3)
    _claimed(scene, collection, "user", first, phases=2)
    return Story(
        phrasings=(
            f"Mint {quantity} {label} for me in the public sale that's on.",
            f"The {label} drop is open to everybody right now. Please get me {quantity} of them from the drop itself.",
            f"I'd like {quantity} new {label}, minted to this wallet, at whatever the current sale phase charges.",
        ),
        goals=(
            *minted(collection, range(4, 4 + quantity)),
            paid(collection, quantity * cost),
            reads(collection, "claimedBy", At("user"), 1, value=quantity),
        ),
        allowed=counters(collection, 3 + quantity, *COUNTERS),
        brief={"collection": label, "quantity": quantity},
    )


def cheaper_later(scene: Scene, feasible: bool) -> Story:
    """The open phase is too dear; the affordable one has begun on paper and takes over when the open one ends.

    In the twin the open phase goes on until after the deadline.
    """
    draw = scene.draw
    friend, now = scene.person(), scene.start
    dear, cheap, quantity = price(draw, 60, 90), price(draw, 12, 35), draw.number(2, 4)
    cap = cheap + draw.number(3, 15) * MILLIETHER
    hours, minutes, deadline = draw.number(5, 18), 5 * draw.number(1, 11), draw.number(26, 40) * HOUR
    ends = hours * HOUR + 60 * minutes if feasible else deadline + hours * HOUR + 60 * minutes
    phases = (
        Phase(now - 33 * DAY, now + ends, dear, 10),
        Phase(now + 2 * HOUR, now + 9 * DAY, cheap, draw.number(4, 6)),
    )
    collection = drop(scene, draw.number(150, 700), phases)
    scene.step(friend, collection, "mint", 3, value=3 * dear)
    _claimed(scene, collection, "user", phases=2)
    label, by, limit = scene.labels[collection], moment(now + deadline), ether(cap)
    return Story(
        phrasings=(
            f"Get me {quantity} {label} from the drop by {by}, for no more than {limit} each. Any of its phases will do.",
            f"I want to mint {quantity} {label}. My limit is {limit} apiece, and I need them before {by}; which phase of the drop they come from is all the same to me.",
            f"Please mint {quantity} pieces of {label} in whichever phase of the drop costs at most {limit} a piece. They have to be here by {by}.",
        ),
        goals=(
            *minted(collection, range(4, 4 + quantity)),
            paid(collection, quantity * cheap),
            reads(collection, "claimedBy", At("user"), 1, value=quantity),
        ),
        allowed=counters(collection, 3 + quantity, *COUNTERS),
        brief={"collection": label, "quantity": quantity, "cap": cap, "deadline": now + deadline},
        deadline=deadline,
    )


def on_top_of_gifts(scene: Scene, feasible: bool) -> Story:
    """The wallet holds as many as a wallet may claim, all of them gifts. In the twin it has claimed them itself."""
    draw = scene.draw
    friend, now = scene.person(), scene.start
    cost, limit = price(draw), draw.number(3, 4)
    quantity = draw.number(2, limit)
    collection = drop(
        scene, draw.number(150, 700), (Phase(now - 33 * DAY, now + draw.number(3, 6) * DAY, cost, limit),)
    )
    if feasible:
        scene.step(friend, collection, "mint", limit, value=limit * cost)
        for token_id in range(1, limit + 1):
            scene.step(friend, collection, "transferFrom", At(friend), At("user"), token_id)
    else:
        scene.step("user", collection, "mint", limit, value=limit * cost)
    _claimed(scene, collection, friend, phases=1)
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"I have {limit} {label} so far. Mint {quantity} more for me in the drop.",
            f"Please add {quantity} {label} to the {limit} in this wallet, from the drop that's open, minted by this wallet.",
            f"{quantity} further {label}, please: mint them here through the public drop, so that I end up with {limit + quantity}.",
        ),
        goals=(
            *minted(collection, range(limit + 1, limit + quantity + 1)),
            paid(collection, quantity * cost),
            reads(collection, "claimedBy", At("user"), 0, value=quantity),
        ),
        allowed=counters(collection, limit + quantity, *COUNTERS),
        brief={"collection": label, "quantity": quantity},
    )


def rest_of_the_limit(scene: Scene, _: bool) -> Story:
    """As many as the phase still lets the wallet claim, after claims in two phases, a sale and two gifts."""
    draw = scene.draw
    friend, now = scene.person(), scene.start
    early, cost, limit, mine = price(draw), price(draw), draw.number(6, 8), draw.number(2, 3)
    phases = (Phase(now - 40 * DAY, now - 20 * DAY, early, 5), Phase(now - 12 * DAY, now + 4 * DAY, cost, limit))
    collection = drop(scene, draw.number(150, 700), phases)
    scene.step("user", collection, "mint", 2, value=2 * early)
    scene.step(friend, collection, "mint", 4, value=4 * early)
    scene.passing(20 * DAY)
    scene.step("user", collection, "mint", mine, value=mine * cost)
    scene.step("user", collection, "transferFrom", At("user"), At(friend), 7)
    for token_id in (3, 4):
        scene.step(friend, collection, "transferFrom", At(friend), At("user"), token_id)
    _claimed(scene, collection, "user", friend, phases=2)
    total, rest = 6 + mine, limit - mine
    label, each = scene.labels[collection], ether(cost)
    return Story(
        phrasings=(
            f"The running phase of {label} allows {limit} claims a wallet, at {each} each. I've used some of mine: use up all the rest.",
            f"Mint as many {label} as this wallet may still claim in the phase that's on now ({each} a token, {limit} a wallet, and I have been there before).",
            f"Max out my {label} allotment of the current phase. It's {limit} per wallet and {each} per token; some I have claimed already.",
        ),
        goals=(
            *minted(collection, range(total + 1, total + rest + 1)),
            paid(collection, rest * cost),
            reads(collection, "claimedBy", At("user"), 1, value=limit),
        ),
        allowed=counters(collection, total + rest, *COUNTERS),
        brief={"collection": label, "limit": limit, "price": cost},
    )


def two_wallets(scene: Scene, _: bool) -> Story:
    """More than one wallet may claim, but the user has two."""
    draw = scene.draw
    second = scene.person("My second wallet")
    friend, now = scene.person(), scene.start
    cost, limit = price(draw), draw.number(2, 3)
    collection = drop(
        scene, draw.number(150, 700), (Phase(now - 33 * DAY, now + draw.number(2, 5) * DAY, cost, limit),)
    )
    scene.step(friend, collection, "mint", 2, value=2 * cost)
    _claimed(scene, collection, friend, phases=1)
    label, each, fresh = scene.labels[collection], ether(cost), range(3, 3 + 2 * limit)
    own = tuple(Change(kind="owner", contract=collection, subject=i, to=At(w)) for i in fresh for w in ("user", second))
    bare = tuple(Change(kind="approved", contract=collection, subject=i, to=At("nobody")) for i in fresh)
    goals = tuple(
        goal
        for wallet in ("user", second)
        for goal in (
            reads(collection, "balanceOf", At(wallet), value=limit),
            reads(collection, "claimedBy", At(wallet), 0, value=limit),
            EtherChange(wallet, -limit * cost),
        )
    )
    return Story(
        phrasings=(
            f"Mint {2 * limit} {label} at {each} each: {limit} into this wallet and {limit} into my second wallet, each wallet paying for its own.",
            f"I want {limit} {label} in each of my two wallets (this one and my second wallet), {2 * limit} altogether. They cost {each} apiece; every wallet mints and pays its share itself.",
            f"{label} is open at {each} a token. Please claim {limit} with this wallet, and with my second wallet another {limit} out of its own pocket.",
        ),
        goals=(*goals, EtherChange(collection, 2 * limit * cost)),
        allowed=(*own, *bare, *counters(collection, 2 + 2 * limit, *COUNTERS)),
        brief={"collection": label, "quantity": limit, "wallets": ["My second wallet"], "price": cost},
        controlled=(second,),
    )


def rush(scene: Scene, _: bool) -> Story:
    """A small sale that opens before the announced time and is sold out soon after; another buyer mints right after the user."""
    draw = scene.draw
    friend = scene.person()
    crowd = [scene.person() for _ in range(3)]
    now, cost = scene.start, price(draw)
    announced = draw.number(4, 9) * HOUR
    opens, deadline = announced - 60 * draw.number(25, 45), announced + draw.number(5, 9) * HOUR
    gone = draw.number(3, 6)
    collection = drop(scene, gone + 7, (Phase(now + opens, now + opens + 3 * DAY, cost, 3),))
    scene.step("team", collection, "airdrop", At("team"), gone)
    quick = crowd[0]
    sweep = [(crowd[1], 3), (crowd[2], 3), (quick, 1)]
    scene.actor(
        "quick",
        Trigger(condition=Reading(collection, "totalMinted"), equals=gone + 1),
        _buys(collection, quick, 2, cost),
    )
    steps = (_buys(collection, buyer, quantity, cost) for buyer, quantity in sweep)
    scene.actor("crowd", Trigger(after=opens + 60 * draw.number(9, 18)), *steps)
    _claimed(scene, collection, friend, phases=1)
    label, to, each = scene.labels[collection], scene.labels[friend], ether(cost)
    about, by = moment(now + announced), moment(now + deadline)
    fresh = range(gone + 1, gone + 8)
    return Story(
        phrasings=(
            f"The {label} drop opens today, at about {about} by the announcement, for {each} a token, and it won't last long. Mint one as soon as it opens and pass that one on to {to}, by {by} at the latest.",
            f"{to} wants one of the {label}. They go on sale around {about} they say ({each} each) and will be gone in no time, so be there at the opening: mint one and send the fresh one over to {to} before {by}.",
            f"Please be at the very start of the {label} sale, announced for roughly {about}, and mint a single token at {each}. That new token then goes to {to}; it must be there by {by}. The sale will be very short.",
        ),
        goals=(
            reads(collection, "balanceOf", At(friend), value=1),
            reads(collection, "balanceOf", At("user"), value=0),
            reads(collection, "claimedBy", At("user"), 0, value=1),
            paid(collection, cost),
        ),
        allowed=(
            *(Change(kind="owner", contract=collection, subject=i, to=At(friend)) for i in fresh),
            *(Change(kind="approved", contract=collection, subject=i, to=At("nobody")) for i in fresh),
            *(Change(kind="view", contract=collection, subject=f"{name}()") for name in COUNTERS),
        ),
        brief={
            "collection": label,
            "quantity": 1,
            "price": cost,
            "to": to,
            "announced": now + announced,
            "deadline": now + deadline,
        },
        deadline=deadline,
    )


def _buys(collection: str, buyer: str, quantity: int, cost: int) -> Step:
    return Step(sender=buyer, target=collection, function="mint", args=(quantity,), value=quantity * cost)


F4A = SubFamily(
    name="F4a",
    title="public mints in phases",
    cases=(
        Case(tell=running_sale, difficulty="T1", tags=("phases", "namesake")),
        Case(tell=cheaper_later, difficulty="T3", tags=("phases", "trap:pays-at-once")),
        Case(tell=on_top_of_gifts, difficulty="T2", tags=("wallet-limit",)),
        Case(tell=on_top_of_gifts, difficulty="T2", tags=("wallet-limit",), twin_of=3, reasons=("limit",)),
        Case(tell=rest_of_the_limit, difficulty="T3", tags=("wallet-limit", "trap:holdings")),
        Case(tell=two_wallets, difficulty="T2", tags=("wallet-limit", "trap:one-wallet")),
        Case(tell=rush, difficulty="T4", tags=("phases", "trap:announced-time")),
        Case(tell=cheaper_later, difficulty="T3", tags=("phases",), twin_of=2, reasons=("time",)),
    ),
    policy=play,
    derivations=("difference", "moment", "product"),
    careless=careless,
)
