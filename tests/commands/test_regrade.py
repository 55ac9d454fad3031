"""`nftbench regrade`: recorded attempts graded again by replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.commands.main import main
from nftbench.grading.grade import grade
from nftbench.run import runner
from nftbench.run.loading import load_run, load_trajectory
from nftbench.run.regrading import Worlds, regrade
from nftbench.tasks import catalog
from tests.commands.recorded import record


def told(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    capsys.readouterr()
    assert main(["regrade", *arguments]) == code
    out, err = capsys.readouterr()
    return out + err


def test_an_honest_run_keeps_every_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Right and wrong attempts alike, in two trials: 16 of them."""
    run = record(tmp_path / "run", "careless", "--trials", "2")
    assert "16 the same, 0 changed, 0 not replayed" in told(capsys, 0, str(run))


def lenient(task: Any, desk: Any, ended_by: Any) -> Any:
    """A grader with a hole: it lets every goal pass."""
    found = grade(task, desk, ended_by)
    checks = tuple(replace(check, passed=True) if check.kind == "goal" else check for check in found.checks)
    return replace(found, checks=checks, success=all(check.passed for check in checks))


def test_what_an_earlier_grader_let_pass_is_told_with_the_check_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task whose trap the careless play falls into: that it passed was the lenient grader's fault."""
    owner = catalog.task("F1a_02").goals[0]
    monkeypatch.setattr(runner, "grade", lenient)
    run = record(tmp_path / "run", "careless", instances="F1a_02")
    assert json.loads((run / "F1a_02" / "result.json").read_text())["success"] is True
    monkeypatch.undo()
    text = told(capsys, 0, str(run), "--out", str(tmp_path / "again"))
    assert "F1a_02: right before, wrong now" in text
    assert f"fails now: {owner.read_aloud()}: found " in text
    again = json.loads((tmp_path / "again" / "F1a_02" / "result.json").read_text())
    assert again["success"] is False
    assert json.loads((tmp_path / "again" / "run.json").read_text())["regraded_from"] == "run"
    assert json.loads((run / "F1a_02" / "result.json").read_text())["success"] is True


@pytest.mark.parametrize("where", ["result", "arguments"])
def test_a_replay_that_differs_is_refused_and_the_grade_stays(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01,F1a_02")
    file = run / "F1a_01" / "trajectory.json"
    trajectory = json.loads(file.read_text())
    call = trajectory["turns"][0]["calls"][0]
    if where == "result":
        call["result"] = call["result"].replace('"you"', '"me"')
    else:
        call["name"] = "no_such_tool"
    file.write_text(json.dumps(trajectory))
    text = told(capsys, 1, str(run))
    assert "F1a_01: not graded again, its grade stays: call 1 (" in text
    assert "1 the same, 0 changed, 1 not replayed" in text


def test_another_world_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path / "run", "reference", "--suite-seed", "5", instances="F1a_01")
    file = run / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"suite_seed": 6}))
    assert "its world is another one now" in told(capsys, 1, str(run))


def test_a_missing_trajectory_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01")
    (run / "F1a_01" / "trajectory.json").unlink()
    assert "it has no trajectory.json" in told(capsys, 1, str(run))


def test_two_processes_say_the_same_as_one_and_write_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Attempts at one instance stay together, whatever the order of the run; one that can't be replayed is told all the same."""
    run = record(tmp_path / "run", "careless", "--trials", "2", instances="F1a*,F1c*")
    (run / "F1c_02" / "trial_2" / "trajectory.json").unlink()
    texts = [
        told(capsys, 1, str(run), "--workers", workers, "--out", str(tmp_path / workers)).replace(f"/{workers}\n", "")
        for workers in ("1", "2")
    ]
    assert texts[0] == texts[1] and "31 the same, 0 changed, 1 not replayed" in texts[0]
    one, two = (
        {str(path.relative_to(tmp_path / workers)): json.loads(path.read_text()) for path in written}
        for workers in ("1", "2")
        if (written := sorted((tmp_path / workers).rglob("result.json")))
    )
    assert len(one) == 31 and {name: found["checks"] for name, found in one.items()} == {
        name: found["checks"] for name, found in two.items()
    }


def test_an_existing_folder_is_not_written_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01")
    assert "is there already" in told(capsys, 1, str(run), "--out", str(run))


def test_a_world_that_is_put_back_is_as_good_as_a_new_one(tmp_path: Path) -> None:
    """Attempts of agents that leave the worst behind them, one after another in one world and each in its own."""
    run = load_run(record(tmp_path / "run", "random", "--trials", "3", instances="F1a*,F3c*,F3d*,F4d*"))
    told = {
        (each.instance_id, each.trial): load_trajectory(tmp_path / "run", each.instance_id, each.trial)
        for each in run.results
    }
    worlds = Worlds()
    for result in sorted(run.results, key=lambda each: each.instance_id):
        trajectory = told[result.instance_id, result.trial]
        assert isinstance(trajectory, dict)
        again, alone = regrade(result, trajectory, 0, worlds), regrade(result, trajectory, 0)
        assert again == alone
        assert again.outcome == "same"
