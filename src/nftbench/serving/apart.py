"""Work in a process that outlives the one that a program started: many kill their servers without a word, and an attempt that
was given up is to be recorded all the same.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

PATIENCE = 10.0
"""Seconds after the first signal from which on another one kills."""
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def run_apart(work: Callable[[], int]) -> int:
    """The exit code of `work`, done in a child with a session of its own; signals that ask us to leave are passed on to
    it. Where the system has no fork it is done here. To be called before any thread is started."""
    if not hasattr(os, "fork"):
        return work()
    child = os.fork()
    if child == 0:
        _be_the_child(work)
    passing = _Passing(child)
    for number in SIGNALS:
        signal.signal(number, passing)
    _, status = os.waitpid(child, 0)
    return 0 if os.waitstatus_to_exitcode(status) == 0 else 1


class Orphaned:
    """Whether the process that this one was made by is gone; asked again and again."""

    def __init__(self) -> None:
        self._parent = os.getppid()

    def __call__(self) -> bool:
        return os.getppid() != self._parent


def _be_the_child(work: Callable[[], int]) -> None:
    code = 1
    try:
        os.setsid()
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


class _Passing:
    """Passes signals on to the child. One that comes long after the first finds a child that hangs, and ends it."""

    def __init__(self, child: int) -> None:
        self._child = child
        self._first: float | None = None

    def __call__(self, number: int, frame: object) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = now
        with suppress(ProcessLookupError):
            os.kill(self._child, signal.SIGKILL if now - self._first > PATIENCE else number)
