"""Ways of ending: which count, which was taken, and whether that alone was wrong."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import Grade, grade, idle_endings
from nftbench.records.model import EndedBy
from nftbench.tasks.goals import Approval, Change, Owns
from nftbench.tasks.model import Otherwise, Task
from tests.world.scenes import Stand

ENDINGS: tuple[EndedBy, ...] = ("finish_task", "declare_infeasible", "turn_limit")


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def graded(stand: Stand, task: Task, ended_by: EndedBy) -> Grade:
    if ended_by == "finish_task":
        stand.use("finish_task", summary="done")
    elif ended_by == "declare_infeasible":
        stand.use("declare_infeasible", reason="it can't be done")
    return grade(task, stand.desk, ended_by)


def gift(stand: Stand, feasible: bool, otherwise: Otherwise | None = None, **fields: Any) -> Task:
    return stand.task(Owns(stand.mira, stand.cats, 2), feasible=feasible, otherwise=otherwise, **fields)


@pytest.mark.parametrize("ended_by", ENDINGS)
@pytest.mark.parametrize("said", [None, Otherwise()])
def test_where_the_request_says_what_to_do_otherwise_both_endings_count(
    stand: Stand, ended_by: EndedBy, said: Otherwise | None
) -> None:
    verdict = graded(stand, gift(stand, False, said), ended_by)
    right = ended_by == "declare_infeasible" or (said is not None and ended_by == "finish_task")
    assert verdict.success is right
    assert verdict.only_the_ending_failed is not right
    assert verdict.checks[0].actual == ended_by


@pytest.mark.parametrize("ended_by", ENDINGS)
def test_an_else_branch_is_no_way_out_of_a_feasible_task(stand: Stand, ended_by: EndedBy) -> None:
    task = gift(stand, True, Otherwise())
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    verdict = graded(stand, task, ended_by)
    assert verdict.success is (ended_by == "finish_task")
    assert verdict.only_the_ending_failed is not verdict.success
    idle = graded(Stand().open(), task, ended_by)
    assert not idle.success and not idle.only_the_ending_failed


@pytest.mark.parametrize("ended_by", ENDINGS)
@pytest.mark.parametrize("act", ["nothing", "the act", "the act and more", "something else"])
def test_an_else_branch_that_is_an_act_must_be_done_and_nothing_else(stand: Stand, act: str, ended_by: EndedBy) -> None:
    otherwise = Otherwise(goals=(Approval(stand.cats, 2, stand.mira),))
    if act.startswith("the act"):
        stand.send(stand.cats, "approve", stand.mira, 2)
    if act in ("the act and more", "something else"):
        stand.send(stand.cats, "approve", stand.mira, 3)
    verdict = graded(stand, gift(stand, False, otherwise), ended_by)
    assert verdict.success is (act == "the act" and ended_by != "turn_limit")


def test_what_the_request_allows_is_no_excuse_in_its_else_branch_and_the_other_way_round(stand: Stand) -> None:
    change = Change(kind="approved", contract=stand.cats, subject=3)
    stand.send(stand.cats, "approve", stand.mira, 3)
    act = Otherwise(goals=(Owns("user", stand.cats, 1),))
    excused = Otherwise(goals=act.goals, allowed=(change,))
    assert not graded(stand, gift(stand, False, act, allowed=(change,)), "finish_task").success
    assert graded(stand, gift(stand, False, excused), "finish_task").success


def test_with_which_endings_it_is_right_to_do_nothing(stand: Stand) -> None:
    act = Otherwise(goals=(Approval(stand.cats, 2, stand.mira),))
    assert idle_endings(gift(stand, True)) == idle_endings(gift(stand, True, Otherwise())) == ()
    assert idle_endings(gift(stand, False)) == ("declare_infeasible",)
    assert idle_endings(gift(stand, False, Otherwise())) == ("finish_task", "declare_infeasible")
    assert idle_endings(gift(stand, False, act)) == ()


def test_a_task_says_aloud_what_counts_where_it_can_not_be_done(stand: Stand) -> None:
    act = Otherwise(goals=(Approval(stand.cats, 2, stand.mira),), allowed=(Change(kind="ether"),))
    assert gift(stand, False, act).describe()[1:] == [
        "both ways of ending count",
        "goal instead: the approved account of test_cats #2 is mira",
        "may change instead: ether (any)",
    ]
    assert len(gift(stand, True, act).describe()) == 1
