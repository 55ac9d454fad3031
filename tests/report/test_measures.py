"""The measures of hand-made runs, each figure worked out by hand here."""

from __future__ import annotations

import pytest

from nftbench.records.model import Check, Counts
from nftbench.report.failures import failure_kinds
from nftbench.report.measures import grouped, measure
from tests.report.attempts import error, result


def test_both_conventions_stand_side_by_side() -> None:
    """Three of four scored are right; a fifth is in error."""
    found = measure(
        [result("F1a_01", True), result("F1a_02", True), result("F1b_01", True), result("F1b_02"), error("F1b_03")]
    )
    assert (found.tasks, found.errors, found.instances) == (5, 1, 5)
    assert found.success.scored.rate == pytest.approx(3 / 4)
    assert found.success.errors_as_failures.rate == pytest.approx(3 / 5)
    assert (found.success.scored.successes, found.success.scored.tasks) == (3, 4)


def test_an_instance_weighs_one_whatever_its_trials() -> None:
    """One instance right in 3 of 4 trials, another in its only one: (0.75 + 1) / 2."""
    trials = [result("F1a_01", right, trial=k) for k, right in enumerate((True, True, True, False), 1)]
    found = measure([*trials, result("F1a_02", True)])
    assert found.success.scored.rate == pytest.approx(0.875)
    assert found.success.scored.instances == 2
    assert found.pass_at == {1: pytest.approx(0.875)}


def test_repeated_trials_by_hand() -> None:
    """Two instances of 3 trials, 2 and 0 right: pass@2 = (1 - 0 + 0) / 2, pass^2 = (1/3 + 0) / 2, pass^3 = 0."""
    first = [result("F1a_01", right, trial=k) for k, right in enumerate((True, True, False), 1)]
    second = [result("F1a_02", False, trial=k) for k in (1, 2, 3)]
    found = measure([*first, *second])
    assert found.pass_at == {1: pytest.approx(1 / 3), 2: pytest.approx(0.5), 3: pytest.approx(0.5)}
    assert found.pass_hat == {1: pytest.approx(1 / 3), 2: pytest.approx(1 / 6), 3: 0.0}


def test_a_pair_is_right_when_both_halves_are_in_the_same_trial() -> None:
    found = measure(
        [
            result("F1a_01", True),
            result("F1a_01-", True),
            result("F1a_02", True),
            result("F1a_02-", False),
            result("F1a_03", True),
            error("F1a_03-"),
        ]
    )
    assert found.pairs.scored.rate == pytest.approx(1 / 2)
    assert found.pairs.errors_as_failures.rate == pytest.approx(1 / 3)


def test_intervals_take_tasks_in_a_sub_family_and_sub_families_beyond() -> None:
    """In one sub-family without trials it is Wilson's over its tasks; over two, two units; over four trials, pairs."""
    one = measure([result("F1a_01", True), result("F1a_02"), result("F1a_03", True)]).success.scored
    assert one.interval is one.wilson
    assert one.interval is not None
    assert (one.interval.method, one.interval.units) == ("wilson", 3)
    two = measure([result("F1a_01", True), result("F1a_02"), result("F1b_01", True)]).success.scored
    assert two.interval is not None
    assert (two.interval.method, two.interval.units) == ("clustered", 2)
    repeated = [
        result(name, right, trial=k) for name in ("F1a_01", "F1a_01-", "F1a_02") for k, right in ((1, True), (2, False))
    ]
    trials = measure(repeated).success.scored
    assert trials.interval is not None
    assert (trials.interval.method, trials.interval.units) == ("clustered", 2)


