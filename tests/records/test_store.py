"""The files of a run appear whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from nftbench.records.model import Check, Result
from nftbench.records.store import LineFile, RunFolder


def result(instance_id: str = "F1a_01", trial: int = 1, **fields: Any) -> Result:
    base: dict[str, Any] = {
        "status": "scored",
        "success": True,
        "feasible": True,
        "family": "F1",
        "sub_family": "F1a",
        "difficulty": "T1",
        "twin": None,
        "ended_by": "finish_task",
        "checks": (Check("goal", "a owns b", True, "a", "a"),),
    }
    return Result(instance_id=instance_id, trial=trial, **(base | fields))


def test_later_trials_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for trial in (1, 2, 3):
        folder.write_attempt(result(trial=trial), {"trial": trial})
    found = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.json"))
    assert found == [
        "F1a_01/result.json",
        "F1a_01/trajectory.json",
        "F1a_01/trial_2/result.json",
        "F1a_01/trial_2/trajectory.json",
        "F1a_01/trial_3/result.json",
        "F1a_01/trial_3/trajectory.json",
    ]
    assert folder.read_result("F1a_01", 3) == result(trial=3)
    assert folder.read_result("F1a_01", 4) is None


def test_a_result_of_another_attempt_is_not_taken_for_this_one(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write_attempt(result(), {})
    (tmp_path / "F1a_01").rename(tmp_path / "F1a_02")
    assert folder.read_result("F1a_02", 1) is None


def test_the_trajectory_is_there_before_the_result_says_done(tmp_path: Path) -> None:
    """A value that no trajectory can hold leaves no result either."""
    with pytest.raises(TypeError):
        RunFolder(tmp_path).write_attempt(result(), {"a": object()})
    assert list(tmp_path.rglob("*.json")) == []


def test_sweeping_removes_what_a_kill_left_half_written_and_nothing_else(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write_attempt(result(), {})
    folder.write_attempt(result(trial=2), {})
    halves = [".run.json.partial", "F1a_01/.result.json.partial", "F1a_01/trial_2/.trajectory.json.partial"]
    for name in halves:
        (tmp_path / name).write_text("{")
    (tmp_path / "notes.partial").write_text("mine")
    folder.sweep(["F1a_01", "F1a_02"])
    assert [name for name in halves if (tmp_path / name).exists()] == []
    assert (tmp_path / "notes.partial").exists()
    assert folder.read_result("F1a_01", 2) is not None


def test_a_torn_last_line_is_closed_before_the_next(tmp_path: Path) -> None:
    file = tmp_path / "progress.jsonl"
    file.write_bytes(b'{"a": 1}\n{"a": 2')
    lines = LineFile(file)
    lines.append({"a": 3})
    lines.close()
    lines.append({"a": 4})
    assert file.read_bytes() == b'{"a": 1}\n{"a": 2\n{"a": 3}\n'


def test_lines_of_many_threads_stay_whole(tmp_path: Path) -> None:
    file = tmp_path / "progress.jsonl"
    lines = LineFile(file)

    def write(number: int) -> None:
        for _ in range(5):
            lines.append({"n": number, "x": "y" * 50_000})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines.close()
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 40


FULL = textwrap.dedent(
    """
    import resource, signal, sys
    from pathlib import Path
    from nftbench.records.store import RunFolder
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    try:
        RunFolder(Path(sys.argv[1])).write_record({"x": "y" * 50_000})
    except OSError as problem:
        print(type(problem).__name__)
    """
)


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_half(tmp_path: Path) -> None:
    """A write that the system really refuses (a limit on file size) in a process of its own."""
    RunFolder(tmp_path).write_record({"old": True})
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "CannotWrite\n"
    assert os.listdir(tmp_path) == ["run.json"]
    assert json.loads((tmp_path / "run.json").read_text()) == {"old": True}
