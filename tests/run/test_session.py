"""Workers share jobs without losing or doubling one, whatever ends the run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from nftbench.agents.failure import CLIFailure
from nftbench.errors import BenchmarkDefect, RunStopped
from nftbench.records.model import Result
from nftbench.run.executors import ThreadExecutor
from nftbench.run.plan import Job
from nftbench.run.session import Abandoned, Session, Share


def scored(job: Job, *, success: bool = True, error: str | None = None) -> Result:
    return Result(
        instance_id=job.instance_id,
        trial=job.trial,
        status="error" if error else "scored",
        success=success and not error,
        feasible=True,
        family="F1",
        sub_family="F1a",
        difficulty="T1",
        twin=None,
        ended_by="error" if error else "finish_task",
        error=error,
    )


JOBS = [Job(f"F1a_{number:02d}", 1) for number in range(1, 41)]


def run(perform: Callable[[Session, Job], Result], workers: int = 4) -> tuple[Session, list[Mapping[str, Any]]]:
    lines: list[Mapping[str, Any]] = []
    session = Session(JOBS, lines.append)
    executor = ThreadExecutor(session, lambda job: perform(session, job), workers)
    executor.start()
    deadline = time.monotonic() + 30
    while not executor.wait(0.05):
        assert time.monotonic() < deadline
    return session, lines


def test_every_job_is_made_once() -> None:
    made: list[Job] = []

    def perform(session: Session, job: Job) -> Result:
        made.append(job)
        return scored(
            job, success=job.instance_id != "F1a_07", error="cli_error: x" if job.instance_id == "F1a_09" else None
        )

    session, lines = run(perform, workers=8)
    assert sorted(job.instance_id for job in made) == [job.instance_id for job in JOBS]
    standing = session.standing()
    assert (standing.done, standing.right, standing.wrong, standing.errors) == (40, 38, 1, 1)
    assert (standing.left, standing.running, session.stop_reason) == (0, 0, None)
    assert len(standing.latest) == 40 and session.standing().latest == ()
    assert (
        [line["event"] for line in lines].count("started") == [line["event"] for line in lines].count("finished") == 40
    )


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (CLIFailure("auth_or_quota", "no credit"), "the key or the account's credit was refused (no credit)"),
        (CLIFailure("spend_limit", "$1 is spent"), "the spend limit is reached ($1 is spent)"),
        (RunStopped("enough"), "enough"),
        (BenchmarkDefect("F1a_03: no goal"), "a fault of nftbench itself at F1a_03: F1a_03: no goal"),
        (
            OSError(28, "No space left on device", "x/result.json"),
            "a file x/result.json could not be written: No space",
        ),
        (ZeroDivisionError("boom"), "a fault of nftbench itself at F1a_03: ZeroDivisionError: boom"),
    ],
)
def test_what_ends_a_run_starts_nothing_new_and_says_why(raised: Exception, words: str) -> None:
    def perform(session: Session, job: Job) -> Result:
        if job.instance_id == "F1a_03":
            raise raised
        return scored(job)

    session, _ = run(perform, workers=1)
    assert session.stop_reason is not None and words in session.stop_reason
    standing = session.standing()
    assert (standing.done, standing.left) == (2, 37)
    assert (session.crash is not None) is words.startswith("a fault")


def test_attempts_under_way_end_on_their_own_when_the_money_is_spent() -> None:
    together = threading.Barrier(3)

    def perform(session: Session, job: Job) -> Result:
        together.wait(timeout=10)
        if job == JOBS[0]:
            raise CLIFailure("spend_limit", "spent")
        while session.stop_reason is None:
            time.sleep(0.01)
        session.check()
        return scored(job)

    session, _ = run(perform, workers=3)
    assert session.standing().done == 2


def test_a_failure_of_set_up_counts_only_before_the_first_answer() -> None:
    session = Session(JOBS, lambda line: None)
    session.unanswered("busy", configuration=False)
    assert session.stop_reason is None
    session.answered()
    session.unanswered("404", configuration=True)
    assert session.stop_reason is None
    other = Session(JOBS, lambda line: None)
    other.unanswered("404", configuration=True)
    assert other.stop_reason == "the first call failed, and every other would: 404"
    assert other.take() is None


def test_a_pause_and_a_turn_end_at_once_when_the_run_is_leaving() -> None:
    session = Session(JOBS, lambda line: None)
    session.pause(0.001)
    began = time.monotonic()
    threading.Timer(0.1, lambda: session.stop("interrupted", at_once=True)).start()
    with pytest.raises(Abandoned):
        session.pause(60)
    with pytest.raises(Abandoned):
        session.check()
    assert time.monotonic() - began < 5


def test_nothing_is_recorded_once_the_session_is_closed() -> None:
    session = Session(JOBS, lambda line: None)
    with session.recording():
        closing = threading.Thread(target=session.close)
        closing.start()
        closing.join(0.1)
        assert closing.is_alive()
    closing.join(5)
    with pytest.raises(Abandoned), session.recording():
        pass


def test_a_full_disk_under_the_progress_file_ends_the_run() -> None:
    def log(line: Mapping[str, Any]) -> None:
        if line["event"] == "finished":
            raise OSError(28, "No space left on device")

    session = Session(JOBS, log)
    executor = ThreadExecutor(session, scored, 2)
    executor.start()
    while not executor.wait(0.05):
        pass
    assert session.stop_reason == "a file could not be written: No space left on device"


def test_later_trials_come_to_the_worker_that_has_made_the_first() -> None:
    """While each has instances of its own to do, in the order of the run; then whoever is free takes what is left."""
    jobs = [Job(f"F1a_{number:02d}", trial) for trial in (1, 2, 3) for number in range(1, 6)]
    session = Session(jobs, lambda line: None)
    one, other = Share(0, 2), Share(1, 2)
    taken = [(session.take(one), session.take(other)) for _ in range(6)]
    assert [job.instance_id for job, _ in taken if job] == ["F1a_01", "F1a_03", "F1a_05"] * 2
    assert [job.instance_id for _, job in taken if job] == ["F1a_02", "F1a_04"] * 3
    assert [job.trial for job, _ in taken if job] == [1, 1, 1, 2, 2, 2]
    rest = [session.take(other) for _ in range(4)]
    assert [(job.instance_id, job.trial) for job in rest if job] == [("F1a_01", 3), ("F1a_03", 3), ("F1a_05", 3)]
    assert rest[3] is None
