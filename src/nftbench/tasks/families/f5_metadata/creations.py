"""A collection whose creator, the user, tends its metadata: the collection, its files, and goals about URIs and signals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from nftbench.tasks.files import folder
from nftbench.tasks.goals import At, Goal, MetadataSignalled, Reading, ViewEquals
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.playing import Step, send
from nftbench.tasks.scene import Scene

SET_TOKEN_URI = "setTokenURI"
SIGNAL_RANGE = "emitBatchMetadataUpdate"


class Creation(NamedTuple):
    """A MetadataCollection by its handle, with its name, the base of its URIs and the ids of its tokens."""

    handle: str
    label: str
    base: str
    ids: list[int]


def creation(scene: Scene, fewest: int, most: int, *, base: str | None = None, label: str | None = None) -> Creation:
    """A collection with so many tokens, every third of them the user's, with files behind its URIs and its metadata watched.
    The team owns it until it is handed over."""
    base, label = base or folder(scene.draw), label or scene.draw.collection()
    first = scene.draw.choice((0, 1))
    ids = list(range(first, first + scene.draw.number(fewest, most)))
    card = f"{base}collection.json"
    args = (label, symbol_of(label), At("team"), base, card)
    handle = scene.contract("MetadataCollection", args, label=label)
    scene.deal(handle, ids)
    scene.publish(base, label, ids)
    scene.uris[card] = json.dumps({"name": label})
    watch_uris(scene, handle, ids)
    scene.watch(*(Reading(handle, "tokenFrozen", (i,)) for i in ids))
    return Creation(handle, label, base, ids)


def watch_uris(scene: Scene, collection: str, ids: Sequence[int]) -> None:
    scene.watch(*(Reading(collection, "tokenURI", (i,)) for i in ids))


def uris_are(collection: str, uris: dict[int, str]) -> tuple[Goal, ...]:
    """Goals: these tokens have these URIs, and exactly they were signalled (ERC-4906)."""
    goals = [ViewEquals(Reading(collection, "tokenURI", (i,)), uri) for i, uri in uris.items()]
    return (*goals, MetadataSignalled(collection, tuple(uris)))


def based_on(of: Creation, base: str) -> tuple[Goal, ...]:
    """Goals: the collection has this base, all its tokens' URIs begin with it, and all were signalled."""
    return (ViewEquals(Reading(of.handle, "baseURI"), base), *uris_are(of.handle, {i: f"{base}{i}" for i in of.ids}))


def ranges(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending ids as the fewest ranges, both ends included."""
    found: list[tuple[int, int]] = []
    for token_id in sorted(ids):
        if found and found[-1][1] == token_id - 1:
            found[-1] = (found[-1][0], token_id)
        else:
            found.append((token_id, token_id))
    return found


def signal(address: str, ids: Sequence[int]) -> Step:
    """Signal exactly these tokens; gives None, or why it fails."""
    problem: Any = None
    for first, last in ranges(ids):
        problem = problem or (yield from send(address, SIGNAL_RANGE, first, last))
    return problem
