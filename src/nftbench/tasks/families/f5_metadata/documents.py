"""F5d: metadata of the contract itself (ERC-7572) and JSON kept on the chain, which must parse and lose nothing on the way.

The documents that the reference stores are written by a JSON encoder from the texts of the prompt, with people by the addresses
of the address book, or are the stored ones with just the change asked for.
"""

from __future__ import annotations

import json
import re
from typing import Any

from nftbench.tasks.appointments import appointment
from nftbench.tasks.drawing import HOUR, listed
from nftbench.tasks.families.f5_metadata.creations import creation
from nftbench.tasks.families.f5_metadata.documents_prints import (
    FAULTS,
    MEDIA,
    TEXTS,
    TITLES,
    TOKEN_URI,
    contract_says,
    damaged,
    may_change,
    plate,
    prints,
    token_says,
)
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.files import folder
from nftbench.tasks.goals import At, Change, EventEmitted, Reading, ViewEquals
from nftbench.tasks.model import Step as Action
from nftbench.tasks.model import Trigger
from nftbench.tasks.naming import slug_of
from nftbench.tasks.playing import (
    Step,
    awaited,
    conclude,
    contract,
    finish,
    minted_ids,
    person,
    send,
    state,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.tasks.scene import Scene

SET_TOKEN = "setTokenMetadata"
SET_CONTRACT = "setContractMetadata"
SMALL_PURSE = 150_000 * 10**9
"""Wei that pay for no more than 150,000 gas at the chain's lowest price; to store the long text takes more than 350,000."""


def a_new_card(scene: Scene, feasible: bool) -> Story:
    """The contract's own URI, on a contract whose tokens are frozen, which does not matter. In the twin another owns it."""
    draw = scene.draw
    collection, label, _base, _ids = creation(scene, 8, 12)
    scene.step("team", collection, "freezeMetadata")
    scene.hand_over(collection, "user" if feasible else scene.others(2)[1])
    uri = f"{folder(draw)}contract.json"
    scene.uris[uri] = json.dumps({"name": label, "banner_image": f"{folder(draw)}banner.png"})
    return Story(
        phrasings=(
            f"The collection page of {label} shows an old banner. Its contract-level metadata (contractURI, ERC-7572) has to be {uri} from now on, with the update event so that marketplaces notice.",
            f"Please change the contractURI of {label} to {uri} and see to it that the change is announced as ERC-7572 wants.",
            f"Set {uri} as the contract metadata (contractURI) of my collection {label}. Tokens stay as they are. Marketplaces should get the ERC-7572 event.",
        ),
        goals=(ViewEquals(Reading(collection, "contractURI"), uri), EventEmitted(collection, "ContractURIUpdated")),
        brief={"way": "link", "collection": label, "uri": uri},
    )


def quoted_words(scene: Scene, _: bool) -> Story:
    """A title and a text with quotation marks, backslashes and line breaks."""
    draw = scene.draw
    base = folder(draw)
    ids = draw.numbers(4, 1, 60)
    collection = prints(scene, {i: json.dumps(plate(scene, i, base)) for i in ids})
    scene.hand_over(collection)
    token_id, title, text = draw.choice(ids), draw.choice(TITLES), draw.choice(TEXTS)
    image = f"{base}retitled-{token_id}.png"
    document = {"name": title, "description": text, "image": image}
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Give {label} #{token_id} new on-chain metadata: a JSON object with name, description and image, nothing else.\n\nName:\n{title}\n\nDescription (with its line breaks):\n{text}\n\nImage:\n{image}",
            f"The JSON that {label} keeps for token {token_id} should have exactly three fields now. image is {image} and the name reads\n\n{title}\n\nwhile the description is, to the letter and line by line,\n\n{text}\n\nMarketplaces must be able to parse it.",
            f"Please rewrite the on-chain metadata of my {label} #{token_id}. Fields: name, description, image. Below are the three values in that order, separated by lines of dashes; keep every character of them.\n\n{title}\n-----\n{text}\n-----\n{image}",
        ),
        goals=token_says(collection, {token_id: document}),
        allowed=may_change(collection, [token_id]),
        brief={"way": "write", "collection": label, "token_id": token_id, "document": document},
    )


