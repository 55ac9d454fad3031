"""A process that runs `nftbench evaluate` in children of its own and kills each at one step of its work with files.

One line of JSON on stdin is one child (see `Child`), one line on stdout its exit code, negative for the signal that ended it.
Steps are the calls by which a run changes or locks a file in its folder; a write is cut in half by the kill. Forking spares
each child the imports.
"""

from __future__ import annotations

import fcntl
import io
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from typing import Any

import msgspec
from msgspec import Struct

from nftbench import evaluate


class Steps:
    """Counts the steps of a child, and kills it at the one that was asked for."""

    def __init__(self, out: str, last: int | None) -> None:
        self._out, self._last = out, last
        self._lock = threading.Lock()
        self.taken = 0

    def take(self, cut: Any = None) -> None:
        with self._lock:
            if self.taken == self._last:
                if cut is not None:
                    cut()
                os.kill(os.getpid(), signal.SIGKILL)
            self.taken += 1

    def is_ours(self, argument: Any) -> bool:
        """Whether a path, or an open file, is the run's folder or in it."""
        path = os.readlink(f"/proc/self/fd/{argument}") if isinstance(argument, int) else os.fspath(argument)
        return str(path).startswith(self._out)

    def watch(self) -> None:
        for name in ("mkdir", "replace", "fsync", "link", "unlink", "open"):
            setattr(os, name, self._counted(getattr(os, name)))
        fcntl.flock = self._counted(fcntl.flock)
        really_write = os.write
        os.write = self._cut_in_half(really_write)  # type: ignore[assignment]
        really_open, steps = io.open, self

        class Written(io.FileIO):
            def write(self, data: Any) -> int:
                steps.take(lambda: really_write(self.fileno(), bytes(data)[: len(data) // 2]))
                return super().write(data)

        def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **options: Any) -> Any:
            if "b" not in mode or mode == "rb" or not steps.is_ours(file):
                return really_open(file, mode, buffering, *rest, **options)
            steps.take()
            raw = Written(file, mode.replace("b", ""))
            return raw if buffering == 0 else io.BufferedWriter(raw)

        io.open = opened  # type: ignore[assignment]

    def _counted(self, really: Any) -> Any:
        def step(argument: Any, *rest: Any, **options: Any) -> Any:
            if self.is_ours(argument):
                self.take()
            return really(argument, *rest, **options)

        return step

    def _cut_in_half(self, really: Any) -> Any:
        def write(descriptor: int, data: bytes) -> int:
            if self.is_ours(descriptor):
                self.take(lambda: really(descriptor, data[: len(data) // 2]))
            return int(really(descriptor, data))

        return write


def route_openrouter_to(url: str) -> None:
    """Requests to OpenRouter go over a real socket, to another address."""
    really = urllib.request.urlopen

    def urlopen(request: urllib.request.Request, timeout: float) -> Any:
        there = request.full_url.replace("https://openrouter.ai", url)
        headers = {**request.headers, **request.unredirected_hdrs}
        response = really(urllib.request.Request(there, data=request.data, headers=headers), timeout=timeout)
        response.url = request.full_url
        return response

    urllib.request.urlopen = urlopen  # type: ignore[assignment]


class Child(Struct, frozen=True):
    """A run of `nftbench evaluate` in the folder `out`, killed at its step `kill_at` (counted from 0; None: never). What it
    prints goes to the file `told`. `openrouter` is the address that stands in for OpenRouter's."""

    argv: list[str]
    out: str
    told: str
    environment: dict[str, str]
    kill_at: int | None = None
    openrouter: str | None = None

    def run(self) -> int:
        told = os.open(self.told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(told, 1)
        os.dup2(told, 2)
        os.environ.update(self.environment)
        if self.openrouter:
            route_openrouter_to(self.openrouter)
        Steps(self.out, self.kill_at).watch()
        code = evaluate.main([*self.argv, "--out", self.out])
        sys.stdout.flush()
        return code


class Killer:
    """The process of this module, from the side that uses it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.run.stepwise"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, child: Child) -> int:
        """The exit code of the child, negative for a signal."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(child) + b"\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def serve() -> None:
    for line in sys.stdin.buffer:
        child = msgspec.json.decode(line, type=Child)
        number = os.fork()
        if number == 0:
            code = 70
            try:
                code = child.run()
            finally:
                os._exit(code)
        _, status = os.waitpid(number, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
