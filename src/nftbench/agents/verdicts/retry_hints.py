"""How long a server asks its client to wait."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_WAIT = 120.0
"""Seconds. A server that asks for more is asked again after this."""
_SHORTEST_SPOKEN = 1.0
"""Seconds. What a text says is rounded, so it is never taken for less."""
_SPOKEN = re.compile(
    r"(?:try again|retry|wait)(?: again)?(?: in| after| for)? (?:about )?((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)"
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_UNITS = (
    (re.compile(r"ms|milli\w*"), 0.001),
    (re.compile(r"s|secs?|seconds?"), 1.0),
    (re.compile(r"m|mins?|minutes?"), 60.0),
    (re.compile(r"h|hrs?|hours?"), 3600.0),
    (re.compile(r"d|days?"), 86400.0),
)
_A_MOMENT = 1e9
"""From here on a number is a moment in Unix seconds, from a thousand times as much in milliseconds."""


def retry_hint(
    headers: Mapping[str, str], metadata: Mapping[str, Any], now: float, text: str = "", told: Iterable[Any] = ()
) -> float | None:
    """Seconds to wait, more than 0 and at most LONGEST_WAIT; None if the server says nothing usable.

    Reads, in this order, `retry-after-ms`, `Retry-After` (litellm may put `llm_provider-` before its name) as seconds or as an
    HTTP date (RFC 9110, 10.2.3) against `now` (Unix seconds), what an error's fields tell (`told`), the reset time of a used-up
    limit in the headers or in OpenRouter's `metadata`, and what the error's `text` (lower case) says in words.
    """
    for seconds in _hints(headers, metadata, now, text, told):
        if seconds is not None and math.isfinite(seconds) and seconds > 0:
            return min(seconds, LONGEST_WAIT)
    return None


def _hints(
    headers: Mapping[str, str], metadata: Mapping[str, Any], now: float, text: str, told: Iterable[Any]
) -> Iterator[float | None]:
    milliseconds = _number(headers.get("retry-after-ms"))
    yield None if milliseconds is None else milliseconds / 1000
    yield _seconds(headers.get("retry-after") or headers.get("llm_provider-retry-after"), now)
    for value in told:
        yield _seconds(value, now)
    inner = metadata.get("headers")
    folded = {str(name).lower(): str(value) for name, value in inner.items()} if isinstance(inner, dict) else {}
    yield from _resets(headers, now)
    yield _seconds(folded.get("retry-after"), now)
    yield from _resets({"x-ratelimit-remaining": "0", **folded}, now)
    spoken = _SPOKEN.search(text)
    duration = _duration(spoken.group(1)) if spoken else None
    yield None if duration is None else max(duration, _SHORTEST_SPOKEN)


def _resets(headers: Mapping[str, str], now: float) -> Iterator[float | None]:
    """When limits that are used up are given back."""
    for name in ("", "-requests", "-tokens"):
        if _number(headers.get(f"x-ratelimit-remaining{name}")) == 0:
            yield _seconds(headers.get(f"x-ratelimit-reset{name}"), now)


def _seconds(value: object, now: float) -> float | None:
    """Seconds from a number of them, a moment, a duration such as `6m0s`, or an HTTP date."""
    number = _number(value)
    if number is not None:
        return number if number < _A_MOMENT else (number if number < _A_MOMENT * 100 else number / 1000) - now
    if type(value) is not str or not value:
        return None
    duration = _duration(value.strip().lower())
    if duration is not None:
        return duration
    moment = _date(value)
    return None if moment is None else moment - now


def _duration(text: str) -> float | None:
    """The seconds of `6m0s` or `20 seconds`; None if a part of it has no known unit."""
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text).strip():
        return None
    total = 0.0
    for amount, unit in parts:
        factor = next((seconds for pattern, seconds in _UNITS if pattern.fullmatch(unit)), None)
        if factor is None:
            return total or None
        total += float(amount) * factor
    return total


def _number(text: object) -> float | None:
    try:
        return float(str(text).strip()) if text is not None and type(text) is not bool else None
    except ValueError:
        return None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text.strip()).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None
