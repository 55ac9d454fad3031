"""The lines of a descriptor as they come, read by a thread that never keeps the process from leaving."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterable

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; of a longer line only the beginning is kept."""
_CHUNK = 65_536
BEGINNING = 65_536
"""Bytes of a line that is too long."""
_WAITING = 64
"""Lines that may wait to be taken before reading pauses."""


class Lines:
    """An asynchronous iterator, for one loop, over what `take` makes of lines. The descriptor is left open.

    `take` is called in a thread of ours with a line, and whether that is the whole of it."""

    def __init__(self, descriptor: int, take: Callable[[str, bool], Iterable[str]]) -> None:
        self._descriptor, self._take = descriptor, take
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
                    self._give(bytes(held + piece), True)
                held.clear()
                dropping = False
            if not dropping:
                held += rest
            if len(held) > LONGEST_LINE:
                self._give(bytes(held[:BEGINNING]), False)
                held.clear()
                dropping = True
        self._put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""

    def _give(self, line: bytes, whole: bool) -> None:
        for taken in self._take(line.decode("utf-8", "replace"), whole):
            self._room.acquire()
            self._put(taken)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:
            return  # the loop is gone, and whoever read from it
