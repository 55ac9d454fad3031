"""What a reply's finish reason means, in the words of all servers: `stop`, `FINISH_REASON_MAX_TOKENS`, `content-filter` ...

One table a meaning. A word that no table has is `unknown`: whoever sends it may have meant an end or a failure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Ending = Literal[
    "finished", "calls", "cut", "repetition", "overflow", "filtered", "broken", "malformed_call", "unknown", "missing"
]

_OVERFLOW = re.compile(r"context_(?:window|length|limit)|error_limit")
_MALFORMED = re.compile(
    r"malformed_(?:function|tool)_call|unexpected_(?:tool|function)_call|invalid_(?:tool|function)_call"
)
_REPETITION = re.compile(r"repetit|repeat|\bloop")
_CUT = re.compile(
    r"\blength|_length|max_?(?:output_?|new_?|completion_?)?tokens?|truncat|token_limit|limit_reached|cut_?off|\bincomplete|budget"
)
_FILTERED = re.compile(
    r"filter|safety|\bblock|prohibit|moderat|policy|guardrail|sensitive|recitation|\bspii|refus|toxic|censor|\brisk|violat"
)
_BROKEN = re.compile(
    r"error|fail|abort|cancel|time_?out|network|crash|kill|evict|preempt|interrupt|disconnect|unavailable|resource|overload"
    r"|^(?:un)?load|shutdown|internal|exception|reject|stopped_by_server"
)
_CALLS = re.compile(r"tool|function")
_FINISHED = re.compile(r"stop|\beo[stg]|end|complet|finish|done|natural|success")
_TABLES: tuple[tuple[re.Pattern[str], Ending], ...] = (
    (_OVERFLOW, "overflow"),
    (_MALFORMED, "malformed_call"),
    (_REPETITION, "repetition"),
    (_CUT, "cut"),
    (_FILTERED, "filtered"),
    (_BROKEN, "broken"),
    (_CALLS, "calls"),
    (_FINISHED, "finished"),
)
"""In this order: `function_call_filter: MALFORMED_FUNCTION_CALL` is about the call."""
_PREFIX = re.compile(r"^(?:finish|stop)_reason[_:. ]+")


def ending_of(reason: object) -> Ending:
    """The meaning of a finish reason; `missing` for what is no text or empty."""
    return _ending(reason[:200]) if type(reason) is str and reason.strip() else "missing"


@lru_cache(maxsize=64)
def _ending(reason: str) -> Ending:
    told = _PREFIX.sub("", re.sub(r"[-\s]+", "_", reason.strip().lower()))
    return next((ending for pattern, ending in _TABLES if pattern.search(told)), "unknown")
