"""A process that is asked answers like the function itself, and one that is lost costs only what it was doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.errors import BenchmarkDefect
from nftbench.processes.crew import Crew, LostAgain
from nftbench.processes.mapping import mapped
from nftbench.processes.worker import CannotStart, Worker
from tests.processes import functions

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew()
    yield made
    made.close()


def gone(pid: int) -> bool:
    """Whether the process ends within a while."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.02)
    return False


def test_values_come_from_another_process_that_is_kept_for_the_next_question(crew: Crew) -> None:
    assert crew.ask(functions.doubled, 21) == 42
    assert crew.ask(functions.pid) == crew.ask(functions.pid) == crew.pids()[0] != os.getpid()


def test_what_a_function_raises_comes_as_it_is_with_the_place_where_it_was_raised(crew: Crew) -> None:
    with pytest.raises(BenchmarkDefect, match="F1a_02: the fixture reverts") as raised:
        crew.ask(functions.defective, 2)
    told = "".join(traceback.format_exception(raised.value))
    assert "in defective" in told
    with pytest.raises(RuntimeError, match="Stubborn: 1 and 2"):
        crew.ask(functions.stubborn)
    with pytest.raises(SystemExit):
        crew.ask(functions.leaves)
    assert len(crew.pids()) == 1, "none of this costs the process"


def test_a_failure_of_a_backend_loses_nothing_on_the_way(crew: Crew) -> None:
    with pytest.raises(CLIFailure) as raised:
        crew.ask(functions.failing)
    failure = raised.value
    assert (failure.kind, failure.detail, failure.cause) == ("context_limit", "too long", "overflow")
    assert failure.configuration and failure.usage == {"attempts": 1} and failure.facts == {"prompt_fits": True}
    assert str(failure) == "context_limit: too long"


def test_a_process_that_is_lost_is_replaced_and_asked_again(crew: Crew, tmp_path: Path) -> None:
    assert crew.ask(functions.dies_once, str(tmp_path / "mark")) == "done"
    with pytest.raises(LostAgain, match="3 processes, one after another, ended in it, the last by SIGKILL"):
        crew.ask(functions.dies, 3)
    assert crew.ask(functions.doubled, 1) == 2


def test_whoever_gives_up_waiting_leaves_no_process_behind(crew: Crew, tmp_path: Path) -> None:
    place = tmp_path / "pid"

    def waiting() -> None:
        if place.exists() and place.read_text():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        crew.ask(functions.hangs, str(place), waiting=waiting)
    assert gone(int(place.read_text())) and crew.pids() == []


def test_closing_ends_what_still_works(crew: Crew, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            crew.ask(functions.hangs, str(place))
        except BaseException as problem:
            raised.append(problem)

    thread = threading.Thread(target=ask)
    thread.start()
    while not (place.exists() and place.read_text()):
        time.sleep(0.01)
    crew.close()
    thread.join(20)
    assert gone(int(place.read_text())) and [type(each) for each in raised] == [LostAgain]


def test_the_terminal_s_ctrl_c_does_not_reach_a_process(crew: Crew) -> None:
    """It goes to the driver's process group; one that is sent to the process itself is not heard."""
    assert crew.ask(functions.group) != os.getpgid(0)
    worker = crew.ask(functions.pid)
    os.kill(worker, signal.SIGINT)
    time.sleep(0.1)
    assert crew.ask(functions.pid) == worker


def test_a_driver_that_is_killed_leaves_no_process_behind(tmp_path: Path) -> None:
    """Even one that is in the midst of something; and the script has no guard for its main part."""
    place = tmp_path / "pid"
    script = f"""
from nftbench.processes.mapping import mapped
from tests.processes import functions
print(list(mapped(functions.doubled, [1, 2, 3], 2)), flush=True)
list(mapped(functions.hangs, [{str(place)!r}, {str(place)!r}], 2))
"""
    (tmp_path / "script.py").write_text(script)
    driver = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert driver.stdout is not None and driver.stdout.readline() == "[2, 4, 6]\n"
    while not (place.exists() and place.read_text()):
        time.sleep(0.01)
    workers = [child.pid for child in psutil.Process(driver.pid).children(recursive=True)]
    assert len(workers) == 2
    driver.kill()
    driver.communicate()
    assert all(gone(pid) for pid in workers)


@pytest.mark.parametrize("program", ["/nonexistent/python", "/bin/false"])
def test_where_no_process_can_be_started_it_is_said_once_and_threads_work(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(CannotStart):
        Worker().ask(functions.pid)
    told: list[str] = []
    assert list(mapped(functions.doubled, range(20), 4, cannot_start=told.append)) == [2 * n for n in range(20)]
    assert len(told) == 1 and told[0]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_values_come_in_the_order_of_the_things(workers: int) -> None:
    assert list(mapped(functions.doubled, range(40), workers)) == [2 * n for n in range(40)]


def test_what_is_raised_comes_at_its_turn() -> None:
    values = mapped(functions.defective, range(4), 2)
    assert [next(values), next(values)] == [0, 1]
    with pytest.raises(BenchmarkDefect, match="the fixture reverts"):
        next(values)


def test_a_thing_that_ends_one_process_after_another_is_named() -> None:
    values = mapped(functions.dies, [1, 2, 3, 4], 2)
    assert [next(values), next(values)] == [1, 2]
    with pytest.raises(BenchmarkDefect, match=r"^3: 3 processes, one after another, ended in it, the last by SIGKILL"):
        next(values)


def test_values_that_nobody_wants_any_more_leave_no_process_behind(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    values = mapped(functions.first_or_hangs, [None, str(place)], 2)
    assert next(values) == "first"
    while not (place.exists() and place.read_text()):
        time.sleep(0.01)
    values.close()  # type: ignore[attr-defined]
    assert gone(int(place.read_text()))
