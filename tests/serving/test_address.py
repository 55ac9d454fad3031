"""Where a server listens, and by which names it may be addressed."""

from __future__ import annotations

import socket

import pytest

from nftbench.errors import Refusal
from nftbench.serving.address import Address, address_in, listening, names_for


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("", "127.0.0.1", 8750),
        ("9000", "127.0.0.1", 9000),
        ("0", "127.0.0.1", 0),
        ("localhost:80", "localhost", 80),
        ("0.0.0.0:65535", "0.0.0.0", 65535),
        ("[::1]:8750", "::1", 8750),
        ("Bench.Example:1", "bench.example", 1),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    assert address_in(text, 8750) == Address(host, port)


@pytest.mark.parametrize(
    "text",
    [
        "F1a_04:x",
        "127.0.0.1",
        ":80",
        "::1:80",
        "[::1]",
        "[x]:1",
        "1.2.3:80",
        "h:65536",
        "h:-1",
        "h:１",
        "http://h:1",
        "a b:1",
    ],
)
def test_what_is_none_is_refused_with_the_value(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        address_in(text, 8750)
    assert "--http" in str(refusal.value) and text.partition(":")[0] in str(refusal.value)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.5", False),
        ("localhost.example", False),
    ],
)
def test_only_what_nobody_else_can_reach_is_loopback(host: str, loopback: bool) -> None:
    assert Address(host, 1).is_loopback is loopback


@pytest.mark.parametrize(
    ("header", "loopback", "everywhere"),
    [
        ("127.0.0.1:8750", True, True),
        ("127.0.0.1", True, True),
        ("LOCALHOST:8750", True, True),
        ("[::1]:8750", True, True),
        ("10.0.0.5:8750", False, True),
        ("evil.example:8750", False, False),
        ("evil.example", False, False),
        ("127.0.0.1.evil.example", False, False),
        ("localhost.evil.example:8750", False, False),
        ("127.0.0.1@evil.example", False, False),
        ("evil.example/127.0.0.1", False, False),
        ("evil.example#localhost", False, False),
        ("localhost:port", False, False),
        ("[::1", False, False),
        ("", False, False),
        (None, False, False),
    ],
)
def test_requests_are_taken_under_our_own_names_only(header: str | None, loopback: bool, everywhere: bool) -> None:
    """A page whose name was made to resolve to our address still carries that name (DNS rebinding)."""
    local, wide = (names_for(Address(host, 8750), ()) for host in ("127.0.0.1", "0.0.0.0"))
    assert (local.fit_host(header), wide.fit_host(header)) == (loopback, everywhere)


@pytest.mark.parametrize(
    ("header", "fits"),
    [
        (None, True),
        ("http://localhost:8750", True),
        ("https://127.0.0.1", True),
        ("http://host.docker.internal:3", True),
        ("null", False),
        ("", False),
        ("http://evil.example", False),
        ("http://localhost.evil.example:8750", False),
        ("file://localhost", False),
        ("http://localhost@evil.example", False),
        ("http://localhost/path", False),
    ],
)
def test_pages_are_taken_from_our_own_names_only(header: str | None, fits: bool) -> None:
    names = names_for(Address("127.0.0.1", 8750), ["host.docker.internal"])
    assert names.fit_origin(header) is fits


def test_more_names_can_be_allowed_and_must_be_names() -> None:
    names = names_for(Address("10.0.0.5", 1), ["Host.Docker.Internal"])
    assert names.fit_host("host.docker.internal:8750") and names.fit_host("10.0.0.5")
    assert not names.fit_host("localhost:8750")
    for wrong in ("host:80", "http://host", "*", "", "a b"):
        with pytest.raises(Refusal, match="--allow-host"):
            names_for(Address("10.0.0.5", 1), [wrong])


def test_a_port_that_is_taken_is_refused_and_port_0_is_one_that_is_free() -> None:
    taken, where = listening(Address("127.0.0.1", 0))
    with taken:
        assert where.port > 0
        with pytest.raises(Refusal, match=f"127.0.0.1:{where.port}"):
            listening(where)
        with socket.create_connection((where.host, where.port), timeout=5):
            pass
