"""Taking out of an error's text what the client or the model wrote: their words must never be taken for the server's."""

from __future__ import annotations

import re

_TO_THE_END = re.compile(r"""input_value=.*?(?:, input_type=\w+|$)|(?<=raw=)['"].*|(?<=at pos )\d+:.*""", re.DOTALL)
"""Where a text goes on with what was echoed, and nothing tells for certain where that ends."""
_INPUT = re.compile(r"""['"]input['"]\s*:\s*""")
_PLAIN = re.compile(r"[^,}\])]*")
_MARKS = re.compile(r"""["'{}\[\]()]""")
_CLOSES = {"{": "}", "[": "]", "(": ")"}


def without_echo(text: str) -> str:
    """The text without the values of `'input'` (as Python or JSON write it) and without echoes that run to its end."""
    kept: list[str] = []
    at = 0
    for found in _INPUT.finditer(text):
        if found.start() >= at:
            kept.append(text[at : found.start()])
            at = _past_value(text, found.end())
    kept.append(text[at:])
    return _TO_THE_END.sub("", "".join(kept))


def _past_value(text: str, at: int) -> int:
    """Where the value that begins here ends: a quoted text, a list or object with texts in it, or a plain word. The end of
    the text where it does not close."""
    if text[at : at + 1] not in ("'", '"', "{", "[", "("):
        plain = _PLAIN.match(text, at)
        return plain.end() if plain else at
    open_marks: list[str] = []
    while at < len(text):
        mark = _MARKS.search(text, at)
        if mark is None:
            return len(text)
        char = mark.group()
        if char in "\"'":
            at = _past_quoted(text, mark.end(), char)
        else:
            at = mark.end()
            if char in _CLOSES:
                open_marks.append(_CLOSES[char])
            elif not open_marks or open_marks.pop() != char:
                return len(text)
        if not open_marks:
            return at
    return len(text)


def _past_quoted(text: str, at: int, quote: str) -> int:
    end = re.compile(rf"(?:[^\\{quote}]|\\.)*{quote}", re.DOTALL).match(text, at)
    return end.end() if end else len(text)
