"""The JSON value in a server's body: alone, after comment lines that keep a connection alive, or as the one frame of an event
stream that holds all of a completion. A reply that comes in pieces is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_STARTS = ("data:", "event:", "id:", "retry:", ":")
_COMMENT = re.compile(r"(?:[ \t\r\n]*:[^\r\n]*(?:\r\n|\r|\n|\Z))+")
_MOST_LINES = 20_000
_MOST_PIECES = 3
"""Frames that are looked at to know a stream of pieces."""


def json_of(text: str) -> object:
    """The JSON value of a body, None if there is none. Of an event stream it is the frame with an error, else the one that
    holds a whole completion."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if not _is_framed(text):
        return None
    after = _COMMENT.match(text)
    if after and not text[after.end() :].lstrip().startswith(_STARTS):
        return json_of(text[after.end() :].strip())
    frames = [frame for frame in _frames(text) if type(frame) is dict]
    failed = next((frame for frame in frames if frame.get("error") or frame.get("object") == "error"), None)
    if failed is not None:
        return failed
    return next((frame for frame in frames if _is_completion(frame)), None)


def is_stream(text: str) -> bool:
    """Whether a body without a whole completion is one that comes in pieces: an event stream, or a line for each piece."""
    if _is_framed(text):
        return "data:" in text
    lines = text.split("\n", _MOST_PIECES)[:_MOST_PIECES]
    return len(lines) > 1 and is_chunk(_value(lines[0]))


def is_chunk(body: object) -> bool:
    """Whether a value is a piece of a reply, as streams have them."""
    if type(body) is not dict:
        return False
    choices = body.get("choices")
    first = choices[0] if type(choices) is list and choices else None
    return type(first) is dict and "delta" in first and not first.get("message")


def _is_framed(text: str) -> bool:
    return text.lstrip()[:8].startswith(_STARTS)


def _is_completion(frame: dict[str, Any]) -> bool:
    choices = frame.get("choices")
    return (
        type(choices) is list and bool(choices) and type(choices[0]) is dict and type(choices[0].get("message")) is dict
    )


def _frames(text: str) -> Iterator[object]:
    """The values of an event stream's frames; data over several lines belongs together (WHATWG, server-sent events)."""
    data: list[str] = []
    for line in (*text.splitlines()[:_MOST_LINES], ""):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line.strip() and data:
            yield _value("\n".join(data))
            data = []


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