def one_field(scene: Scene, _: bool) -> Story:
    """A new image and one more attribute; everything else in the stored document stays."""
    draw = scene.draw
    base = folder(draw)
    ids = draw.numbers(4, 1, 60)
    documents = {i: plate(scene, i, base) for i in ids}
    collection = prints(scene, {i: json.dumps(d, ensure_ascii=False) for i, d in documents.items()})
    scene.hand_over(collection)
    token_id = draw.choice(ids)
    image, value = f"{folder(draw)}plate-{token_id}.png", draw.choice(("cancelled", "reworked", "hand-coloured"))
    trait = {"trait_type": "State", "value": value}
    old = documents[token_id]
    wanted = old | {"image": image, "attributes": [*old["attributes"], trait]}
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"In the on-chain JSON of {label} #{token_id}, replace the image by {image} and add the attribute State with the value {value}. Everything else in it stays.",
            f"{label} number {token_id} has a new picture, {image}, and a further trait (trait_type State, value {value}). Please work both into its stored metadata without losing what is there.",
            f'Update the metadata that {label} holds for #{token_id}: image becomes {image}; the attributes get one more, "State": "{value}". No other field may change.',
        ),
        goals=token_says(collection, {token_id: wanted}),
        allowed=may_change(collection, [token_id]),
        brief={"way": "amend", "collection": label, "token_id": token_id, "image": image, "state": value},
    )


def broken_ones(scene: Scene, _: bool) -> Story:
    """Some stored documents don't parse; the meaning of each is plain, and the sound ones are to be left alone."""
    draw = scene.draw
    base = folder(draw)
    ids = draw.numbers(7, 1, 60)
    faults = dict(zip(draw.sample(ids, 3), FAULTS, strict=True))
    documents = {i: plate(scene, i, base) for i in ids}
    for document in documents.values():
        document["description"] += "\nSecond edition."
    texts = {i: damaged(json.dumps(d, ensure_ascii=False), faults.get(i)) for i, d in documents.items()}
    collection = prints(scene, texts)
    scene.hand_over(collection)
    broken = sorted(faults)
    label = scene.labels[collection]
    return Story(
        phrasings=(
            f"Marketplaces show nothing for some tokens of {label}: the JSON stored for them is broken (a comma too many, a missing bracket, a raw line break, that sort of thing). Find those tokens and store repaired JSON that says just what it was meant to say. Leave the sound ones alone.",
            f"Please go through the on-chain metadata of all {label} tokens, and mend whatever does not parse as JSON, keeping its content word for word. Tokens whose metadata parses must not be touched.",
            f"A script of mine wrote faulty JSON for part of {label}. Every token's metadata should parse again, with the same fields and values as intended; rewrite only those that don't parse now.",
        ),
        goals=token_says(collection, {i: documents[i] for i in broken}),
        allowed=may_change(collection, broken),
        brief={"way": "mend", "collection": label},
    )


