"""F1d: empty a wallet, with exceptions. Everything that is meant, nothing that is not, each token by the way it moves."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, listed, moment
from nftbench.tasks.family import Play, Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import At, Change, Goal, HoldsUnits, Owns, Reading
from nftbench.tasks.playing import (
    SAFE_BATCH,
    SAFE_TRANSFER,
    SAFE_UNITS,
    contract,
    finish,
    give_up,
    has_function,
    holdings,
    person,
    send,
    state,
    use,
    view,
    wait_until,
)
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import UNITS, given_to_me, tokens_of_mine

ONE_BY_ONE = "transfer(address,uint256)"


def _cold(scene: Scene) -> str:
    """The user's own cold wallet, whose key the agent does not have, with a namesake to confuse it with."""
    cold = scene.person("Cold wallet")
    scene.person("Cold storage firm")
    return cold


def _numbers(ids: list[int]) -> str:
    return listed([f"#{i}" for i in ids])


def all_but_two(scene: Scene, _: bool) -> Story:
    """One enumerable collection, behind a proxy; two tokens stay."""
    cold = _cold(scene)
    collection = scene.proxied()
    mine = given_to_me(scene, collection, 7, low=5, high=500)
    kept = sorted(mine[:2])
    scene.mint(collection, "team", [501, 502, 503])
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Move all my {label} to my Cold wallet, except {_numbers(kept)}.",
            f"I'm clearing this wallet: every {label} of mine goes to the Cold wallet; only {_numbers(kept)} stay here.",
            f"All of my {label} should end up in the Cold wallet from my address book. Leave {_numbers(kept)} where they are.",
        ),
        goals=tuple(Owns("user" if i in kept else cold, collection, i) for i in mine),
        brief={"collections": [label], "kept": {label: kept}},
    )


def three_standards(scene: Scene, _: bool) -> Story:
    """An ERC-721 with unindexed ids, an ERC-721A and a pre-standard collection; soulbound badges stay of themselves."""
    draw = scene.draw
    cold = _cold(scene)
    first, second = scene.collection("UnindexedCollection"), scene.collection("SequentialCollection")
    third, badges = scene.collection("LegacyCollection"), scene.collection("SoulboundCollection")
    ids = {first: draw.numbers(2, 10, 90), third: draw.numbers(2, 1, 40)}
    scene.mint(first, "user", ids[first])
    scene.mint_next(second, "team", draw.number(2, 3))
    ids[second] = scene.mint_next(second, "user", 2)
    scene.mint_next(second, "team", 2)
    scene.mint(third, "user", ids[third])
    scene.mint(badges, "user", draw.numbers(2, 1, 30))
    names = [scene.labels[c] for c in (first, second, third)]
    badge = scene.labels[badges]
    return Story(
        phrasings=(
            f"Everything I have of {listed(names)} goes to my Cold wallet. The {badge} badges can't move, so leave those.",
            f"Please move my {listed(names)} tokens over to the Cold wallet, all of them. Don't bother with {badge}; they are soulbound.",
            f"Consolidate: all my tokens of {listed(names)} into the Cold wallet. {badge} is bound to this account and stays.",
        ),
        goals=tuple(Owns(cold, collection, i) for collection, owned in ids.items() for i in owned),
        brief={"collections": names, "kept": {}},
    )


def locks_and_all(scene: Scene, feasible: bool) -> Story:
    """All or nothing, some of it under the user's own locks. In the twin one lock is the issuer's."""
    cold = _cold(scene)
    collection, mine = tokens_of_mine(scene, 5, ("LockableCollection",), high=200)
    first, second, *_others = mine
    scene.step("user", collection, "lock", first)
    if feasible:
        scene.step("user", collection, "lock", second)
    else:
        scene.step("team", collection, "lockByIssuer", second)
    label = scene.labels[collection]
    unlocked = [
        Change(kind="view", contract=collection, subject=f"{name}(uint256)", detail=(i,), to=value)
        for i in (first, second)
        for name, value in (("locked", False), ("lockedBy", At("nobody")))
    ]
    return Story(
        phrasings=(
            f"Move my whole set of {label} to the Cold wallet, lifting my own locks where you must. The set is only worth something complete.",
            f"All of my {label} have to go to my Cold wallet, the full set. Unlock what I have locked.",
            f"Please bring the complete set of my {label} into the Cold wallet. I put locks on a few; take them off. The set is not to be split up.",
        ),
        goals=tuple(Owns(cold, collection, i) for i in mine),
        allowed=tuple(unlocked),
        brief={"collections": [label], "kept": {}, "all_or_nothing": True},
    )


