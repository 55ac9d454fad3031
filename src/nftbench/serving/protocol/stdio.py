"""A session over MCP on standard input and output."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

from mcp.server.stdio import stdio_server

from nftbench.serving.apart import SIGNALS, Orphaned
from nftbench.serving.lines import Lines
from nftbench.serving.messages import read_line
from nftbench.serving.outlet import Outlet, claimed_stdout
from nftbench.serving.protocol.server import is_message, server_for
from nftbench.serving.session import Session

HURRIED, PATIENT = 1.0, 5.0
"""Seconds for a client to take what still waits for it, after a signal and after the end of its input."""
TICK = 0.25
"""Seconds between two looks at the time limit, and at whether the client's process is there."""


def serve(session: Session) -> None:
    """Serves until the client is gone, or a signal asks to leave; by then the session is over, and recorded if a client
    ever came. Takes over the process's standard input and output."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    asyncio.run(_serve(session))


async def _serve(session: Session) -> None:
    outlet = Outlet(claimed_stdout())
    talking = asyncio.create_task(_talk(session, outlet))
    watching = asyncio.create_task(_watch(session, outlet, talking))
    _leave_on_signals(session, talking)
    try:
        await asyncio.wait([talking])
    finally:
        session.end("disconnected")
        watching.cancel()
        await outlet.drained(HURRIED if talking.cancelled() else PATIENT)
    fault = None if talking.cancelled() else talking.exception()
    if fault is not None and not _is_about_the_client(fault):
        raise fault


async def _talk(session: Session, outlet: Outlet) -> None:
    lines = cast(Any, Lines(sys.stdin.fileno(), lambda line, whole: _taken(line, whole, outlet)))
    async with stdio_server(stdin=lines, stdout=cast(Any, outlet)) as (reading, writing):
        server = server_for(session, _at_once)
        await server.run(reading, writing, server.create_initialization_options())


def _taken(line: str, whole: bool, outlet: Outlet) -> Iterator[str]:
    """The messages of a line; what is none of the protocol is answered at once."""
    read = read_line(line, is_message, version=outlet.version, whole=whole)
    outlet.expect(read)
    for message in read.messages:
        yield message
        if read.batch and '"notifications/cancelled"' in message:
            outlet.forget(json.loads(message).get("params", {}).get("requestId"))


async def _at_once(work: Callable[[], Any]) -> Any:
    return work()


async def _watch(session: Session, outlet: Outlet, talking: asyncio.Task[None]) -> None:
    """Ends the session at its time limit even when the client says nothing, when the process that the client started was
    killed, and when the client no longer takes what it asked for."""
    orphaned = Orphaned()
    while not (orphaned() or outlet.stuck()):
        session.check()
        await asyncio.sleep(TICK)
    session.end("disconnected")
    talking.cancel()


def _leave_on_signals(session: Session, talking: asyncio.Task[None]) -> None:
    def leave() -> None:
        session.end("disconnected")
        talking.cancel()

    if sys.platform != "win32":
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, leave)


def _is_about_the_client(fault: BaseException) -> bool:
    """Whether it only says that the client no longer reads."""
    if isinstance(fault, BaseExceptionGroup):
        return all(map(_is_about_the_client, fault.exceptions))
    return isinstance(fault, OSError)