def the_whole_card(scene: Scene, feasible: bool) -> Story:
    """A long contract-level document with people as addresses. In the twin the wallet can't pay for storing it."""
    draw = scene.draw
    one, two = scene.person(), scene.person()
    base = folder(draw)
    ids = draw.numbers(4, 1, 60)
    collection = prints(scene, {i: json.dumps(plate(scene, i, base)) for i in ids})
    scene.hand_over(collection)
    if not feasible:
        scene.purse(SMALL_PURSE)
    label = scene.labels[collection]
    technique = draw.choice(MEDIA).lower()
    about = (
        f"{label} is a series of prints, pulled by hand over one winter. Every sheet began as a {technique} and was reworked between "
        "states, so no two are alike; the plates were cancelled when the last sheet was dry. Proceeds keep the workshop open, and whoever "
        "holds a sheet may come and see the press. Colours differ from screen to screen; what counts is the sheet."
    )
    link, image = f"https://{slug_of(label)}.example", f"{base}cover.png"
    document = {
        "name": label,
        "description": about,
        "image": image,
        "external_link": link,
        "collaborators": [At(one), At(two)],
    }
    people = [scene.labels[one], scene.labels[two]]
    return Story(
        phrasings=(
            f'Write the contract-level metadata of {label} on chain, in the form of ERC-7572: name "{label}", image {image}, external_link {link}, and as collaborators (a list of their addresses) {listed(people)}. The description reads: {about}',
            f"{label} still has an empty contract card. Fill it with a JSON object: name ({label}), description, image ({image}), external_link ({link}) and collaborators, an array with the wallet addresses of {listed(people)}. Description: {about}",
            f"Please store the collection metadata for {label} in its contract. Fields as in ERC-7572: name is {label}; image is {image}; external_link is {link}; collaborators lists the addresses of {listed(people)}; description is this text: {about}",
        ),
        goals=contract_says(collection, document),
        allowed=(Change(kind="view", contract=collection, subject="contractURI()"),),
        brief={
            "way": "card",
            "collection": label,
            "document": {"name": label, "description": about, "image": image, "external_link": link},
            "collaborators": people,
        },
    )


def after_the_handover(scene: Scene, _: bool) -> Story:
    """A partner edits the contract's card once more before handing the contract over; her edit must survive."""
    draw = scene.draw
    partner = scene.person()
    base = folder(draw)
    ids = draw.numbers(4, 1, 60)
    label_text = f"Prints by {scene.labels[partner]}"
    first = {
        "name": label_text,
        "description": "Open edition.",
        "image": f"{base}cover.png",
        "external_link": "https://old-press.example",
    }
    collection = prints(scene, {i: json.dumps(plate(scene, i, base)) for i in ids}, json.dumps(first))
    scene.hand_over(collection, partner)
    final = first | {
        "description": f"Edition closed at {draw.number(40, 90)} sheets.",
        "banner_image": f"{folder(draw)}banner.png",
    }
    handover = appointment(scene)
    scene.actor(
        "handover",
        Trigger(after=handover.expected + 60 * draw.number(4, 50)),
        Action(sender=partner, target=collection, function=SET_CONTRACT, args=(json.dumps(final),)),
        Action(sender=partner, target=collection, function="transferOwnership", args=(At("user"),)),
    )
    link = f"https://{draw.person().lower()}-press.example"
    label, name, about, by = scene.labels[collection], scene.labels[partner], handover.about, handover.by
    return Story(
        phrasings=(
            f"{name} hands the contract {label} over to me at about {about}, after some last edits to its contract-level metadata. When it's mine, change external_link in that metadata to {link}, and keep everything else as {name} left it. By {by}.",
            f"From around {about} on I'll be the owner of {label}; {name} transfers it and may touch up the collection's on-chain JSON before. Then put {link} in as its external_link, leaving all other fields the way they are at that point. It has to be done before {by}.",
            f"Please update the contract metadata of {label}, on chain, by {by}: external_link must be {link}. {name} owns the contract until about {about}, is still editing the metadata, and passes it on to me then; those edits are to stay.",
        ),
        goals=contract_says(collection, final | {"external_link": link}),
        allowed=(Change(kind="view", contract=collection, subject="contractURI()"),),
        brief={"way": "handover", "collection": label, "link": link, **handover.told},
        deadline=handover.deadline,
    )