def let_out(scene: Scene, _: bool) -> Story:
    """A rental collection (ERC-4907) that holds back what is let out; one rental has already run out."""
    draw = scene.draw
    cold, tenant = _cold(scene), scene.person()
    collection = scene.collection("RentalLockedCollection")
    scene.mint_next(collection, "team", 2)
    mine = scene.mint_next(collection, "user", 6)
    running, ended = draw.sample(mine[:4], 2)
    week = 7 * DAY
    scene.step("user", collection, "setUser", running, At(tenant), scene.start + draw.number(1, 3) * week)
    scene.step("user", collection, "setUser", ended, At(tenant), scene.start - draw.number(2, 9) * DAY)
    label = scene.labels[collection]
    moved = [i for i in mine if i != running]
    return Story(
        phrasings=(
            f"Move my {label} to the Cold wallet. Whatever is let out right now stays until its rental is over; don't wait for that.",
            f"All my {label} that nobody is renting at the moment go to my Cold wallet. Those with a tenant stay as they are.",
            f"Please put every {label} of mine into the Cold wallet, leaving out the ones that are rented to somebody today.",
        ),
        goals=tuple(Owns(cold if i in moved else "user", collection, i) for i in mine),
        brief={"collections": [label], "kept": {}, "leave_rented": True},
    )


def all_but_one_of_each(scene: Scene, _: bool) -> Story:
    """ERC-1155 items down to one of each, and an ERC-721 collection but for one token."""
    draw = scene.draw
    cold = _cold(scene)
    items = scene.collection(draw.choice(UNITS))
    collection = scene.collection("OpenZeppelinCollection")
    held = {i: draw.number(2, 30) for i in draw.numbers(4, 1, 50)}
    single = max(held) + 3
    held[single] = 1
    scene.mint_units(items, "user", held)
    kept, *_others = mine = given_to_me(scene, collection, 4)
    goals: list[Goal] = [Owns("user" if i == kept else cold, collection, i) for i in mine]
    for token_id, amount in held.items():
        goals.append(HoldsUnits("user", items, token_id, 1))
        if amount > 1:
            goals.append(HoldsUnits(cold, items, token_id, amount - 1))
    label, things = scene.labels[collection], scene.labels[items]
    return Story(
        phrasings=(
            f"To my Cold wallet: all my {label} but #{kept}, and my {things} items down to one of each kind, which stays here.",
            f"Keep {label} #{kept} and a single piece of every {things} item in this wallet; the rest of both goes to the Cold wallet.",
            f"Please move my {label} (not #{kept}) and my {things} to the Cold wallet, keeping back exactly one of each {things} id.",
        ),
        goals=tuple(goals),
        brief={"collections": [label], "kept": {label: [kept]}, "items": things},
    )


