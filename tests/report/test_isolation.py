"""Attempts that were not isolated stand apart from every figure that is compared."""

from __future__ import annotations

from nftbench.records.model import Result
from nftbench.report.summary import summarise
from nftbench.report.table import headlines, table_text


def result(instance_id: str, *, success: bool, isolated: bool, feasible: bool = True) -> Result:
    return Result(
        instance_id=instance_id,
        trial=1,
        status="scored",
        success=success,
        feasible=feasible,
        family="F1",
        sub_family="F1a",
        difficulty="T1",
        twin=None,
        ended_by="finish_task",
        isolated=isolated,
    )


def test_headlines_leave_them_out_and_name_them_in_a_line_of_their_own() -> None:
    """One isolated attempt is wrong, two others right: the rate is 0 of 1, not 2 of 3."""
    mixed = [
        result("F1a_01", success=False, isolated=True),
        result("F1a_02", success=True, isolated=False),
        result("F1a_04", success=True, isolated=False, feasible=False),
    ]
    summary = summarise(mixed, planned=3)
    assert (summary["tasks_scored"], summary["complete"]) == (3, True)
    for name in ("overall", "feasible"):
        assert (summary[name]["success_count"], summary[name]["scored"]) == (0, 1)
    assert summary["by_family"]["F1"]["instances"] == 1
    apart = summary["not_isolated"]
    assert (apart["tasks"], apart["overall"]["success_count"], apart["feasible"]["success_count"]) == (2, 2, 1)
    (line,) = [line for line in headlines(summary) if line.startswith("not isolated")]
    assert "2 of 2 right (1 of 1 feasible)" in line and "not comparable" in line


def test_where_none_was_isolated_the_figures_are_over_nothing() -> None:
    summary = summarise([result("F1a_01", success=True, isolated=False)], planned=1)
    assert summary["overall"]["success_rate"] is None and summary["not_isolated"]["overall"]["success_rate"] == 1.0
    assert table_text(summary, width=100, ascii_only=True)


def test_a_run_of_isolated_attempts_says_nothing_of_it() -> None:
    summary = summarise([result("F1a_01", success=True, isolated=True)], planned=1)
    assert "not_isolated" not in summary
    assert not [line for line in headlines(summary) if "isolated" in line]
