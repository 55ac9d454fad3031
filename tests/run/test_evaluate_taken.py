"""Two processes and one folder: who loses it says so once and leaves, and no file ever mixes the two runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

DECLINE = '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
TAKEN = "was taken away while this run worked in it"


class Gate:
    """Lets the first few of one model's requests pass, and holds the others back until it is opened."""

    def __init__(self, server: Any, model: str, few: int) -> None:
        self._server, self._model, self._left = server, model, few
        self._lock = threading.Lock()
        self.held, self.opened = threading.Event(), threading.Event()
        server.reply = self.reply

    def reply(self, asked: dict[str, Any]) -> str:
        with self._lock:
            self._left -= asked["model"] == self._model
            is_held = asked["model"] == self._model and self._left < 0
        if is_held:
            self.held.set()
            assert self.opened.wait(60)
        self._server.model = asked["model"]
        return DECLINE


def process(server: Any, out: Path, model: str, *extra: str) -> subprocess.Popen[str]:
    command = ["evaluate", "--model", model, "--endpoint", server.url, "--out", str(out), *extra]
    return subprocess.Popen(
        [sys.executable, "-m", "nftbench", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def ended(running: subprocess.Popen[str]) -> tuple[int, str]:
    _, told = running.communicate(timeout=90)
    return running.returncode, told


def tree(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def lost(code: int, told: str) -> None:
    """Exit code 1, and one sentence about it: the last one."""
    assert code == 1 and "Traceback" not in told
    assert told.count(TAKEN) == 1 and TAKEN in told.splitlines()[-1], told


def of_one_run(out: Path, model: str, count: int) -> None:
    """All that the folder holds is one model's, and its summary is true."""
    record, summary = json.loads((out / "run.json").read_text()), json.loads((out / "summary.json").read_text())
    results = [json.loads(path.read_text()) for path in out.rglob("result.json")]
    assert record["model"] == model and {result["run_id"] for result in results} == {record["run_id"]}
    assert {name for result in results for name in result["served_models"]} == {model}
    assert (summary["complete"], summary["tasks_scored"], len(results)) == (True, count, count)


@pytest.mark.parametrize("concurrency", ["1", pytest.param("4", marks=pytest.mark.slow)])
def test_a_folder_removed_and_used_by_another_process_is_the_other_s_alone(
    server: Any, tmp_path: Path, concurrency: str
) -> None:
    """The first has two results, and waits for more replies, when its folder goes."""
    gate, out = Gate(server, "first", 2), tmp_path / "out"
    first = process(server, out, "first", "--instances", "F1a*", "--concurrency", concurrency)
    assert gate.held.wait(60)
    shutil.rmtree(out)
    code, told = ended(process(server, out, "second", "--instances", "F1a*"))
    assert code == 0, told
    there = tree(out)
    gate.opened.set()
    lost(*ended(first))
    assert tree(out) == there
    of_one_run(out, "second", 8)


def test_a_lock_taken_away_lets_no_other_model_in_and_ends_the_first(server: Any, tmp_path: Path) -> None:
    gate, out = Gate(server, "first", 2), tmp_path / "out"
    first = process(server, out, "first", "--instances", "F1a*", "--concurrency", "1")
    assert gate.held.wait(60)
    (out / "run.lock").unlink()
    there = tree(out)
    code, told = ended(process(server, out, "second", "--instances", "F1a*"))
    assert code == 1 and 'model "first" there, "second" here' in told, told
    gate.opened.set()
    lost(*ended(first))
    assert tree(out) == there and len(list(out.rglob("result.json"))) == 2


def test_a_lock_taken_away_and_the_same_command_again_leave_one_whole_run(server: Any, tmp_path: Path) -> None:
    """The results of before the loss are the run's own, and the second process keeps them."""
    gate, out = Gate(server, "first", 2), tmp_path / "out"
    first = process(server, out, "first", "--instances", "F1a*", "--concurrency", "1")
    assert gate.held.wait(60)
    (out / "run.lock").unlink()
    server.reply = lambda asked: DECLINE
    server.model = "first"
    code, told = ended(process(server, out, "first", "--instances", "F1a*"))
    assert code == 0 and "6 to do, 2 kept from before" in told
    there = tree(out)
    gate.opened.set()
    lost(*ended(first))
    assert tree(out) == there
    of_one_run(out, "first", 8)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(6))
def test_a_folder_removed_in_the_middle_of_writing_is_never_a_mixture(server: Any, tmp_path: Path, moment: int) -> None:
    """Nobody is held back: the first process writes as fast as it can while the folder goes and comes."""

    def reply(asked: dict[str, Any]) -> str:
        time.sleep(0.005)
        return DECLINE

    server.reply, server.model = reply, "first"
    out = tmp_path / "out"
    first = process(server, out, "first", "--instances", "F1*", "--trials", "20", "--concurrency", "8")
    while not list(out.glob("*/result.json")):
        time.sleep(0.002)
    time.sleep(moment * 0.03)
    while out.exists():
        shutil.rmtree(out, ignore_errors=True)
    code, told = ended(process(server, out, "first", "--instances", "F1a*", "--suite-seed", "5"))
    assert code == 0, told
    there = tree(out)
    lost(*ended(first))
    assert tree(out) == there
    of_one_run(out, "first", 8)
