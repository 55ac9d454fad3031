"""Public drops in a scene: a collection that is minted in phases, and files for tokens that are still to come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nftbench.tasks.goals import Reading
from nftbench.tasks.scene import Scene


class Phase(NamedTuple):
    """One phase of a DropCollection: Unix times (the end excluded), wei for a token, tokens a wallet (0: no limit)."""

    starts_at: int
    ends_at: int
    price: int
    limit: int


def drop(scene: Scene, supply: int, phases: Iterable[Phase], label: str | None = None) -> str:
    """A DropCollection of the team's, with its phases watched."""
    terms = tuple(map(tuple, phases))
    collection = with_files(scene, scene.collection("DropCollection", label, terms=(supply, terms)))
    scene.watch(*(Reading(collection, "phaseTerms", (number,)) for number in range(len(terms))))
    return collection


def with_files(scene: Scene, collection: str, ids: Iterable[int] = range(1, 21)) -> str:
    """The collection, with files for these tokens, most of which are still to be minted."""
    label = scene.labels[collection]
    scene.publish(scene.folder(label), label, ids)
    return collection
