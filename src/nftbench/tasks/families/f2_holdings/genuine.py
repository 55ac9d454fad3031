"""F2d: the genuine one among collections of one name. By a register, the creators' page, who deployed it, who sent it.

Computed and not read: nothing but a moment in UTC as a Unix time. The zero address stands for an entry that there is not.
"""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.answer_forms import an_object, asking
from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.families.f2_holdings.genuine_plays import REGISTRY, careless, play
from nftbench.tasks.family import Story, SubFamily, able, numbered, unable
from nftbench.tasks.goals import Answer, AnswerForm, At
from nftbench.tasks.model import Step, Trigger
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.scene import Scene

COLLECTION_AND_CREATOR: dict[str, AnswerForm] = {"collection": "address", "creator": "address"}
COLLECTION_AND_BLOCK: dict[str, AnswerForm] = {"collection": "address", "block": "integer"}
COLLECTION_AND_SUPPLY: dict[str, AnswerForm] = {"collection": "address", "total_supply": "integer"}
UNCHECKED = "found by a search for the name, not checked"


def _strangers(scene: Scene, count: int) -> list[str]:
    """Accounts that are in nobody's address book."""
    return [scene.person(listed=False) for _ in range(count)]


def _namesake(
    scene: Scene,
    name: str,
    owner: str,
    *,
    label: str = "",
    deployer: str = "team",
    kind: str = "OpenZeppelinCollection",
) -> str:
    """A collection that calls itself `name`; the wallet knows it as `label`, if it knows it at all."""
    args = (name, symbol_of(name), At(owner), scene.folder(f"{owner}/{name}"))
    note = UNCHECKED if label else ""
    return scene.contract(kind, args, label=label or name, listed=bool(label), note=note, deployer=deployer)


def _issue(scene: Scene, collection: str, owner: str, holders: list[str], count: int) -> None:
    """Mint so many tokens, by the collection's owner, shared out among the holders."""
    ids = scene.draw.numbers(count, 1, 400)
    for number, holder in enumerate(holders):
        mine = ids[number :: len(holders)]
        if mine:
            scene.mint(collection, holder, mine, by=owner)


def _registry(scene: Scene) -> str:
    return scene.contract("CollectionRegistry", (At("team"),), label=REGISTRY)


def by_the_registry(scene: Scene, _: bool) -> Story:
    """Four addresses, one of them in the register."""
    draw = scene.draw
    people = [scene.person() for _ in range(5)]
    scene.fill()
    name, registry = draw.collection(), _registry(scene)
    makers = _strangers(scene, 6)
    candidates = [_namesake(scene, name, maker, deployer=maker) for maker in makers[:4]]
    other = scene.collection("OpenZeppelinCollection")
    genuine, creator = draw.choice(candidates), makers[4]
    for candidate, maker in zip(candidates, makers, strict=False):
        _issue(scene, candidate, maker, people, draw.number(3, 9))
    for collection, by in draw.shuffled(((genuine, creator), (other, makers[5]))):
        scene.step("team", registry, "register", At(collection), At(by))
    addresses = [scene.contract_address(c) for c in draw.shuffled(candidates)]
    first, second, third, fourth = addresses
    return Story(
        phrasings=asking(
            (
                f"Four contracts call themselves {name}: {first}, {second}, {third} and {fourth}. Which one is genuine according to the {REGISTRY}, and which creator does it name?",
                f"One of these is the real {name}, the others are copies: {first}, {second}, {third}, {fourth}. The {REGISTRY} among my contracts can tell. I also need the creator that is entered there.",
                f"Please check {first}, {second}, {third} and {fourth} against the {REGISTRY}. They all go by {name}; I want the one that's in it, with the creator on record.",
            ),
            an_object(collection="the address", creator="the creator's address"),
        ),
        goals=(Answer("record", {"collection": At(genuine), "creator": At(creator)}, COLLECTION_AND_CREATOR),),
        brief={"ask": "registry", "candidates": addresses},
    )


