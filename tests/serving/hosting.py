"""`nftbench serve-mcp --http` as a real process, the official client of MCP, and a client that sends what it likes."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.serving.client import PATIENCE, command, environment

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Host:
    """A server that has begun to listen; `url` is as it says. To be left with `stop`, `kill` or `ended`."""

    def __init__(self, *arguments: str, variables: Mapping[str, str] | None = None, http: str = "127.0.0.1:0") -> None:
        self.process = subprocess.Popen(
            command(*arguments, "--http", http),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment(), **(variables or {})},
        )
        assert self.process.stderr is not None
        self.lines = [self.process.stderr.readline()]
        found = re.search(r"http://\S+/mcp", self.lines[0])
        if found is None:
            raise AssertionError(self.lines[0] + self.process.communicate(timeout=PATIENCE)[1])
        self.url = found[0]
        self._reading = threading.Thread(target=lambda: self.lines.extend(self.process.stderr or ()), daemon=True)
        self._reading.start()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def told(self) -> str:
        """What stands on standard error so far."""
        return "".join(self.lines)

    def stop(self, number: int) -> int:
        """The exit code after a signal."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self) -> int:
        """The exit code of a server that leaves by itself; what it wrote to standard output must be nothing."""
        code = self.process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        assert self.process.stdout is not None and self.process.stdout.read() == ""
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def ask(self, method: str = "POST", body: Any = None, path: str = "/mcp", **headers: str) -> Answer:
        """One request on a connection of its own. A header None is left out; underscores in names stand for hyphens."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
        sent = {**(ACCEPT if method == "POST" else {}), **{k.replace("_", "-"): v for k, v in headers.items()}}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        try:
            connection.request(method, path, data, {key: value for key, value in sent.items() if value is not None})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.body = status, body
        self.headers = {name.lower(): value for name, value in headers.items()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """All that a client can read of it."""
        return json.dumps(self.headers) + self.body.decode()


def initialize(version: str = "2025-06-18") -> dict[str, Any]:
    client = {"name": "raw", "version": "0"}
    return request("initialize", 0, protocolVersion=version, capabilities={}, clientInfo=client)


def request(method: str, number: int = 1, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def call(name: str, number: int = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", number, name=name, arguments=arguments)


def begun(host: Host, version: str = "2025-06-18", **headers: str) -> dict[str, str]:
    """The headers of a new session."""
    answer = host.ask(body=initialize(version), **headers)
    assert answer.status == 200, answer.body
    session = {**headers, "Mcp_Session_Id": answer.headers["mcp-session-id"]}
    told = host.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)
    assert told.status == 202
    return session


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def rows(file: Path) -> list[dict[str, Any]]:
    """The tickets in a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


@asynccontextmanager
async def connected(url: str, token: str | None = None, mode: str = "legacy") -> AsyncIterator[Client]:
    """The official client, initialized."""
    headers = bearer(token) if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as sending,
        Client(streamable_http_client(url, http_client=sending), mode=mode) as client,
    ):
        yield client


def anywhere(folder: Path, secrets: Sequence[str]) -> list[Path]:
    """The files below a folder that hold one of these texts."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if any(secret.encode() in path.read_bytes() for secret in secrets)]


def is_open(path: Path) -> bool:
    """Whether others than its owner may read a file."""
    return bool(os.stat(path).st_mode & 0o077)