def lent_out(scene: Scene, feasible: bool) -> Story:
    """One token is on loan at a desk and may be recalled when it is due. In the twin it is due after the deadline."""
    draw = scene.draw
    cold, borrower = _cold(scene), scene.person()
    collection = scene.collection("OpenZeppelinCollection")
    desk = scene.contract("LendingDesk", ("Lending Desk IOU", "IOU"), label="Lending Desk")
    lent, *_others = mine = given_to_me(scene, collection, 4)
    scene.watch(Reading(desk, "loans", (At(collection), lent)))
    deadline = draw.number(20, 40) * HOUR
    early, late = draw.number(2, 12) * HOUR, draw.number(1, 5) * HOUR
    due = early if feasible else deadline + late
    scene.step("user", collection, "approve", At(desk), lent)
    scene.step("user", desk, "lend", At(collection), lent, At(borrower), scene.start + due)
    scene.step(borrower, desk, "approve", At("team"), 1)
    label, by = scene.labels[collection], moment(scene.start + deadline)
    return Story(
        phrasings=(
            f"Get all of my {label} into the Cold wallet by {by}, #{lent} included, which I lent out through the Lending Desk: recall it once it is due. They're a set and stay together.",
            f"My {label} belong in the Cold wallet, complete with #{lent}, which is out on loan at the Lending Desk. Take it back when the loan is due. The whole set must be there by {by}.",
            f"By {by} the full set of my {label} has to be in my Cold wallet. #{lent} is still lent out (Lending Desk); call it back when it falls due.",
        ),
        goals=tuple(Owns(cold, collection, i) for i in mine),
        allowed=(
            Change(
                kind="view",
                contract=desk,
                subject="loans(address,uint256)",
                detail=(At(collection), lent),
                to=(At("nobody"), At("nobody"), 0),
            ),
            Change(kind="owner", contract=desk, subject=1, to=None),
            Change(kind="approved", contract=desk, subject=1, to=None),
        ),
        brief={
            "collections": [label],
            "kept": {},
            "lent": {"desk": "Lending Desk", "collection": label, "token_id": lent},
            "deadline": scene.start + deadline,
        },
        deadline=deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """See what is there, clear the way for all of it, and only then move it, each collection by its own function."""
    seen = yield from state()
    cold = person(seen, "Cold wallet")
    if "lent" in brief:
        problem = yield from _recall(seen, brief)
        if problem:
            yield from give_up(problem, "time")
            return
        seen = yield from state()
    if brief.get("all_or_nothing"):
        problem = yield from _foreign_lock(seen, brief)
        if problem:
            yield from give_up(problem, "locked")
            return
    for label in brief["collections"]:
        problem = yield from _move_all(seen, cold, label, brief)
        if problem:
            yield from give_up(f"{label}: {problem}", "locked")
            return
    if "items" in brief:
        yield from _move_items(seen, cold, contract(seen, brief["items"]))
    yield from finish("The wallet is consolidated.")


def _token_ids(seen: dict[str, Any], address: str) -> list[int]:
    return [int(i) for i in holdings(seen, address).get("token_ids", [])]


def _recall(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """Wait until the loan is due and take the token back; gives None, or why that can't be done in time."""
    lent = brief["lent"]
    desk, collection = contract(seen, lent["desk"]), contract(seen, lent["collection"])
    loan = yield from view(desk, "loans", collection, lent["token_id"])
    due = int(loan["dueAt"])
    if due >= brief["deadline"]:
        return f"the loan is due at {due}, after the deadline"
    if due > int(seen["time"]):
        yield from wait_until(due)
    return (yield from send(desk, "recall", collection, lent["token_id"]))


def _foreign_lock(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    for label in brief["collections"]:
        address = contract(seen, label)
        for token_id in _token_ids(seen, address):
            locker = yield from view(address, "lockedBy", token_id)
            if int(locker, 16) and locker != seen["you"]:
                return f"#{token_id} is locked by {locker}"
    return None


def _move_all(seen: dict[str, Any], cold: str, label: str, brief: dict[str, Any]) -> Any:
    address, me = contract(seen, label), seen["you"]
    about = yield from use("get_contract", address=address)
    for token_id in _token_ids(seen, address):
        if token_id in brief["kept"].get(label, []):
            continue
        if brief.get("leave_rented") and int((yield from view(address, "userOf", token_id)), 16):
            continue
        if has_function(about, "lockedBy") and (yield from view(address, "locked", token_id)):
            yield from send(address, "unlock", token_id)
        if has_function(about, "safeTransferFrom"):
            problem = yield from send(address, SAFE_TRANSFER, me, cold, token_id)
        else:
            problem = yield from send(address, ONE_BY_ONE, cold, token_id)
        if problem:
            return problem
    return None


def _move_items(seen: dict[str, Any], cold: str, address: str) -> Any:
    units = {int(i): int(amount) - 1 for i, amount in holdings(seen, address)["units"].items() if int(amount) > 1}
    if len(units) == 1:
        token_id, amount = next(iter(units.items()))
        return (yield from send(address, SAFE_UNITS, seen["you"], cold, token_id, amount, "0x"))
    return (yield from send(address, SAFE_BATCH, seen["you"], cold, list(units), list(units.values()), "0x"))


def careless(brief: dict[str, Any]) -> Play:
    """Every token of the named collections that is in the wallet, but for those to be kept, by one safe transfer each."""
    seen = yield from state()
    cold = person(seen, "Cold wallet")
    for label in brief["collections"]:
        address = contract(seen, label)
        for token_id in _token_ids(seen, address):
            if token_id not in brief["kept"].get(label, []):
                yield from send(address, SAFE_TRANSFER, seen["you"], cold, token_id)
    if "items" in brief:
        yield from _move_items(seen, cold, contract(seen, brief["items"]))
    yield from finish("Everything is in the Cold wallet.")


F1D = SubFamily(
    name="F1d",
    title="consolidate a wallet",
    cases=numbered(
        able(all_but_two, "T2", "exceptions"),
        able(three_standards, "T2", "pre-standard", "soulbound", "trap:first-idea-fails"),
        able(locks_and_all, "T3", "ERC-5192", "all-or-none", "trap:first-idea-fails"),
        unable(3, "locked", "authorisation"),
        able(let_out, "T3", "ERC-4907"),
        able(all_but_one_of_each, "T3", "ERC-1155", "exceptions"),
        able(lent_out, "T4", "loan", "trap:first-idea-fails"),
        unable(7, "time", "locked", "ownership"),
    ),
    policy=play,
    careless=careless,
    derivations=("predecessor",),
)
