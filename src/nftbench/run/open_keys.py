"""Keys that travel in the clear: over http, and past this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from nftbench.agents.cli import program_for
from nftbench.agents.wire.opener import LOOPBACK_HOSTS
from nftbench.run.sources import ENDPOINT_TOKEN, Endpoint, Program, Source

_KEY_OF = {"ANTHROPIC_BASE_URL": "ANTHROPIC_", "GOOGLE_GEMINI_BASE_URL": "GEMINI_", "OPENAI_BASE_URL": "OPENAI_"}
"""The variables that name a server of one's own for an agent program, and how the names of its keys begin."""
_KEYS = ("API_KEY", "AUTH_TOKEN")


def open_keys(source: Source, environment: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each key that the source would send unencrypted to another machine. None names an address."""
    if isinstance(source, Endpoint) and environment.get(ENDPOINT_TOKEN, "").strip() and is_open(source.url):
        yield _warning(ENDPOINT_TOKEN, "--endpoint")
    if isinstance(source, Program):
        for address in program_for(source.command).variables:
            key = _key_for(address, environment)
            if key and is_open(environment.get(address, "")):
                yield _warning(key, f"${address}")


def is_open(url: str) -> bool:
    """Whether what is sent to the URL can be read on its way: http, to a host that is not this machine's own name."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().rstrip(".")
    except ValueError:
        return False
    is_here = host in LOOPBACK_HOSTS or host.startswith("127.") or host.endswith(".localhost")
    return parts.scheme.lower() == "http" and bool(host) and not is_here


def _key_for(address: str, environment: Mapping[str, str]) -> str:
    names = (f"{_KEY_OF[address]}{key}" for key in _KEYS) if address in _KEY_OF else ()
    return next((name for name in names if environment.get(name, "").strip()), "")


def _warning(key: str, address: str) -> str:
    return (
        f"${key} will be sent unencrypted, because {address} is plain http to another machine: whoever is on the way can read "
        "it; use https, or a tunnel to this machine"
    )
