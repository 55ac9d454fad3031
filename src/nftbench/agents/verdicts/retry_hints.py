"""How long a server asks its client to wait."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_WAIT = 120.0
"""Seconds. A server that asks for more is asked again after this."""
_SHORTEST_SPOKEN = 1.0
"""Seconds. What a text says is rounded, so it is never taken for less."""
_SPOKEN = re.compile(
    r"(?:try again|retry|wait|resets?|renews?|available(?: again)?)(?: again)?(?: in| after| for)? (?:about |approximately )?"
    r"((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)"
)
_NONE_LEFT = re.compile(r"\b(?:remaining|r)\s*=\s*0\b")
_RESET_IN = re.compile(r"\b(?:reset|t)\s*=\s*(\d+)")
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
    """Seconds to wait, more than 0 and at most LONGEST_WAIT; None if the server says nothing usable. See `told_wait`."""
    seconds = told_wait(headers, metadata, now, text, told)
    return None if seconds is None else min(seconds, LONGEST_WAIT)


def told_wait(
    headers: Mapping[str, str], metadata: Mapping[str, Any], now: float, text: str = "", told: Iterable[Any] = ()
) -> float | None:
    """Seconds that the server names, more than 0, however many; None if it says nothing usable.

    Reads, in this order, `retry-after-ms`, `Retry-After` (litellm may put `llm_provider-` before its name) as seconds or as an
    HTTP date (RFC 9110, 10.2.3) against `now` (Unix seconds), and what an error's fields tell (`told`). Where limits are used
    up, by the headers or OpenRouter's `metadata`, the last of their resets counts if it is later. Else what the error's
    `text` (lower case) says in words, the longest of it.
    """
    inner = metadata.get("headers")
    passed_on = {str(name).lower(): str(value) for name, value in inner.items()} if isinstance(inner, dict) else {}
    asked = next(filter(None, map(_usable, _asked(headers, passed_on, now, told))), None)
    resets = (*_resets(headers, now), *_resets({"x-ratelimit-remaining": "0", **passed_on}, now))
    latest = max(filter(None, map(_usable, resets)), default=None)
    if asked is not None or latest is not None:
        return max(asked or 0.0, latest or 0.0)
    spoken = [_duration(found.group(1)) for found in _SPOKEN.finditer(text)]
    longest = max(filter(None, map(_usable, spoken)), default=None)
    return None if longest is None else max(longest, _SHORTEST_SPOKEN)


def _usable(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) and seconds > 0 else None


def _asked(
    headers: Mapping[str, str], passed_on: Mapping[str, str], now: float, told: Iterable[Any]
) -> Iterator[float | None]:
    milliseconds = _number(headers.get("retry-after-ms"))
    yield None if milliseconds is None else milliseconds / 1000
    yield _seconds(headers.get("retry-after") or headers.get("llm_provider-retry-after"), now)
    for value in told:
        yield _seconds(value, now)
    yield _seconds(passed_on.get("retry-after"), now)


def _resets(headers: Mapping[str, str], now: float) -> Iterator[float | None]:
    """When limits that are used up are given back: `x-ratelimit-remaining-tokens: 0` with `x-ratelimit-reset-tokens`, the
    same without `x-` or with a vendor's prefix, and the one field `RateLimit` of the IETF's drafts."""
    for name, value in headers.items():
        if "ratelimit-" in name and "remaining" in name and _number(value) == 0:
            yield _seconds(headers.get(name.replace("remaining", "reset")), now)
    combined = headers.get("ratelimit", "")
    if _NONE_LEFT.search(combined):
        reset = _RESET_IN.search(combined)
        yield _seconds(reset.group(1), now) if reset else None


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
    """Unix seconds of an HTTP date, or of one as ISO 8601 has it (UTC where it names no zone)."""
    try:
        return parsedate_to_datetime(text.strip()).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        pass
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
