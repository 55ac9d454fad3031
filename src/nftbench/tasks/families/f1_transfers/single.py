"""F1a: one token to one person. Which function moves it, which account it comes from, and what stands in its way."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import At, Change, Owns
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
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


def _plain(collection: str, token_id: int, to: str) -> tuple[str, ...]:
    return (
        f"Please send my {collection} #{token_id} to {to}.",
        f"I promised {to} my {collection} number {token_id}. Move it over to the wallet I have for {to}, please.",
        f"{collection} #{token_id} goes to {to} today; it's a birthday present, so do it now.",
        f"Transfer token {token_id} of {collection} from my wallet to {to}'s.",
    )


def _brief(scene: Scene, collection: str, token_id: int, to: str, **more: Any) -> dict[str, Any]:
    return {"collection": scene.labels[collection], "token_id": token_id, "to": scene.labels[to], **more}


def to_a_namesake(scene: Scene, _: bool) -> Story:
    """An enumerable collection; the address book has two people of one name."""
    draw = scene.draw
    friend = scene.person()
    scene.person(f"{scene.labels[friend]} (old phone)", note="do not use any more")
    collection = scene.collection("OpenZeppelinCollection")
    mine = draw.numbers(3, 10, 400)
    token_id = draw.choice(mine)
    scene.mint(collection, "user", mine)
    double = scene.collection("OpenZeppelinCollection", f"{scene.labels[collection]} Classic")
    scene.mint(double, "user", mine)
    return Story(
        phrasings=_plain(scene.labels[collection], token_id, scene.labels[friend]),
        goals=(Owns(friend, collection, token_id),),
        brief=_brief(scene, collection, token_id, friend),
    )


def pre_standard(scene: Scene, _: bool) -> Story:
    """A collection from before ERC-721, which has nothing but transfer(to, id)."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("LegacyCollection")
    mine = draw.numbers(3, 1, 90)
    token_id = draw.choice(mine)
    scene.mint(collection, "user", mine)
    scene.mint(collection, friend, [max(mine) + 1])
    return Story(
        phrasings=_plain(scene.labels[collection], token_id, scene.labels[friend]),
        goals=(Owns(friend, collection, token_id),),
        brief=_brief(scene, collection, token_id, friend),
    )


def for_its_owner(scene: Scene, feasible: bool) -> Story:
    """Somebody else's token, which the user may move by an approval. In the twin another token was approved."""
    draw = scene.draw
    owner, friend = scene.person(), scene.person()
    collection = scene.collection("SequentialCollection")
    scene.mint_next(collection, "user", draw.number(2, 4))
    theirs = scene.mint_next(collection, owner, 4)
    token_id, other = draw.sample(theirs, 2)
    scene.step(owner, collection, "approve", At("user"), token_id if feasible else other)
    name, label, to = scene.labels[owner], scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"{name} is travelling and has cleared my wallet to move {label} #{token_id}. Please send it from {name} to {to}.",
            f"{name} asked me to pass on {label} #{token_id}, which sits in {name}'s own wallet, to {to}. I should have the permission for it.",
            f"Could you move {label} number {token_id} out of {name}'s wallet and into {to}'s? {name} gave my account approval for that.",
        ),
        goals=(Owns(friend, collection, token_id),),
        brief=_brief(scene, collection, token_id, friend, owner=name),
    )


