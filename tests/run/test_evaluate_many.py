"""Hundreds of tasks at once, with open files and memory that are bounded and said."""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from nftbench.run.descriptors import needed

DECLINE = '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
MOST_MEGABYTES_A_TASK = 2


def together(server: Any, count: int) -> list[int]:
    """Answers nobody until so many ask at once; the highest number that did."""
    gate, highest, waiting = threading.Barrier(count), [0], [0]
    lock = threading.Lock()

    def reply(asked: dict[str, Any]) -> str:
        with lock:
            waiting[0] += 1
            highest[0] = max(highest[0], waiting[0])
        with contextlib.suppress(threading.BrokenBarrierError):
            gate.wait(60)
        with lock:
            waiting[0] -= 1
        return DECLINE

    server.reply = reply
    return highest


def command(server: Any, out: Path, count: int, *extra: str) -> list[str]:
    return [
        *(sys.executable, "-m", "nftbench", "evaluate", "--model", "test/model", "--endpoint", server.url),
        *("--instances", "F1*,F2*", "--trials", "4", "--concurrency", str(count), "--out", str(out), *extra),
    ]


def limited(files: int) -> Any:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, 200), files))


@pytest.mark.slow
@pytest.mark.parametrize("count", [64, 256])
def test_hundreds_of_tasks_run_at_once_within_the_open_files_that_are_said(
    server: Any, tmp_path: Path, count: int
) -> None:
    """256 attempts, and a system that gives exactly what was said, from a soft limit that is far lower."""
    highest = together(server, count)
    done = subprocess.run(
        command(server, tmp_path / "out", count),
        capture_output=True,
        text=True,
        timeout=300,
        preexec_fn=limited(needed(count)),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"{count} at once with up to {needed(count)} open files" in done.stderr
    assert highest[0] == count
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert (summary["complete"], summary["tasks_scored"]) == (True, 256)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert kilobytes / 1024 < 200 + MOST_MEGABYTES_A_TASK * count


def test_a_system_that_gives_too_few_open_files_is_told_before_anything_is_played(server: Any, tmp_path: Path) -> None:
    done = subprocess.run(
        command(server, tmp_path / "out", 256),
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=limited(300),
        check=False,
    )
    assert done.returncode == 1 and server.requests == [] and not (tmp_path / "out").exists()
    assert f"--concurrency 256 needs {needed(256)} open files, and the system allows 300" in done.stderr
