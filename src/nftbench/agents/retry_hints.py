"""How long a server asks its client to wait."""

from __future__ import annotations

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

LONGEST_WAIT = 120.0
"""Seconds. A server that asks for more is asked again after this."""


def retry_hint(headers: Mapping[str, str], metadata: Mapping[str, Any], now: float) -> float | None:
    """Seconds to wait, more than 0 and at most LONGEST_WAIT; None if the server says nothing usable.

    Reads `retry-after-ms`, `Retry-After` as seconds or as an HTTP date (RFC 9110, 10.2.3) against `now` (Unix seconds), and
    the reset time that OpenRouter puts into an error's metadata (milliseconds).
    """
    for seconds in _hints(headers, metadata, now):
        if seconds is not None and math.isfinite(seconds) and seconds > 0:
            return min(seconds, LONGEST_WAIT)
    return None


def _hints(headers: Mapping[str, str], metadata: Mapping[str, Any], now: float) -> list[float | None]:
    milliseconds = _number(headers.get("retry-after-ms"))
    after = headers.get("retry-after")
    seconds = _number(after)
    if seconds is None and after:
        moment = _date(after)
        seconds = None if moment is None else moment - now
    inner = metadata.get("headers")
    reset = _number(inner.get("X-RateLimit-Reset")) if isinstance(inner, dict) else None
    return [
        None if milliseconds is None else milliseconds / 1000,
        seconds,
        None if reset is None else reset / 1000 - now,
    ]


def _number(text: object) -> float | None:
    try:
        return float(str(text).strip()) if text is not None else None
    except ValueError:
        return None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text.strip()).timestamp()
    except (ValueError, TypeError, OverflowError, OSError):
        return None
