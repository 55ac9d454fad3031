"""The environment served over HTTP and WebSocket, as OpenEnv's clients want it."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from functools import partial
from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import ConcurrencyConfig, ServerMode

from nftbench.adapters.openenv.environment import TaskObservation, WalletEnvironment, WalletState
from nftbench.episode.limits import Limits
from nftbench.serving.door import Door, Turned

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
]
LONGEST_MESSAGE = 16 * 1024 * 1024
"""Bytes of one message over a WebSocket."""
LEFT_BEHIND = 3600.0
"""Seconds after which a session that was opened over plain HTTP, and is no longer used, is given up."""
HURRIED = 3
"""Seconds for answers to reach clients when the server leaves."""


def application(names: Sequence[str], suite_seed: int, limits: Limits, sessions: int) -> Any:
    """The FastAPI application; `sessions` is how many may be open at once."""
    return create_fastapi_app(
        partial(WalletEnvironment, tuple(names), suite_seed, limits),
        CallToolAction,
        CallToolObservation,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=LEFT_BEHIND),
        env_name="nftbench",
        state_cls=WalletState,
        mode=ServerMode.SIMULATION,
        reset_observation_cls=TaskObservation,
    )


def serve(taken: socket.socket, app: Any, door: Door) -> None:
    """Serves on a listening socket until a signal asks to leave."""
    config = uvicorn.Config(
        Guarded(app, door),
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=LONGEST_MESSAGE,
        timeout_graceful_shutdown=HURRIED,
    )
    uvicorn.Server(config).run(sockets=[taken])


class Guarded:
    """An application behind a door."""

    def __init__(self, app: Application, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
            turned = self._door.admit(headers.get)
            if isinstance(turned, Turned):
                return await _turn_away(turned, scope, send)
        return await self._app(scope, receive, send)


async def _turn_away(turned: Turned, scope: Message, send: Callable[[Message], Awaitable[None]]) -> None:
    """As an answer over HTTP; a WebSocket that can't be answered so is closed."""
    body = turned.words.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    kind = "http.response"
    if scope["type"] == "websocket":
        kind = "websocket.http.response"
        if kind not in scope.get("extensions", {}):
            return await send({"type": "websocket.close", "code": 1008})
    await send({"type": f"{kind}.start", "status": turned.status, "headers": [*headers, *turned.headers]})
    await send({"type": f"{kind}.body", "body": body})
