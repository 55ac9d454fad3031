"""Taking secrets out of texts, however they are spelled in them."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

SHORTEST_SECRET = 4
"""Shorter values are no secrets, and taking them out would tear texts apart."""
_ESCAPED = ("\\u", "%", "&#", "\\/", "\\x")


class Scrubber:
    """Replaces secrets by their bracketed names: as they are, JSON-escaped (any case, any number of backslashes),
    percent-encoded, as HTML references, in hex, or inside Base64, also where spellings mix within one occurrence."""

    def __init__(self, secrets: Iterable[tuple[str, str]]) -> None:
        self._plain: list[tuple[str, str]] = []
        self._spelled: list[tuple[re.Pattern[str], str]] = []
        self._longest = 0
        self._signs: tuple[str, ...] = _ESCAPED
        for name, secret in sorted(secrets, key=lambda pair: -len(pair[1])):
            if len(secret) < SHORTEST_SECRET:
                continue
            mark = f"[{name}]"
            self._longest = max(self._longest, len(secret))
            self._plain.extend((form, mark) for form in (secret, *_encodings(secret)))
            if '"' in secret or "\\" in secret:
                self._signs = ("\\", *_ESCAPED)
            self._spelled.append((re.compile("".join(map(_spellings, secret))), mark))

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        for form, mark in self._plain:
            if form in text:
                text = text.replace(form, mark)
        if self._spelled and any(sign in text for sign in self._signs):
            for pattern, mark in self._spelled:
                text = pattern.sub(mark, text)
        return text

    def cut(self, text: str, longest: int) -> str:
        """At most so many characters of the text without the secrets: a secret across the cut leaves no part behind."""
        room = longest + 16 * self._longest + 64
        cut = self(text[:room])[:longest]
        return cut if len(text) <= longest else f"{cut}... [cut, {len(text)} characters]"


@lru_cache(maxsize=8)
def key_scrubber(name: str, key: str) -> Scrubber:
    """Takes one key out of texts, as `[name]`; an empty key takes nothing out."""
    return Scrubber([(name, key)])


@lru_cache(maxsize=8)
def address_scrubber(url: str) -> Scrubber:
    """Takes an endpoint's address out of texts for files: the URL, the host with its port, and the host unless it is this
    machine's own name."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    host = parts.hostname or ""
    names = [root, parts.netloc] if ":" in parts.netloc else [root]
    if host not in ("localhost", "127.0.0.1", "::1"):
        names.append(host)
    return Scrubber(("endpoint", name) for name in names)


def _encodings(secret: str) -> list[str]:
    """The spellings of the secret as a whole: hex, and what Base64 makes of it at each of the three alignments."""
    raw = secret.encode("utf-8", "surrogatepass")
    forms = [raw.hex(), raw.hex().upper()] if len(raw) >= 8 else []
    for lead in range(3):
        padded = b"\0" * lead + raw
        whole = len(padded) // 3 * 4
        start = (0, 2, 3)[lead]
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(padded).decode("ascii")[start:whole]
            if len(form) >= 8 and form not in forms:
                forms.append(form)
    return forms


def _spellings(char: str) -> str:
    code = ord(char)
    units = char.encode("utf-16-be", "surrogatepass")
    escaped = "".join(rf"\\{{1,8}}u(?i:{units[i : i + 2].hex()})" for i in range(0, len(units), 2))
    percent = "".join(rf"%(?:25){{0,4}}(?i:{byte:02x})" for byte in char.encode("utf-8", "surrogatepass"))
    forms = [rf"\\{{0,8}}{re.escape(char)}", escaped, percent, rf"&#0{{0,8}}{code};", rf"&#(?i:x0{{0,8}}{code:x});"]
    if code < 256:
        forms.append(rf"\\{{1,8}}x(?i:{code:02x})")
    return f"(?:{'|'.join(forms)})"
