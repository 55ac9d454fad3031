"""Ctrl-C and the other signals that ask a process to leave, as a count to look at: a run ends where it chooses to."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK") if hasattr(signal, name)
)
"""Ctrl-C, kill, a terminal that goes away, Ctrl-\\ and Windows' Ctrl-Break."""


class Interrupts:
    """While entered, counts the SIGNALS instead of letting them end the process. What the process ignores
    stays ignored; outside the main thread, where Python takes no handlers, nothing is counted.
    """

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._counted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _counted(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
