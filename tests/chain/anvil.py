"""A local anvil node: the other implementation of Ethereum that ours is compared with, here and in the benchmarks."""

from __future__ import annotations

import contextlib
import http.client
import json
import platform
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_LISTENING = re.compile(r"Listening on 127\.0\.0\.1:(\d+)")
_START_SECONDS = 30.0
_RECEIPT_SECONDS = 10.0


class AnvilError(Exception):
    """A JSON-RPC error reply; `data` is what the node sent along, such as revert data in hexadecimal digits."""

    def __init__(self, code: int, message: str, data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def unsupported_platform() -> str | None:
    """Why anvil can't be had from npm here; None where it can."""
    if sys.platform == "linux" and platform.machine() in ("x86_64", "AMD64"):
        return None
    return f"the comparison with anvil runs on x86-64 Linux, and this is {platform.machine()} {sys.platform}"


def binary() -> Path:
    """The anvil program of the committed lock file, fetched from npm the first time; RuntimeError with npm's words."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "hatch_build.py"), "anvil"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"anvil could not be installed: {done.stderr.strip()}")
    return Path(done.stdout.strip().splitlines()[-1])


class Anvil:
    """JSON-RPC over one connection that stays open, so that comparisons of speed are fair to the node."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._count = 0

    def rpc(self, method: str, *params: Any) -> Any:
        """The result of one request; AnvilError if the node answers with an error."""
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        headers = {"Content-Type": "application/json"}
        self._connection.request("POST", "/", json.dumps(request), headers)
        reply = json.loads(self._connection.getresponse().read())
        if "error" in reply:
            error = reply["error"]
            raise AnvilError(error["code"], error["message"], error.get("data"))
        return reply["result"]

    def receipt(self, transaction_hash: str, seconds: float = _RECEIPT_SECONDS) -> dict[str, Any] | None:
        """The receipt once the transaction is mined, which may be a moment after the node took it; else None."""
        deadline = time.monotonic() + seconds
        while True:
            found: dict[str, Any] | None = self.rpc("eth_getTransactionReceipt", transaction_hash)
            if found or time.monotonic() > deadline:
                return found
            time.sleep(0.001)

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def running(program: Path, *options: str) -> Iterator[Anvil]:
    """A node on a free loopback port, stopped at the end of the block."""
    command = [str(program), "--host", "127.0.0.1", "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        node = Anvil(_port(process))
        try:
            yield node
        finally:
            node.close()
    finally:
        process.kill()
        process.wait()


def _port(process: subprocess.Popen[str]) -> int:
    """The port that the node says it listens on; its output is then read on, so that its pipe never fills up."""
    assert process.stdout is not None
    watchdog = threading.Timer(_START_SECONDS, process.kill)
    watchdog.start()
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            match = _LISTENING.search(line)
            if match:
                threading.Thread(target=process.stdout.read, daemon=True).start()
                return int(match[1])
    finally:
        watchdog.cancel()
    raise RuntimeError("anvil did not start:\n" + "".join(said))
