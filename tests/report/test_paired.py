"""Paired comparison of hand-made runs, worked out by hand."""

from __future__ import annotations

import pytest

from nftbench.report.paired import compare
from tests.report.attempts import error, result


def test_difference_flips_and_the_exact_test() -> None:
    """Of five tasks both solve one, B alone three, A alone none: 0.2 against 0.8, p = 2 / 2^3."""
    first = [result("F1a_01", True), *(result(f"F1a_0{k}") for k in (2, 3, 4, 5))]
    second = [result(f"F1a_0{k}", True) for k in (1, 2, 3, 4)] + [result("F1a_05")]
    found = compare(first, second)
    assert (found.tasks, found.first_rate, found.second_rate) == (5, pytest.approx(0.2), pytest.approx(0.8))
    assert found.difference == pytest.approx(0.6)
    assert found.p_value == pytest.approx(0.25)
    assert found.gained is not None
    assert [flip.instance_id for flip in found.gained] == ["F1a_02", "F1a_03", "F1a_04"]
    assert found.lost == ()
    assert found.interval is not None
    assert -1 <= found.interval.low <= 0.6 <= found.interval.high <= 1


def test_attempts_in_error_on_either_side_are_left_out_and_counted() -> None:
    first = [result("F1a_01", True), error("F1a_02"), result("F1a_03", True)]
    second = [error("F1a_01"), result("F1a_02", True), result("F1a_03", True)]
    found = compare(first, second)
    assert (found.tasks, found.left_out, found.difference) == (1, 2, 0)


def test_only_what_both_have_is_compared() -> None:
    found = compare([result("F1a_01", True), result("F1a_02", True)], [result("F1a_02"), result("F1a_03", True)])
    assert (found.tasks, found.difference) == (1, -1)


def test_runs_with_other_numbers_of_trials_are_compared_by_instance() -> None:
    """A: 1 of 1 and 0 of 1; B: 1 of 2 and 1 of 2. The means are 0.5 and 0.5."""
    first = [result("F1a_01", True), result("F1a_02", False)]
    second = [result(f"F1a_0{k}", trial == 1, trial=trial) for k in (1, 2) for trial in (1, 2)]
    found = compare(first, second)
    assert (found.tasks, found.first_rate, found.second_rate, found.difference) == (2, 0.5, 0.5, 0)
    assert found.p_value is None
    assert found.gained is None


def test_trials_are_compared_one_by_one_where_both_have_as_many() -> None:
    first = [result("F1a_01", True, trial=1), result("F1a_01", False, trial=2)]
    second = [result("F1a_01", False, trial=1), result("F1a_01", True, trial=2)]
    found = compare(first, second)
    assert (found.tasks, found.instances, found.difference) == (2, 1, 0)
    assert [(flip.trial) for flip in found.gained or ()] == [2]
    assert [(flip.trial) for flip in found.lost or ()] == [1]


def test_nothing_in_common_gives_no_figures() -> None:
    found = compare([result("F1a_01")], [result("F1a_02")])
    assert (found.tasks, found.difference, found.interval, found.smallest_visible) == (0, None, None, None)
