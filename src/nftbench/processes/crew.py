"""The worker processes of one job, lent to threads: a process that is lost is replaced, and what it was asked is asked again.

A thread gets the process again that it had, where that is free: it knows what it was asked about before.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from nftbench.processes.worker import Lost, Worker

MOST_LOSSES = 3
"""Processes that one question may cost."""


class LostAgain(Exception):
    """A question has cost MOST_LOSSES processes; the message says how the last one ended."""


class Crew:
    """As many processes as threads ask at once; each is started when it is first needed. It must be closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._mine = threading.local()
        self._closed = False

    def ask(self, function: Callable[..., Any], *arguments: Any, waiting: Callable[[], None] = lambda: None) -> Any:
        """As Worker.ask, by whichever process is free. CannotStart where there can be none, LostAgain."""
        for loss in range(1, MOST_LOSSES + 1):
            waiting()
            worker = self._take()
            try:
                return worker.ask(function, *arguments, waiting=waiting)
            except Lost as lost:
                if loss == MOST_LOSSES:
                    raise LostAgain(f"{loss} processes, one after another, ended in it, the last by {lost}") from None
            finally:
                self._give_back(worker)
        raise AssertionError

    def pids(self) -> list[int]:
        """The processes there are now."""
        with self._lock:
            return [worker.pid for worker in self._all]

    def close(self) -> None:
        """Kill all processes; whoever still waits for one gets Lost."""
        with self._lock:
            self._closed = True
            idle, busy = self._idle, self._all.difference(self._idle)
            self._all, self._idle = set(), []
        for worker in idle:
            worker.end()
        for worker in busy:
            worker.kill()

    def _take(self) -> Worker:
        with self._lock:
            mine = getattr(self._mine, "worker", None)
            if self._idle:
                return self._idle.pop(self._idle.index(mine) if mine in self._idle else -1)
            if self._closed:
                raise LostAgain("the processes were ended")
            worker = Worker()
            self._all.add(worker)
            self._mine.worker = worker
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if worker.works and worker in self._all:
                self._idle.append(worker)
            else:
                self._all.discard(worker)


def without_processes(why: str) -> str:
    """The sentence for people where there can be no processes."""
    return f"Processes can't be started ({why}): threads of one process do the work"


def cores() -> int:
    """How many processes this one may have at work at the same moment."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
