"""Running one program to its end, or to a deadline, without leaving anything of it behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import IO

from msgspec import Struct

LONGEST_OUTPUT = 16 * 1024 * 1024
"""Bytes of output at which a program is stopped."""
_POLL = 0.02


class Ended(Struct, frozen=True):
    """How a program ended: `returncode` as subprocess has it; `stopped` says why it was killed ("" if it was not)."""

    returncode: int
    stdout: str
    stderr: str
    stopped: str = ""


def run_program(
    command: Sequence[str], *, given: str, folder: str, environment: Mapping[str, str], timeout: float
) -> Ended:
    """Runs a command in a folder with `given` on its standard input and nothing but `environment`. After `timeout` seconds,
    or too much output, it is killed; its children die with it in any case. OSError if it cannot be started."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given.encode("utf-8", "replace"))
        stdin.seek(0)
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        try:
            stopped = _wait(process.pid, timeout, (stdout, stderr))
        finally:
            _kill_group(process.pid)
            process.wait()
        return Ended(process.returncode, _text_of(stdout), _text_of(stderr), stopped)


def _wait(process: int, timeout: float, outputs: Sequence[IO[bytes]]) -> str:
    """Waits without reaping, so that the process's group keeps its number until it was killed."""
    deadline = time.monotonic() + timeout
    while os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return f"no end within {timeout:g} seconds"
        if any(os.fstat(output.fileno()).st_size > LONGEST_OUTPUT for output in outputs):
            return f"more than {LONGEST_OUTPUT} bytes of output"
        time.sleep(_POLL)
    return ""


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _text_of(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read(LONGEST_OUTPUT).decode("utf-8", "replace")
