"""Taking out of what a program prints what it was given, or can have found, of the user's: keys, a proxy's password, the
addresses of servers, paths of this machine. What it printed is recorded, its environment too if it prints that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from nftbench.agents.programs.processes import Ended
from nftbench.agents.wire.proxies import proxy_secrets
from nftbench.agents.wire.secrets import Scrubber, address_scrubber

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|(?:^|_)PAT$|(?:^|_)DSN$", re.IGNORECASE)
_NO_SECRET = frozenset({"LANG", "LC_ALL", "OPENAI_MODEL", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT"})
"""Handed on, and nobody's business to hide: what they hold stands in records anyway, or on every machine."""
_SHORTEST_VALUE = 8
"""Characters from which on a value that is named like no secret is taken out: a shorter one tears texts apart."""
_COMMON = re.compile(
    r"/(?:usr|bin|sbin|opt|snap|lib|etc)(?:/[\w.-]+){0,2}/?|[A-Z]:\\Windows(?:\\.*)?|localhost|127\.0\.0\.1",
    re.IGNORECASE,
)
"""Folders and hosts that every machine has."""


class Veil:
    """For a program that was given `handed_on` out of our environment, which is `around` it and holds more."""

    def __init__(self, handed_on: Mapping[str, str], around: Mapping[str, str]) -> None:
        given = ((name, value) for name, value in handed_on.items() if _SECRET.search(name))
        self._given = _scrubber((*given, *proxy_secrets()), True)
        self._guessed = _scrubber(tuple(_guessed(handed_on, around)), False)
        self._addresses = [address_scrubber(value) for name, value in handed_on.items() if name.endswith("_BASE_URL")]
        self._places = sorted(_places(handed_on, around), key=lambda place: -len(place[1]))

    def over(self, ended: Ended) -> Ended:
        """What a program printed, without all that."""
        return Ended(ended.returncode, self.on(ended.stdout), self.on(ended.stderr), ended.stopped, ended.left)

    def on(self, text: str) -> str:
        """One text without it."""
        text = self._guessed(self._given(text))
        for scrub in self._addresses:
            text = scrub(text)
        for name, value in self._places:
            for spelled in (value, json.dumps(value)[1:-1], value.replace("/", "\\/")):
                text = text.replace(spelled, f"[{name}]")
        return text


@lru_cache(maxsize=8)
def _scrubber(secrets: tuple[tuple[str, str], ...], loosely: bool) -> Scrubber:
    return Scrubber(secrets, loosely=loosely)


def _guessed(handed_on: Mapping[str, str], around: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the program was not given, but can read in its parents' environment on many systems."""
    for name, value in around.items():
        if (
            name not in handed_on
            and _SECRET.search(name)
            and not name.lower().endswith("_proxy")
            and _may_be_a_key(value)
        ):
            yield name, value


def _may_be_a_key(value: str) -> bool:
    """Whether a value that a program was not given may be a key: no path, no sentence, no word of a language."""
    if re.search(r"\s", value) or os.path.isabs(value):
        return False
    return len(value) >= 16 or (len(value) >= _SHORTEST_VALUE and bool(re.search(r"\d", value)) and not value.isdigit())


def _places(handed_on: Mapping[str, str], around: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Values of variables that name no secret, whole, and the folders and hosts in them that are not everybody's."""
    home = around.get("HOME", "") or around.get("USERPROFILE", "")
    for name, value in (*handed_on.items(), ("HOME", home)):
        if name in _NO_SECRET or name.endswith("_BASE_URL") or _SECRET.search(name):
            continue
        parts = [] if "://" in value else re.split(rf"[,{re.escape(os.pathsep)}]", value)
        for part in (value, *parts):
            if len(part) >= _SHORTEST_VALUE and not _COMMON.fullmatch(part):
                yield name, part
