"""One request over HTTP and its answer, as ASGI has them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from msgspec import Struct

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
LARGEST_BODY = 8 * 1024 * 1024
"""Bytes of a request: more than the longest arguments that are read, in whatever spelling."""
SLOWEST_BODY = 60.0
"""Seconds that a request may take to arrive."""


class Gone(Exception):
    """The client left before its request was there."""


class Reply(Struct, frozen=True):
    """An answer, whole."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of a header by its name in small letters."""
        return next((value.decode("latin-1") for key, value in self.headers if _is(key, name)), None)

    def without(self, name: str) -> Reply:
        """The same without a header."""
        return Reply(self.status, tuple(pair for pair in self.headers if not _is(pair[0], name)), self.body)

    def agreed_version(self) -> str | None:
        """The version of the protocol that an answer to `initialize` names."""
        try:
            return str(json.loads(self.body)["result"]["protocolVersion"])
        except (ValueError, KeyError, TypeError):
            return None

    async def send(self, send: Send) -> None:
        """Give it to the client."""
        headers = [*self.without("content-length").headers, (b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class Request:
    """A request whose body is still to come."""

    def __init__(self, scope: Message, receive: Receive) -> None:
        self.scope, self._receive = scope, receive
        self.method: str = scope["method"]
        self.path: str = scope["path"]

    def header(self, name: str) -> str | None:
        """The first value of a header by its name in small letters."""
        return next((value.decode("latin-1") for key, value in self.scope["headers"] if _is(key, name)), None)

    async def body(self) -> bytes | None:
        """All of it; None if it is too much, of which no more is read than that takes. TimeoutError, Gone."""
        told = self.header("content-length") or ""
        if told.isdecimal() and (len(told) > 20 or int(told) > LARGEST_BODY):
            return None
        held, more = bytearray(), True
        async with asyncio.timeout(SLOWEST_BODY):
            while more:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                held += message.get("body", b"")
                if len(held) > LARGEST_BODY:
                    return None
                more = message.get("more_body", False)
        return bytes(held)


def _is(key: bytes, name: str) -> bool:
    return key.decode("latin-1").lower() == name
