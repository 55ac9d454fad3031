"""The table shows the summary's figures, whatever the width and encoding of what it is shown on."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.records.model import Counts, Result
from nftbench.report.summary import summarise
from nftbench.report.table import headlines, percent, table_text


def result(name: str, success: bool, feasible: bool, **fields: Any) -> Result:
    base: dict[str, Any] = {
        "trial": 1,
        "status": "scored",
        "family": name.partition("_")[0][:-1],
        "sub_family": name.partition("_")[0],
        "difficulty": "T1",
        "twin": None,
        "ended_by": "finish_task",
        "counts": Counts(turns=4, prompt_tokens=1000, completion_tokens=200, cost_usd=0.5),
    }
    return Result(instance_id=name, success=success, feasible=feasible, **(base | fields))


RESULTS = [
    result("F1a_01", True, True),
    result("F1a_02", False, True),
    result("F1a_03", True, False, twin="F1a_01"),
    result("F1b_01", False, True, status="error", ended_by="error", error="cli_error: [red]x[/red]"),
]


def rows(text: str) -> dict[str, list[str]]:
    return {
        line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split() and line.split()[0].isalnum()
    }


def test_a_row_a_sub_family_and_one_for_all() -> None:
    table = rows(table_text(summarise(RESULTS, planned=4), width=100, ascii_only=False))
    assert table["F1a"] == ["3", "1/2", "1/1", "0", "4.0", "1,200", "$1.5000"]
    assert table["F1b"] == ["1", "0/0", "-", "1", "4.0", "1,200", "$0.5000"]
    assert table["all"] == ["4", "1/2", "1/1", "1", "4.0", "1,200", "$2.0000"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_it_fits_the_width_and_plain_terminals(width: int) -> None:
    text = table_text(summarise(RESULTS, planned=4), width=width, ascii_only=True)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= width


def test_headlines_give_both_rates_and_the_baselines() -> None:
    assert headlines(summarise(RESULTS, planned=5)) == [
        "feasible success  50.0 % (1 of 2); 33.3 % with errors as failures",
        "pair success      100.0 % (1 of 1)",
        "overall           66.7 % (2 of 3); 50.0 % with errors as failures",
        "                  25.0 % by always declining, 0.0 % by doing nothing",
        "in error          1 of 5 (1 cli_error)",
        "not finished      1 of 5",
    ]


def test_nothing_yet_is_a_dash() -> None:
    assert percent(None) == "-"
    assert headlines(summarise([], planned=2))[0] == "feasible success  - (0 of 0)"
    assert "all" in table_text(summarise([], planned=2), width=80, ascii_only=False)
