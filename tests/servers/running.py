"""Server processes on free ports of this machine, and the installed `nftbench` command, for the tests of this folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

NFTBENCH = Path(sys.executable).with_name("nftbench")
TOKEN = "NFTB_ENDPOINT_TOKEN"
STARTUP = 300.0
"""Seconds that a server may take to come up: a busy machine with two cores is slow."""


class Served:
    """One server process, a session of its own, from `start` to `kill`. `url` is the endpoint, `key` what it asks for."""

    def __init__(
        self, command: list[str], port: int, key: str, log: Path, settings: dict[str, str] | None = None
    ) -> None:
        self._command, self._settings = command, settings or {}
        self._process: subprocess.Popen[bytes] | None = None
        self.port, self.key, self.log = port, key, log
        self.url = f"http://127.0.0.1:{port}"

    def __enter__(self) -> Self:
        self.start()
        self.wait_until_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Starts it, and does not wait."""
        assert self._process is None
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["nice", "-n", "10", *self._command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **self._settings},
                start_new_session=True,
            )

    def wait_until_up(self) -> None:
        """Returns when it lists its models; RuntimeError with its last words if it ends, or takes too long."""
        deadline = time.monotonic() + STARTUP
        while self.models() is None:
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(
                    f"{self._command[:4]} did not come up:\n{self.log.read_text('utf-8', 'replace')[-4000:]}"
                )
            time.sleep(0.5)

    def models(self) -> Any:
        """What it lists, None as long as it does not."""
        request = urllib.request.Request(f"{self.url}/v1/models", headers={"Authorization": f"Bearer {self.key}"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5) as response:
                return json.loads(response.read())
        except (OSError, ValueError):
            return None

    def kill(self) -> None:
        """Ends it and what it started, at once, as a machine that dies would."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


class Ran(Struct, frozen=True):
    """How a command ended."""

    code: int
    out: str
    err: str


class Command:
    """An `nftbench` command under way."""

    def __init__(self, arguments: list[str], key: str) -> None:
        assert NFTBENCH.exists(), "install the project first: make install"
        hidden = ("_API_KEY", "_proxy", "_PROXY", TOKEN)
        environment = {name: value for name, value in os.environ.items() if not name.endswith(hidden)}
        self._process = subprocess.Popen(
            [str(NFTBENCH), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, **({TOKEN: key} if key else {})},
            text=True,
        )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def ended(self, seconds: float = 900.0) -> Ran:
        """Waits for it to end; it is killed, and the test fails, after so many seconds."""
        try:
            out, err = self._process.communicate(timeout=seconds)
        finally:
            self._process.kill()
        return Ran(self._process.returncode, out, err)


class Run:
    """`nftbench evaluate` against one server, into one folder, as often as a test gives it."""

    def __init__(self, out: Path, *arguments: str) -> None:
        self.out = out
        self._arguments = ["--out", str(out), *arguments]

    def begin(self, server: Served, *more: str, key: str | None = None) -> Command:
        arguments = ["evaluate", "--endpoint", server.url, *self._arguments, *more]
        return Command(arguments, server.key if key is None else key)

    def go(self, server: Served, *more: str, key: str | None = None) -> Ran:
        return self.begin(server, *more, key=key).ended()

    def results(self) -> list[dict[str, Any]]:
        """Every result that stands, in the order of names."""
        return [json.loads(path.read_text("utf-8")) for path in sorted(self.out.rglob("result.json"))]

    def events(self) -> list[dict[str, Any]]:
        """Every attempt to get a reply."""
        path = self.out / "events.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def replies(self) -> list[dict[str, Any]]:
        """The bodies of the good replies."""
        return [json.loads(event["stdout"]) for event in self.events() if event["returncode"] == 0]

    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.out / "summary.json").read_text("utf-8"))
        return found

    def holds(self, secret: str) -> list[str]:
        """The files that hold a text."""
        files = (path for path in self.out.rglob("*") if path.is_file())
        return [path.name for path in files if secret.encode() in path.read_bytes()]


def check(server: Served, model: str, *more: str, key: str | None = None, endpoint: str | None = None) -> Ran:
    """`nftbench check-endpoint` on a server."""
    arguments = ["check-endpoint", "--endpoint", endpoint or server.url, "--model", model, *more]
    return Command(arguments, server.key if key is None else key).ended()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
