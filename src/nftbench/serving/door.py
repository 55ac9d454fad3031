"""The door of any server of ours over HTTP: who may come in, under which name, and what the others are told, which is nothing
more than that.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from nftbench.serving.address import Names
from nftbench.serving.tokens import Access, Gate


class Turned(Struct, frozen=True):
    """Somebody turned away: an HTTP status, what is said with it, and further headers."""

    status: int
    words: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Door(Struct, frozen=True):
    """Looks at requests before anything else of them is read."""

    gate: Gate
    names: Names

    def admit(self, header: Callable[[str], str | None]) -> Access | Turned:
        """What a request opens; `header` gives the value of one of its headers by the name in small letters."""
        access = self.gate.admit(header("authorization"))
        if not self.names.fit_host(header("host")):
            return Turned(421, "This server does not go by that name.")
        if not self.names.fit_origin(header("origin")):
            return Turned(403, "Requests from that origin are not taken.")
        if access is None:
            return Turned(401, "Unauthorized", ((b"www-authenticate", b"Bearer"),))
        return access
