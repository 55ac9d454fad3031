"""F5b: delayed reveal. A batch is bound to a promise (the packed hash of URI and salt) and to a time; what was revealed is signalled.

The commitment that the reference sends is keccak256(abi.encodePacked(uri, salt)) of what the prompt gives; a moment given in
UTC becomes Unix seconds; the ranges that it signals are those of the batches, as the contract tells them.
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.drawing import DAY, HOUR, moment
from nftbench.tasks.families.f5_metadata.creations import SIGNAL_RANGE, signal
from nftbench.tasks.families.f5_metadata.reveals_batches import (
    Batch,
    hidden_collection,
    new_salt,
    promise,
    revealed_goals,
    spelled,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.files import folder
from nftbench.tasks.goals import At, Owns, Reading, ViewEquals
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.playing import (
    Step,
    awaited,
    conclude,
    contract,
    finish,
    give_up,
    person,
    send,
    state,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.tasks.scene import Scene

LONG_AGO = -3 * DAY


def reveal_day(scene: Scene, _: bool) -> Story:
    """URI and salt are at hand and the time has come; the contract signals nothing by itself."""
    collection, batches = hidden_collection(scene, [LONG_AGO, 20 * DAY])
    scene.hand_over(collection)
    batch = batches[0]
    label, uri, salt = scene.labels[collection], batch.uri, spelled(batch.salt)
    return Story(
        phrasings=(
            f"It's reveal day for {label}: open its first batch (number 0 in the contract). The promised URI is {uri} and the salt is {salt}. Then let marketplaces know, by ERC-4906, which tokens were revealed.",
            f"Please reveal batch 0 of my {label} with URI {uri} and salt {salt}. Marketplaces still show the placeholder until they are told, so send the metadata update (ERC-4906) for that batch's tokens, only those.",
            f"Reveal {label}, batch index 0. URI: {uri} Salt: {salt}. Afterwards signal precisely the revealed range per ERC-4906; the later batch stays hidden.",
        ),
        goals=revealed_goals(scene, collection, {0: batch}),
        brief={"way": "given", "collection": label, "batch": 0, "uri": uri, "salt": salt},
    )


def out_of_the_drafts(scene: Scene, feasible: bool) -> Story:
    """Of several drafts only one is what was promised. In the twin the promise is of something else."""
    draw = scene.draw
    promised = promise(folder(draw), new_salt(draw))
    collection, batches = hidden_collection(scene, [LONG_AGO], promised=None if feasible else {0: promised})
    scene.hand_over(collection)
    batch = batches[0]
    drafts = [
        (batch.uri.removesuffix("/"), batch.salt),
        (folder(draw), batch.salt),
        (batch.uri, new_salt(draw)),
        (folder(draw), new_salt(draw)),
    ]
    drafts.insert(draw.number(1, 4), (batch.uri, batch.salt))
    for uri, _salt in drafts[1:]:
        scene.publish(uri, scene.labels[collection], batch.ids)
    notes = f"https://{draw.person().lower()}-notes.example/reveal-drafts.json"
    scene.uris[notes] = json.dumps([{"uri": uri, "salt": spelled(salt)} for uri, salt in drafts])
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Please reveal the hidden batch of {label} (index 0). I no longer know which of my drafts I committed to; they are all in {notes}, each with its salt. The contract holds the hash. Signal the revealed tokens afterwards (ERC-4906).",
            f"Batch 0 of {label} should be revealed and announced to marketplaces (ERC-4906). The URI and salt are among those in {notes}; only the pair that fits the commitment on chain is the right one.",
            f"Time to lift the veil on {label}. {notes} lists every URI and salt that I considered, and one pair went into the commitment of batch 0. Reveal with that one, then send the ERC-4906 update for the batch.",
        ),
        goals=revealed_goals(scene, collection, {0: batch}),
        brief={"way": "drafts", "collection": label, "batch": 0, "notes": notes},
    )


def a_new_batch(scene: Scene, _: bool) -> Story:
    """The creator's first half of it: mint a batch that is bound to a URI, a salt and a time."""
    draw = scene.draw
    collector = scene.person()
    collection, batches = hidden_collection(scene, [LONG_AGO])
    scene.passing(28 * DAY)
    scene.step("team", collection, "reveal", 0, batches[0].uri, batches[0].salt)
    scene.hand_over(collection)
    opens = draw.number(5, 25) * DAY + draw.number(1, 9) * HOUR
    first = batches[0].last + 1
    new = Batch(first, first + draw.number(3, 6), folder(draw), new_salt(draw), opens)
    quantity = len(new.ids)
    scene.publish(new.uri, scene.labels[collection], new.ids)
    info = (new.first, new.last, scene.start + opens, False, new.commitment, "")
    label, name, when = scene.labels[collection], scene.labels[collector], moment(scene.start + opens)
    return Story(
        phrasings=(
            f"Mint the next {quantity} {label} to {name} as one hidden batch that can be revealed from {when} on. Commit to the URI {new.uri} with the salt {spelled(new.salt)}; the contract checks keccak256(abi.encodePacked(uri, salt)).",
            f"{name} gets a new batch of {quantity} {label}, still under the placeholder. It must be bound to {new.uri} and the salt {spelled(new.salt)} by the hash of both packed together (encodePacked, keccak-256), with the reveal open from {when}.",
            f"Please make the second batch of {label}: {quantity} tokens, all to {name}, reveal not before {when}. Its commitment is the keccak-256 of URI and salt in packed encoding. URI: {new.uri} Salt: {spelled(new.salt)}",
        ),
        goals=(
            ViewEquals(Reading(collection, "batchCount"), 2),
            ViewEquals(Reading(collection, "totalMinted"), new.last),
            ViewEquals(Reading(collection, "batchInfo", (1,)), info),
            *(Owns(collector, collection, i) for i in new.ids),
        ),
        brief={
            "way": "mint",
            "collection": label,
            "to": name,
            "quantity": quantity,
            "uri": new.uri,
            "salt": spelled(new.salt),
            "opens": scene.start + opens,
        },
    )


