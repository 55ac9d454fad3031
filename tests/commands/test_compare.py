"""`nftbench compare` over real folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nftbench.commands.main import main
from tests.commands.recorded import record


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return {
        "reference": record(folder / "reference", "reference"),
        "decline": record(folder / "decline", "decline"),
        "seeded": record(folder / "seeded", "decline", "--suite-seed", "3", instances="F1a_01"),
        "elsewhere": record(folder / "elsewhere", "decline", instances="F1b_01"),
    }


def test_the_reference_against_declining(runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Declining loses exactly the six feasible of eight: -75 points, p = 2 / 2^6."""
    capsys.readouterr()
    assert main(["compare", str(runs["reference"]), str(runs["decline"]), "--format", "json"]) == 0
    whole = json.loads(capsys.readouterr().out)["comparisons"]["all"]
    assert (whole["tasks"], whole["difference"], whole["p_value"]) == (8, -0.75, pytest.approx(2 / 64))
    assert len(whole["lost"]) == 6
    assert whole["gained"] == []


def test_the_text_names_the_flips(runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["compare", str(runs["decline"]), str(runs["reference"])]) == 0
    text = capsys.readouterr().out
    assert "only B solved: 6" in text
    assert "only A solved: 0" in text
    assert "F1a_01: A ended by declare_infeasible, B by finish_task" in text


def test_what_measures_something_else_is_refused_and_named(
    runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refusal(first: Path, second: Path) -> str:
        capsys.readouterr()
        assert main(["compare", str(first), str(second)]) == 1
        return capsys.readouterr().err

    assert "suite_seed 0 there, 3 here" in refusal(runs["decline"], runs["seeded"])
    assert "no isolated attempt at a task that both have" in refusal(runs["decline"], runs["elsewhere"])
    older = record(tmp_path / "older", "decline")
    text = (older / "run.json").read_text()
    changed = json.loads(text) | {"grader_version": "0", "tool_set": "raw"}
    (older / "run.json").write_text(json.dumps(changed))
    told = refusal(runs["decline"], older)
    assert "grader_version" in told
    assert "tool_set standard there, raw here" in told
