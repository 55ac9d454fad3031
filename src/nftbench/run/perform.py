"""One attempt of a run: the task is loaded, a backend of its own answers under watch, and what came of it is
recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents.backend import Backend
from nftbench.agents.failure import CURRENT_TASK, SCORED_KINDS, UNSCORED_KINDS, CLIFailure
from nftbench.episode.limits import Limits
from nftbench.records.model import Result
from nftbench.records.store import RunFolder
from nftbench.run.plan import Job
from nftbench.run.seeds import seed_of
from nftbench.run.session import Session
from nftbench.run.unanswered import unanswered_failure
from nftbench.tasks.model import Task

_UNREACHED = frozenset({"unreachable"})
"""Causes that are worth the backend's own retries, but after them no other task's first call."""


class Attempted(Protocol):
    """What an attempt leaves behind; run.runner.Attempt is one."""

    @property
    def result(self) -> Result: ...

    @property
    def trajectory(self) -> Mapping[str, Any]: ...


class AttemptFunction(Protocol):
    """Plays and grades a task once; run.runner.attempt is one."""

    def __call__(self, task: Task, backend: Backend, *, trial: int, limits: Limits) -> Attempted: ...


class Performer(Struct, frozen=True, kw_only=True):
    """Makes attempts for the workers of a session, each in the worker's own thread."""

    session: Session
    folder: RunFolder
    task: Callable[[str], Task]
    backend: Callable[[Task, int], Backend]
    attempt: AttemptFunction
    limits: Limits
    isolated: bool = True
    seed: int | None = None

    def _seed(self, job: Job) -> dict[str, Any]:
        """What the trajectory says of the sampling seed that was sent."""
        return {} if self.seed is None else {"seed": seed_of(self.seed, job.instance_id, job.trial)}

    def __call__(self, job: Job) -> Result:
        """Make and record the attempt. What it may raise is told at executors.Perform."""
        task = self.task(job.instance_id)
        CURRENT_TASK.set(task.id)
        watched = WatchedBackend(self.backend(task, job.trial), self.session)
        attempted = self.attempt(task, watched, trial=job.trial, limits=self.limits)
        result = replace(attempted.result, isolated=self.isolated)
        with self.session.recording():
            self.folder.write_attempt(result, {**attempted.trajectory, **self._seed(job)})
        return result


class WatchedBackend:
    """A backend that tells its session how calls go, and ends its attempt between turns when the run is leaving."""

    def __init__(self, backend: Backend, session: Session) -> None:
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
