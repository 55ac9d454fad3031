"""F1a: one token to one person. Which function moves it, which account it comes from, and what stands in its way.

Computed by rule: the part of a registered name before its ending, which the registry asks for.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.family import Play, Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Always, At, Change, Owns, Reading, ViewEquals
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    contract,
    finish,
    give_up,
    has_function,
    looks,
    person,
    send,
    state,
    use,
    view,
    wait_until,
)
from nftbench.tasks.scene import Scene
from nftbench.tasks.staging import PLAIN, given_to_me, tokens_of_mine
from nftbench.values import ZERO_ADDRESS, keccak256

ENDINGS = ("quay", "loft", "guild", "attic")


def _plain(collection: str, token_id: int, to: str) -> tuple[str, ...]:
    return (
        f"Please send my {collection} #{token_id} to {to}.",
        f"I promised {to} my {collection} number {token_id}. Move it over to the wallet I have for {to}, please.",
        f"{collection} #{token_id} goes from me to {to}, as a birthday present.",
        f"Transfer token {token_id} of {collection} from my wallet to {to}'s.",
    )


def _brief(scene: Scene, collection: str, token_id: int, to: str, **more: Any) -> dict[str, Any]:
    return {"collection": scene.labels[collection], "token_id": token_id, "to": scene.labels[to], **more}


def to_a_namesake(scene: Scene, _: bool) -> Story:
    """Two collections that one factory has made of the same code; the address book has two people of one name."""
    friend = scene.person()
    scene.person(f"{scene.labels[friend]} (old phone)", note="do not use any more")
    factory = scene.factory()
    collection = scene.cloned(factory)
    double = scene.cloned(factory, f"{scene.labels[collection]} Classic")
    mine = given_to_me(scene, collection, 3)
    scene.mint(double, "user", sorted(mine))
    return Story(
        phrasings=_plain(scene.labels[collection], mine[0], scene.labels[friend]),
        goals=(Owns(friend, collection, mine[0]),),
        brief=_brief(scene, collection, mine[0], friend),
    )


def pre_standard(scene: Scene, _: bool) -> Story:
    """A collection from before ERC-721, which has nothing but transfer(to, id)."""
    friend = scene.person()
    collection, mine = tokens_of_mine(scene, 3, ("LegacyCollection",), low=1, high=90)
    token_id = mine[0]
    scene.mint(collection, friend, [91])
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


def behind_a_lock(scene: Scene, _: bool) -> Story:
    """A token under its holder's own lock (ERC-5192), beside another one under such a lock."""
    friend = scene.person()
    collection, (token_id, other, *_rest) = tokens_of_mine(scene, 4, ("LockableCollection",))
    for locked in (other, token_id):
        scene.step("user", collection, "lock", locked)
    label, to = scene.labels[collection], scene.labels[friend]
    return Story(
        phrasings=(
            f"Send {label} #{token_id} to {to}. I've still got a lock on it, which has to come off for that; my other locks stay as they are.",
            f"{to} gets my {label} number {token_id}. I lock the ones I care about, this one too: unlock it, and only it.",
            f"Please hand {label} #{token_id} over to {to}, lifting my lock on that token and touching no other.",
        ),
        goals=(Owns(friend, collection, token_id), Always(Reading(collection, "locked", (other,)), True)),
        allowed=(
            Change(kind="view", contract=collection, subject="locked(uint256)", detail=(token_id,), to=False),
            Change(kind="view", contract=collection, subject="lockedBy(uint256)", detail=(token_id,), to=At("nobody")),
        ),
        brief=_brief(scene, collection, token_id, friend),
    )


