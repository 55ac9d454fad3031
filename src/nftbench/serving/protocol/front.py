"""The door of a server of MCP over HTTP: who may come in, with what, and to which room.

Who has no fitting token is told nothing but that. What the mcp package gets to see is one message of the protocol, from a client
that was let in, in a session that is its own.
"""

from __future__ import annotations

import json
import traceback
from typing import Any

from mcp.types import INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from msgspec import Struct

from nftbench.serving.door import Door, Turned
from nftbench.serving.messages import Read, read_line
from nftbench.serving.protocol.exchange import LARGEST_BODY, Gone, Message, Receive, Reply, Request, Send
from nftbench.serving.protocol.rooms import SESSION_ID, Room
from nftbench.serving.protocol.server import is_message
from nftbench.serving.seats import Seat, Seats
from nftbench.serving.session import OVER
from nftbench.serving.tokens import Access

PATH = "/mcp"
VERSION = "mcp-protocol-version"
_JSON = ((b"content-type", b"application/json"),)
NOTHING_LEFT = "There is no task left here."


class Link(Struct, frozen=True):
    """A session of MCP: its room, whose it is, and the version of the protocol agreed on."""

    room: Room
    holder: str
    version: str


class Front:
    """The ASGI application. For one event loop."""

    def __init__(self, seats: Seats, door: Door) -> None:
        self._seats, self._door = seats, door
        self._links: dict[str, Link] = {}
        self._rooms: dict[Seat, Room] = {}
        self.under_way = 0

    @property
    def sessions(self) -> int:
        """Sessions of MCP that are open."""
        return len(self._links)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.under_way += 1
        try:
            reply = await self._answer(Request(scope, receive))
        except Gone:
            return
        except Exception as fault:
            self._seats.tell("".join(traceback.format_exception(fault)))
            reply = _plain(500, "Internal Server Error")
        finally:
            self.under_way -= 1
        await reply.send(send)

    async def clear(self, seat: Seat) -> None:
        """Close a seat's room: its client is gone, or has nothing more to do."""
        room = self._rooms.pop(seat, None)
        if room is not None:
            for session_id in room.sessions:
                self._links.pop(session_id, None)
        await self._seats.give_up(seat)
        if room is not None:
            await room.close()

    async def _answer(self, request: Request) -> Reply:
        access = self._door.admit(request.header)
        if isinstance(access, Turned):
            return _plain(access.status, access.words, *access.headers)
        if request.path != PATH:
            return _plain(404, "Not Found")
        if request.method not in ("POST", "DELETE"):
            return _plain(405, "Method Not Allowed", (b"allow", b"POST, DELETE"))
        if request.method == "DELETE":
            return await self._goodbye(request, access)
        if (request.header("content-type") or "").partition(";")[0].strip().lower() != "application/json":
            return _plain(415, "The content type is to be application/json.")
        try:
            body = await request.body()
        except TimeoutError:
            return _plain(408, "The request took too long to arrive.")
        if body is None:
            return _plain(413, f"A request holds at most {LARGEST_BODY} bytes.")
        return await self._post(request, access, body)

    async def _post(self, request: Request, access: Access, body: bytes) -> Reply:
        session_id = request.header(SESSION_ID)
        link = self._link(session_id, access)
        if session_id is not None and link is None:
            return _error(404, "There is no such session.")
        read = read_line(body.decode("utf-8", "replace"), is_message, version=link.version if link else None)
        if not read.messages and not read.batch:
            return Reply(
                400, _JSON, json.dumps(read.errors[0] if read.errors else _words("The body is empty.")).encode()
            )
        if link is not None:
            return await self._in(link.room, request, read)
        version = request.header(VERSION)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            return await self._without_session(request, access, read, version)
        if json.loads(read.messages[0]).get("method") != "initialize":
            return _error(400, "This is to be sent in a session: ask to initialize one first.")
        return await self._welcome(request, access, read)

    async def _welcome(self, request: Request, access: Access, read: Read) -> Reply:
        room = await self._room(access)
        if room is None:
            return _error(409, NOTHING_LEFT if access.job is None else OVER)
        reply = await self._in(room, request, read)
        session_id, version = reply.header(SESSION_ID), reply.agreed_version()
        if session_id is not None and version is not None:
            self._links[session_id] = Link(room, access.holder, version)
            room.sessions.add(session_id)
            return reply
        if not room.sessions and not room.seat.session.has_client:
            await self.clear(room.seat)
        return reply.without(SESSION_ID)

    async def _without_session(self, request: Request, access: Access, read: Read, version: str) -> Reply:
        """A request of the versions of MCP that know no sessions. It belongs to the one attempt that its token opens; where a
        token opens more, only a session can say which one is meant, and clients are sent back to the versions that have them."""
        room = None if access.job is None else await self._room(access)
        if room is not None:
            return await self._in(room, request, read)
        if access.job is not None:
            return _error(409, OVER)
        error = {
            "code": UNSUPPORTED_PROTOCOL_VERSION,
            "message": "This server needs a session: ask to initialize one.",
            "data": {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version},
        }
        asked = json.loads(read.messages[0]).get("id") if read.messages else None
        return Reply(400, _JSON, json.dumps({"jsonrpc": "2.0", "id": asked, "error": error}).encode())

    async def _room(self, access: Access) -> Room | None:
        seat = await self._seats.take(access.job)
        if seat is not None and seat not in self._rooms:
            self._rooms[seat] = Room(seat)
        return None if seat is None else self._rooms[seat]

    async def _in(self, room: Room, request: Request, read: Read) -> Reply:
        """The answer of a room; to a batch the answers to all of its messages together."""
        replies = [await room.ask(request.scope, message.encode()) for message in read.messages]
        self._seats.note(room.seat)
        if not read.batch:
            return replies[0]
        answers = [*read.errors, *(json.loads(reply.body) for reply in replies if reply.body)]
        return Reply(200, _JSON, json.dumps(answers).encode()) if answers else Reply(202, (), b"")

    async def _goodbye(self, request: Request, access: Access) -> Reply:
        session_id = request.header(SESSION_ID)
        if session_id is None:
            return _error(400, "Which session is to be ended?")
        link = self._link(session_id, access)
        if link is None:
            return _error(404, "There is no such session.")
        reply = await link.room.ask(request.scope, b"")
        self._links.pop(session_id, None)
        link.room.sessions.discard(session_id)
        if not link.room.sessions:
            await self.clear(link.room.seat)
        return reply

    def _link(self, session_id: str | None, access: Access) -> Link | None:
        link = self._links.get(session_id or "")
        return link if link is not None and link.holder == access.holder else None


def _plain(status: int, words: str, *headers: tuple[bytes, bytes]) -> Reply:
    return Reply(status, ((b"content-type", b"text/plain; charset=utf-8"), *headers), words.encode())


def _error(status: int, words: str) -> Reply:
    return Reply(status, _JSON, json.dumps(_words(words)).encode())


def _words(words: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": words}}
