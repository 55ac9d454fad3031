"""F5a: set a URI and signal it. Which part of a URI a call takes, which tokens changed, and that readers must be told (ERC-4906).

Ids that the reference sends stand in the prompt, in a listed document or in the collection's Transfer events. The part of a
URI that it stores is the URI asked for without the base that the contract has.
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.families.f5_metadata.creations import (
    SET_TOKEN_URI,
    SIGNAL_RANGE,
    Creation,
    based_on,
    creation,
    ranges,
    signal,
    uris_are,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.files import folder, token_file
from nftbench.tasks.goals import At, CallData, Change, MetadataSignalled, Never, Reading
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.playing import (
    Step,
    awaited,
    conclude,
    contract,
    finish,
    give_up,
    minted_ids,
    send,
    state,
    use,
    view,
    without_looking,
)
from nftbench.tasks.scene import Scene
from nftbench.values import UINT256_MAX


def _creation(scene: Scene, base: str | None = None, label: str | None = None) -> Creation:
    return creation(scene, 10, 16, base=base, label=label)


def _new_folder(scene: Scene, of: Creation) -> str:
    """Another folder with a file for each of the tokens."""
    base = folder(scene.draw)
    scene.publish(base, of.label, of.ids)
    return base


def redone_pictures(scene: Scene, _: bool) -> Story:
    """Only the signal: the files changed behind URIs that stay."""
    slug = scene.draw.person().lower()
    collection, label, _base, ids = _creation(scene, f"https://{slug}-prints.example/meta/")
    sibling = _creation(scene, label=f"{label} Sketches").handle
    for each in (collection, sibling):
        scene.hand_over(each)
    low = scene.draw.number(2, 4)
    changed = ids[low : low + scene.draw.number(3, 5)]
    first, last = changed[0], changed[-1]
    return Story(
        phrasings=(
            f"The pictures of my {label} #{first} to #{last} were replaced on our server; the links are the same as before. Send the metadata-update signal (ERC-4906) for exactly those, so that marketplaces fetch them again.",
            f"Marketplaces have to reload {label} tokens {first} through {last} and no others. I changed the files behind them, not the URIs, so the collection only needs to announce it the ERC-4906 way.",
            f"Please have my collection {label} emit an ERC-4906 update that covers #{first}-#{last}, both included, nothing more. Nothing has to be set; the files were fixed where they are.",
        ),
        goals=(MetadataSignalled(collection, tuple(changed)),),
        brief={"way": "signal", "collection": label, "ids": [first, last]},
    )


def new_folder(scene: Scene, feasible: bool) -> Story:
    """A new base for all tokens, which the contract does not announce by itself. In the twin the metadata is frozen."""
    mine = _creation(scene)
    collection, label, base = mine.handle, mine.label, _new_folder(scene, mine)
    if not feasible:
        scene.step("team", collection, "freezeMetadata")
    scene.hand_over(collection)
    return Story(
        phrasings=(
            f"The final artwork of {label} is at {base}. Point my collection there, and make sure marketplaces refresh every one of its tokens (ERC-4906); last time I changed something they went on showing the old images.",
            f"Please move {label} to the new base URI {base} and then send the ERC-4906 update for all tokens that exist, not beyond, so nobody keeps seeing the old pictures.",
            f"My collection {label} needs its base URI changed to {base}. Marketplaces cache, so announce the change per ERC-4906 as well: the whole collection, exactly the ids that were minted.",
        ),
        goals=based_on(mine, base),
        brief={"way": "folder", "collection": label, "base": base},
    )


def one_token(scene: Scene, _: bool) -> Story:
    """One token's own URI, of which the contract stores only what comes after the base."""
    collection, label, base, ids = _creation(scene)
    scene.hand_over(collection)
    token_id = scene.draw.choice(ids)
    uri = f"{base}{token_id}-{scene.draw.choice(('restored', 'corrected', 'second-state', 'reprint'))}.json"
    scene.uris[uri] = token_file(label, token_id)
    return Story(
        phrasings=(
            f"Token #{token_id} of my {label} should from now on read its metadata from {uri}. That exact address is what tokenURI has to answer. Marketplaces should hear of it.",
            f"Please set the metadata link of {label} #{token_id}, and of no other token, to {uri} (complete address), with the usual ERC-4906 notice.",
            f"I corrected the file of {label} number {token_id}. Its full URI is now {uri}; update that token and see that the change is signalled.",
        ),
        goals=uris_are(collection, {token_id: uri}),
        brief={"way": "token", "collection": label, "token_id": token_id, "uri": uri},
    )


