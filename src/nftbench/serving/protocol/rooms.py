"""A seat with a door of MCP: the sessions of one client, over HTTP, in the world of one attempt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from msgspec import Struct

from nftbench.serving.protocol.server import server_for
from nftbench.serving.seats import Seat

Message = MutableMapping[str, Any]
SESSION_ID = "mcp-session-id"


class Reply(Struct, frozen=True):
    """An answer over HTTP, whole."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of a header by its name in small letters."""
        return next(
            (value.decode("latin-1") for key, value in self.headers if key.decode("latin-1").lower() == name), None
        )

    def without(self, name: str) -> Reply:
        """The same without a header."""
        kept = tuple(pair for pair in self.headers if pair[0].decode("latin-1").lower() != name)
        return Reply(self.status, kept, self.body)

    def agreed_version(self) -> str | None:
        """The version of the protocol that an answer to `initialize` names."""
        try:
            return str(json.loads(self.body)["result"]["protocolVersion"])
        except (ValueError, KeyError, TypeError):
            return None


class Room:
    """Open until `close`. `sessions` are the ids of the sessions of MCP that are held here."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.sessions: set[str] = set()
        self._manager = StreamableHTTPSessionManager(server_for(seat.session, seat.do), json_response=True)
        self._closing = asyncio.Event()
        self._ready = asyncio.Event()
        self._hosting = asyncio.create_task(self._host())

    async def ask(self, scope: Message, body: bytes) -> Reply:
        """What the mcp package answers to one request. It is carried out even if the client no longer waits for it."""
        await self._ready.wait()
        inbox = [{"type": "http.request", "body": body, "more_body": False}]
        status = 500
        headers: tuple[tuple[bytes, bytes], ...] = ()
        parts: list[bytes] = []

        async def receive() -> Message:
            return inbox.pop() if inbox else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], tuple(message.get("headers", ()))
            else:
                parts.append(message.get("body", b""))

        await self._manager.handle_request(dict(scope), receive, send)
        return Reply(status, headers, b"".join(parts))

    async def close(self) -> None:
        """End what is still held here; the seat is left alone."""
        self._closing.set()
        await asyncio.wait([self._hosting])

    async def _host(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await self._closing.wait()