def by_registered_name(scene: Scene, feasible: bool) -> Story:
    """The receiver by a name of a registry. A name like it is in the address book, and the name's owner is another account.

    In the twin the registrar gave out a longer name, and nobody has this one.
    """
    draw = scene.draw
    friend, ending = scene.person(note="old wallet"), draw.choice(ENDINGS)
    name = scene.labels[friend].lower()
    owner, account = (scene.person(f"{name} {what}", listed=False) for what in ("owner", "account"))
    letter = draw.number(1, len(name) - 1)
    double = f"{name[:letter]}{name[letter - 1]}{name[letter:]}"
    stranger = scene.person(f"{double}.{ending}", note="sent you a token once")
    registry = scene.contract("NameRegistry", (At("team"), ending), label=f"{ending.capitalize()} Names")
    collection, (token_id, *_rest) = tokens_of_mine(scene, 3, PLAIN, low=100, high=5000)
    longer = f"{name}{draw.number(2, 99)}"
    given = name if feasible else longer
    for label, holder, account_there in draw.shuffled([(given, owner, account), (double, stranger, stranger)]):
        scene.step("team", registry, "register", label, At(holder), At(account_there))
    scene.step(stranger, registry, "claimName", f"{name}.{ending}")
    target = Reading(registry, "addr", (_namehash(name, ending),))
    scene.watch(target)
    label, place, full = scene.labels[collection], scene.labels[registry], f"{name}.{ending}"
    return Story(
        phrasings=(
            f"Send my {label} #{token_id} to {full}. That's a name in the {place}; whatever account it stands for there gets the token.",
            f"{label} number {token_id} goes to {full}, from me. Look the name up in the {place} among my contracts, and send the token to the address that it stands for.",
            f"Please transfer {label} #{token_id} to the account that {full} stands for in the {place}.",
        ),
        goals=(Owns(account, collection, token_id), ViewEquals(target, At(account))),
        brief={"collection": label, "token_id": token_id, "name": full, "registry": place},
    )


def _namehash(label: str, ending: str) -> bytes:
    """The node of `label.ending` (EIP-137)."""
    return keccak256(keccak256(bytes(32) + keccak256(ending.encode())) + keccak256(label.encode()))


def after_maintenance(scene: Scene, _: bool) -> Story:
    """A paused collection that its team lets go on some hours later, before the deadline."""
    draw = scene.draw
    friend = scene.person()
    collection = scene.collection("PausableCollection")
    (token_id, *_rest) = given_to_me(scene, collection, 3)
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
    to = (yield from _named(seen, brief)) if "name" in brief else person(seen, brief["to"])
    if to == ZERO_ADDRESS:
        yield from give_up(f"nobody has the name {brief['name']}, so it stands for no account", "receiver")
        return
    source = person(seen, brief["owner"]) if "owner" in brief else me
    about = yield from use("get_contract", address=address)
    if has_function(about, "locked"):
        obstacle = yield from _unlock(address, token_id, me)
        if obstacle:
            yield from give_up(obstacle, "locked")
            return
    if has_function(about, "paused"):
        paused = yield from _wait_for_the_pause(address, brief)
        if paused:
            yield from give_up("the collection is still paused at the deadline", "paused")
            return
    if has_function(about, "safeTransferFrom"):
        problem = yield from send(address, SAFE_TRANSFER, source, to, token_id)
    else:
        problem = yield from send(address, "transfer(address,uint256)", to, token_id)
    if problem:
        owner = yield from view(address, "ownerOf", token_id)
        yield from give_up(f"the transfer fails: {problem}", "authorisation" if owner == source != me else "ownership")
    else:
        yield from finish("The token is with its receiver.")


def _named(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """The account that a registered name stands for; the zero address for none."""
    registry = contract(seen, brief["registry"])
    node = yield from view(registry, "nodeOf", brief["name"].split(".")[0])
    return (yield from view(registry, "addr", node))


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
    """One safe transfer, from oneself to whoever has that name in the address book, or one like it; done."""
    seen = yield from state()
    likeness = SequenceMatcher(b=brief.get("name") or brief["to"])

    def like(entry: dict[str, str]) -> float:
        likeness.set_seq1(entry["name"])
        return likeness.ratio()

    to = max(seen["address_book"], key=like)["address"]
    yield from send(contract(seen, brief["collection"]), SAFE_TRANSFER, seen["you"], to, brief["token_id"])
    yield from finish("Sent.")


F1A = SubFamily(
    name="F1a",
    title="one token to a person",
    cases=numbered(
        able(to_a_namesake, "T1", "overloads", "namesake", "ERC-1167"),
        able(pre_standard, "T2", "pre-standard", "trap:first-idea-fails"),
        able(for_its_owner, "T2", "operator", "trap:own-token"),
        unable(3, "authorisation", "ownership"),
        able(behind_a_lock, "T3", "ERC-5192", "trap:first-idea-fails"),
        able(by_registered_name, "T3", "names", "trap:look-alike"),
        able(after_maintenance, "T4", "paused", "trap:first-idea-fails"),
        unable(6, "receiver"),
    ),
    policy=play,
    careless=careless,
)