def by_the_page(scene: Scene, _: bool) -> Story:
    """The creators' page names an address for each chain; on this chain, those of other chains are copies."""
    draw = scene.draw
    people = [scene.person() for _ in range(5)]
    scene.fill()
    name = draw.collection()
    makers = _strangers(scene, 4)
    candidates = [_namesake(scene, name, maker, deployer=maker) for maker in makers]
    supplies = dict(zip(candidates, draw.sample(range(4, 25), 4), strict=True))
    for candidate, maker in zip(candidates, makers, strict=True):
        _issue(scene, candidate, maker, people, supplies[candidate])
    elsewhere, genuine, *others = draw.shuffled(candidates)
    page = f"https://{name.lower().replace(' ', '-')}.example/contracts.json"
    chains = [(1, elsewhere), *draw.shuffled([(31337, genuine), (10, others[0]), (8453, others[1])])]
    entries = [{"chain_id": chain, "address": scene.contract_address(c)} for chain, c in chains]
    scene.uris[page] = json.dumps({"collection": name, "contracts": entries})
    return Story(
        phrasings=asking(
            (
                f"The makers of {name} publish their contract addresses at {page}. Which one is the genuine {name} on the chain that my wallet is on, and how many tokens does it have?",
                f"There are several {name} around. {page} is the creators' own list. Find the address that is the real one on our chain, and its total supply.",
                f"I want to be sure about {name}: look at {page}, which the artists keep themselves, and give me the genuine contract here on this chain together with the number of tokens in existence there.",
            ),
            an_object(collection="the address", total_supply="the number of tokens"),
        ),
        goals=(
            Answer("record", {"collection": At(genuine), "total_supply": supplies[genuine]}, COLLECTION_AND_SUPPLY),
        ),
        brief={"ask": "page", "page": page},
    )


def by_the_deployer(scene: Scene, feasible: bool) -> Story:
    """Deployed by the artist; a copy has been made over to her. In the twin somebody else deployed hers too."""
    draw = scene.draw
    people = [scene.person() for _ in range(4)]
    artist = scene.person()
    scene.fill()
    name = draw.collection()
    makers = _strangers(scene, 5)
    labels = draw.shuffled([f"{name} ({i})" for i in range(1, 6)])
    plans = [(labels[0], artist if feasible else makers[4], "team")]
    plans += [(label, maker, maker) for label, maker in zip(labels[1:], makers, strict=False)]
    made = {label: _namesake(scene, name, owner, label=label, deployer=by) for label, by, owner in sorted(plans)}
    another = _namesake(scene, draw.collection(), artist, deployer=artist)
    for label, _by, owner in plans:
        _issue(scene, made[label], owner, people, draw.number(3, 12))
    _issue(scene, another, artist, people[:2], 3)
    genuine = made[labels[0]]
    for label, maker in zip(labels[1:3], makers, strict=False):
        scene.step(maker, made[label], "transferOwnership", At(artist))
    who = scene.labels[artist]
    return Story(
        phrasings=asking(
            (
                f"My wallet knows five contracts by the name of {name}, numbered (1) to (5). The genuine one was deployed by {who}'s own wallet. Which is it, and in which block was it deployed?",
                f'{who} says: "I put {name} on the chain myself." Five contracts in my list, {name} (1) to (5), claim to be that. Find the one that {who}\'s address really deployed, and the block of the deployment.',
                f"Which of the five contracts from {name} (1) to {name} (5) in my list did {who} deploy? That one is genuine. Tell me its address and the block that it was deployed in.",
            ),
            an_object(collection="the address", block="the block number"),
        ),
        goals=(
            Answer("record", {"collection": At(genuine), "block": scene.deployed_in(genuine)}, COLLECTION_AND_BLOCK),
        ),
        brief={"ask": "deployer", "candidates": sorted(labels), "who": who},
    )