def play(brief: dict[str, Any]) -> Play:
    """Read what is stored, change it as data and not as text, and store it; see who may and whether it can be paid."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    match brief["way"]:
        case "link":
            problem = yield from send(address, "setContractURI", brief["uri"])
        case "write":
            problem = yield from send(address, SET_TOKEN, brief["token_id"], json.dumps(brief["document"]))
        case "amend":
            document = json.loads((yield from _stored(address, TOKEN_URI, brief["token_id"])))
            document["image"] = brief["image"]
            document["attributes"].append({"trait_type": "State", "value": brief["state"]})
            problem = yield from send(address, SET_TOKEN, brief["token_id"], json.dumps(document))
        case "mend":
            problem = yield from _mend(address)
        case "card":
            people = [person(seen, name) for name in brief["collaborators"]]
            problem = yield from send(address, SET_CONTRACT, json.dumps(brief["document"] | {"collaborators": people}))
        case _:
            problem = yield from _once_it_is_mine(address, seen["you"], brief)
    mine = (yield from view(address, "owner")) == seen["you"]
    yield from conclude(problem, "The metadata is stored.", "funds" if mine else "authorisation")


def _stored(address: str, function: str, *arguments: Any) -> Any:
    """The document behind a view's data: URI, as text."""
    uri = yield from view(address, function, *arguments)
    return (yield from use("fetch_uri", uri=uri))["content"]


def _mend(address: str) -> Any:
    for token_id in (yield from minted_ids(address)):
        text = yield from _stored(address, TOKEN_URI, token_id)
        if not _parses(text):
            problem = yield from send(address, SET_TOKEN, token_id, _mended(text))
            if problem:
                return problem
    return None


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _mended(text: str) -> str:
    """The text without commas before a closing bracket, with line breaks escaped and its last brace put back."""
    text = re.sub(r",\s*([\]}])", r"\1", text.replace("\n", "\\n"))
    return text if _parses(text) else text + "}"


def _once_it_is_mine(address: str, me: str, brief: dict[str, Any]) -> Any:
    """Wait for the contract, and only then read what to change; gives None, or why it can't be done in time."""

    def handed_over() -> Step:
        return (yield from view(address, "owner")) == me

    if not (yield from awaited(brief, handed_over)):
        return "the contract is not handed over by the deadline"
    document = json.loads((yield from _stored(address, "contractURI")))
    return (yield from send(address, SET_CONTRACT, json.dumps(document | {"external_link": brief["link"]})))


def careless(brief: dict[str, Any]) -> Play:
    """Pastes texts together, writes only what was named, and keeps a copy from before."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    match brief["way"]:
        case "link":
            yield from without_looking(address, "setContractURI", brief["uri"])
        case "write":
            fields = ",".join(f'"{key}":"{value}"' for key, value in brief["document"].items())
            yield from without_looking(address, SET_TOKEN, brief["token_id"], "{" + fields + "}")
        case "amend":
            text = json.dumps(
                {"image": brief["image"], "attributes": [{"trait_type": "State", "value": brief["state"]}]}
            )
            yield from without_looking(address, SET_TOKEN, brief["token_id"], text)
        case "card":
            document = brief["document"] | {"collaborators": brief["collaborators"]}
            yield from without_looking(address, SET_CONTRACT, json.dumps(document))
        case "handover":
            document = json.loads((yield from _stored(address, "contractURI")))
            yield from wait_until(brief["expected"] + HOUR)
            yield from without_looking(address, SET_CONTRACT, json.dumps(document | {"external_link": brief["link"]}))
    yield from finish("Done.")


F5D = SubFamily(
    name="F5d",
    title="contract-level and on-chain metadata",
    cases=(
        Case(tell=a_new_card, difficulty="T1", tags=("ERC-7572", "looks-frozen")),
        Case(tell=a_new_card, difficulty="T1", tags=("ERC-7572",), twin_of=1, reasons=("authorisation", "ownership")),
        Case(tell=quoted_words, difficulty="T2", tags=("JSON", "trap:unescaped")),
        Case(tell=one_field, difficulty="T2", tags=("JSON", "trap:lost-fields")),
        Case(tell=broken_ones, difficulty="T3", tags=("JSON",)),
        Case(tell=the_whole_card, difficulty="T3", tags=("JSON", "ERC-7572", "trap:names-for-addresses")),
        Case(tell=the_whole_card, difficulty="T3", tags=("JSON", "ERC-7572"), twin_of=6, reasons=("funds",)),
        Case(tell=after_the_handover, difficulty="T4", tags=("JSON", "ERC-7572", "trap:stale-copy")),
    ),
    policy=play,
    careless=careless,
)