def redrawn(scene: Scene, _: bool) -> Story:
    """Only the signal, for ids with gaps that a document lists."""
    slug = scene.draw.person().lower()
    collection, label, _base, ids = _creation(scene, f"https://{slug}-studio.example/tokens/")
    scene.hand_over(collection)
    start = scene.draw.number(0, 2)
    changed = [*ids[start : start + scene.draw.number(2, 3)], ids[start + 4], *ids[start + 6 : start + 8]]
    listing = f"https://{slug}-studio.example/changes.json"
    scene.uris[listing] = json.dumps({"collection": label, "redrawn": [str(i) for i in changed]})
    return Story(
        phrasings=(
            f"Our illustrator redrew some of my {label}; the ids are listed at {listing}. Their URIs stay. Have the collection signal a metadata update (ERC-4906) for each of those tokens and for no token in between.",
            f"Please announce new metadata for the {label} tokens named in {listing}, exactly those, by ERC-4906 events. The files were swapped in place, so no URI changes.",
            f"{listing} says which of my {label} got new drawings. Marketplaces should refresh these and only these: send the ERC-4906 signals.",
        ),
        goals=(MetadataSignalled(collection, tuple(changed)),),
        brief={"way": "listed", "collection": label, "list": listing},
    )


def through_the_wallet(scene: Scene, feasible: bool) -> Story:
    """The collection belongs to a contract wallet of which the user is one owner. In the twin that asks for two owners' word."""
    mine = _creation(scene)
    collection, label = mine.handle, mine.label
    partner = scene.others(1)[0]
    wallet = scene.contract(
        "SmartWallet", ((At(partner), At("user")), 1 if feasible else 2, At("nobody")), label="Studio wallet"
    )
    scene.hand_over(collection, wallet)
    base = _new_folder(scene, mine)
    signalling = CallData(collection, SIGNAL_RANGE, (mine.ids[0], mine.ids[-1]))
    calls = (CallData(collection, "setBaseURI", (base,)), signalling)
    hashes = [Reading(wallet, "getTransactionHash", (At(collection), 0, c, n)) for n, c in enumerate(calls)]
    scene.watch(*(Reading(wallet, "approvedHashes", (At("user"), digest)) for digest in hashes))
    return Story(
        phrasings=(
            f"{label} is owned by our Studio wallet, a contract wallet that I co-own with {scene.labels[partner]}. Through it, set the collection's base URI to {base} and signal the change for all minted tokens (ERC-4906).",
            f"Please get {label} onto {base} as its base URI and announce that for every token there is, the ERC-4906 way. The contract answers only to the Studio wallet, of which {scene.labels[partner]} and I are the owners.",
            f"New base URI for {label}: {base}. The owner of that collection is the Studio wallet ({scene.labels[partner]} and I hold it), so it has to come from there, and so does the ERC-4906 update covering all existing tokens.",
        ),
        goals=based_on(mine, base),
        allowed=tuple(
            Change(
                kind="view",
                contract=wallet,
                subject="approvedHashes(address,bytes32)",
                detail=(At("user"), digest),
                to=True,
            )
            for digest in hashes
        ),
        brief={"way": "folder", "collection": label, "base": base, "wallet": "Studio wallet"},
    )


