"""What a server can do wrong, each as a behaviour for FaultServer; and the one thing that it does right.

Every fault is a function that returns a Behaviour; its arguments have defaults that suit a quick test.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import socket
import struct
import time
from collections.abc import Callable, Mapping
from typing import Any

from nftbench.testing.server import Behaviour, Received

Body = dict[str, Any] | str | bytes
FINISH = '{"name": "finish_task", "arguments": {"summary": "done"}}'


def completion(text: str | None = FINISH, model: str = "", **message: Any) -> dict[str, Any]:
    """The body of a good chat completion. `model` "" is filled with the name that was asked for; other arguments go into
    the message."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": "stop"},
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def reply(text: str | None = FINISH, **message: Any) -> Behaviour:
    """A good answer."""
    return Behaviour(
        "reply", lambda connection, asked: _send(connection, 200, _named(completion(text, **message), asked))
    )


def respond(status: int, body: Body, headers: Mapping[str, str] | None = None, name: str = "respond") -> Behaviour:
    """Any status, body and headers, sent as HTTP asks."""
    return Behaviour(name, lambda connection, asked: _send(connection, status, _named(body, asked), headers))


def short_body(missing: int = 20) -> Behaviour:
    """Content-Length says more than is sent before the connection closes."""

    def act(connection: socket.socket, asked: Received) -> None:
        body = _encoded(_named(completion(), asked))
        connection.sendall(_head(200, {"Content-Length": str(len(body))}) + body[:-missing])

    return Behaviour("short_body", act)


def chunked(cut: bool = False) -> Behaviour:
    """The body in chunks; with `cut`, the connection closes inside one of them."""

    def act(connection: socket.socket, asked: Received) -> None:
        body = _encoded(_named(completion(), asked))
        half = len(body) // 2
        connection.sendall(_head(200, {"Transfer-Encoding": "chunked"}) + b"%x\r\n%s\r\n" % (half, body[:half]))
        rest = b"%x\r\n%s" % (len(body) - half, body[half:])
        connection.sendall(rest[:-10] if cut else rest + b"\r\n0\r\n\r\n")

    return Behaviour("cut_chunk" if cut else "chunked", act)


def drip(seconds_a_byte: float = 0.05, *, headers: bool = False) -> Behaviour:
    """A good answer, one byte at a time: the body, or with `headers` everything from the status line on."""

    def act(connection: socket.socket, asked: Received) -> None:
        body = _encoded(_named(completion(), asked))
        head = _head(200, {"Content-Length": str(len(body))})
        if not headers:
            connection.sendall(head)
        for byte in head + body if headers else body:
            connection.sendall(bytes((byte,)))
            time.sleep(seconds_a_byte)

    return Behaviour("drip_headers" if headers else "drip", act)


def gzipped(fault: str = "") -> Behaviour:
    """A compressed body although nobody asked for it. `fault`: "plain" (only the header says so), "damaged", "cut"."""

    def act(connection: socket.socket, asked: Received) -> None:
        plain = _encoded(_named(completion(), asked))
        packed = gzip.compress(plain)
        bodies = {"": packed, "plain": plain, "damaged": packed[:12] + b"\xff" * 20 + packed[32:], "cut": packed[:-12]}
        _send(connection, 200, bodies[fault], {"Content-Encoding": "gzip"})

    return Behaviour(f"gzip_{fault}" if fault else "gzip", act)


def reset(after_seconds: float = 0.0, sent: bytes = b"") -> Behaviour:
    """A connection reset instead of an answer: after a while, or after some bytes of it."""

    def act(connection: socket.socket, asked: Received) -> None:
        connection.sendall(sent)
        time.sleep(after_seconds)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return Behaviour("reset_in_reply" if sent else "reset_after_idle" if after_seconds else "reset", act)


def hang_up() -> Behaviour:
    """The connection closes without a byte."""
    return Behaviour("hang_up", lambda connection, asked: None)


def silence(seconds: float = 30.0) -> Behaviour:
    """No answer for so long, or until the client gives up."""

    def act(connection: socket.socket, asked: Received) -> None:
        connection.settimeout(seconds)
        with contextlib.suppress(OSError):
            connection.recv(1)

    return Behaviour("silence", act)


def redirect(location: str = "https://elsewhere.invalid/v1/chat/completions", status: int = 307) -> Behaviour:
    """A redirect, that no client should follow with a key in its hand."""
    return respond(status, "", {"Location": location}, "redirect")


def html_502() -> Behaviour:
    """A proxy's error page."""
    page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1>proxy</body></html>"
    return respond(502, page, {"Content-Type": "text/html"}, "html_502")


def html_200() -> Behaviour:
    """A login page in place of an answer."""
    page = "<!DOCTYPE html><html><body>Please sign in to the network</body></html>"
    return respond(200, page, {"Content-Type": "text/html"}, "html_200")


def server_error(status: int = 500) -> Behaviour:
    """A plain failure of the server."""
    return respond(status, "Internal Server Error", {"Content-Type": "text/plain"}, "server_error")


