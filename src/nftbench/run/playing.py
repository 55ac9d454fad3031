"""Where an attempt is played: in this process, or elsewhere, which only has to give back what the attempt left behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from nftbench.agents.backend import Backend
from nftbench.agents.failure import CURRENT_TASK, SCORED_KINDS, UNSCORED_KINDS, CLIFailure
from nftbench.episode.limits import Limits
from nftbench.records.model import Result
from nftbench.records.store import RunFolder
from nftbench.run.config import Config
from nftbench.run.plan import Job
from nftbench.run.seeds import seed_of
from nftbench.run.session import Session
from nftbench.run.unanswered import unanswered_failure
from nftbench.tasks.model import Task

_UNREACHED = frozenset({"unreachable"})
"""Causes that are worth the backend's own retries, but after them no other task's first call."""
WORKER_LOST = "worker_lost"
"""The cause of an attempt that one worker after another did not survive."""


class Attempted(Protocol):
    """What an attempt leaves behind; run.runner.Attempt is one."""

    @property
    def result(self) -> Result: ...

    @property
    def trajectory(self) -> Mapping[str, Any]: ...


class AttemptFunction(Protocol):
    """Plays and grades a task once; run.runner.attempt is one."""

    def __call__(self, task: Task, backend: Backend, *, trial: int, limits: Limits) -> Attempted: ...


class Played(Struct, frozen=True):
    """What an attempt left behind, to be recorded; the trajectory may be encoded already."""

    result: Result
    trajectory: Mapping[str, Any] | bytes


Play = Callable[[Job], Played]
"""Plays an attempt. Raises as executors.Perform tells."""


class PlayedHere(Struct, frozen=True, kw_only=True):
    """Plays attempts in the thread that asks. `seed` is what `--seed` gave."""

    session: Session
    task: Callable[[str], Task]
    backend: Callable[[Task, int], Backend]
    attempt: AttemptFunction
    limits: Limits
    seed: int | None = None

    def __call__(self, job: Job) -> Played:
        task = self.task(job.instance_id)
        CURRENT_TASK.set(task.id)
        watched = WatchedBackend(self.backend(task, job.trial), self.session)
        attempted = self.attempt(task, watched, trial=job.trial, limits=self.limits)
        return Played(attempted.result, {**attempted.trajectory, **sampled(self.seed, job)})

    def lost(self, job: Job, detail: str) -> Played:
        """The attempt in error: nobody could play it, because of its workers."""
        failing = _Failing(CLIFailure("cli_error", detail, cause=WORKER_LOST))
        attempted = self.attempt(self.task(job.instance_id), failing, trial=job.trial, limits=self.limits)
        return Played(attempted.result, attempted.trajectory)


def sampled(seed: int | None, job: Job) -> dict[str, Any]:
    """What a trajectory says of the sampling seed that was sent."""
    return {} if seed is None else {"seed": seed_of(seed, job.instance_id, job.trial)}


class Site(Struct, frozen=True):
    """What those who play elsewhere need of the run: `here` plays where they can't, `tell` takes a line for people."""

    config: Config
    folder: RunFolder
    session: Session
    here: PlayedHere
    tell: Callable[[str], None]


class Elsewhere(Protocol):
    """Plays attempts in other processes, or on other machines."""

    def __call__(self, job: Job) -> Played: ...

    def close(self) -> None:
        """End what is still under way there."""
        ...


FindElsewhere = Callable[[Site], Elsewhere | None]
"""None: the attempts are played here."""


class Watch(Protocol):
    """Whoever wants to know how calls go; run.session.Session does."""

    @property
    def was_answered(self) -> bool: ...

    def check(self) -> None: ...

    def answered(self) -> None: ...

    def unanswered(self, detail: str, *, configuration: bool) -> None: ...


class WatchedBackend:
    """A backend that tells its session how calls go, and ends its attempt between turns when the run is leaving."""

    def __init__(self, backend: Backend, session: Watch) -> None:
        self._backend = backend
        self._session = session

    def complete(self, request: str) -> str:
        self._session.check()
        try:
            reply = self._backend.complete(request)
        except CLIFailure as failure:
            if failure.kind in SCORED_KINDS and not self._session.was_answered:
                failure = unanswered_failure(failure)
            is_set_up = failure.configuration or failure.cause in _UNREACHED
            self._session.unanswered(failure.detail, configuration=is_set_up and failure.kind in UNSCORED_KINDS)
            raise failure from None
        self._session.answered()
        return reply


class _Failing:
    """Answers nothing, for a reason known beforehand."""

    def __init__(self, failure: CLIFailure) -> None:
        self._failure = failure

    def complete(self, request: str) -> str:
        raise self._failure