def not_before_its_time(scene: Scene, feasible: bool) -> Story:
    """The contract opens the reveal some hours later, before the deadline. In the twin it does so after the deadline."""
    draw = scene.draw
    deadline = draw.number(18, 40) * HOUR
    in_time, too_late = 60 * draw.number(100, 900), deadline + 60 * draw.number(30, 400)
    collection, batches = hidden_collection(scene, [in_time if feasible else too_late])
    scene.hand_over(collection)
    batch = batches[0]
    label, by, uri, salt = scene.labels[collection], moment(scene.start + deadline), batch.uri, spelled(batch.salt)
    return Story(
        phrasings=(
            f"The hidden batch 0 of {label} must be revealed and signalled (ERC-4906) by {by}, as soon as the contract's own reveal time allows. The URI is {uri}, the salt {salt}.",
            f"We promised collectors the reveal of {label} before {by}. Batch 0, URI {uri}, salt {salt}. The contract has an opening time for it; reveal when it's past, and announce the tokens per ERC-4906.",
            f"Please reveal batch 0 of {label} with {uri} and the salt {salt}, once its time lock lets you. It has to be public by {by}, including the ERC-4906 update for those tokens.",
        ),
        goals=revealed_goals(scene, collection, {0: batch}),
        brief={
            "way": "given",
            "collection": label,
            "batch": 0,
            "uri": uri,
            "salt": salt,
            "deadline": scene.start + deadline,
        },
        deadline=deadline,
    )


def those_that_are_due(scene: Scene, _: bool) -> Story:
    """Four batches: one is out, two are due with one between them that is not. The ranges to signal have a gap."""
    draw = scene.draw
    collection, batches = hidden_collection(
        scene, [LONG_AGO, -HOUR * draw.number(2, 40), 9 * DAY, -HOUR * draw.number(2, 40)]
    )
    scene.passing(28 * DAY)
    scene.step("team", collection, "reveal", 0, batches[0].uri, batches[0].salt)
    scene.step("team", collection, SIGNAL_RANGE, batches[0].first, batches[0].last)
    scene.hand_over(collection)
    notes = f"https://{draw.person().lower()}-notes.example/batches.json"
    scene.uris[notes] = json.dumps({str(n): {"uri": b.uri, "salt": spelled(b.salt)} for n, b in enumerate(batches)})
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Reveal every batch of {label} whose reveal time has passed and that is still hidden. URIs and salts are by batch number in {notes}. Then signal exactly the tokens that you revealed, no others (ERC-4906).",
            f"Some batches of my {label} are due for their reveal today, others aren't yet. See which, reveal those with what {notes} says for each number, and announce just their tokens per ERC-4906.",
            f"Please catch up on the reveals of {label}: all batches that are open but not out. {notes} has the URI and salt of each batch. Marketplaces need an ERC-4906 update covering the newly revealed ids and only those.",
        ),
        goals=revealed_goals(scene, collection, {1: batches[1], 3: batches[3]}),
        brief={"way": "due", "collection": label, "notes": notes},
    )


