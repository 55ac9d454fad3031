"""All ways to the goals that a bounded search finds are held against the reference's: ether, owners, permissions, answers."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.tasks.family import Play, Story
from nftbench.tasks.goals import At, Change, EventEmitted, Owns
from nftbench.tasks.playing import contract, finish, person, send, state
from nftbench.tasks.scene import Scene
from tests.validation.families import careless, examined, lynx, sub_family


def test_ways_to_the_same_are_no_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain and safe transfers, with data and without, and detours over permissions that the transfer takes away."""
    found = examined(monkeypatch, sub_family())
    assert found.problems == [] and found.ways >= 3


def swapped(scene: Scene, feasible: bool) -> Story:
    """The user's token goes into the desk for another; the goal says only where it goes, and that owners may change."""
    story = lynx(scene, feasible)
    goal = story.goals[0]
    assert isinstance(goal, Owns)
    other = scene.collection("OpenZeppelinCollection")
    desk = scene.contract("SwapDesk", (At(goal.account), At(goal.collection), At(other)), label="Desk")
    scene.mint(other, goal.account, [7])
    scene.step(goal.account, other, "approve", At(desk), 7)
    scene.step(goal.account, desk, "restock", (7,))
    return Story(
        phrasings=(f"At the Desk, swap my {scene.labels[goal.collection]} #{goal.token_id} for #7.",) * 2,
        goals=story.goals,
        brief=story.brief,
        allowed=(Change(kind="owner", contract=other, subject=7),),
    )


def swapping(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    desk = contract(seen, "Desk")
    yield from send(contract(seen, brief["collection"]), "approve", desk, brief["token_id"])
    yield from send(desk, "swap", brief["token_id"], "7")
    yield from finish("Swapped.")


def test_a_way_that_gives_for_nothing_what_was_to_be_swapped_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined(monkeypatch, sub_family(swapped, policy=swapping))
    (told,) = [p for p in found.problems if p.startswith("a way to the goals passes that comes to something else: ")]
    assert "ransferFrom(user, " in told and "#7 is as it was, not user)" in told


def emitting(scene: Scene, feasible: bool) -> Story:
    """The goal wants the event of an approval, which nobody needs for a transfer."""
    story = lynx(scene, feasible)
    goal = story.goals[0]
    assert isinstance(goal, Owns)
    goals = (goal, EventEmitted(goal.collection, "Approval", {"approved": At("user")}))
    return Story(phrasings=story.phrasings, goals=goals, brief=story.brief)


def approving(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    address, token_id = contract(seen, brief["collection"]), brief["token_id"]
    yield from send(address, "approve", seen["you"], token_id)
    yield from send(address, "transferFrom", seen["you"], person(seen, brief["to"]), token_id)
    yield from finish("It is with its new owner.")


def test_a_way_that_comes_to_the_same_and_fails_is_shown_for_review(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined(monkeypatch, sub_family(emitting, policy=approving, careless=careless))
    (shown,) = found.review[:1]
    assert shown.startswith("a way that comes to the same fails: ") and "Approval" in shown
    assert found.problems == []