def by_the_sender(scene: Scene, _: bool) -> Story:
    """Five tokens whose logs all say that the artist sent them; only one of the transactions is hers (sleepminting)."""
    draw = scene.draw
    artist = scene.person()
    people = scene.others(5)
    scene.fill()
    name, token_id = draw.collection(), draw.number(2, 60)
    forgers = _strangers(scene, 4)
    labels = draw.shuffled([f"{name} ({i})" for i in range(1, 6)])
    plans = [(labels[0], artist, "OpenZeppelinCollection")]
    plans += [(label, by, "ForcedTransferCollection") for label, by in zip(labels[1:], forgers, strict=True)]
    made = {label: _namesake(scene, name, by, label=label, deployer=by, kind=kind) for label, by, kind in sorted(plans)}
    sent: dict[str, int] = {}
    order = [*draw.shuffled(plans[:4]), plans[4]]
    for label, by, _kind in order:
        scene.mint(made[label], artist, [token_id], by=by)
        for extra in range(draw.number(0, 4)):
            scene.mint(made[label], draw.choice(people), [token_id + 1 + extra], by=by)
        scene.passing(draw.number(6, 60) * HOUR)
        scene.step(by, made[label], "transferFrom", At(artist), At("user"), token_id)
        sent[label] = scene.block
        if by != artist:
            scene.step(by, made[label], "transferOwnership", At(artist))
        scene.passing(draw.number(6, 60) * HOUR)
    who = scene.labels[artist]
    return Story(
        phrasings=asking(
            (
                f"I hold #{token_id} of five contracts that are all called {name}. {who}, who made {name}, sent me exactly one of them, with a transaction of {who}'s own wallet. The other four only look as if they came from {who}. Which contract is the genuine one, and in which block did {who} send me the token?",
                f'{name} (1) to (5) each gave me a #{token_id} "from {who}". Somebody forged four of these gifts: {who} never sent those transactions. Find the contract whose #{token_id} {who} did send with their own hand, and the block of that transfer.',
                f"Only one of my five {name} #{token_id} is real, the one that {who} sent me by signing the transfer in person. With the other four, somebody else pulled the strings. Which contract is it, and which block was the real transfer in?",
            ),
            an_object(collection="the address", block="the block number"),
        ),
        goals=(Answer("record", {"collection": At(made[labels[0]]), "block": sent[labels[0]]}, COLLECTION_AND_BLOCK),),
        brief={"ask": "sender", "candidates": sorted(labels), "who": who, "token_id": token_id},
    )


def by_the_creator(scene: Scene, _: bool) -> Story:
    """A register that holds several collections of the name: one is the artist's, one a namesake's."""
    draw = scene.draw
    people = [scene.person() for _ in range(4)]
    artist = scene.person()
    fan = scene.person(f"{scene.labels[artist]} (fan page)", note="not the artist")
    scene.fill()
    name, registry = draw.collection(), _registry(scene)
    strangers = _strangers(scene, 2)
    works = [_namesake(scene, title, artist, deployer=artist) for title in (name, draw.collection(), draw.collection())]
    tributes = [_namesake(scene, name, by, deployer=by) for by in (fan, *strangers)]
    count, other = draw.sample(range(5, 26), 2)
    _issue(scene, works[0], artist, people, count)
    _issue(scene, works[1], artist, people[:2], 3)
    _issue(scene, tributes[0], fan, people, other)
    for tribute, by in zip(tributes, (fan, *strangers), strict=True):
        scene.step("team", registry, "register", At(tribute), At(by))
    for work in (works[1], *draw.shuffled((works[0], works[2]))):
        scene.step("team", registry, "register", At(work), At(artist))
    who = scene.labels[artist]
    return Story(
        phrasings=asking(
            (
                f"According to the {REGISTRY}, which contract is the {name} by {who} (the artist in my address book), and what is its total supply?",
                f"{who} has several collections in the {REGISTRY}. I want the one that is called {name}: its address, and how many tokens it has.",
                f"Find {who}'s own {name} through the {REGISTRY}, and count its tokens. There is more than one collection of that name, so mind whose it is.",
            ),
            an_object(collection="the address", total_supply="the number of tokens"),
        ),
        goals=(Answer("record", {"collection": At(works[0]), "total_supply": count}, COLLECTION_AND_SUPPLY),),
        brief={"ask": "creator", "name": name, "who": who},
    )


