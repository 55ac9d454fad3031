"""A loopback model server in a process of its own, for benchmarks: every reply is a scripted call, after a fixed delay."""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
from collections.abc import Iterator
from multiprocessing.connection import Connection

READ = json.dumps({"name": "read_state", "arguments": {}})
FINISH = json.dumps({"name": "finish_task", "arguments": {"summary": "done"}})


def _reply(request: bytes, turns: int) -> bytes:
    """read_state for all turns but the last; which turn it is tells the number of assistant messages."""
    turn = request.count(b'"role":"assistant"') + 1
    text = READ if turn < turns else FINISH
    usage = {"prompt_tokens": len(request) // 4, "completion_tokens": 12, "total_tokens": len(request) // 4 + 12}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = json.dumps({"model": "bench", "choices": [choice], "usage": usage}).encode()
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        % len(body)
        + body
    )


async def _serve(port: Connection, delay: float, turns: int) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
        )
        request = await reader.readexactly(length)
        await asyncio.sleep(delay)
        writer.write(_reply(request, turns))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=256)
    port.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _run(port: Connection, delay: float, turns: int) -> None:
    asyncio.run(_serve(port, delay, turns))


@contextlib.contextmanager
def scripted_server(delay: float, turns: int) -> Iterator[str]:
    """The base URL of a running server that answers after `delay` seconds and finishes at turn `turns`."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_run, args=(there, delay, turns), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}"
    finally:
        process.kill()
        process.join()
