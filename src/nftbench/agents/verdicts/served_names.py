"""Whether the model that answered is the one that was asked for."""

from __future__ import annotations

import re
from collections.abc import Collection

_DATE = re.compile(r"[-@_](?:(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01]))$")
_SHORT_DATE = re.compile(r"[-@_](?:\d{4}|(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?=$|-)")
_TAG = re.compile(r"^(.+?)[:@]([^:@/\\]+)$")
_CACHED = re.compile(r"(?:^|.*/)models--([^/]+?)--([^/]+)/snapshots/[^/]+(?:/(.+))?$")
"""Where Hugging Face's cache keeps a model: owner, name, and a file of it."""
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
_NO_OWNERS = frozenset({"models", "model"})


def same_model(asked: str, served: str, aliases: Collection[str] = ()) -> bool:
    """Equal after harmless differences: case, a path or owner before the name, a `.gguf` ending with the number of its part,
    and a date or `:tag` that only one side has. Two different owners, dates or tags are two models. An alias is a served name
    declared right."""
    return any(_same(name, served) for name in (asked, *aliases))


def is_dated_release(asked: str, served: str) -> bool:
    """Whether two names differ by a short date only: a month and a day, or a year and a month (`-0528`, `-2507`, `-05-20`).
    Vendors name releases of their own weights so, which are two models; only a whole date (`-2024-08-06`) is taken for the
    snapshot that a name stands for. Which of both it is only a person can declare."""
    left, right = _parts(asked), _parts(served)
    return left[0] != right[0] and _SHORT_DATE.sub("", left[0]) == _SHORT_DATE.sub("", right[0])


def _same(asked: str, served: str) -> bool:
    if asked == served:
        return True
    left, right = _parts(asked), _parts(served)
    return left[0] == right[0] and all(a == b or not a or not b for a, b in zip(left[1:], right[1:], strict=True))


def _parts(name: str) -> tuple[str, str, str, str]:
    """Base name, owner ("" for none or a path), tag and date of a model's name, in lower case."""
    text = name.strip().lower().replace("\\", "/").rstrip("/")
    cached = _CACHED.match(text)
    if cached is not None:
        text = f"./{cached.group(3)}" if cached.group(3) else f"{cached.group(1)}/{cached.group(2)}"
    path, _, base = text.rpartition("/")
    is_path = text.startswith(("/", "./", "../", "~")) or "/" in path or re.match(r"[a-z]:", path) is not None
    owner = "" if is_path or path in _NO_OWNERS else path
    base = _SHARD.sub("", base.removesuffix(".gguf"))
    tagged = _TAG.match(base)
    base, tag = (tagged.group(1), tagged.group(2)) if tagged else (base, "")
    if not _DATE.search(base) and _DATE.search("-" + tag):
        base, tag = f"{base}-{tag}", ""
    dated = _DATE.search(base)
    date = "".join(dated.groups()) if dated else ""
    return (base[: dated.start()] if dated else base), owner, tag, date