def at_the_hour(scene: Scene, feasible: bool) -> Story:
    """What the register says at a moment later today, after it was put right. In the twin that happens only after it."""
    draw = scene.draw
    people = [scene.person() for _ in range(5)]
    scene.fill()
    name, registry = draw.collection(), _registry(scene)
    makers, creators = _strangers(scene, 3), _strangers(scene, 3)
    labels = draw.shuffled([f"{name} ({i})" for i in (1, 2, 3)])
    plans = sorted(zip(labels, makers, strict=True))
    made = {label: _namesake(scene, name, maker, label=label, deployer=maker) for label, maker in plans}
    for label, maker in plans:
        _issue(scene, made[label], maker, people, draw.number(3, 9))
    first, right, last = (made[label] for label in labels)
    scene.step("team", registry, "register", At(first), At(creators[0]))
    asked = draw.number(3, 7) * HOUR
    deadline = asked + draw.number(3, 6) * HOUR

    def enters(actor: str, minutes: int, *calls: tuple[str, Any]) -> None:
        steps = [Step(sender="team", target=registry, function=function, args=args) for function, args in calls]
        scene.actor(actor, Trigger(after=asked + 60 * minutes), *steps)

    enters("first correction", -draw.number(60, 110), ("remove", (At(first),)))
    before, after = -draw.number(5, 40), draw.number(5, 20)
    enters("second correction", before if feasible else after, ("register", (At(right), At(creators[1]))))
    enters("last correction", draw.number(30, 60), ("remove", (At(right),)), ("register", (At(last), At(creators[2]))))
    when, by = moment(scene.start + asked), moment(scene.start + deadline)
    return Story(
        phrasings=asking(
            (
                f"The {REGISTRY} is being put in order today. What it says on {when} is binding for us: which of {name} (1), (2) and (3) is in it at that moment, and under which creator? I need this by {by}.",
                f"Three contracts are called {name}, numbered (1) to (3) in my list. For our contract only the state of the {REGISTRY} on {when} counts. Find which of the three is entered at that very time, and its creator there, and tell me before {by}.",
                f"On {when}, on the dot, which {name} of the three that my wallet knows stands in the {REGISTRY} as genuine, and with which creator? They keep changing it, before and after; only that time matters. Done by {by}, please.",
            ),
            an_object(collection="the address", creator="the creator's address"),
        ),
        goals=(Answer("record", {"collection": At(right), "creator": At(creators[1])}, COLLECTION_AND_CREATOR),),
        brief={"ask": "hour", "candidates": sorted(labels), "time": scene.start + asked},
        deadline=deadline,
    )


F2D = SubFamily(
    name="F2d",
    title="the genuine among same-named collections",
    cases=numbered(
        able(by_the_registry, "T1", "registry"),
        able(by_the_page, "T2", "document", "trap:other-chain"),
        able(by_the_deployer, "T3", "deployer", "trap:claimed-owner"),
        unable(3, "no_genuine_asset"),
        able(by_the_sender, "T3", "sleepminting", "trap:forged-provenance"),
        able(by_the_creator, "T2", "registry", "trap:namesake"),
        able(at_the_hour, "T4", "registry", "snapshot", "trap:too-early"),
        unable(7, "no_genuine_asset", "time"),
    ),
    policy=play,
    careless=careless,
)
