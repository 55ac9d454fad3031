"""Which proxy of the environment, if any, stands between this machine and a server."""

from __future__ import annotations

import os
import urllib.request
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from nftbench.agents.wire.opener import LOOPBACK_HOSTS

_SCHEMES = frozenset({"http", "https", "socks4", "socks4a", "socks5", "socks5h"})


class Way(Struct, frozen=True, kw_only=True):
    """How requests travel. `proxy` is the proxy's address without user and password, "" for the direct way; `variable` where
    it comes from. `unused` names variables that look as if they mattered, and don't. `secrets` is what to scrub."""

    proxy: str = ""
    variable: str = ""
    unused: tuple[str, ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()


def way_to(url: str) -> Way:
    """The way that a run's requests to a URL take: as urllib finds it, but always direct to this machine itself."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    proxies = urllib.request.getproxies()
    given = proxies.get(parts.scheme, "")
    secrets = tuple(dict.fromkeys([*(s for value in proxies.values() for s in _secrets(value)), *proxy_secrets()]))
    name = _variable(f"{parts.scheme}_proxy", os.environ)
    if host in LOOPBACK_HOSTS or host.startswith("127."):
        return Way(unused=(name,) if given else (), secrets=secrets)
    if not given:
        everything = _variable("all_proxy", os.environ)
        return Way(unused=(everything,) if os.environ.get(everything) else (), secrets=secrets)
    if urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return Way(secrets=secrets)
    return Way(proxy=shown_proxy(given), variable=name, secrets=secrets)


def shown_proxy(address: str) -> str:
    """A proxy's address for people: scheme, host and port, nothing before an @ and nothing of a path."""
    scheme, found, rest = address.partition("://")
    is_scheme = bool(found) and scheme.lower() in _SCHEMES
    where = (rest if is_scheme else address).rpartition("@")[2].lstrip("/").partition("/")[0].partition("?")[0]
    return f"{scheme.lower() if is_scheme else 'http'}://{where}"


def _variable(name: str, environment: Mapping[str, str]) -> str:
    return name.upper() if name not in environment and name.upper() in environment else name


def proxy_secrets() -> tuple[tuple[str, str], ...]:
    """What is to be scrubbed from texts for the proxies of the environment, by whatever program they are used."""
    given = [value for name, value in os.environ.items() if value and name[-6:].lower() == "_proxy"]
    return tuple(secret for value in dict.fromkeys(given) for secret in _secrets(value))


def _secrets(address: str) -> list[tuple[str, str]]:
    """The password of a proxy's address, and user and password together as they travel; as given and with percent
    signs undone."""
    _, found, rest = address.partition("://")
    user, at, _ = (rest if found else address).rpartition("@")
    name, _, password = user.partition(":")
    if not at or not password:
        return []
    forms = (password, unquote(password), f"{name}:{password}", f"{unquote(name)}:{unquote(password)}")
    return [("proxy password", form) for form in dict.fromkeys(forms)]