def after_the_proofs(scene: Scene, _: bool) -> Story:
    """A printer publishes the folder in stages, as the base of a contract of their own; the frozen one is the final one."""
    draw = scene.draw
    printer = scene.person()
    mine = _creation(scene)
    proofs = creation(scene, 2, 2, label=f"{draw.collection()} Proofs")
    scene.hand_over(mine.handle)
    scene.hand_over(proofs.handle, printer)
    second, final = _new_folder(scene, mine), _new_folder(scene, mine)
    for base in (second, final):
        scene.publish(base, proofs.label, proofs.ids)
    scene.publish(proofs.base, mine.label, mine.ids)
    end = appointment(scene)
    setting, freezing, live = "setBaseURI", "freezeMetadata", Reading(mine.handle, "baseURI")
    scene.actor(
        "second proof",
        Trigger(after=end.expected // 2),
        Action(sender=printer, target=proofs.handle, function=setting, args=(second,)),
    )
    scene.actor(
        "final folder",
        Trigger(after=end.expected + 60 * draw.number(4, 40)),
        Action(sender=printer, target=proofs.handle, function=setting, args=(final,)),
        Action(sender=printer, target=proofs.handle, function=freezing),
    )
    label, place, name, about, by = mine.label, proofs.label, scene.labels[printer], end.about, end.by
    return Story(
        phrasings=(
            f"{name} is finishing the files of my {label} and shows the folder as the base URI of the contract {place}, which {name} freezes as soon as it is final, probably around {about}. Take the final folder over as the base URI of {label} and signal all its tokens (ERC-4906), by {by}. Earlier versions must not go live.",
            f"By {by} my {label} should use the finished folder as its base URI, announced for every token by ERC-4906. You find the folder as base URI of {place}: {name} still works on it and will freeze that contract when done, at about {about}. No draft of it may go live on {label}.",
            f"Please copy the base URI of {place} to my {label} once {name} has frozen {place} (expected around {about}); before that it's only a draft, and drafts must never be live. Then send the ERC-4906 update over all tokens of {label}. The whole thing has to be done before {by}.",
        ),
        goals=(*based_on(mine, final), *(Never(live, draft) for draft in (proofs.base, second))),
        brief={"way": "proofs", "collection": label, "proofs": place, **end.told},
        deadline=end.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Find out what must change and whether it may, change it, and tell exactly the tokens it concerns."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    if brief["way"] == "token":
        base = yield from view(address, "baseURI")
        problem = yield from send(address, SET_TOKEN_URI, brief["token_id"], brief["uri"].removeprefix(base))
    elif brief["way"] == "signal":
        problem = yield from send(address, SIGNAL_RANGE, *brief["ids"])
    elif brief["way"] == "listed":
        listing = yield from use("fetch_uri", uri=brief["list"])
        problem = yield from signal(address, [int(i) for i in json.loads(listing["content"])["redrawn"]])
    else:
        base = brief.get("base") or (yield from _final_folder(contract(seen, brief["proofs"]), brief))
        if base is None:
            yield from give_up("the folder is not final by the deadline", "time")
            return
        wallet = contract(seen, brief["wallet"]) if "wallet" in brief else None
        problem = yield from _move(address, base, wallet)
    frozen = problem and (yield from view(address, "metadataFrozen"))
    yield from conclude(problem, "The metadata is set and signalled.", "locked" if frozen else "authorisation")


def _move(address: str, base: str, wallet: str | None) -> Any:
    """Set the base and signal every token, through the wallet if there is one; gives None, or why it fails."""
    ids = yield from minted_ids(address)
    calls = [("setBaseURI(string)", [base])]
    calls += [(f"{SIGNAL_RANGE}(uint256,uint256)", [str(first), str(last)]) for first, last in ranges(ids)]
    for function, values in calls:
        if wallet is None:
            problem = yield from send(address, function, *values)
        else:
            encoded = yield from use("hash_data", method="call_data", value=function, values=values)
            problem = yield from send(wallet, "execTransaction", address, 0, encoded["encoded"])
        if problem:
            return problem
    return None


def _final_folder(proofs: str, brief: dict[str, Any]) -> Any:
    """The base of the proofs once they are frozen; None if they are not by the deadline."""

    def frozen() -> Step:
        return (yield from view(proofs, "metadataFrozen")) and (yield from view(proofs, "baseURI"))

    return (yield from awaited(brief, frozen))


def careless(brief: dict[str, Any]) -> Play:
    """Sets what is asked as it is written, signals everything or nothing, and waits for nobody."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    match brief["way"]:
        case "token":
            yield from without_looking(address, SET_TOKEN_URI, brief["token_id"], brief["uri"])
        case "signal":
            yield from without_looking(address, SIGNAL_RANGE, *brief["ids"])
        case "listed":
            yield from without_looking(address, SIGNAL_RANGE, 0, UINT256_MAX)
        case _:
            base = brief.get("base") or (yield from view(contract(seen, brief["proofs"]), "baseURI"))
            yield from without_looking(address, "setBaseURI", base)
    yield from finish("Done.")


F5A = SubFamily(
    name="F5a",
    title="set a URI and signal it",
    cases=(
        Case(tell=redone_pictures, difficulty="T1", tags=("ERC-4906",)),
        Case(tell=new_folder, difficulty="T2", tags=("ERC-4906", "trap:no-signal")),
        Case(tell=new_folder, difficulty="T2", tags=("ERC-4906", "frozen"), twin_of=2, reasons=("locked",)),
        Case(tell=one_token, difficulty="T2", tags=("ERC-4906", "trap:whole-uri")),
        Case(tell=redrawn, difficulty="T3", tags=("ERC-4906", "trap:signal-everything")),
        Case(tell=through_the_wallet, difficulty="T3", tags=("ERC-4906", "Safe", "trap:first-idea-fails")),
        Case(
            tell=through_the_wallet, difficulty="T3", tags=("ERC-4906", "Safe"), twin_of=6, reasons=("authorisation",)
        ),
        Case(tell=after_the_proofs, difficulty="T4", tags=("ERC-4906", "trap:draft")),
    ),
    policy=play,
    careless=careless,
)
