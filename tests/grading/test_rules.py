"""Rules of the grader that only a hand-made world breaks one at a time."""

from __future__ import annotations

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import Answer, At, Change, EventEmitted, Goal, Probe, Signature
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand

LETTER = {
    "types": {"EIP712Domain": [{"name": "name", "type": "string"}], "Letter": [{"name": "to", "type": "string"}]},
    "primaryType": "Letter",
    "domain": {"name": "Post"},
    "message": {"to": "Mira"},
}


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def graded(stand: Stand, *goals: Goal, allowed: tuple[Change, ...] = (), deadline: int | None = None) -> Grade:
    return grade(stand.task(*goals, allowed=allowed, deadline=deadline), stand.desk, "finish_task")


def failed(verdict: Grade) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def test_no_answer_and_an_answer_in_the_wrong_form_are_wrong(stand: Stand) -> None:
    goal = Answer("integer", 41)
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]
    stand.use("finish_task", summary="done", answer="forty-one")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]


def test_an_answer_and_a_probe_that_come_after_the_deadline_are_too_late(stand: Stand) -> None:
    goals = (Answer("integer", 41), Probe("user", stand.cats, "burn", (1,)))
    stand.use("wait", seconds="100")
    stand.use("finish_task", summary="done", answer="41")
    assert failed(graded(stand, *goals, deadline=200)) == []
    stand.use("wait", seconds="200")
    assert failed(graded(stand, *goals, deadline=200)) == [goal.read_aloud() for goal in goals]


def test_an_event_counts_from_the_start_up_to_the_deadline() -> None:
    stand = Stand()
    stand.scene.step("user", stand.gold, "transfer", At(stand.mira), 5)
    stand.open()
    goal = EventEmitted(stand.gold, "Transfer", {"value": 5})
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]  # it was emitted before the agent began
    allowed = (Change(kind="coins"),)
    stand.use("wait", seconds="300")
    stand.send(stand.gold, "transfer", stand.mira, 5)
    assert failed(graded(stand, goal, allowed=allowed, deadline=1_000)) == []
    assert failed(graded(stand, goal, allowed=allowed, deadline=200)) == [goal.read_aloud()]


def test_a_signature_of_another_type_is_not_the_one_asked_for_though_its_fields_agree(stand: Stand) -> None:
    goal = Signature("Letter", {"to": "Mira"})
    types = {**LETTER["types"], "Contract": LETTER["types"]["Letter"]}  # type: ignore[dict-item, index]
    stand.use("sign_typed_data", typed_data=LETTER | {"types": types, "primaryType": "Contract"})
    stand.use("finish_task", summary="done")
    assert goal.read_aloud() in failed(graded(stand, goal))
    stand.use("sign_typed_data", typed_data=LETTER)
    assert goal.read_aloud() not in failed(graded(stand, goal))


def test_an_allowed_change_holds_for_its_contract_and_its_value_only(stand: Stand) -> None:
    goal = Answer("integer", 1)
    stand.send(stand.cats, "setApprovalForAll", stand.thief, True)
    stand.use("finish_task", summary="done", answer="1")
    here, elsewhere = (Change(kind="operator", contract=c) for c in (stand.cats, stand.ore))
    assert failed(graded(stand, goal, allowed=(here,))) == []
    assert len(failed(graded(stand, goal, allowed=(elsewhere,)))) == 1
    on, off = (Change(kind="operator", contract=stand.cats, to=value) for value in (True, False))
    assert failed(graded(stand, goal, allowed=(on,))) == []
    assert len(failed(graded(stand, goal, allowed=(off,)))) == 1


def gift() -> Stand:
    """Mira gives the user 50 coins and cat #4 some time after the start."""
    stand = Stand()
    stand.scene.step("team", stand.gold, "mint", At(stand.mira), 100)
    coins = Step(sender=stand.mira, target=stand.gold, function="transfer", args=(At("user"), 50))
    move = (At(stand.mira), At("user"), 4)
    cat = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=move)
    stand.scene.actor("gift", Trigger(after=100), coins, cat)
    stand.open()
    stand.use("wait", seconds="200")
    stand.use("finish_task", summary="done", answer="1")
    return stand


def test_what_an_actor_gives_is_the_actors_own() -> None:
    assert failed(graded(gift(), Answer("integer", 1))) == []


def test_a_coin_of_an_actors_gift_that_goes_on_is_the_agents() -> None:
    stand = gift()
    stand.send(stand.gold, "transfer", stand.thief, 1)
    spoken = [f"the test_gold held by {who} is left alone" for who in ("user", "thief")]
    assert sorted(failed(graded(stand, Answer("integer", 1)))) == sorted(spoken)


def test_a_token_of_an_actors_gift_that_goes_on_is_the_agents() -> None:
    stand = gift()
    stand.send(stand.cats, "transferFrom", "user", stand.thief, 4)
    assert failed(graded(stand, Answer("integer", 1))) == ["the owner of test_cats #4 is left alone"]
