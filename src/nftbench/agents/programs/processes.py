"""Running one program to its end, or to a deadline, without leaving anything of it behind, however we go ourselves.

The program is started by a process of its own, see keeper.py.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

LONGEST_OUTPUT = 16 * 1024 * 1024
"""Bytes of output at which a program is stopped."""
KEEPER = (sys.executable, "-I", str(Path(__file__).with_name("keeper.py")))
"""The command of the process that starts programs."""
_KEPT = ("PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "LANG")
"""What a keeper gets of our environment: a program can read its parent's."""
_GOING = 10.0
"""Seconds for a keeper to remove a folder and go."""


class Turn(Struct, frozen=True, kw_only=True):
    """One program to run: `given` on its standard input, `files` in its home by their paths there (with slashes), and nothing
    but `environment` beside the names of its home. It runs in an empty folder; `timeout` is in seconds. `kin` is how what
    belongs to it is found, None for the best way that the system has."""

    command: list[str]
    given: str = ""
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    timeout: float = 600
    longest_output: int = LONGEST_OUTPUT
    kin: str | None = None


class Ended(Struct, frozen=True):
    """How a program ended: `returncode` as subprocess has it; `stopped` says why it was killed ("" if it was not), `left` how
    many of its processes could not be."""

    returncode: int
    stdout: str
    stderr: str
    stopped: str = ""
    left: int = 0


class NotStarted(Exception):
    """The program cannot be started; the text says why."""


def run_program(turn: Turn) -> Ended:
    """Runs a program. What it started dies with it, and all of it with this process. NotStarted if it cannot be started;
    OSError if there is no folder for it."""
    keeper = _Keeper()
    atexit.register(keeper.end)
    try:
        return keeper.run(turn)
    finally:
        keeper.end()
        atexit.unregister(keeper.end)


class _Keeper:
    """The process that holds a program, and what it says."""

    def __init__(self) -> None:
        self._told: dict[str, Any] = {}
        self._process = subprocess.Popen(
            KEEPER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def run(self, turn: Turn) -> Ended:
        assert self._process.stdin is not None
        # ASCII with escapes: a lone surrogate, which no other text form holds, arrives
        asked = json.dumps({name: getattr(turn, name) for name in turn.__struct_fields__})
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(asked.encode("ascii") + b"\n")
            self._process.stdin.flush()
        self._hear()
        if "not_started" in self._told:
            raise NotStarted(self._told["not_started"])
        if "no_folder" in self._told:
            raise OSError(self._told["number"], self._told["no_folder"], self._told["name"])
        self._hear()
        stopped = self._told.get("stopped", "the process that held it was killed")
        streams = Path(self._told["folder"], "streams") if "folder" in self._told else None
        stdout, stderr = (_text_of(streams / name) if streams else "" for name in ("out", "err"))
        return Ended(self._told.get("returncode") or 0, stdout, stderr, stopped, self._told.get("left", 0))

    def end(self) -> None:
        """Lets go of the program: what is left of it, and its folder, is gone when this returns."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GOING)
        if self._process.returncode != 0:
            self._clear_up()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            self._told.update(json.loads(self._process.stdout.readline()))

    def _clear_up(self) -> None:
        """For a keeper that somebody killed. On Linux and Windows the program has died with it."""
        self._process.kill()
        if "program" in self._told and "returncode" not in self._told and hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._told["program"], signal.SIGKILL)
        if "folder" in self._told:
            shutil.rmtree(self._told["folder"], ignore_errors=True)


def _text_of(output: Path) -> str:
    try:
        with output.open("rb") as file:
            return file.read(LONGEST_OUTPUT).decode("utf-8", "replace")
    except OSError:
        return ""
