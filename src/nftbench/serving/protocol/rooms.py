"""A seat with a door of MCP: the sessions of one client, over HTTP, in the world of one attempt."""

from __future__ import annotations

import asyncio

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from nftbench.serving.protocol.exchange import Message, Reply
from nftbench.serving.protocol.server import server_for
from nftbench.serving.seats import Seat

SESSION_ID = "mcp-session-id"


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
