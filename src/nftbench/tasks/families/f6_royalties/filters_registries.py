"""Collections with an operator filter, the registry behind it, and the lists of filtered markets."""

from __future__ import annotations

from collections.abc import Sequence

from nftbench.tasks.goals import At, Reading, ViewEquals
from nftbench.tasks.markets import BASIS_POINTS
from nftbench.tasks.scene import Scene

REGISTRY = "Operator filter registry"
FILTERED = "filteredOperators(address)"
FILTERED_CODE = "filteredCodeHashes(address)"
SUBSCRIPTION = "subscriptionOf(address)"


def filtering_collection(scene: Scene) -> tuple[str, str, list[int]]:
    """A registry and a FilteredCollection of the team's with its own, empty list: both handles and the ids. Every third
    token, from the first, is the user's."""
    registry = scene.contract("OperatorFilterRegistry", (), label=REGISTRY)
    collection = scene.collection("FilteredCollection", terms=(At(registry), At("nobody")))
    ids = scene.draw.numbers(8, 1, 200)
    scene.deal(collection, ids)
    scene.watch(
        *(
            Reading(registry, view_, (At(collection),))
            for view_ in (FILTERED, FILTERED_CODE, SUBSCRIPTION, "isRegistered(address)")
        )
    )
    scene.watch(Reading(collection, "royaltyInfo", (ids[0], BASIS_POINTS)))
    return registry, collection, ids


def block(scene: Scene, registry: str, registrant: str, markets: Sequence[str], by: str = "team") -> None:
    """Put markets on somebody's list."""
    scene.step(by, registry, "updateOperators", At(registrant), tuple(At(m) for m in markets), True)


def subscribed(scene: Scene, registry: str, collection: str, markets: Sequence[str]) -> str:
    """A curator's list with these markets, which the collection follows; the curator's handle."""
    curator = scene.person("Market Watch", note="keeps a list of markets that pay no royalties")
    scene.step(curator, registry, "register", At(curator))
    block(scene, registry, curator, markets, by=curator)
    scene.step("team", registry, "subscribe", At(collection), At(curator))
    return curator


def filters(registry: str, collection: str, operator: str, yes: bool) -> ViewEquals:
    return ViewEquals(Reading(registry, "isOperatorFiltered", (At(collection), At(operator))), yes)
