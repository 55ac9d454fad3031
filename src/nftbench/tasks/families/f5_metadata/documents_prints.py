"""A series of prints whose JSON is kept on the chain: documents, texts that need escaping, and faults that keep them from parsing."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.goals import At, Change, EventEmitted, Goal, JsonView, MetadataSignalled, Reading
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.scene import Scene

# Titles and texts that a JSON string can't hold as they are.
TITLES = ('The "Quiet" Hour', 'Study for "Low Tide"', 'Left\\Right, after "K."', 'A "Room" \\ No Room')
TEXTS = (
    'She said: "Leave the lamp on."\nNobody did.',
    'Ink on paper, 12" x 9".\nSigned "M." on the back \\ unframed.',
    'Found under C:\\scans\\old, titled "untitled".\nSecond state.',
    '"Nothing", he wrote, "is finished."\nPrinted twice \\ kept once.',
)
# What can keep a document from parsing.
FAULTS = ("trailing comma", "missing end", "bare line break")
MEDIA = ("Etching", "Drypoint", "Linocut", "Monotype", "Woodcut", "Screenprint")
PAPERS = ("Hahnemühle", "Gampi", "Kozo", "Arches", "Zerkall")
TOKEN_URI = "tokenURI"


def prints(scene: Scene, documents: dict[int, str], contract_json: str = "{}") -> str:
    """An OnchainJsonCollection with these tokens, their documents watched; the team owns it until handed over."""
    label = scene.draw.collection()
    collection = scene.contract(
        "OnchainJsonCollection", (label, symbol_of(label), At("team"), contract_json), label=label
    )
    holders = ["user", *scene.others(2)]
    for place, (token_id, text) in enumerate(documents.items()):
        scene.step("team", collection, "mint", At(holders[place % 3]), token_id, text)
        scene.watch(Reading(collection, TOKEN_URI, (token_id,)))
    return collection


def plate(scene: Scene, token_id: int, base: str) -> dict[str, Any]:
    draw = scene.draw
    return {
        "name": f"Plate {token_id}",
        "description": f"Number {token_id} of the series, pulled by hand.",
        "image": f"{base}plate-{token_id}.png",
        "attributes": [
            {"trait_type": "Technique", "value": draw.choice(MEDIA)},
            {"trait_type": "Paper", "value": draw.choice(PAPERS)},
            {"display_type": "number", "trait_type": "Edition", "value": draw.number(5, 60)},
        ],
    }


def token_says(collection: str, documents: dict[int, Any]) -> tuple[Goal, ...]:
    says = [JsonView(Reading(collection, TOKEN_URI, (i,)), document) for i, document in documents.items()]
    return (*says, MetadataSignalled(collection, tuple(documents)))


def may_change(collection: str, ids: list[int]) -> tuple[Change, ...]:
    return tuple(Change(kind="view", contract=collection, subject="tokenURI(uint256)", detail=(i,)) for i in ids)


def contract_says(collection: str, document: Any) -> tuple[Goal, ...]:
    return (JsonView(Reading(collection, "contractURI"), document), EventEmitted(collection, "ContractURIUpdated"))


def damaged(text: str, fault: str | None) -> str:
    match fault:
        case "trailing comma":
            return text.replace("}]", "},]")
        case "missing end":
            return text[:-1]
        case "bare line break":
            return text.replace("\\n", "\n")
    return text