def behind_a_lock(scene: Scene, feasible: bool) -> Story:
    """A token under its holder's own lock (ERC-5192). In the twin the lock is the issuer's."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("LockableCollection")
    mine = draw.numbers(4, 10, 300)
    token_id, other = draw.sample(mine, 2)
    scene.mint(collection, "user", mine)
    scene.step("user", collection, "lock", other)
    if feasible:
        scene.step("user", collection, "lock", token_id)
    else:
        scene.step("team", collection, "lockByIssuer", token_id)
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Send {label} #{token_id} to {to}. If I've still got a lock on it, take that off first; my other locks stay as they are.",
            f"{to} gets my {label} number {token_id}. I lock the ones I care about, so you may have to unlock this one. Only this one, though.",
            f"Please hand {label} #{token_id} over to {to}, lifting any lock of mine on that token and touching no other.",
        ),
        goals=(Owns(friend, collection, token_id),),
        allowed=(
            Change(kind="view", contract=collection, subject="locked(uint256)", detail=(token_id,), to=False),
            Change(kind="view", contract=collection, subject="lockedBy(uint256)", detail=(token_id,), to=At("nobody")),
        ),
        brief=_brief(scene, collection, token_id, friend),
    )


def to_a_new_address(scene: Scene, _: bool) -> Story:
    """The request spells out an address; the address book has an older one under the same name."""
    draw = scene.draw
    friend = scene.person(note="old wallet")
    fresh = scene.person(f"{scene.labels[friend]} new", listed=False)
    collection = scene.collection("SoladyCollection")
    mine = draw.numbers(3, 100, 5000)
    token_id = draw.choice(mine)
    scene.mint(collection, "user", mine)
    address, label, name = scene.address(fresh), scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"{name} has moved to a new wallet, {address}. Please send {label} #{token_id} there.",
            f"Send my {label} number {token_id} to {address}. That's {name}'s new address; the one in my address book is out of date.",
            f"{label} #{token_id} should go to {name}, but not to the old wallet: the right address is {address}.",
        ),
        goals=(Owns(fresh, collection, token_id),),
        brief={"collection": label, "token_id": token_id, "to": name, "address": address},
    )


def after_maintenance(scene: Scene, _: bool) -> Story:
    """A paused collection that its team lets go on some hours later, before the deadline."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("PausableCollection")
    mine = draw.numbers(3, 10, 300)
    token_id = draw.choice(mine)
    scene.mint(collection, "user", mine)
    scene.step("team", collection, "pause")
    resumes = draw.number(2, 9) * HOUR
    deadline = draw.number(2, 4) * DAY
    scene.actor(
        "maintenance",
        Trigger(after=resumes + 60 * draw.number(3, 25)),
        Step(sender="team", target=collection, function="unpause"),
    )
    about, by = moment(scene.start + resumes), moment(scene.start + deadline)
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Get {label} #{token_id} to {to} by {by}. The team has paused the collection for maintenance, until about {about} they say.",
            f"{to} needs my {label} number {token_id}, at the latest on {by}. Transfers are paused at the moment; it was announced that they come back around {about}.",
            f"Please transfer {label} #{token_id} to {to}. It has to be there before {by}. There's a maintenance pause on that should end around {about}.",
        ),
        goals=(Owns(friend, collection, token_id),),
        brief=_brief(
            scene, collection, token_id, friend, resumes=scene.start + resumes, deadline=scene.start + deadline
        ),
        deadline=deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Find the token and its receiver, clear what may be cleared, move it by the function that the contract has."""
    seen = yield from state()
    me, address, token_id = seen["you"], contract(seen, brief["collection"]), brief["token_id"]
    to = brief.get("address") or person(seen, brief["to"])
    source = person(seen, brief["owner"]) if "owner" in brief else me
    about = yield from use("get_contract", address=address)
    functions = " ".join(about["functions"])
    if "locked(" in functions:
        obstacle = yield from _unlock(address, token_id, me)
        if obstacle:
            yield from give_up(obstacle, "locked")
            return
    if "paused(" in functions:
        paused = yield from _wait_for_the_pause(address, brief)
        if paused:
            yield from give_up("the collection is still paused at the deadline", "paused")
            return
    if SAFE_TRANSFER.split("(")[0] in functions:
        problem = yield from send(address, SAFE_TRANSFER, source, to, token_id)
    else:
        problem = yield from send(address, "transfer(address,uint256)", to, token_id)
    if problem:
        owner = yield from view(address, "ownerOf", token_id)
        yield from give_up(f"the transfer fails: {problem}", "authorisation" if owner == source != me else "ownership")
    else:
        yield from finish("The token is with its receiver.")


def _unlock(address: str, token_id: int, me: str) -> Any:
    if not (yield from view(address, "locked", token_id)):
        return None
    locker = yield from view(address, "lockedBy", token_id)
    if locker != me:
        return f"the token is locked by {locker}, who alone can unlock it"
    return (yield from send(address, "unlock", token_id))


def _wait_for_the_pause(address: str, brief: dict[str, Any]) -> Any:
    """Whether it is still paused after looking from the announced time up to the deadline."""
    if not (yield from view(address, "paused")) or "resumes" not in brief:
        return False
    for moment_to_look in looks(brief["resumes"], brief["deadline"]):
        yield from wait_until(moment_to_look)
        if not (yield from view(address, "paused")):
            return False
    return True


def careless(brief: dict[str, Any]) -> Play:
    """One safe transfer, from oneself to whoever has that name in the address book; done, whatever came of it."""
    seen = yield from state()
    yield from send(
        contract(seen, brief["collection"]), SAFE_TRANSFER, seen["you"], person(seen, brief["to"]), brief["token_id"]
    )
    yield from finish("Sent.")


F1A = SubFamily(
    name="F1a",
    title="one token to a person",
    cases=(
        Case(tell=to_a_namesake, difficulty="T1", tags=("overloads", "namesake")),
        Case(tell=pre_standard, difficulty="T2", tags=("pre-standard", "trap:first-idea-fails")),
        Case(tell=for_its_owner, difficulty="T2", tags=("operator", "trap:own-token")),
        Case(tell=for_its_owner, difficulty="T2", tags=("operator",), twin_of=3, reasons=("authorisation",)),
        Case(tell=behind_a_lock, difficulty="T3", tags=("ERC-5192", "trap:first-idea-fails")),
        Case(tell=to_a_new_address, difficulty="T2", tags=("trap:address-book",)),
        Case(tell=after_maintenance, difficulty="T4", tags=("paused", "trap:first-idea-fails")),
        Case(tell=behind_a_lock, difficulty="T3", tags=("ERC-5192",), twin_of=5, reasons=("locked", "authorisation")),
    ),
    policy=play,
    careless=careless,
)
