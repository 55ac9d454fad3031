"""`events.jsonl`: one line for each attempt of a backend, written whole, safe across threads and killed runs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from weakref import WeakValueDictionary

from msgspec import Struct

from nftbench.agents.wire.line_log import append_line

LONGEST_BODY = 256 * 1024
"""Characters of a body, or of a program's output, that a line keeps."""
NO_RESPONSE = -1
"""The `returncode` of an attempt that got no response, or an unusable one."""


class Event(Struct, frozen=True):
    """One attempt. `returncode` is 0 for HTTP 200, else the HTTP status (or a program's exit code), NO_RESPONSE for none;
    `stdout` is the body of a 200, `stderr` any other body or error; times are Unix seconds."""

    returncode: int
    stdout: str
    stderr: str
    instance_id: str | None
    t_start: float
    t_end: float


class EventSink(Protocol):
    """Takes events. CannotWrite, or FolderLost, where they can't be kept."""

    def append(self, event: Event) -> None: ...


class EventLog:
    """Appends to one file; use `event_log` to get the one instance that a process has for a path. `check` is called before
    each line, and raises where the file is no longer this process's to write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.check: Callable[[], None] = lambda: None

    def append(self, event: Event) -> None:
        """Adds the event as one line, closing a line that a killed run left torn. CannotWrite if the disk refuses."""
        line = json.dumps({name: getattr(event, name) for name in Event.__struct_fields__}).encode("ascii")
        with self._lock:
            self.check()
            append_line(self._path, line)


_logs: WeakValueDictionary[str, EventLog] = WeakValueDictionary()
_logs_lock = threading.Lock()


def event_log(path: str | os.PathLike[str]) -> EventLog:
    """The process's one log for a path, so that backends of many threads share its lock."""
    resolved = Path(path).resolve()
    with _logs_lock:
        log = _logs.get(str(resolved))
        if log is None:
            log = _logs[str(resolved)] = EventLog(resolved)
        return log
