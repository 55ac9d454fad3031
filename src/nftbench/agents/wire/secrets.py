"""Taking secrets out of texts, however they are spelled in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

from nftbench.agents.wire.proxies import proxy_secrets
from nftbench.agents.wire.traces import Finder, base64_cores, is_sought

SHORTEST_SECRET = 4
"""Shorter values are no secrets, and taking them out would tear texts apart."""
_API_WORD = re.compile(
    r"|v\d+[a-z0-9]*|api|apis|openai|chat|completions?|client|accounts?|ai|deployments?|models?|inference|serving"
    r"|serving-endpoints|endpoints?|invocations|compatible-mode|compat|openai-compatible|proxy|gateway|llm|projects?"
    r"|locations?|global|engines?|workers|run|rest|paas|beta|preview|\d{4}-\d{2}-\d{2}(-preview)?"
)
"""Parts of paths and queries that tell nothing about whose they are."""
_ESCAPED = ("\\u", "%", "&#", "\\/", "\\x")


class Scrubber:
    """Replaces secrets by their bracketed names: as they are, JSON-escaped (any case, any number of backslashes),
    percent-encoded, as HTML references, in hex, or inside Base64, also where spellings mix within one occurrence.

    With `loosely` also what traces tells: other case, wrapped over lines, reversed, Base32, a part. Off for what is no
    secret by itself, such as an address, whose parts are words."""

    def __init__(self, secrets: Iterable[tuple[str, str]], *, loosely: bool = True) -> None:
        secrets = [(name, secret) for name, secret in secrets if len(secret) >= SHORTEST_SECRET]
        self._plain: list[tuple[str, str]] = []
        self._spelled: list[tuple[re.Pattern[str], str]] = []
        self._longest = 0
        self._signs: tuple[str, ...] = _ESCAPED
        for name, secret in sorted(secrets, key=lambda pair: -len(pair[1])):
            mark = f"[{name}]"
            self._longest = max(self._longest, len(secret))
            self._plain.extend((form, mark) for form in (secret, *_encodings(secret)))
            if '"' in secret or "\\" in secret:
                self._signs = ("\\", *_ESCAPED)
            if not (loosely and secret.isascii() and is_sought(secret)):
                self._spelled.append((re.compile("".join(map(_spellings, secret))), mark))
        self._traces = Finder(secrets if loosely else ())

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        for form, mark in self._plain:
            if form in text:
                text = text.replace(form, mark)
        if self._spelled and any(sign in text for sign in self._signs):
            for pattern, mark in self._spelled:
                text = pattern.sub(mark, text)
        return self._traces.replaced(text)

    def cut(self, text: str, longest: int) -> str:
        """At most so many characters of the text without the secrets: a secret across the cut leaves no part behind."""
        room = longest + 16 * self._longest + 64
        cut = self(text[:room])[:longest]
        return cut if len(text) <= longest else f"{cut}... [cut, {len(text)} characters]"


def exchange_scrubber(name: str, key: str) -> Scrubber:
    """Takes a key, as `[name]`, and the passwords of the environment's proxies out of what an exchange brings. An empty
    key takes nothing out."""
    return _exchange_scrubber(name, key, proxy_secrets())


@lru_cache(maxsize=8)
def _exchange_scrubber(name: str, key: str, others: tuple[tuple[str, str], ...]) -> Scrubber:
    return Scrubber([(name, key), *others])


@lru_cache(maxsize=8)
def address_scrubber(url: str, known: str = "") -> Scrubber:
    """Takes an endpoint's address out of texts for files: the URL, the host with its port, the host unless it is this
    machine's own name, and what the path and the query hold of accounts and deployments. `known` is a text that is no
    secret (the model's name): what stands in it stays."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    host = parts.hostname or ""
    names = [root, parts.netloc] if ":" in parts.netloc else [root]
    if host not in ("localhost", "127.0.0.1", "::1"):
        names.append(host)
    return Scrubber(
        [*(("endpoint", name) for name in names), *(("endpoint path", part) for part in _telling(url, known))],
        loosely=False,
    )


def _telling(url: str, known: str) -> list[str]:
    """The parts of a URL's path and query that tell whose it is: all but the words that APIs are made of."""
    parts = urlsplit(url)
    given = [*parts.path.split("/"), *(value for _, value in parse_qsl(parts.query))]
    found = {form for part in given for form in (part, unquote(part)) if not _API_WORD.fullmatch(form.lower())}
    return [part for part in found if part not in known and (len(part) >= 6 or any(map(str.isdigit, part)))]


def _encodings(secret: str) -> list[str]:
    """The spellings of the secret as a whole: hex, and what Base64 makes of it at each of the three alignments."""
    raw = secret.encode("utf-8", "surrogatepass")
    forms = [raw.hex(), raw.hex().upper()] if len(raw) >= 8 else []
    return forms + [form for form in dict.fromkeys(base64_cores(raw)) if len(form) >= 8]


def _spellings(char: str) -> str:
    code = ord(char)
    units = char.encode("utf-16-be", "surrogatepass")
    escaped = "".join(rf"\\{{1,8}}u(?i:{units[i : i + 2].hex()})" for i in range(0, len(units), 2))
    percent = "".join(rf"%(?:25){{0,4}}(?i:{byte:02x})" for byte in char.encode("utf-8", "surrogatepass"))
    forms = [rf"\\{{0,8}}{re.escape(char)}", escaped, percent, rf"&#0{{0,8}}{code};", rf"&#(?i:x0{{0,8}}{code:x});"]
    if code < 256:
        forms.append(rf"\\{{1,8}}x(?i:{code:02x})")
    return f"(?:{'|'.join(forms)})"