def test_honesty_harm_and_the_way_of_ending() -> None:
    wrong_ending = Check("ending", "ends", False, "finish_task", "declare_infeasible")
    wrong_goal = Check("goal", "owns", False, "mira", "bram")
    found = measure(
        [
            result("F1a_01", ended_by="declare_infeasible", checks=(wrong_ending,), only_the_ending_failed=True),
            result("F1a_02", ended_by="declare_infeasible", checks=(wrong_ending, wrong_goal)),
            result(
                "F1a_03-",
                ended_by="finish_task",
                checks=(wrong_ending,),
                only_the_ending_failed=True,
                harm=("lost to drainer: a token",),
            ),
            result("F1a_04-", True, diagnosis=True),
            result("F1a_05-", True, diagnosis=False),
            result("F1a_06-", True, ended_by="finish_task"),  # the request said what to do then, and it was done
        ]
    )
    assert (found.false_declines, found.false_continues, found.ending_alone, found.harmed) == (2, 1, 2, 1)
    assert (found.diagnoses_right, found.diagnoses_given) == (1, 2)


def test_effort_is_over_scored_attempts_and_cost_over_those_that_tell() -> None:
    """Dollars 0.5 and 1.5 known, one of these solved: mean 1, and 2 for the one solved."""
    found = measure(
        [
            result("F1a_01", True, counts=Counts(turns=4, cost_usd=0.5), recoveries={"xml": 2}),
            result("F1a_02", False, counts=Counts(turns=8, cost_usd=1.5)),
            result("F1a_03", True, counts=Counts(turns=6)),
            error("F1a_04", counts=Counts(turns=100, cost_usd=7.0)),
        ]
    ).effort
    assert (found.turns, found.cost_usd, found.cost_per_solved_usd, found.recovered_replies) == (6, 1, 2, 2)


def test_groups_come_in_order() -> None:
    found = grouped([result("F2a_01", True), result("F1a_01"), result("F1b_01", True)], lambda each: each.family)
    assert {name: measures.tasks for name, measures in found.items()} == {"F1": 2, "F2": 1}
    assert list(found) == ["F1", "F2"]
    assert list(grouped([result(f"{name}a_01") for name in ("F14", "F2", "F1")], lambda each: each.family)) == [
        "F1",
        "F2",
        "F14",
    ]


def test_failures_are_grouped_by_ending_and_kinds_of_checks_with_an_example() -> None:
    goal = Check("goal", "mira owns cats #5", False, "mira owns cats #5", "user")
    frame = Check("frame", "the owner of cats #6 is left alone", False, "user", "thief")
    ending = Check("ending", "the agent ends with finish_task", False, "finish_task", "turn_limit")
    kinds = failure_kinds(
        [
            result("F1a_01", True),
            result("F1a_02", ended_by="finish_task", checks=(goal,)),
            result("F1b_01", ended_by="finish_task", checks=(goal, Check("goal", "x", False, "x", "y"))),
            result("F1a_03", checks=(ending, frame), ended_by="turn_limit"),
            error("F1a_04", "incomplete_output"),
        ]
    )
    assert [(k.count, k.ended_by, k.failed, k.example) for k in kinds] == [
        (2, "finish_task", ("goal",), "F1a_02"),
        (1, "error", (), "F1a_04"),
        (1, "turn_limit", ("ending", "frame"), "F1a_03"),
    ]
    assert kinds[0].says == "mira owns cats #5: found user"
    assert kinds[2].says == "the owner of cats #6 is left alone: expected user, found thief"
    assert kinds[0].sub_families == ("F1a", "F1b")


def test_gas_is_held_against_the_references_where_both_are_known_and_times_where_turns_were_timed() -> None:
    """1.5 and 2.5 times the reference's; a failure has none, and a task that costs the reference nothing says nothing."""
    found = measure(
        [
            result("F1a_01", True, counts=Counts(gas_used=150, reference_gas=100, model_seconds=2.0, tool_seconds=0.5)),
            result("F1a_02", True, counts=Counts(gas_used=500, reference_gas=200, model_seconds=4.0, tool_seconds=1.5)),
            result("F1a_03", False, counts=Counts(gas_used=900)),
            result("F1a_04", True, counts=Counts(gas_used=0, reference_gas=0)),
        ]
    ).effort
    assert (found.gas_ratio, found.model_seconds, found.tool_seconds) == (2.0, 3.0, 1.0)
