"""Built-in agents in processes: the same results as in threads, whatever becomes of a process, and only the driver writes."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from nftbench import evaluate
from nftbench.grading import GRADER_VERSION
from nftbench.report.screen import Screen
from nftbench.run.backends import backend_factory
from nftbench.run.config import Config
from nftbench.run.parallel import FEWEST, InProcesses, find_processes
from nftbench.run.playing import FindElsewhere
from nftbench.run.runner import attempt
from nftbench.run.sources import BuiltIn
from nftbench.run.suite import Parts, Terminal, run_suite
from nftbench.tasks import catalog
from tests.run import parallel_plays

FAMILY = tuple(name for name in catalog.instance_ids() if name.startswith("F1"))
TIMES = ("started", "seconds", "model_seconds", "tool_seconds", "wait_seconds")
EVALUATE = [sys.executable, "-m", "nftbench", "evaluate"]
LONG = ("--agent", "random", "--trials", "40", "--concurrency", "2")


def stripped(value: Any) -> Any:
    """Without times and moments, and without the run's id and the digest over it."""
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if k not in (*TIMES, "run_id", "digest")}
    return [stripped(each) for each in value] if isinstance(value, list) else value


def files(out: Path) -> dict[str, Any]:
    found = sorted((*out.rglob("result.json"), *out.rglob("trajectory.json")))
    return {str(path.relative_to(out)): stripped(json.loads(path.read_text())) for path in found}


def suite(out: Path, elsewhere: FindElsewhere, **changed: Any) -> tuple[int, str]:
    """The exit code and what is told of a run of the reference agent, two attempts at once."""
    config = Config(
        tier="synthetic",
        selection=FAMILY,
        source=BuiltIn("reference"),
        sampling={},
        concurrency=2,
        trials=1,
        suite_seed=0,
        max_turns=60,
        prompt_layout="items_v1",
        request_timeout=600.0,
        out=out,
    )
    parts = Parts(
        catalog=catalog,
        backends=backend_factory,
        attempt=attempt,
        elsewhere=elsewhere,
        suite_version=catalog.SUITE_VERSION,
        grader_version=GRADER_VERSION,
        nftbench_version="0",
    )
    err = io.StringIO()
    code = run_suite(replace(config, **changed), parts, Terminal(Screen(io.StringIO()), Screen(err), ["--out", "x"]))
    return code, err.getvalue()


def test_results_are_those_of_a_threaded_run_but_for_times(tmp_path: Path) -> None:
    """Trajectories to the last byte of what is no time, in the random agent's attempts too."""
    for agent in ("reference", "random"):
        command = ["--agent", agent, "--instances", "F1*,F4b*", "--suite-seed", "3", "--quiet"]
        assert evaluate.main([*command, "--concurrency", "1", "--out", str(tmp_path / f"{agent}-1")]) == 0
        assert evaluate.main([*command, "--concurrency", "3", "--out", str(tmp_path / f"{agent}-3")]) == 0
        assert files(tmp_path / f"{agent}-1") == files(tmp_path / f"{agent}-3")
    keys = [list(json.loads((tmp_path / f"reference-{n}/F1a_01/trajectory.json").read_text())) for n in (1, 3)]
    assert keys[0] == keys[1]


def test_attempts_are_played_in_other_processes_when_there_is_enough_to_do(tmp_path: Path) -> None:
    used: list[InProcesses] = []

    def noting(site: Any) -> Any:
        found = find_processes(site)
        if found is not None:
            assert isinstance(found, InProcesses)
            used.append(found)
        return found

    assert suite(tmp_path / "few", noting, selection=FAMILY[: FEWEST - 1])[0] == 0 and used == []
    assert suite(tmp_path / "one", noting, concurrency=1)[0] == 0 and used == []
    assert suite(tmp_path / "many", noting)[0] == 0 and len(used) == 1
    assert used[0].pids() == []


