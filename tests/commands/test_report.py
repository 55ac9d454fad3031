"""`nftbench report` over real folders."""

from __future__ import annotations

import csv
import fcntl
import json
import os
from io import StringIO
from pathlib import Path

import pytest

from nftbench.commands.main import main
from tests.commands.recorded import record


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return record(folder / "reference", "reference"), record(folder / "decline", "decline")


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["report", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    return told.err


def test_the_table_has_families_and_the_failures_by_kind(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of F1a's eight, two are infeasible: declining is right on these two; Wilson's interval of 2/8 is 7.1 to 59.1 %."""
    text = report(capsys, str(runs[1]))
    assert "25.0 [7, 59]" in text
    assert "failures by kind:" in text
    assert "declare_infeasible" in text


def test_json_gives_both_conventions_and_all_groups(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    whole = json.loads(report(capsys, *map(str, runs), "--format", "json"))
    assert [run["name"] for run in whole["runs"]] == ["reference", "decline"]
    reference, decline = whole["runs"]
    assert reference["overall"]["success"]["scored"]["rate"] == 1.0
    assert decline["by_family"]["F1"]["feasible"]["errors_as_failures"]["successes"] == 0
    assert decline["overall"]["false_declines"] == 6
    assert decline["failures"][0]["count"] == 6


def test_csv_is_one_row_a_group_with_plain_numbers(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(StringIO(report(capsys, str(runs[1]), "--format", "csv"))))
    everything = next(row for row in rows if row["grouping"] == "all")
    assert (everything["success_rate"], everything["success_successes"], everything["tasks"]) == ("0.25", "2", "8")
    assert {row["grouping"] for row in rows} == {"all", "family", "sub_family", "difficulty"}


def test_markdown_is_tables_and_nothing_in_it_is_markup(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = tmp_path / "<script>|[x](y)"
    hostile.symlink_to(runs[1], target_is_directory=True)
    hostile_run = tmp_path / "a|b<i>"
    record(hostile_run, "noop", instances="F1a_01")
    text = report(capsys, str(hostile_run), "--format", "md")
    assert "a\\|b\\<i\\>" in text
    assert text.count("| success % |") == 1


@pytest.mark.parametrize("damage", ["cut", "empty", "another instance", "another shape", "binary"])
def test_a_damaged_result_is_listed_and_counts_as_one_in_error(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01,F1a_02")
    file = run / "F1a_02" / "result.json"
    raw = file.read_bytes()
    file.write_bytes(
        {
            "cut": raw[: len(raw) // 2],
            "empty": b"",
            "another instance": (run / "F1a_01" / "result.json").read_bytes(),
            "another shape": b"[1, 2]",
            "binary": b"\xff\xfe\x00",
        }[damage]
    )
    text = report(capsys, str(run))
    assert "damaged, counted as in error: F1a_02 (" in text
    [told] = json.loads(report(capsys, str(run), "--format", "json"))["runs"]
    success = told["overall"]["success"]
    assert (success["scored"]["rate"], success["errors_as_failures"]["rate"]) == (1.0, 0.5)


def test_what_is_no_run_is_refused_in_one_sentence(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not there" in refused(capsys, "report", str(tmp_path / "nowhere"))
    assert "no folder of a run" in refused(capsys, "report", str(tmp_path))
    (tmp_path / "run.json").write_text("{")
    assert "run.json" in refused(capsys, "report", str(tmp_path))
    assert "named twice" in refused(capsys, "report", str(runs[0]), str(runs[0] / "."))
    assert "'pdf'" in refused(capsys, "report", str(runs[0]), "--format", "pdf")


def test_runs_of_one_name_are_told_apart_by_their_folders(
    runs: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "other" / "decline", "noop", instances="F1a_01")
    whole = json.loads(report(capsys, str(runs[1]), str(tmp_path / "other" / "decline"), "--format", "json"))
    names = [run["name"] for run in whole["runs"]]
    assert names[0] != names[1]
    assert names[1] == "other/decline"


@pytest.mark.skipif(os.name == "nt", reason="locks as POSIX has them")
def test_a_run_that_is_still_going_says_so(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    with (runs[0] / "run.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "still going: 8 of 8 attempts are done" in report(capsys, str(runs[0]))
        assert "still going" in refused(capsys, "compare", str(runs[0]), str(runs[1]))
