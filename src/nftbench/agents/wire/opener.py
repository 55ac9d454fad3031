"""The HTTP machinery that a run installs: redirects refused, this machine reached without proxies, deadlines kept.

Nothing is installed on import. `urllib.request.urlopen`, which every backend uses by default, then goes through it.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable
from email.message import Message
from typing import IO, Any

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
CONNECT_TIMEOUT = 30.0
TOTAL_TIMEOUT = 900.0


def install_redirect_refusal(connect_timeout: float = CONNECT_TIMEOUT, total_timeout: float = TOTAL_TIMEOUT) -> None:
    """Makes `urlopen` refuse every redirect (it raises HTTPError with the 3xx status), connect to this machine without
    proxies, give up connecting after `connect_timeout` seconds and a whole exchange after `total_timeout` seconds, however
    slowly bytes trickle in. For the whole process, until something else is installed."""
    urllib.request.install_opener(
        urllib.request.build_opener(
            RefusingRedirectHandler(),
            LoopbackDirectProxyHandler(),
            DeadlineHTTPHandler(connect_timeout, total_timeout),
            DeadlineHTTPSHandler(connect_timeout, total_timeout),
        )
    )


class RefusingRedirectHandler(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a POST that was redirected would arrive as something else, or somewhere else. Where it would lead is
    not even read: a malformed address would raise something that is no HTTPError."""

    def http_error_302(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class LoopbackDirectProxyHandler(urllib.request.ProxyHandler):
    """The proxies of the environment, but never for this machine itself."""

    def proxy_open(self, req: urllib.request.Request, proxy: str, type: str) -> Any:
        host = (req.host or "").rpartition("@")[2]
        name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
        if name.lower() in LOOPBACK_HOSTS or name.startswith("127."):
            return None
        return super().proxy_open(req, proxy, type)


class DeadlineHTTPHandler(urllib.request.HTTPHandler):
    """Keeps deadlines over http."""

    def __init__(self, connect_timeout: float, total_timeout: float) -> None:
        super().__init__()
        self._limits = {"connect_timeout": connect_timeout, "total_timeout": total_timeout}

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_DeadlineHTTPConnection, req, **self._limits)  # type: ignore[arg-type]


class DeadlineHTTPSHandler(urllib.request.HTTPSHandler):
    """Checks certificates against one context made at installation: making one a request costs milliseconds."""

    def __init__(self, connect_timeout: float, total_timeout: float) -> None:
        self._shared = ssl.create_default_context()
        super().__init__(context=self._shared)
        self._limits = {"connect_timeout": connect_timeout, "total_timeout": total_timeout}

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_DeadlineHTTPSConnection, req, context=self._shared, **self._limits)  # type: ignore[arg-type]


class _DeadlineConnection:
    """What both connections share: `timeout` bounds each wait, `connect_timeout` connecting with its handshakes, and
    `total_timeout` everything from connecting to the last byte."""

    timeout: float
    sock: socket.socket

    def __init__(self, *arguments: Any, connect_timeout: float, total_timeout: float, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._connect_timeout, self._total_timeout = connect_timeout, total_timeout
        self._deadline = 0.0

    def connect(self) -> None:
        wait = float(self.timeout) if isinstance(self.timeout, (int, float)) else self._total_timeout
        self._deadline = time.monotonic() + self._total_timeout
        self.timeout = min(wait, self._connect_timeout)
        super().connect()  # type: ignore[misc]
        self.timeout = wait
        self.sock.settimeout(wait)

    @property
    def response_class(self) -> Callable[..., http.client.HTTPResponse]:
        wait, deadline = self.timeout, self._deadline

        def respond(sock: socket.socket, *arguments: Any, **options: Any) -> http.client.HTTPResponse:
            reading: Any = _DeadlineFiles(sock, wait, deadline)
            return http.client.HTTPResponse(reading, *arguments, **options)

        return respond


class _DeadlineHTTPConnection(_DeadlineConnection, http.client.HTTPConnection):  # type: ignore[misc]
    pass


class _DeadlineHTTPSConnection(_DeadlineConnection, http.client.HTTPSConnection):  # type: ignore[misc]
    pass


class _DeadlineFiles:
    """Stands in for the socket of a response, which only asks it for a file to read."""

    def __init__(self, sock: socket.socket, wait: float, deadline: float) -> None:
        self._sock, self._wait, self._deadline = sock, wait, deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self._sock, self._wait, self._deadline))


class _DeadlineReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, wait: float, deadline: float) -> None:
        self._sock, self._wait, self._deadline = sock, wait, deadline
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the whole exchange took too long")
        self._sock.settimeout(min(self._wait, left))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()
