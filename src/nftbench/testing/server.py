"""The server: reads HTTP requests from raw sockets and lets a behaviour write whatever it likes."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from msgspec import Struct

_LONGEST_HEAD = 1 << 20


class Received(Struct, frozen=True):
    """A request as it came in: header names in lower case, `number` counted from 0 over the server's life."""

    number: int
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body decoded."""
        return json.loads(self.body)


class Behaviour(Struct, frozen=True):
    """What a server does with a request: `act` writes to the connection, which is closed after it returns. Errors of a
    client that hangs up are nobody's concern."""

    name: str
    act: Callable[[socket.socket, Received], None]


Plan = Sequence[Behaviour] | Callable[[Received], Behaviour]


class FaultServer:
    """Listens on a free port of this machine while its `with` block runs, a thread for each connection.

    `plan` is a list of behaviours, one a request, the last of them for all that follow; or a function that picks one for each
    request. `url` is the base for an endpoint, `received` what was asked so far, `behaved` the names of what was done; of
    both only the last `keep` stay, where it is given.
    """

    def __init__(self, plan: Plan, *, port: int = 0, keep: int | None = None) -> None:
        self._plan = plan
        self._keep = keep
        self._count = 0
        self._listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self.received: list[Received] = []
        self.behaved: list[str] = []
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._listen, name="fault-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Closes the port and every connection; whoever is connected sees it end."""
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=5)

    def wait(self) -> None:
        """Blocks until the server is stopped."""
        self._stopping.wait()

    def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            request = read_request(connection)
            if request is not None:
                received, behaviour = self._note(request)
                behaviour.act(connection, received)
        except OSError:
            pass
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _note(self, request: tuple[str, str, dict[str, str], bytes]) -> tuple[Received, Behaviour]:
        with self._lock:
            received = Received(self._count, *request)
            self._count += 1
            plan = self._plan
            behaviour = plan(received) if callable(plan) else plan[min(received.number, len(plan) - 1)]
            self.received.append(received)
            self.behaved.append(behaviour.name)
            if self._keep is not None:
                del self.received[: max(0, len(self.received) - self._keep)]
                del self.behaved[: max(0, len(self.behaved) - self._keep)]
        return received, behaviour


def read_request(connection: socket.socket) -> tuple[str, str, dict[str, str], bytes] | None:
    """Method, path, headers and body of one request; None if the client hung up before it was whole."""
    data = bytearray()
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk or len(data) > _LONGEST_HEAD:
            return None
        data += chunk
    head, _, rest = bytes(data).partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, where = first.partition(" ")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = bytearray(rest)
    while len(body) < int(headers.get("content-length") or 0):
        chunk = connection.recv(1 << 18)
        if not chunk:
            return None
        body += chunk
    return method, where.rpartition(" ")[0], headers, bytes(body)
