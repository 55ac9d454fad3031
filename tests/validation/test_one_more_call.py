"""One more call is made of every function with every kind of argument; what passes is told, or on the reviewed list."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.family import Story
from nftbench.tasks.goals import At, Change
from nftbench.tasks.scene import Scene
from nftbench.validation.harmless import HARMLESS, OTHER_ENDS, harmless_line
from nftbench.validation.one_more_call import call_once_more
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play
from tests.validation.families import examined, lynx, sub_family


def missed(monkeypatch: pytest.MonkeyPatch, tell: Any, number: int = 1) -> list[str]:
    found = examined(monkeypatch, sub_family(tell), number)
    return [problem for problem in found.problems if problem.startswith("one more call is not noticed: ")]


@pytest.mark.parametrize("number", [1, 2])
def test_a_sound_family_notices_every_call(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    found = examined(monkeypatch, sub_family(), number)
    assert found.problems == [] and found.damages["one more call"] > 10


def test_what_a_change_without_a_bound_lets_through_is_told_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def generous(scene: Scene, feasible: bool) -> Story:
        return lynx(scene, feasible, allowed=(Change(kind="operator"),))

    (sentence, *others) = missed(monkeypatch, generous)
    assert ".setApprovalForAll(" in sentence and "True)" in sentence
    assert all(".setApprovalForAll(" in other for other in others)
    assert missed(monkeypatch, generous, 2) == []


def with_a_market(scene: Scene, feasible: bool) -> Story:
    market = scene.contract("SimpleMarket", (At("team"), 250), label="Market")
    desk = scene.contract("LegacySwapDesk", (), label="Old Desk")
    story = lynx(scene, feasible)
    scene.step("user", story.goals[0].collection, "setApprovalForAll", At(desk), True)  # type: ignore[union-attr]
    scene.step("user", story.goals[0].collection, "setApprovalForAll", At(market), True)  # type: ignore[union-attr]
    return story


def test_functions_of_other_contracts_are_tried_with_structs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """With owners free to change, the tokens that a struct can move pass."""

    def generous(scene: Scene, feasible: bool) -> Story:
        story = with_a_market(scene, feasible)
        changes = (Change(kind="owner"), Change(kind="operator"), Change(kind="approved"))
        told = tuple(f"{p} Leave the Market and the Old Desk be." for p in story.phrasings)
        parts = {"phrasings": told, "goals": story.goals, "brief": story.brief}
        return Story(**parts, allowed=(*changes, *(Change(kind=k) for k in ("view", "storage"))))  # type: ignore[arg-type]

    told = "\n".join(missed(monkeypatch, generous))
    assert "old_desk.closeSwap((" in told and "market.list(" in told


def test_what_stands_on_the_reviewed_list_is_told_by_its_line() -> None:
    said, task = "a token sent to its own owner", catalog.task("F4a_01")
    assert harmless_line(task, "DropCollection", "tidal_owls.transferFrom(user, user, 4)") == said
    assert (
        harmless_line(
            catalog.task("F4a_01"), "DropCollection", "tidal_owls.safeTransferFrom(nora, nora, 4, 0x) from nora"
        )
        == said
    )
    assert harmless_line(task, "DropCollection", "tidal_owls.transferFrom(user, mira, 4)") is None
    assert harmless_line(task, "DropCollection", "tidal_owls.transferFrom(user, user_too, 4)") is None


def test_every_line_of_a_reviewed_list_has_a_reason() -> None:
    assert all(len(line.reason.split()) > 4 for line in (*HARMLESS.values(), *OTHER_ENDS.values()))


def test_the_world_is_the_same_afterwards() -> None:
    task = catalog.task("F1d_06")
    one = Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)
    one.solve()
    before = one.effect()
    assert call_once_more(one, one).graded > 10
    one.solve()
    assert one.effect() == before and one.grade().success