def rate_limit(retry_after: str = "") -> Behaviour:
    """Too many requests, with the server's own hint how long to wait if one is given."""
    headers = {"Retry-After": retry_after} if retry_after else {}
    return respond(429, {"error": {"message": "slow down", "code": 429}}, headers, "rate_limit")


def loading() -> Behaviour:
    """A server that is still reading its model; put some of these before an answer for a slow start."""
    return respond(
        503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, name="loading"
    )


def not_a_number() -> Behaviour:
    """NaN in the body, which JSON does not have and many servers send."""

    def act(connection: socket.socket, asked: Received) -> None:
        body = _named(completion(), asked)
        _send(connection, 200, json.dumps({**body, "logprobs": [float("nan"), float("-inf")]}))

    return Behaviour("not_a_number", act)


def byte_order_mark() -> Behaviour:
    """A byte order mark before the body, and a wrong charset in its header."""

    def act(connection: socket.socket, asked: Received) -> None:
        body = b"\xef\xbb\xbf" + _encoded(_named(completion(), asked))
        _send(connection, 200, body, {"Content-Type": "application/json; charset=iso-8859-1"})

    return Behaviour("byte_order_mark", act)


def huge(megabytes: int = 17, *, declared: bool = False, packed: bool = False) -> Behaviour:
    """A body of so many MiB: until it ends, with its length `declared` before, or small because it is `packed` by gzip."""

    def act(connection: socket.socket, asked: Received) -> None:
        size = megabytes << 20
        if packed:
            _send(connection, 200, gzip.compress(b"a" * size), {"Content-Encoding": "gzip"})
            return
        connection.sendall(_head(200, {"Content-Length": str(size)} if declared else {}))
        for _ in range(megabytes * 16):
            connection.sendall(b"a" * 65536)

    return Behaviour("huge_packed" if packed else "huge_declared" if declared else "huge", act)


def deep(levels: int = 100_000) -> Behaviour:
    """A body that nests so deep that careless parsers crash."""
    return respond(200, '{"choices":' + "[" * levels + "]" * levels + "}", name="deep")


def empty() -> Behaviour:
    """200 and not a byte of body."""
    return respond(200, "", name="empty")


def garbage() -> Behaviour:
    """Something that is not HTTP."""
    return Behaviour(
        "garbage", lambda connection, asked: connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\nnonsense\r\n\r\n")
    )


FAULTS: dict[str, Callable[[], Behaviour]] = {
    "short_body": short_body,
    "chunked": chunked,
    "cut_chunk": lambda: chunked(cut=True),
    "drip": lambda: drip(0.0005),
    "drip_headers": lambda: drip(0.0005, headers=True),
    "gzip": gzipped,
    "gzip_plain": lambda: gzipped("plain"),
    "gzip_damaged": lambda: gzipped("damaged"),
    "gzip_cut": lambda: gzipped("cut"),
    "reset": reset,
    "reset_after_idle": lambda: reset(0.05),
    "reset_in_reply": lambda: reset(sent=b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"),
    "hang_up": hang_up,
    "redirect": redirect,
    "html_502": html_502,
    "html_200": html_200,
    "server_error": server_error,
    "rate_limit": rate_limit,
    "loading": loading,
    "not_a_number": not_a_number,
    "byte_order_mark": byte_order_mark,
    "huge": huge,
    "huge_declared": lambda: huge(declared=True),
    "huge_packed": lambda: huge(packed=True),
    "deep": deep,
    "empty": empty,
    "garbage": garbage,
}
"""Every fault, ready to use. `silence` is not among them: it lasts as long as its client's patience."""


def mixed(share: float = 0.1, seed: int = 0, good: Behaviour | None = None) -> Callable[[Received], Behaviour]:
    """A plan that misbehaves in a share of all requests, each time with a fault drawn at random, and is good otherwise."""
    draw = random.Random(seed)
    behaviours = [make() for make in FAULTS.values()]
    usual = good or reply()
    return lambda received: draw.choice(behaviours) if draw.random() < share else usual


def _named(body: Body, asked: Received) -> Any:
    """A completion with the model's name as it was asked for."""
    if not isinstance(body, dict) or body.get("model") != "":
        return body
    try:
        request = asked.json()
    except ValueError:
        request = {}
    return {**body, "model": request.get("model", "") if isinstance(request, dict) else ""}


def _encoded(body: Body) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode("utf-8", "surrogatepass")


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    named = {name.lower() for name in headers}
    usual = {"Content-Type": "application/json", "Connection": "close"}
    lines = [f"{name}: {value}" for name, value in usual.items() if name.lower() not in named]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join((f"HTTP/1.1 {status} Status", *lines, "", "")).encode("latin-1")


def _send(connection: socket.socket, status: int, body: Body, headers: Mapping[str, str] | None = None) -> None:
    encoded = _encoded(body)
    connection.sendall(_head(status, {"Content-Length": str(len(encoded)), **(headers or {})}) + encoded)