def test_an_attempt_that_no_process_survives_is_in_error_and_the_run_goes_on(tmp_path: Path) -> None:
    code, told = suite(tmp_path / "out", lambda site: InProcesses(site, parallel_plays.deadly))
    results = {name: json.loads((tmp_path / "out" / name / "result.json").read_text()) for name in FAMILY}
    broken = results.pop(parallel_plays.DEADLY)
    assert code == 1 and "1 in error" in told
    assert (broken["status"], broken["cause"]) == ("error", "worker_lost")
    assert broken["error"] == (
        "cli_error: it was given up: 3 processes, one after another, ended in it, the last by exit code 1"
    )
    assert all(result["success"] for result in results.values())
    assert suite(tmp_path / "out", find_processes)[0] == 0


def test_a_defect_ends_the_run_as_it_does_in_threads(tmp_path: Path) -> None:
    code, told = suite(tmp_path / "out", lambda site: InProcesses(site, parallel_plays.defective))
    assert code == 1
    assert "Stopped: a fault of nftbench itself at F1b_02: F1b_02: the fixture reverts. Finished tasks are kept" in told
    assert "Traceback" in told and "in defective" in told, "the place in the process is told"
    assert not (tmp_path / "out" / "F1b_02" / "result.json").exists()


def test_where_no_process_can_be_started_it_is_said_once_and_threads_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    code, told = suite(tmp_path / "out", find_processes)
    assert code == 0 and told.count("Processes can't be started") == 1 and "threads of one process do the work" in told


def test_ctrl_c_ends_an_attempt_that_hangs_and_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is recorded, and the same run can go on."""
    monkeypatch.chdir(tmp_path)

    def interrupt() -> None:
        while not list(tmp_path.glob("hanging-*")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    code, told = suite(tmp_path / "out", lambda site: InProcesses(site, parallel_plays.hanging))
    assert code == 130 and "Stopped: interrupted" in told
    pid = int(next(tmp_path.glob("hanging-*")).name.partition("-")[2])
    assert not psutil.pid_exists(pid)
    assert not (tmp_path / "out" / "F1b_03" / "result.json").exists()
    assert suite(tmp_path / "out", find_processes)[0] == 0


def begun(out: Path, *extra: str) -> subprocess.Popen[str]:
    """A long run that has some results by now, and two processes at work."""
    command = [*EVALUATE, *LONG, *extra, "--instances", "F1*", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(list(out.glob("*/result.json"))) < 3:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def workers(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children()


def gone(processes: list[psutil.Process]) -> bool:
    return not psutil.wait_procs(processes, timeout=20)[1]


@pytest.mark.slow
def test_a_process_that_is_killed_costs_its_attempt_which_is_made_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    process = begun(out, "--trials", "4")
    for _ in range(3):
        first = workers(process)
        assert len(first) == 2
        first[0].kill()
        while workers(process)[:2] == first:
            time.sleep(0.01)
        time.sleep(0.2)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    command = ["--agent", "random", "--instances", "F1*", "--trials", "4", "--concurrency", "1", "--quiet"]
    assert evaluate.main([*command, "--out", str(tmp_path / "plain")]) == 0
    assert files(out) == files(tmp_path / "plain")


@pytest.mark.slow
@pytest.mark.parametrize("group", [False, True], ids=["the driver", "its whole group, as a terminal does"])
def test_an_interrupted_run_ends_with_130_quietly_and_goes_on(tmp_path: Path, group: bool) -> None:
    out = tmp_path / "out"
    process = begun(out)
    found = workers(process)
    if group:
        for each in (psutil.Process(process.pid), *found):
            each.send_signal(signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130 and gone(found)
    assert "Traceback" not in told and "KeyboardInterrupt" not in told
    again = told.splitlines()[-1].partition("to go on: nftbench evaluate ")[2]
    kept = len(list(out.rglob("result.json")))
    arguments = [*shlex.split(again), "--trials", "2"]
    done = subprocess.run([*EVALUATE, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "kept from before" in done.stderr
    assert kept <= len(list(out.rglob("result.json")))


def test_a_killed_driver_leaves_no_process_behind_and_its_folder_can_be_used_at_once(tmp_path: Path) -> None:
    """The processes hold neither the lock nor any file of the run."""
    out = tmp_path / "out"
    process = begun(out)
    found = workers(process)
    held = [file.path for each in found for file in each.open_files() if str(out) in file.path]
    process.kill()
    process.communicate()
    command = [*EVALUATE, *LONG, "--trials", "2", "--instances", "F1*", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and held == []
    assert gone(found)
