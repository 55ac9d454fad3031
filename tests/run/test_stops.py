"""A run that can't get anywhere stops by itself."""

from __future__ import annotations

from nftbench.records.model import Result
from nftbench.run.stops import REPEATED_LIMIT, StopRule


def ended(kind: str | None) -> Result:
    return Result(
        instance_id="F1a_01",
        trial=1,
        status="error" if kind else "scored",
        success=False,
        feasible=True,
        family="F1",
        sub_family="F1a",
        difficulty="T1",
        twin=None,
        ended_by="error" if kind else "turn_limit",
        error=f"{kind}: words" if kind else None,
    )


def reasons(kinds: list[str | None]) -> list[str | None]:
    rule = StopRule()
    return [rule.after(ended(kind)) for kind in kinds]


def test_eight_in_a_row_of_the_same_kind_stop_the_run() -> None:
    told = reasons(["cli_error"] * 8)
    assert REPEATED_LIMIT == 8
    assert told[:7] == [None] * 7
    assert told[7] == "8 tasks in a row ended in cli_error: words"


def test_a_scored_task_or_another_kind_starts_the_count_anew() -> None:
    assert reasons(["cli_error"] * 7 + [None] + ["cli_error"] * 7) == [None] * 15
    assert reasons(["cli_error", "model_mismatch"] * 8) == [None] * 16
