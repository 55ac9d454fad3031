"""A family that breaks a promise is refused when it is loaded, or found out with the reason in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.errors import BenchmarkDefect
from nftbench.tasks import catalog
from nftbench.tasks.family import Case, Play, Story
from nftbench.tasks.goals import At, Change, Owns, Reading, ViewEquals
from nftbench.tasks.playing import contract, finish, give_up, send, state
from nftbench.tasks.scene import Scene
from nftbench.validation.blocking import differing_facts
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn
from tests.validation.families import careless, examined, lynx, play, problems, sub_family


def test_a_sound_family_has_no_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    feasible, infeasible = (examined(monkeypatch, sub_family(), number) for number in (1, 2))
    assert feasible.problems == [] and infeasible.problems == []
    assert (feasible.search, infeasible.search) == ("reached", "blocked")
    assert infeasible.fact.endswith("is True, not False") and "locked(" in infeasible.fact


def test_two_sub_families_of_one_name_are_refused_at_load() -> None:
    with pytest.raises(BenchmarkDefect, match="F99a_01: two sub-families are named 'F99a'"):
        catalog.by_name(sub_family(), sub_family())


def told(**changes: Any) -> Any:
    return lambda scene, feasible: lynx(scene, feasible, **changes)


def twice_minted(scene: Scene, feasible: bool) -> Story:
    story = lynx(scene, feasible)
    goal = story.goals[0]
    assert isinstance(goal, Owns)
    scene.mint(goal.collection, "user", [goal.token_id])
    return story


def unknown_artifact(scene: Scene, feasible: bool) -> Story:
    scene.contract("OpenZepelinCollection", (), label="Misspelled")
    return lynx(scene, feasible)


def unknown_function(scene: Scene, feasible: bool) -> Story:
    story = lynx(scene, feasible)
    scene.step("user", story.goals[0].collection, "lok", 1)  # type: ignore[union-attr]
    return story


def unknown_sender(scene: Scene, feasible: bool) -> Story:
    story = lynx(scene, feasible)
    scene.step("nils", story.goals[0].collection, "lock", 1)  # type: ignore[union-attr]
    return story


def other_words(scene: Scene, feasible: bool) -> Story:
    return lynx(scene, feasible, phrasings=("If it can be done, send it." if feasible else "Try to send it.",))


def for_nils(scene: Scene, feasible: bool) -> Story:
    story = lynx(scene, feasible)
    goal = story.goals[0]
    assert isinstance(goal, Owns)
    return lynx_with(story, goals=(Owns("nils", goal.collection, goal.token_id),))


BROKEN = {
    "no goal": (told(goals=()), "a task needs a goal"),
    "a goal in an unknown contract": (told(goals=(Owns("user", "cats", 7),)), "no account or contract is named 'cats'"),
    "a goal for an unknown account": (for_nils, "no account or contract is named 'nils'; there are"),
    "a fixture that reverts": (twice_minted, "the fixture step "),
    "an unknown artifact": (
        unknown_artifact,
        "there is no contract 'OpenZepelinCollection'; near it: OpenZeppelinCollection",
    ),
    "an unknown function": (unknown_function, ".lok by 'user' can't be sent: "),
    "an unknown account": (unknown_sender, "no account or contract is named 'nils'; there are"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_fixture_or_a_goal_gets_wrong_is_said_with_its_name(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    tell, expected = BROKEN[name]
    (sentence,) = problems(monkeypatch, sub_family(tell))
    assert expected in sentence and "\n" not in sentence


def idle(brief: dict[str, Any]) -> Play:
    yield from state()
    yield from finish("Nothing had to be done.")


def lost(brief: dict[str, Any]) -> Play:
    seen = yield from state()
    yield from finish(str(seen["no such key"]))


def test_a_reference_that_misses_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (sentence,) = problems(monkeypatch, sub_family(policy=idle, careless=idle))
    assert sentence.startswith("the reference misses: ") and sentence.endswith("found user)")


def test_a_reference_that_breaks_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (sentence,) = problems(monkeypatch, sub_family(policy=lost))
    assert sentence == "it breaks with KeyError: 'no such key'"


def test_a_reference_with_the_wrong_reason_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    tell = sub_family().cases[1].tell
    family = sub_family(
        cases=(Case(tell=tell, difficulty="T1"), Case(tell=tell, difficulty="T1", twin_of=1, reasons=("funds",)))
    )
    assert problems(monkeypatch, family, 2) == ["the reference gives locked, which is none of the right reasons"]


def test_a_family_without_a_careless_play_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems(monkeypatch, sub_family(careless=None)) == ["the sub-family F99a has no careless play"]


def test_a_trap_that_nobody_falls_for_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    family = sub_family(cases=(Case(tell=lynx, difficulty="T1", tags=("trap:none",)),))
    assert problems(monkeypatch, family) == ["the careless agent passes an instance that is tagged as a trap"]


def test_too_much_allowed_is_found_out_by_a_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = problems(monkeypatch, sub_family(told(allowed=(Change(kind="operator"),))))
    assert any("'stray operator' is not noticed: a stranger is made an operator" in s for s in sentences)


def test_a_goal_that_asks_too_little_is_found_out_by_a_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    """The goal is only that the user has one token left, wherever the other went."""

    def tell(scene: Scene, feasible: bool) -> Story:
        story = lynx(scene, feasible)
        goal = story.goals[0]
        assert isinstance(goal, Owns)
        left = ViewEquals(Reading(goal.collection, "balanceOf", (At("user"),)), 1)
        return lynx_with(story, goals=(left,), allowed=(Change(kind="owner", contract=goal.collection),))

    sentences = problems(monkeypatch, sub_family(tell))
    assert any("'wrong address' is not noticed" in s for s in sentences)
    assert any("'one more' is not noticed" in s for s in sentences)


def lynx_with(story: Story, **changes: Any) -> Story:
    kept = {name: getattr(story, name) for name in ("phrasings", "goals", "brief", "allowed", "deadline")}
    return Story(**(kept | changes))


def test_a_twin_with_other_words_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = problems(monkeypatch, sub_family(other_words), 2)
    assert "its prompt is not that of its twin F99a_01" in sentences


def test_an_infeasible_instance_whose_goal_can_be_reached_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin's lynx is locked by the user itself, who could unlock it."""

    def tell(scene: Scene, feasible: bool) -> Story:
        story = lynx(scene, True)
        goal = story.goals[0]
        assert isinstance(goal, Owns)
        unlocked = Change(kind="view", contract=goal.collection)
        if not feasible:
            scene.step("user", goal.collection, "lock", goal.token_id)
        return lynx_with(story, allowed=(unlocked,))

    sentences = problems(monkeypatch, sub_family(tell), 2)
    assert any(
        s.startswith("the goal can be reached all the same: ") and ".unlock(" in s and "), then " in s
        for s in sentences
    )


