"""What the workers of a run share: the jobs left, how it stands, and whether to stop."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from msgspec import Struct

from nftbench.errors import FolderLost
from nftbench.records.model import Result
from nftbench.run.plan import Job
from nftbench.run.stops import StopRule


class Abandoned(Exception):
    """Raised inside an attempt to end it unrecorded, because the run is leaving."""


class Standing(Struct, frozen=True, kw_only=True):
    """How a session stands: attempts of this session only. `latest` are those that ended since the last look."""

    left: int
    running: int
    right: int
    wrong: int
    errors: int
    seconds: float
    latest: tuple[Result, ...]

    @property
    def done(self) -> int:
        return self.right + self.wrong + self.errors


class Share(Struct, frozen=True):
    """Every `of`th instance of a session, from the one in place `number` on (from 0)."""

    number: int
    of: int


class Session:
    """Thread-safe. `log` takes one line for watchers at a time (docs/reading-results.md tells them); an OSError of its own
    ends the run. `kept` is how many attempts earlier sessions have scored.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        log: Callable[[Mapping[str, Any]], None],
        *,
        kept: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock = threading.Lock()
        self._recording = threading.Lock()
        self._leaving = threading.Event()
        self._jobs = deque(jobs)
        self._places = {name: place for place, name in enumerate(dict.fromkeys(job.instance_id for job in jobs))}
        self._running: set[Job] = set()
        self._finished: list[Result] = []
        self._seen = 0
        self._rule = StopRule()
        self._log = log
        self._clock = clock
        self._began = clock()
        self._tally = {"right": 0, "wrong": 0, "errors": 0}
        self._note("begun", {"pending": len(jobs), "kept": kept})
        self._closed = False
        self._answered = False
        self.stop_reason: str | None = None
        self.crash: BaseException | None = None

    def take(self, share: Share | None = None) -> Job | None:
        """The next attempt to make; None when there is none left or the run is stopping. With a `share`, the next one of the
        instances in it, so that later trials come to whoever knows the instance; when those are done, the next one of any.
        """
        with self._lock:
            if self.stop_reason is not None or not self._jobs:
                return None
            job = (
                next((job for job in self._jobs if self._is_in(share, job)), self._jobs[0]) if share else self._jobs[0]
            )
            self._jobs.remove(job)
            self._running.add(job)
            self._note("started", _named(job))
            return job

    def finish(self, job: Job, result: Result) -> None:
        """An attempt has ended and its files are written."""
        with self._lock:
            self._running.discard(job)
            self._finished.append(result)
            self._tally["right" if result.success else "errors" if result.status == "error" else "wrong"] += 1
            self._note("finished", _named(job) | _outcome(result) | self._counts())
            reason = self._rule.after(result)
        if reason is not None:
            self.stop(reason)

    def drop(self, job: Job) -> None:
        """An attempt has ended without a record; a later command makes it again."""
        with self._lock:
            self._running.discard(job)
            with suppress(OSError, FolderLost):
                self._note("dropped", _named(job))

    def stop(self, reason: str, *, crash: BaseException | None = None, at_once: bool = False) -> None:
        """Start no further attempt; with `at_once`, those under way end at their next turn. The first reason given
        stays.
        """
        with self._lock:
            if self.stop_reason is None:
                self.stop_reason, self.crash = reason, crash
        if at_once:
            self._leaving.set()

    def answered(self) -> None:
        """A call got an answer: the set-up works."""
        self._answered = True

    @property
    def was_answered(self) -> bool:
        """Whether any call of the session got an answer."""
        return self._answered

    def unanswered(self, detail: str, *, configuration: bool) -> None:
        """A call failed. Stops the run if that is a matter of set-up and no call was ever answered."""
        if configuration and not self._answered:
            self.stop(f"the first call failed, and every other would: {detail}")

    @property
    def leaving(self) -> bool:
        """Whether attempts under way are to end unrecorded."""
        return self._leaving.is_set()

    def check(self) -> None:
        """Abandoned when the run is leaving: called between turns."""
        if self._leaving.is_set():
            raise Abandoned

    def pause(self, seconds: float) -> None:
        """Sleep that long; Abandoned as soon as the run is leaving."""
        if self._leaving.wait(seconds):
            raise Abandoned

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Hold this while an attempt's files are written; Abandoned once the session is closed."""
        with self._recording:
            if self._closed:
                raise Abandoned
            yield

    def close(self) -> None:
        """From here on no worker records anything, however long its call still takes."""
        self._leaving.set()
        with self._recording:
            self._closed = True
        with self._lock, suppress(OSError, FolderLost):
            counts = {**self._counts(), "left": len(self._jobs) + len(self._running)}
            self._note("ended", {"reason": self.stop_reason} | counts)

    def standing(self) -> Standing:
        """How the session stands now; the latest results are handed out once."""
        with self._lock:
            latest = tuple(self._finished[self._seen :])
            self._seen = len(self._finished)
            return Standing(
                left=len(self._jobs),
                running=len(self._running),
                right=self._tally["right"],
                wrong=self._tally["wrong"],
                errors=self._tally["errors"],
                seconds=self._clock() - self._began,
                latest=latest,
            )

    def _is_in(self, share: Share, job: Job) -> bool:
        return self._places[job.instance_id] % share.of == share.number

    def _counts(self) -> dict[str, int]:
        """How many attempts of this session ended how, and how many have not been begun."""
        return {**self._tally, "running": len(self._running), "left": len(self._jobs)}

    def _note(self, event: str, facts: Mapping[str, Any]) -> None:
        self._log({"time": round(time.time(), 3), "event": event, **facts})


def _named(job: Job) -> dict[str, Any]:
    return {"instance_id": job.instance_id, "trial": job.trial}


def _outcome(result: Result) -> dict[str, Any]:
    return {
        "status": result.status,
        "success": result.success,
        "ended_by": result.ended_by,
        "error": result.error,
        "turns": result.counts.turns,
        "seconds": result.counts.seconds,
        "cost_usd": result.counts.cost_usd,
    }
