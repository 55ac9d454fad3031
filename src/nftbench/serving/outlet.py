"""What goes out: lines to a client that may read slowly, or never. Nothing waits for it but a thread that keeps nobody."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading
import time
from collections import Counter
from typing import Any

from nftbench.serving.messages import Read, id_key

STUCK = 30.0
"""Seconds after which a client that takes nothing of what is waiting for it counts as gone."""
_WAITING = 512
"""Lines that may wait to be written before whoever makes more of them has to wait."""
_LOOK = 0.02


class Outlet:
    """Takes lines from any thread, in order, and gathers the answers to a batch. As `stdout` of the mcp package it has `write`
    and `flush`. `version` is the version of the protocol that the answers so far agree on."""

    def __init__(self, descriptor: int) -> None:
        self.version: str | None = None
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._batches: list[_Batch] = []
        self._pending = 0
        self._moved = time.monotonic()
        self._broken: OSError | None = None
        threading.Thread(target=self._write, name="outlet", daemon=True).start()

    async def write(self, text: str) -> None:
        """One message as a line; OSError when the client no longer listens."""
        while self._pending > _WAITING and self._broken is None:
            await asyncio.sleep(_LOOK)
        if self._broken is not None:
            raise self._broken
        if self.version is None and '"protocolVersion"' in text:
            self.version = json.loads(text).get("result", {}).get("protocolVersion")
        if not self._is_gathered(text):
            self._put(text.rstrip("\n"))

    async def flush(self) -> None:
        """Nothing is held back."""

    def expect(self, read: Read) -> None:
        """Answers what of a line is no message, and gets ready for the answers to the rest, before they can come. For a
        thread that may wait."""
        while self._pending > _WAITING and self._broken is None:
            time.sleep(_LOOK)
        if not read.batch:
            for error in read.errors:
                self._put(json.dumps(error))
            return
        batch = _Batch(list(read.errors), Counter(read.awaited))
        with self._lock:
            if batch.awaited:
                self._batches.append(batch)
                return
        if batch.answers:
            self._put(json.dumps(batch.answers))

    def forget(self, identifier: Any) -> None:
        """The client cancelled a request: its answer may never come."""
        self._settle(id_key(identifier), None)

    def stuck(self) -> bool:
        """Whether the client has taken nothing for too long, of what waits for it."""
        return self._pending > 0 and time.monotonic() - self._moved > STUCK

    async def drained(self, patience: float) -> None:
        """Waits until all is written; no longer than the client goes without taking anything for so many seconds."""
        for batch in self._batches:
            if batch.answers:
                self._put(json.dumps(batch.answers))
        begun = time.monotonic()
        while self._pending and self._broken is None and time.monotonic() - max(self._moved, begun) < patience:
            await asyncio.sleep(_LOOK)

    def _is_gathered(self, text: str) -> bool:
        if not self._batches:
            return False
        message = json.loads(text)
        return "method" not in message and "id" in message and self._settle(id_key(message["id"]), message)

    def _settle(self, key: str, answer: dict[str, Any] | None) -> bool:
        """Gives an answer, or none, to the first batch that awaits it; whether there is one."""
        with self._lock:
            batch = next((batch for batch in self._batches if batch.awaited[key]), None)
            if batch is None:
                return False
            batch.awaited[key] -= 1
            if answer is not None:
                batch.answers.append(answer)
            if batch.awaited.total():
                return True
            self._batches.remove(batch)
        if batch.answers:
            self._put(json.dumps(batch.answers))
        return True

    def _put(self, line: str) -> None:
        with self._lock:
            if not self._pending:
                self._moved = time.monotonic()
            self._pending += 1
        self._lines.put(line.encode("utf-8", "replace") + b"\n")

    def _write(self) -> None:
        while True:
            rest = memoryview(self._lines.get())
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest[:65_536]) :]
                    self._moved = time.monotonic()
            except OSError as problem:
                self._broken = problem
                return
            with self._lock:
                self._pending -= 1


class _Batch:
    """A batch under way: the answers so far, and how many are awaited by id."""

    def __init__(self, answers: list[dict[str, Any]], awaited: Counter[str]) -> None:
        self.answers, self.awaited = answers, awaited


def claimed_stdout() -> int:
    """A descriptor for the protocol alone; what else is printed to standard output goes to standard error from now on."""
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return own
