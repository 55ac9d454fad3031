"""Kill -9 at any moment, then the same command: nothing lost, nothing doubled, nothing falsely done."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DECLINE = '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
EVALUATE = [sys.executable, "-m", "nftbench", "evaluate"]


def command(server: Any, out: Path, instances: str, *extra: str) -> list[str]:
    return [
        *(*EVALUATE, "--model", "test/model", "--endpoint", server.url, "--instances", instances, "--out", str(out)),
        *("--concurrency", "4", *extra),
    ]


def replying(server: Any) -> None:
    """Two turns a task: it reads first, then declines; each turn takes 60 ms or so."""

    def reply(asked: dict[str, Any]) -> str:
        time.sleep(random.uniform(0.02, 0.1))
        return DECLINE if len(asked["messages"]) > 2 else '{"name": "read_state", "arguments": {}}'

    server.reply = reply


def taking(seconds: float) -> Callable[[dict[str, Any]], str]:
    """A reply that ends the task, after so long."""

    def reply(asked: dict[str, Any]) -> str:
        time.sleep(seconds)
        return DECLINE

    return reply


def outcomes(out: Path) -> dict[str, Any]:
    """What the results say, apart from how long things took."""
    found = {}
    for path in sorted(out.rglob("result.json")):
        result = json.loads(path.read_text())
        result["counts"] = {what: much for what, much in result["counts"].items() if "seconds" not in what}
        found[str(path.relative_to(out))] = {key: result[key] for key in result if key not in ("run_id", "digest")}
    return found


def sound(out: Path) -> None:
    """Whatever the moment: each whole file is whole JSON, each result has its trajectory, and no summary claims too much."""
    results = [json.loads(path.read_text()) for path in out.rglob("result.json")]
    for path in out.rglob("*.json"):
        json.loads(path.read_text())
    for result in out.rglob("result.json"):
        assert result.with_name("trajectory.json").exists()
    summary = out / "summary.json"
    if summary.exists() and json.loads(summary.read_text())["complete"]:
        assert json.loads(summary.read_text())["tasks_scored"] == len(results)


def kill_somewhere(process: subprocess.Popen[bytes], out: Path, chance: random.Random) -> bool:
    """Kill the process while it starts, or some time after it has begun to work; whether it was still alive."""
    progress = out / "progress.jsonl"
    size = progress.stat().st_size if progress.exists() else 0
    if chance.random() < 0.3:
        time.sleep(chance.uniform(0.1, 0.4))
    else:
        while process.poll() is None and (not progress.exists() or progress.stat().st_size == size):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.3))
    process.kill()
    return process.wait() == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_killed_again_and_again_ends_like_one_that_was_left_alone(server: Any, tmp_path: Path, seed: int) -> None:
    replying(server)
    instances, extra = "F1a*", ("--trials", "3")
    subprocess.run(command(server, tmp_path / "whole", instances, *extra), check=True, capture_output=True, timeout=120)
    out, chance, kills, kept = tmp_path / "killed", random.Random(seed), 0, 0
    while True:
        process = subprocess.Popen(
            command(server, out, instances, *extra), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if not kill_somewhere(process, out, chance):
            break
        kills += 1
        if out.exists():
            sound(out)
            assert len(outcomes(out)) >= kept
            kept = len(outcomes(out))
    assert kills > 5
    assert (
        subprocess.run(
            command(server, out, instances, *extra), capture_output=True, timeout=120, check=False
        ).returncode
        == 0
    )
    assert outcomes(out) == outcomes(tmp_path / "whole")
    assert len(outcomes(out)) == 24
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["complete"], summary["tasks_scored"]) == (True, 24)
    assert list(out.rglob("*.partial")) == []
    asked = len(server.requests)
    subprocess.run(command(server, out, instances, *extra), check=True, capture_output=True, timeout=120)
    assert len(server.requests) == asked


def test_results_of_before_the_kill_are_not_asked_for_again(server: Any, tmp_path: Path) -> None:
    replying(server)
    out = tmp_path / "out"
    process = subprocess.Popen(command(server, out, "F1a*"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while len(list(out.glob("*/result.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path: path.read_bytes() for path in out.glob("*/result.json")}
    done = subprocess.run(command(server, out, "F1a*"), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert f"{8 - len(before)} to do, {len(before)} kept from before" in done.stderr
    assert all(path.read_bytes() == content for path, content in before.items())


def test_a_second_process_is_refused_while_the_first_works(server: Any, tmp_path: Path) -> None:
    released = threading.Event()
    server.reply = lambda asked: DECLINE if released.wait(60) else ""
    out = tmp_path / "out"
    process = subprocess.Popen(command(server, out, "F1a_01"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not server.requests:
            time.sleep(0.01)
        second = subprocess.run(command(server, out, "F1a_01"), capture_output=True, text=True, timeout=60, check=False)
        assert (second.returncode, len(server.requests)) == (1, 1)
        assert "is in use by another process" in second.stderr
    finally:
        released.set()
        process.wait()
    assert process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_an_interrupted_process_ends_with_130_and_the_very_command_that_goes_on(
    server: Any, tmp_path: Path, number: signal.Signals
) -> None:
    server.reply = taking(0.3)
    out = tmp_path / "a folder"
    process = subprocess.Popen(
        command(server, out, "F1a*,F1c*"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while len(list(out.glob("*/result.json"))) < 1:
        time.sleep(0.01)
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    last = told.splitlines()[-1]
    assert last.startswith("Stopped: interrupted. Finished tasks are kept; to go on: nftbench evaluate ")
    again = last.partition("to go on: nftbench ")[2]
    done = subprocess.run(
        f"{sys.executable} -m nftbench {again}", shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "kept from before" in done.stderr


def test_an_interrupt_does_not_wait_for_the_pause_before_a_retry(server: Any, tmp_path: Path) -> None:
    """The first retry comes after 5 seconds, the second after 20 more."""
    server.status = 503
    process = subprocess.Popen(
        command(server, tmp_path / "out", "F1a*"), stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    while len(server.requests) < 4:
        time.sleep(0.01)
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130 and time.monotonic() - began < 2
    assert list((tmp_path / "out").glob("*/result.json")) == []


def test_a_full_disk_ends_the_run_clearly_and_leaves_earlier_results_whole(server: Any, tmp_path: Path) -> None:
    """The system itself refuses to let files grow (a limit on file size), as a full disk would: then there is room again."""
    out = tmp_path / "out"
    subprocess.run(command(server, out, "F1a_0[1-4]"), check=True, capture_output=True, timeout=60)
    before = outcomes(out)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = (out / "events.jsonl").stat().st_size + 200
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    full = subprocess.run(
        command(server, out, "F1a_0[1-4]", "--trials", "2"),
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=limit,
        check=False,
    )
    assert full.returncode == 1
    last = full.stderr.splitlines()[-1]
    assert "could not be written: File too large" in last and "to go on: nftbench evaluate" in last
    assert "Traceback" not in full.stderr
    assert before.items() <= outcomes(out).items() and list(out.rglob("*.partial")) == []
    sound(out)
    roomy = subprocess.run(
        command(server, out, "F1a_0[1-4]", "--trials", "2"), capture_output=True, text=True, timeout=60, check=False
    )
    assert roomy.returncode == 0, roomy.stderr
    assert len(outcomes(out)) == 8
    lines = (out / "events.jsonl").read_text().splitlines()
    whole = [line for line in lines if line.endswith("}")]
    assert len(lines) - len(whole) <= 4 and all(json.loads(line) for line in whole)


@pytest.mark.skipif(os.geteuid() != 0 or not os.path.exists("/proc/mounts"), reason="needs to mount a small disk")
def test_a_disk_that_is_really_full(server: Any, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        done = subprocess.run(
            command(server, disk / "out", "F1a*", "--trials", "5"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert "could not be written: No space left on device" in done.stderr.splitlines()[-1]
        sound(disk / "out")
        assert outcomes(disk / "out")
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        again = subprocess.run(
            command(server, disk / "out", "F1a*", "--trials", "5"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert again.returncode == 0, again.stderr
        assert len(outcomes(disk / "out")) == 40
    finally:
        subprocess.run(["umount", str(disk)], check=True)