def the_keeper_of_the_salt(scene: Scene, _: bool) -> Story:
    """URI and salt come from a partner's on-chain notebook, later in the day, the first time with a slip in it."""
    draw = scene.draw
    keeper = scene.person()
    collection, batches = hidden_collection(scene, [LONG_AGO])
    scene.hand_over(collection)
    batch = batches[0]
    title = f"{scene.labels[keeper]}'s notebook"
    args = (title, "NOTE", At(keeper), json.dumps({"name": title, "note": "sealed until the auction is over"}))
    notebook = scene.contract("OnchainJsonCollection", args, label=title, deployer=keeper)
    note = appointment(scene, (6, 10))
    slip = draw.choice((batch.uri.removesuffix("/"), batch.uri.replace("ipfs://", "ipfs:/"), batch.uri + "/"))
    at = note.expected + 60 * draw.number(3, 20)
    for name, after, uri in (("first note", at, slip), ("second note", at + 60 * draw.number(40, 100), batch.uri)):
        text = json.dumps({"name": title, "uri": uri, "salt": spelled(batch.salt)})
        scene.actor(
            name,
            Trigger(after=after),
            Action(sender=keeper, target=notebook, function="setContractMetadata", args=(text,)),
        )
    label, name, about, by = scene.labels[collection], scene.labels[keeper], note.about, note.by
    return Story(
        phrasings=(
            f"So that nobody can cheat, {name} keeps the URI and salt for batch 0 of {label} and publishes both as the contract metadata (contractURI) of {title} at about {about}. Once a pair is there that fits the commitment, reveal the batch with it and signal its tokens (ERC-4906), by {by}. {name} mistypes things at times and then corrects them.",
            f"Batch 0 of {label} is to be revealed by {by} and announced per ERC-4906. {name} will post the URI and the salt around {about}, in the contractURI of {title}. The first version may have a slip in it, which {name} then puts right.",
            f"Please wait for {name} to write URI and salt into the contract metadata of {title} (planned for {about}), then reveal batch 0 of {label} with them and send the ERC-4906 update for that batch. Everything has to be out before {by}; {name} corrects slips when they come up.",
        ),
        goals=revealed_goals(scene, collection, {0: batch}),
        brief={"way": "notebook", "collection": label, "batch": 0, "notebook": title, **note.told},
        deadline=note.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Check what was promised and when it opens; reveal by it; signal the batches that came out."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    if brief["way"] == "mint":
        packed = yield from use(
            "hash_data", method="packed", types=["string", "bytes32"], values=[brief["uri"], brief["salt"]]
        )
        problem = yield from send(
            address, "mintBatch", person(seen, brief["to"]), brief["quantity"], packed["keccak256"], brief["opens"]
        )
        yield from conclude(problem, "The batch is minted.")
        return
    if brief["way"] == "due":
        pairs = yield from _due(address, brief["notes"], int(seen["time"]))
    else:
        pair = yield from _kept_promise(address, brief, seen)
        if pair is None:
            yield from give_up("nothing that was given hashes to the batch's commitment", "proof")
            return
        pairs = {brief["batch"]: pair}
    if "opens" in brief or "deadline" in brief:
        opens = int((yield from view(address, "batchInfo", brief["batch"]))["revealsAt"])
        if opens >= brief["deadline"]:
            yield from give_up(f"the reveal opens at {opens} only, after the deadline", "time")
            return
        if opens > int((yield from state())["time"]):
            yield from wait_until(opens)
    problem = yield from _reveal(address, pairs)
    yield from conclude(problem, "Revealed and signalled.")


def _reveal(address: str, pairs: dict[int, tuple[str, str]]) -> Any:
    """Reveal these batches, then signal their tokens; gives None, or why it fails."""
    ids: list[int] = []
    for number, (uri, salt) in pairs.items():
        problem = yield from send(address, "reveal", number, uri, salt)
        if problem:
            return problem
        info = yield from view(address, "batchInfo", number)
        ids += range(int(info["first"]), int(info["last"]) + 1)
    return (yield from signal(address, ids))


def _due(address: str, notes: str, now: int) -> Any:
    """URI and salt of every batch that is open and not revealed, by its number."""
    known = json.loads((yield from use("fetch_uri", uri=notes))["content"])
    pairs: dict[int, tuple[str, str]] = {}
    for number in range(int((yield from view(address, "batchCount")))):
        info = yield from view(address, "batchInfo", number)
        if not info["revealed"] and int(info["revealsAt"]) <= now:
            pairs[number] = (known[str(number)]["uri"], known[str(number)]["salt"])
    return pairs


def _kept_promise(address: str, brief: dict[str, Any], seen: dict[str, Any]) -> Any:
    """The URI and salt that fit the commitment, from wherever they are said to be; None if nothing fits."""
    commitment = (yield from view(address, "batchInfo", brief["batch"]))["commitment"]
    if brief["way"] == "given":
        return (yield from _fitting(commitment, [{"uri": brief["uri"], "salt": brief["salt"]}]))
    if brief["way"] == "drafts":
        drafts = json.loads((yield from use("fetch_uri", uri=brief["notes"]))["content"])
        return (yield from _fitting(commitment, drafts))

    def noted() -> Step:
        link = yield from view(contract(seen, brief["notebook"]), "contractURI")
        note = json.loads((yield from use("fetch_uri", uri=link))["content"])
        return (yield from _fitting(commitment, [note] if "salt" in note else []))

    return (yield from awaited(brief, noted))


def _fitting(commitment: str, candidates: list[dict[str, str]]) -> Any:
    for candidate in candidates:
        pair = (candidate["uri"], candidate["salt"])
        hashed = yield from use("hash_data", method="packed", types=["string", "bytes32"], values=list(pair))
        if hashed["keccak256"] == commitment:
            return pair
    return None


def careless(brief: dict[str, Any]) -> Play:
    """Takes the first pair there is, reveals at once, and signals nothing or everything."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    match brief["way"]:
        case "mint":
            hashed = yield from use(
                "hash_data", method="abi", types=["string", "bytes32"], values=[brief["uri"], brief["salt"]]
            )
            arguments = (person(seen, brief["to"]), brief["quantity"], hashed["keccak256"], brief["opens"])
            yield from without_looking(address, "mintBatch", *arguments)
        case "given":
            yield from without_looking(address, "reveal", brief["batch"], brief["uri"], brief["salt"])
        case "drafts":
            first = json.loads((yield from use("fetch_uri", uri=brief["notes"]))["content"])[0]
            yield from without_looking(address, "reveal", brief["batch"], first["uri"], first["salt"])
        case "due":
            notes = json.loads((yield from use("fetch_uri", uri=brief["notes"]))["content"])
            for number, pair in notes.items():
                yield from without_looking(address, "reveal", int(number), pair["uri"], pair["salt"])
            yield from without_looking(address, SIGNAL_RANGE, 1, int((yield from view(address, "totalMinted"))))
        case _:
            yield from wait_until(brief["expected"] + HOUR // 2)
            link = yield from view(contract(seen, brief["notebook"]), "contractURI")
            note = json.loads((yield from use("fetch_uri", uri=link))["content"])
            yield from without_looking(address, "reveal", brief["batch"], note["uri"], note["salt"])
    yield from finish("Done.")


F5B = SubFamily(
    name="F5b",
    title="delayed reveal",
    cases=(
        Case(tell=reveal_day, difficulty="T1", tags=("ERC-4906", "reveal", "trap:no-signal")),
        Case(tell=out_of_the_drafts, difficulty="T2", tags=("reveal", "commitment", "trap:first-draft")),
        Case(tell=out_of_the_drafts, difficulty="T2", tags=("reveal", "commitment"), twin_of=2, reasons=("proof",)),
        Case(tell=a_new_batch, difficulty="T2", tags=("commitment", "trap:standard-encoding")),
        Case(tell=not_before_its_time, difficulty="T3", tags=("reveal", "time-lock", "trap:first-idea-fails")),
        Case(
            tell=not_before_its_time,
            difficulty="T3",
            tags=("reveal", "time-lock"),
            twin_of=5,
            reasons=("time", "locked"),
        ),
        Case(tell=those_that_are_due, difficulty="T3", tags=("ERC-4906", "reveal", "trap:whole-collection")),
        Case(tell=the_keeper_of_the_salt, difficulty="T4", tags=("reveal", "commitment", "trap:first-published")),
    ),
    policy=play,
    derivations=("moment",),
    careless=careless,
)
