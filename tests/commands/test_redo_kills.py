"""Killed at any step of setting attempts aside, none is lost and none is in two places."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.recorded import record

KILLED = """
import os, signal, sys
from nftbench.commands.main import main
left = [int(sys.argv[1])]
def counted(name):
    really = getattr(os, name)
    def step(*arguments, **options):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return really(*arguments, **options)
    setattr(os, name, step)
for name in ("fsync", "replace", "link", "mkdir", "unlink"):
    counted(name)
sys.exit(main(["redo", sys.argv[2], "F1a_01", "F1a_02", "--later"]))
"""


@pytest.mark.slow
def test_killed_at_every_step_every_attempt_is_whole_in_its_place_or_set_aside(tmp_path: Path) -> None:
    run = record(tmp_path / "run", "decline", instances="F1a_0[1-3]")
    before = {n: (run / f"F1a_0{n}/result.json").read_bytes() for n in (1, 2, 3)}
    step, kills = 0, 0
    while True:
        done = subprocess.run([sys.executable, "-c", KILLED, str(step), str(run)], capture_output=True, check=False)
        for number, content in before.items():
            places = [run / f"F1a_0{number}/result.json", *run.glob(f"replaced/F1a_0{number}/*/result.json")]
            there = [path for path in places if path.exists()]
            assert [path.read_bytes() for path in there] == [content], (step, number)
            assert there[0].with_name("trajectory.json").exists()
        summary = json.loads((run / "summary.json").read_text())
        standing = len(list(run.glob("F1a_*/result.json")))
        assert not summary["complete"] or (standing, summary["tasks_scored"]) == (3, 3)
        if done.returncode == 0:
            break
        kills, step = kills + 1, step + 1
    assert kills > 5
    record(run, "decline", instances="F1a_0[1-3]")
    assert json.loads((run / "summary.json").read_text())["complete"] is True
