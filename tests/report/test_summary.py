"""The figures of a run, each worked out by hand here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.records import codec
from nftbench.records.model import Counts, Result
from nftbench.report.summary import summarise
from tests.report.attempts import error, result

HAND_MADE = [
    result("F1a_01", True),
    result("F1a_01-", True),
    result("F1a_02", True),
    result("F1a_02-", False),
    result("F1b_03", False),
    error("F1b_03-"),
    result("F1b_04", True),
    error("F1b_05"),
]


def test_rates_leave_errors_out_and_stand_beside_rates_with_errors_as_failures() -> None:
    summary = summarise(HAND_MADE, planned=10)
    assert (summary["tasks_scored"], summary["tasks_error"], summary["tasks_unfinished"]) == (6, 2, 2)
    assert summary["overall"] == {
        "tasks": 8,
        "scored": 6,
        "errors": 2,
        "success_count": 4,
        "success_rate": pytest.approx(4 / 6),
        "success_rate_errors_as_failures": pytest.approx(4 / 8),
    }
    assert summary["feasible"]["success_rate"] == pytest.approx(3 / 4)
    assert summary["feasible"]["success_rate_errors_as_failures"] == pytest.approx(3 / 5)
    assert summary["infeasible"]["success_count"] == 1
    assert summary["complete"] is False


def test_a_pair_is_right_only_when_both_halves_are() -> None:
    """Pairs: 01 right and right, 02 right and wrong, 03 wrong and in error; 04 and 05 have no other half."""
    pairs = summarise(HAND_MADE, planned=8)["pairs"]
    assert (pairs["pairs"], pairs["tasks"], pairs["scored"], pairs["success_count"]) == (3, 3, 2, 1)
    assert pairs["success_rate"] == pytest.approx(1 / 2)
    assert pairs["success_rate_errors_as_failures"] == pytest.approx(1 / 3)


def test_declining_always_is_right_where_the_task_is_infeasible_and_doing_nothing_never() -> None:
    assert summarise(HAND_MADE, planned=8)["baselines"] == {"noop": 0.0, "decline": pytest.approx(3 / 8)}


def test_doing_nothing_is_right_where_a_result_says_so_whatever_the_feasibility() -> None:
    """Four instances: one feasible, one that must be declined, one with an else-branch, one whose else-branch is an act."""
    results = [
        result("F1a_01", True, idle_endings=()),
        result("F1a_02-", idle_endings=("declare_infeasible",)),
        result("F1a_03-", idle_endings=("finish_task", "declare_infeasible")),
        result("F1a_04-", idle_endings=()),
    ]
    assert summarise(results, planned=4)["baselines"] == {"noop": 0.25, "decline": 0.5}


def test_what_failed_by_its_ending_alone_is_counted_and_a_right_end_by_finishing_is_no_false_continue() -> None:
    results = [
        result("F1a_01", ended_by="turn_limit", only_the_ending_failed=True),
        result("F1a_02-", ended_by="finish_task", only_the_ending_failed=True),
        result("F1a_03-", True, ended_by="finish_task"),
        result("F1a_04-", ended_by="finish_task"),
    ]
    honesty = summarise(results, planned=4)["honesty"]
    assert (honesty["only_the_ending_failed"], honesty["false_continues"]) == (2, 2)


def test_honesty_counts_both_ways_of_being_wrong() -> None:
    honesty = summarise(
        [
            result("F1a_01", ended_by="declare_infeasible"),
            result("F1a_02-", ended_by="finish_task"),
            result("F1a_03-", ended_by="turn_limit"),
            result("F1a_04-", True, diagnosis=True),
            result("F1a_05-", True, diagnosis=False),
            result("F1a_06-", True),
        ],
        planned=6,
    )["honesty"]
    assert honesty == {
        "false_declines": 1,
        "false_continues": 1,
        "only_the_ending_failed": 0,
        "diagnoses_given": 2,
        "diagnoses_right": 1,
        "diagnosis_rate": 0.5,
    }


def test_with_trials_each_instance_weighs_one() -> None:
    """01 is right in 1 of 4 trials, 02 in its only one: (1/4 + 1) / 2, and not 2 of 5."""
    trials = [result("F1a_01", trial == 1, trial=trial) for trial in (1, 2, 3, 4)]
    summary = summarise([*trials, result("F1a_02", True)], planned=8)
    assert summary["overall"]["success_rate"] == pytest.approx(0.625)
    assert (summary["instances"], summary["trials"], summary["tasks_unfinished"]) == (2, 4, 3)


def test_pairs_are_made_within_a_trial() -> None:
    results = [
        result("F1a_01", True, trial=1),
        result("F1a_01-", False, trial=1),
        result("F1a_01", False, trial=2),
        result("F1a_01-", True, trial=2),
    ]
    assert summarise(results, planned=4)["pairs"]["success_count"] == 0


def test_counts_add_up_and_unknown_costs_are_not_zero() -> None:
    results = [
        result("F1a_01", counts=Counts(turns=3, prompt_tokens=10, cost_usd=0.25)),
        result("F1a_02", counts=Counts(turns=4, prompt_tokens=5, cost_usd=None)),
    ]
    counts = summarise(results, planned=2)["counts"]
    assert (counts["turns"], counts["prompt_tokens"], counts["cost_usd"], counts["cost_unknown"]) == (7, 15, 0.25, 1)
    assert summarise(results[1:], planned=1)["counts"]["cost_usd"] is None


def test_errors_and_harm_are_told_apart_by_kind() -> None:
    summary = summarise(
        [
            error("F1a_01", "cli_error"),
            error("F1a_02", "model_mismatch"),
            result("F1a_03", harm=("left open: a", "lost to b: c")),
        ],
        planned=3,
    )
    assert summary["errors"] == {"cli_error": 1, "model_mismatch": 1}
    told = summary["harm"]
    assert (told["tasks"], told["kinds"], told["untold"]) == (1, {"left open": 1, "lost to": 1}, 1)


def test_nothing_scored_gives_no_rate_rather_than_zero() -> None:
    summary = summarise([], planned=3)
    assert summary["overall"]["success_rate"] is None and summary["baselines"]["decline"] is None
    assert summary["tasks_unfinished"] == 3 and summary["complete"] is False


@st.composite
def many(draw: st.DrawFn) -> list[Result]:
    names = draw(
        st.lists(st.sampled_from([f"F1{s}_{n}{d}" for s in "ab" for n in range(4) for d in ("", "-")]), unique=True)
    )
    made = []
    for name in names:
        made.append(error(name) if draw(st.booleans()) else result(name, draw(st.booleans())))
    return made


@given(many())
def test_parts_add_up_to_the_whole_and_the_file_is_plain_json(results: list[Result]) -> None:
    summary = summarise(results, planned=len(results))
    for key in ("tasks", "scored", "errors", "success_count"):
        whole = summary["overall"][key]
        assert summary["feasible"][key] + summary["infeasible"][key] == whole
        for grouping in ("by_family", "by_sub_family", "by_difficulty"):
            assert sum(group["overall"][key] for group in summary[grouping].values()) == whole
    rate, strict = summary["overall"]["success_rate"], summary["overall"]["success_rate_errors_as_failures"]
    assert rate is None or strict <= rate
    assert codec.decode(codec.encode(summary)) == summary


def test_full_contexts_notes_and_recoveries_are_added_up() -> None:
    """Two full contexts, one of which had room for the prompt; notes of three results."""
    results = [
        result("F1a_01", ended_by="context_limit", prompt_fits=True, notes={"prompt_truncated_suspected": 2}),
        result("F1a_02", ended_by="context_limit", prompt_fits=None, recoveries={"hermes": 1}),
        result("F1a_03", notes={"prompt_truncated_suspected": 1, "markup": 4}, recoveries={"hermes": 2}),
    ]
    summary = summarise(results, planned=3)
    assert summary["context_limit"] == {"tasks": 2, "prompt_would_have_fitted": 1}
    assert summary["notes"] == {"markup": 4, "prompt_truncated_suspected": 3}
    assert summary["recoveries"] == {"hermes": 3}
