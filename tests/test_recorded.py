"""Recorded runs from Python: what was written comes back typed, as trajectories and as rows of a frame."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import to_builtins

import nftbench
from nftbench.commands.main import main
from nftbench.records import codec


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "careless"
    command = ["evaluate", "--agent", "careless", "--instances", "F1a_*", "--trials", "2", "--out", str(out), "--quiet"]
    assert main(command) == 0
    return out


def test_results_trajectories_and_summary_are_those_in_the_folder(folder: Path) -> None:
    run = nftbench.load_run(str(folder))
    assert run.name == "careless" and run.planned == len(run.results) == 16
    assert to_builtins(run.summary) == codec.decode((folder / "summary.json").read_bytes())
    attempts = list(run.attempts)
    assert [attempt.result for attempt in attempts] == list(run.results)
    for attempt in attempts:
        assert attempt.trajectory["instance_id"] == attempt.result.instance_id
        assert attempt.trajectory == run.trajectory(attempt.result.instance_id, attempt.result.trial)


def test_recorded_calls_replayed_have_the_recorded_grades(folder: Path) -> None:
    run = nftbench.load_run(folder)
    for attempt in run.attempts:
        calls = [call for turn in attempt.trajectory["turns"] for call in turn.get("calls", ())]
        again = nftbench.replay(attempt.result.instance_id, calls, run.record["suite_seed"])
        assert (again.success, again.checks) == (attempt.result.success, attempt.result.checks)


def test_rows_are_flat_and_say_the_same_as_the_results(folder: Path) -> None:
    rows = nftbench.load_run(folder).rows()
    assert len({tuple(row) for row in rows}) == 1 and len(rows) == 16
    for row, result in zip(rows, nftbench.load_run(folder).results, strict=True):
        assert (row["instance_id"], row["trial"], row["success"]) == (result.instance_id, result.trial, result.success)
        assert row["tool_calls"] == result.counts.tool_calls and row["seconds"] == result.counts.seconds
        assert bool(row["failed_checks"]) != row["success"]
        assert not any(isinstance(value, dict) for value in row.values())


def test_what_is_no_run_and_what_is_no_attempt_is_refused_by_name(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(nftbench.Refusal, match="nowhere"):
        nftbench.load_run(tmp_path / "nowhere")
    with pytest.raises(nftbench.Refusal, match=r"F1a_01, trial 9"):
        nftbench.load_run(folder).trajectory("F1a_01", 9)


def test_a_damaged_attempt_stays_in_the_results_as_one_in_error(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert main(["evaluate", "--agent", "noop", "--instances", "F1a_01,F1a_02", "--out", str(copy), "--quiet"]) == 0
    (copy / "F1a_01" / "result.json").write_text("{")
    (copy / "F1a_01" / "trajectory.json").write_text("{")
    run = nftbench.load_run(copy)
    assert [result.status for result in run.results] == ["error", "scored"]
    assert [attempt.result.instance_id for attempt in run.attempts] == ["F1a_02"]
