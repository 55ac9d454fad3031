"""Sessions over MCP's streamable HTTP: served until every attempt is over, or a signal asks to leave."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from nftbench.serving.apart import SIGNALS
from nftbench.serving.door import Door
from nftbench.serving.protocol.front import Front
from nftbench.serving.seats import Seats
from nftbench.starting import INTERRUPTED

TICK = 0.5
"""Seconds between two looks at limits and idle clients."""
LINGER = 5.0
"""Seconds for clients to say goodbye when there is nothing left to do."""
HURRIED = 3
"""Seconds for answers to reach clients when the server leaves."""


class Running(uvicorn.Server):
    """Leaves signals to us."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(taken: socket.socket, seats: Seats, door: Door, idle_seconds: float) -> None:
    """Serves on a listening socket. At the end every session is over and recorded, as its client left it."""
    for name in ("mcp", "uvicorn", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    asyncio.run(_serve(taken, seats, Front(seats, door), idle_seconds))


async def _serve(taken: socket.socket, seats: Seats, front: Front, idle_seconds: float) -> None:
    config = uvicorn.Config(
        front,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=HURRIED,
    )
    server = Running(config)
    _leave_on_signals(server)
    watching = asyncio.create_task(_watch(server, seats, front, idle_seconds))
    try:
        await server.serve(sockets=[taken])
    finally:
        watching.cancel()
        await asyncio.wait([watching])
        await asyncio.gather(*(front.clear(seat) for seat in seats.live))


async def _watch(server: uvicorn.Server, seats: Seats, front: Front, idle_seconds: float) -> None:
    """Ends what has reached a limit or was left, and the server when all is done."""
    done_since: float | None = None
    while True:
        await asyncio.sleep(TICK)
        for seat in seats.live:
            if seat.idle > idle_seconds:
                await front.clear(seat)
            elif not seat.session.over:
                await seat.look()
                seats.note(seat)
        if not seats.is_used_up or front.under_way:
            done_since = None
            continue
        done_since = done_since or time.monotonic()
        if not front.sessions or time.monotonic() - done_since > LINGER:
            server.should_exit = True


def _leave_on_signals(server: uvicorn.Server) -> None:
    """The first one ends all sessions, a second one the process."""

    def leave() -> None:
        if server.should_exit:
            os._exit(INTERRUPTED)
        server.should_exit = True

    if sys.platform != "win32":
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, leave)
