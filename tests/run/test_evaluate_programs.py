"""Agent programs of a run that is told to leave: nothing of them outlives nftbench, and no folder of theirs stays."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HANGING = """
import os, subprocess, sys, time
folder = sys.argv[1]
sleep = "import os, time; open({!r}, 'w').write(str(os.getpid())); time.sleep(120)".format(os.path.join(folder, "grandchild"))
subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
while not os.path.exists(os.path.join(folder, "grandchild")):
    time.sleep(0.01)
with open(os.path.join(folder, "program.partial"), "w") as file:
    file.write(str(os.getpid()))
os.rename(file.name, os.path.join(folder, "program"))
time.sleep(120)
"""


def started(folder: Path, code: str = HANGING) -> subprocess.Popen[bytes]:
    """A run with one task, whose program hangs; its turns are below `turns`."""
    (folder / "turns").mkdir()
    command = shlex.join([sys.executable, "-c", code, str(folder)])
    flags = ["--cli", command, "--instances", "F1a_04", "--out", str(folder / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "nftbench", "evaluate", *flags],
        env={**os.environ, "TMPDIR": str(folder / "turns")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not (folder / "program").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    assert len(os.listdir(folder / "turns")) == 1
    return process


def assert_nothing_is_left(folder: Path) -> None:
    deadline = time.monotonic() + 20
    left = [int((folder / name).read_text()) for name in ("program", "grandchild")]
    while [process for process in left if is_there(process)] or os.listdir(folder / "turns"):
        assert time.monotonic() < deadline, (left, os.listdir(folder / "turns"))
        time.sleep(0.02)


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT])
def test_a_run_that_is_killed_takes_its_programs_along(number: signal.Signals, tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert_nothing_is_left(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_program_that_hangs(number: signal.Signals, tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    assert process.stderr is not None
    for line in process.stderr:
        if b"Stopping" in line:
            break
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and b"Traceback" not in err, err
    gone = [is_there(int((tmp_path / name).read_text())) for name in ("program", "grandchild")]
    assert gone == [False, False] and os.listdir(tmp_path / "turns") == []
    assert not (tmp_path / "run/F1a_04/result.json").exists()


@pytest.mark.slow
def test_after_one_ctrl_c_a_program_that_hangs_has_a_few_seconds(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert_nothing_is_left(tmp_path)


def test_a_ctrl_c_at_the_terminal_does_not_reach_the_program_itself(tmp_path: Path) -> None:
    """The terminal signals its whole group of processes; the turn under way is to end by itself all the same."""
    said = json.dumps({"name": "declare_infeasible", "arguments": {"reason": "no"}})
    code = HANGING.replace("time.sleep(120)\n", f"time.sleep(2); print({said!r})\n")
    (tmp_path / "turns").mkdir()
    command = shlex.join([sys.executable, "-c", code, str(tmp_path)])
    flags = ["--cli", command, "--instances", "F1a_04", "--out", str(tmp_path / "run")]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "turns")}
    process = subprocess.Popen(
        [sys.executable, "-m", "nftbench", "evaluate", *flags],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "program").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(60)
    events = (tmp_path / "run/events.jsonl").read_text().splitlines()
    assert json.loads(events[-1])["stdout"].strip() == said