def test_a_blocking_fact_that_nothing_tells_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin is the same world; its reference guesses."""

    def tell(scene: Scene, feasible: bool) -> Story:
        story = lynx(scene, True)
        return lynx_with(story, brief=story.brief | {"give_up": not feasible})

    def knowing(brief: dict[str, Any]) -> Play:
        if brief["give_up"]:
            yield from give_up("a feeling", "locked")
        else:
            yield from play(brief)

    sentences = problems(monkeypatch, sub_family(tell, policy=knowing), 2)
    assert "no fact that can be read tells its world from that of its twin F99a_01" in sentences
    assert "its policy is told something else than that of its twin F99a_01" in sentences


def test_the_kind_of_an_order_in_the_book_is_a_blocking_fact() -> None:
    """Two books that differ in one order's type, which stands behind all that is told of its items."""
    ending = (Turn(name="finish_task", arguments={"summary": "done"}, result="{}"),)
    blocked, twin = (Rehearsal(catalog.task(name), ending) for name in ("F8c_06", "F8c_05"))
    facts = list(differing_facts(blocked, twin))
    assert any(fact.startswith("the order book has an order, FULL_OPEN") for fact in facts)


def test_a_leak_in_the_prompt_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    family = sub_family(told(phrasings=("Is F99a_01 feasible? Send user owns it.",)), careless=careless)
    sentences = problems(monkeypatch, family)
    assert "the prompt says 'f99a_01', the id" in sentences and "the prompt says 'feasible'" in sentences


def test_a_value_that_the_prompt_does_not_tell_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collection's tokens are all in the wallet, but one is somebody else's, and its id is in no words."""

    def tell(scene: Scene, feasible: bool) -> Story:
        story = lynx(scene, feasible)
        return lynx_with(story, brief=story.brief | {"secret": 123_456_789})

    def telling(brief: dict[str, Any]) -> Play:
        seen = yield from state()
        yield from send(contract(seen, brief["collection"]), "locked", brief["secret"])
        yield from play(brief)

    sentences = problems(monkeypatch, sub_family(tell, policy=telling))
    assert any("the reference sends 123456789 (simulate arguments[0])" in s for s in sentences)
