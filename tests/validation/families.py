"""A small sub-family to break in one way at a time: the user's lynx goes to Mira, unless the issuer has locked it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.family import Case, Play, Story, SubFamily
from nftbench.tasks.goals import Owns
from nftbench.tasks.playing import SAFE_TRANSFER, contract, finish, give_up, person, send, state, view
from nftbench.tasks.scene import Scene
from nftbench.validation.instance import Examination, examine

NAME = "F99a"


def lynx(scene: Scene, feasible: bool, **changes: Any) -> Story:
    """`changes` replace parts of the story."""
    friend = scene.person()
    collection = scene.collection("LockableCollection")
    token_id = scene.draw.number(50, 900)
    scene.mint(collection, "user", [token_id, token_id + 1])
    if not feasible:
        scene.step("team", collection, "lockByIssuer", token_id)
    label, name = scene.labels[collection], scene.labels[friend]
    story: dict[str, Any] = {
        "phrasings": (f"Send {label} #{token_id} to {name}.", f"{name} gets my {label} number {token_id}."),
        "goals": (Owns(friend, collection, token_id),),
        "brief": {"collection": label, "token_id": token_id, "to": name},
    }
    return Story(**(story | changes))


def play(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    address = contract(seen, brief["collection"])
    if (yield from view(address, "locked", brief["token_id"])):
        yield from give_up("it is locked", "locked")
        return
    yield from send(address, SAFE_TRANSFER, seen["you"], person(seen, brief["to"]), brief["token_id"])
    yield from finish("The lynx is with its new owner.")


def careless(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    address = contract(seen, brief["collection"])
    yield from send(address, SAFE_TRANSFER, seen["you"], person(seen, brief["to"]), brief["token_id"])
    yield from finish("Sent.")


def sub_family(tell: Callable[[Scene, bool], Story] = lynx, **changes: Any) -> SubFamily:
    parts: dict[str, Any] = {
        "name": NAME,
        "title": "a lynx",
        "cases": (
            Case(tell=tell, difficulty="T1"),
            Case(tell=tell, difficulty="T1", twin_of=1, reasons=("locked",)),
        ),
        "policy": play,
        "careless": careless,
    }
    return SubFamily(**(parts | changes))


def problems(monkeypatch: pytest.MonkeyPatch, family: SubFamily, number: int = 1) -> list[str]:
    """What examining one of its instances finds."""
    return examined(monkeypatch, family, number).problems


def examined(monkeypatch: pytest.MonkeyPatch, family: SubFamily, number: int = 1) -> Examination:
    catalog.task.cache_clear()
    monkeypatch.setitem(catalog.SUB_FAMILIES, family.name, family)
    try:
        return examine(f"{family.name}_{number:02d}", 0)
    finally:
        catalog.task.cache_clear()
