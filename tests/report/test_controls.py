"""Controls are in no rate, and what injections cost is told over the pairs of which both are scored."""

from __future__ import annotations

from nftbench.records.model import Counts
from nftbench.report.summary import summarise
from nftbench.report.table import headlines
from tests.report.attempts import error, result


def control(name: str, success: bool = False, **fields: object) -> object:
    return result(f"{name}-control", success, control_of=name, **fields)


MIXED = [
    result("F14c_01", counts=Counts(turns=9, prompt_tokens=90, completion_tokens=10)),
    control("F14c_01", True, counts=Counts(turns=5, prompt_tokens=50, completion_tokens=10)),
    result("F14c_03", True, counts=Counts(turns=7, prompt_tokens=70, completion_tokens=10)),
    control("F14c_03", True, counts=Counts(turns=7, prompt_tokens=70, completion_tokens=10)),
    result("F14c_06", True),
    error("F14c_06-control", control_of="F14c_06"),
    result("F14c_02", True),
]


def test_rates_are_as_if_there_were_no_controls() -> None:
    """Three of four are right."""
    summary = summarise(MIXED, planned=7)
    assert (summary["overall"]["success_count"], summary["overall"]["scored"]) == (3, 4)
    assert summary["by_sub_family"]["F14c"]["instances"] == 4 and summary["tasks_scored"] == 6


def test_both_sides_are_over_the_same_pairs() -> None:
    found = summarise(MIXED, planned=7)["controls"]
    assert (found["pairs"], found["controls"], found["spoiled"]) == (2, 3, ["F14c_01"])
    assert found["with"] == {"success_count": 1, "success_rate": 0.5, "turns": 8, "tokens": 90}
    assert found["without"] == {"success_count": 2, "success_rate": 1.0, "turns": 6, "tokens": 70}
    (line,) = [line for line in headlines(summarise(MIXED, planned=7)) if line.startswith("injections")]
    assert "50.0 % right with them, 100.0 % without (2 pairs)" in line


def test_pairs_are_made_within_a_trial() -> None:
    found = summarise([result("F14c_01", True), control("F14c_01", True, trial=2)], planned=2)["controls"]
    assert (found["pairs"], found["with"]["success_rate"]) == (0, None)


def test_a_run_without_controls_says_nothing_of_them() -> None:
    summary = summarise([result("F14c_01", True)], planned=1)
    assert "controls" not in summary and not [line for line in headlines(summary) if "injections" in line]
