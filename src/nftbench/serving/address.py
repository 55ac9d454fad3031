"""Where a server listens, and under which names its clients may speak to it."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from nftbench.errors import Refusal
from nftbench.run.near import quoted

LOOPBACK = "127.0.0.1"
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?\.?")
_WAITING = 128
"""Connections that the system keeps for us until we take them."""


class Address(Struct, frozen=True):
    """A host (an IP address without brackets, or a name) and a TCP port; port 0 is one that the system chooses."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether nothing but this machine can reach it; a name other than localhost counts as reachable from elsewhere."""
        number = _number(self.host)
        return self.host == "localhost" if number is None else number.is_loopback

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands for all of the machine's addresses."""
        number = _number(self.host)
        return number is not None and number.is_unspecified

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_in(text: str, usual_port: int, flag: str = "--http") -> Address:
    """The address that a flag names: `HOST:PORT`, a port alone (on loopback), or nothing (the usual port). Refusal otherwise."""
    if not text:
        return Address(LOOPBACK, usual_port)
    if text.isdecimal():
        return Address(LOOPBACK, _port(text, text, flag))
    host, colon, port = text.rpartition(":")
    host = host.lower()
    if host.startswith("[") and host.endswith("]") and _number(host[1:-1]) is not None:
        return Address(host[1:-1], _port(port, text, flag))
    if not colon or not (_number(host) if ":" in host or host[-1:].isdigit() else _NAME.fullmatch(host)) or ":" in host:
        raise Refusal(f"{flag} {quoted(text)} is no HOST:PORT, such as 127.0.0.1:{usual_port} or [::1]:{usual_port}")
    return Address(host, _port(port, text, flag))


def listening(address: Address, flag: str = "--http") -> tuple[socket.socket, Address]:
    """A socket that listens there, and where that is now; Refusal if the system doesn't let us."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        taken = socket.create_server((address.host, address.port), family=family, backlog=_WAITING)
    except OSError as problem:
        raise Refusal(
            f"{flag} {address} can't be listened on ({problem.strerror or problem}): choose another"
        ) from None
    return taken, Address(address.host, taken.getsockname()[1])


class Names(Struct, frozen=True):
    """The names that requests may be addressed to. A page in a browser can have a name of its own resolve to our address (DNS
    rebinding), and then carries that name in `Host`; an IP address in `Host` can't be had that way. `allowed` are names
    without ports, `any_number` says whether every IP address will do, or those of loopback alone.
    """

    allowed: frozenset[str]
    any_number: bool

    def fit_host(self, header: str | None) -> bool:
        """Whether the `Host` of a request is one of ours."""
        host = _host_in(f"//{header}") if header else None
        return host is not None and self._fits(host)

    def fit_origin(self, header: str | None) -> bool:
        """Whether the `Origin` of a request is one of ours, or none: programs send none, browsers do."""
        if header is None:
            return True
        if _scheme(header) not in ("http", "https"):
            return False
        host = _host_in(header)
        return host is not None and self._fits(host)

    def _fits(self, host: str) -> bool:
        number = _number(host)
        if number is not None:
            return self.any_number or number.is_loopback or host in self.allowed
        return host in self.allowed


def names_for(address: Address, more: Sequence[str]) -> Names:
    """Those of an address: its own, localhost where that is meant, and `more`. Refusal for what is no name of a host."""
    given = [name.lower().strip("[]") for name in more]
    wrong = [name for name in given if _number(name) is None and not _NAME.fullmatch(name)]
    if wrong:
        raise Refusal(
            f"--allow-host {quoted(wrong[0])} is no name of a host, such as host.docker.internal: give no port"
        )
    local = ["localhost"] if address.is_loopback or address.is_everywhere else []
    return Names(frozenset([*given, *local, address.host]), not address.is_loopback)


def _scheme(text: str) -> str:
    """The scheme of a URL; empty where there is none."""
    try:
        return urlsplit(text).scheme
    except ValueError:
        return ""


def _host_in(url: str) -> str | None:
    """The host of a URL of nothing but a scheme, host and port; None for anything else."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    is_bare = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    return parts.hostname if is_bare and parts.hostname else None


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _port(text: str, whole: str, flag: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 5 or int(text) > 65_535:
        raise Refusal(f"{flag} {quoted(whole)} names no port from 0 to 65535")
    return int(text)
