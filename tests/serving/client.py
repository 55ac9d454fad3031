"""Clients of `nftbench serve-mcp` as a real process: the official one, and one that writes what it likes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from nftbench.tasks import catalog

PATIENCE = 60


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "nftbench", "serve-mcp", *arguments]


def environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


@asynccontextmanager
async def connected(*arguments: str, stderr: Path) -> AsyncIterator[ClientSession]:
    """The official client, initialized, with a server of its own; the server is gone when this is left."""
    first, *rest = command(*arguments)
    with stderr.open("w") as errors:
        parameters = StdioServerParameters(command=first, args=rest, env=environment())
        async with (
            stdio_client(parameters, errlog=errors) as (reading, writing),
            ClientSession(reading, writing) as client,
        ):
            await client.initialize()
            yield client


async def use(client: ClientSession, name: str, arguments: dict[str, Any]) -> str:
    """The text of a tool's result."""
    (content,) = (await client.call_tool(name, arguments)).content
    assert content.type == "text"
    return content.text


async def solve(client: ClientSession, instance_id: str) -> list[str]:
    """Plays the reference policy to its end; the texts that came back."""
    play = catalog.policy(catalog.task(instance_id))()
    step, texts = next(play), []
    while True:
        texts.append(await use(client, step.name, step.arguments))
        if step.name in ("finish_task", "declare_infeasible"):
            return texts
        step = play.send(texts[-1])


class Raw:
    """A client that writes lines of its own. `stdout` is read line by line, each of which must be a message."""

    def __init__(self, *arguments: str, start: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [*start, *arguments] if start else command(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        self._number = 0

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, parameters: dict[str, Any]) -> int:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self.write(json.dumps(message).encode() + b"\n")
        return self._number

    def notify(self, method: str, parameters: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}).encode() + b"\n")

    def call(self, name: str, arguments: Any) -> int:
        return self.send("tools/call", {"name": name, "arguments": arguments})

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to that request, other messages passed over."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                assert isinstance(message, dict)
                return message
        raise AssertionError("the server is gone")

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        return self.answer(self.send(method, parameters))

    def line(self) -> Any:
        """The next line, whatever it is."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        client = {"name": "raw", "version": "0"}
        answer = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.notify("notifications/initialized", {})
        return answer

    def leave(self) -> tuple[int, str, str]:
        """Closes the input; exit code, what else stood on standard output, and standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), err.decode()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, PATIENCE))


def recorded(out: Path, instance_id: str, *parts: str) -> dict[str, Any]:
    folder = out.joinpath(instance_id, *parts)
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in ("result", "trajectory")}


def run_files(out: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """run.json and summary.json."""
    return json.loads((out / "run.json").read_text()), json.loads((out / "summary.json").read_text())


def texts_of(answers: Sequence[Any]) -> str:
    """All that answers say, as one text."""
    return json.dumps([answer.model_dump(mode="json") for answer in answers])
