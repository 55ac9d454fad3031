"""A terminal gets a bar, everything else gets lines of bounded number."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from nftbench.records.model import Counts, Result
from nftbench.report.screen import Screen
from nftbench.run.progress import Lines, described, duration, paced, tallied
from nftbench.run.session import Standing


def result(number: int, **fields: Any) -> Result:
    base: dict[str, Any] = {
        "instance_id": f"F1a_{number:02d}",
        "trial": 1,
        "status": "scored",
        "success": True,
        "feasible": True,
        "family": "F1",
        "sub_family": "F1a",
        "difficulty": "T1",
        "twin": None,
        "ended_by": "finish_task",
        "counts": Counts(turns=4, seconds=2.5),
    }
    return Result(**(base | fields))


def standing(done: int, seconds: float, latest: tuple[Result, ...] = (), **fields: Any) -> Standing:
    base: dict[str, Any] = {"left": 0, "running": 0, "right": done, "wrong": 0, "errors": 0}
    return Standing(seconds=seconds, latest=latest, **(base | fields))


def test_a_small_run_gets_a_line_for_each_attempt() -> None:
    out = io.StringIO()
    lines = Lines(Screen(out), 3)
    lines.show(standing(0, 0.1))
    lines.show(standing(2, 10.0, (result(1), result(2, trial=3))))
    lines.show(standing(2, 10.1))
    assert out.getvalue().splitlines() == [
        "F1a_01 right (finish_task, 4 turns, 2.5 s)",
        "F1a_02 trial 3 right (finish_task, 4 turns, 2.5 s) | 2/3: 2 right, 0 wrong, 12.0/min, about 5 s left",
    ]


def test_a_large_run_gets_a_line_every_few_seconds_and_a_last_one() -> None:
    """2,000 attempts at 100 a second, looked at ten times a second: 20 seconds are 4 lines and the last."""
    out = io.StringIO()
    lines = Lines(Screen(out), 2000)
    for tick in range(1, 201):
        done = tick * 10
        lines.show(standing(done, tick / 10, tuple(result(n) for n in range(10))))
    told = out.getvalue().splitlines()
    assert len(told) <= 5
    assert told[-1].startswith("2000/2000: 2000 right")


def test_a_slow_run_says_now_and_then_that_it_lives() -> None:
    out = io.StringIO()
    lines = Lines(Screen(out), 3)
    for tick in range(1, 1801):
        lines.show(standing(0, tick / 10, running=2))
    assert out.getvalue().splitlines() == ["0/3: 0 right, 0 wrong, 2 running"] * 3


def test_what_happened_is_said_in_words() -> None:
    error = result(4, status="error", success=False, ended_by="error", error="cli_error: a\x1b[2Jb\n" + "x" * 500)
    assert described(error).startswith("F1a_04 ERROR cli_error: a?[2Jb xxx") and len(described(error)) < 200
    assert tallied(standing(7, 1.0, wrong=2, errors=1)) == "7 right, 2 wrong, 1 error"
    assert paced(standing(30, 10.0), 60) == "3.0/s, about 10 s left"
    assert paced(standing(0, 0.0, running=4), 60) == "4 running"
    assert [duration(s) for s in (0.4, 59, 61, 3599, 3600, 90_000)] == [
        "0 s",
        "59 s",
        "1 min 1 s",
        "59 min 59 s",
        "1 h 0 min",
        "25 h 0 min",
    ]


def on_a_terminal(out: Path, columns: int, **environment: str) -> tuple[int, str]:
    """Run the command on a real pseudo-terminal of that width; its exit code and all that it was sent."""
    leader, follower = pty.openpty()
    seen = bytearray()

    def read() -> None:
        try:
            while chunk := os.read(leader, 65536):
                seen.extend(chunk)
        except OSError:
            return

    reader = threading.Thread(target=read)
    reader.start()
    command = [
        sys.executable,
        "-m",
        "nftbench",
        "evaluate",
        "--agent",
        "decline",
        "--instances",
        "F1a*",
        "--out",
        str(out),
    ]
    given = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "24", **environment}
    done = subprocess.run(command, stdin=follower, stdout=follower, stderr=follower, env=given, timeout=60, check=False)
    os.close(follower)
    reader.join(10)
    os.close(leader)
    return done.returncode, seen.decode("utf-8", "replace")


@pytest.mark.parametrize("columns", [30, 80, 200])
def test_a_terminal_of_any_width_gets_a_bar_that_is_gone_at_the_end(tmp_path: Path, columns: int) -> None:
    code, seen = on_a_terminal(tmp_path / "out", columns)
    assert code == 0
    assert "\x1b[?25l" in seen and seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")
    assert "feasible success" in seen and "F1a_01 wrong" not in seen


def test_without_colour_there_is_none(tmp_path: Path) -> None:
    """No SGR code (`ESC [ ... m`) that sets a colour: 30 to 37, 90 to 97, 38."""
    _, seen = on_a_terminal(tmp_path / "out", 80, NO_COLOR="1")
    codes = {code for group in re.findall(r"\x1b\[([0-9;]*)m", seen) for code in group.split(";")}
    assert not codes & {str(n) for n in (*range(30, 39), *range(90, 98))}


def test_a_dumb_terminal_gets_no_bar_and_the_same_figures(tmp_path: Path) -> None:
    code, seen = on_a_terminal(tmp_path / "out", 80, TERM="dumb")
    assert code == 0 and "\x1b[?25l" not in seen and "feasible success" in seen
