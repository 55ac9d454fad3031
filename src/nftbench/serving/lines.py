"""The lines of a descriptor as they come, read by a thread that never keeps the process from leaving."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a longer line is dropped."""
_CHUNK = 65_536
_WAITING = 64
"""Lines that may wait to be taken before reading pauses."""


class Lines:
    """An asynchronous iterator, for one loop, over lines as `prepare` gives them back. The descriptor is left open."""

    def __init__(self, descriptor: int, prepare: Callable[[str], str]) -> None:
        self._descriptor, self._prepare = descriptor, prepare
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(_WAITING)
        threading.Thread(target=self._read, name="lines", daemon=True).start()

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        self._room.release()
        return line

    def _read(self) -> None:
        held, dropping = bytearray(), False
        while chunk := self._chunk():
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                if not dropping:
                    self._give(bytes(held + piece))
                held.clear()
                dropping = False
            held += rest
            if dropping or len(held) > LONGEST_LINE:
                held.clear()
                dropping = True
        self._put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""

    def _give(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        if text.strip():
            self._room.acquire()
            self._put(self._prepare(text))

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            return  # the loop is gone, and whoever read from it
