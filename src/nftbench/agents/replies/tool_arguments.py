"""Reading the arguments of a structured call, which servers give as an object, as JSON text, empty, fenced, trailed, encoded
twice or as Python writes them."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from nftbench.agents.replies.pythonic import python_object
from nftbench.calls import (
    DEEPEST_ARGUMENTS,
    LONGEST_REPLY,
    NOT_FINITE,
    REPEATED_KEY,
    Problem,
    decode,
    nests_deeper,
)

_FENCED = re.compile(r"```(?:json)?\s*\n?(.*?)\n?\s*```", re.DOTALL)
_LEADING_WORD = re.compile(r"json\s*\n")
_STRAY_END = re.compile(r"(\{.*\})(?:[\s\"'`]|<\|[^<>|]{1,40}\|>|</?(?:s|tool_call|function)>)+", re.DOTALL)
"""After the object: quotes, blanks, and marks that end a reply or a call."""
_MOST_ENCODED = 3
_NOTHING = frozenset({"null", "none", '""', "''"})


class Arguments(Struct, frozen=True):
    """Arguments, and how they had to be recovered ("" where they were as they should be)."""

    value: dict[str, Any]
    family: str = ""


def decoded_arguments(given: object, schema: dict[str, Any] | None) -> Arguments | Problem:
    """The arguments of a call to a tool with this schema (None: not known). Empty ones count as none only for a tool that
    needs none; text after the object is let go only if it is quotes, blanks and end marks."""
    if given is None or (type(given) is str and (not given.strip() or given.strip().lower() in _NOTHING)):
        required = list((schema or {}).get("required") or ())
        if not required:
            return Arguments({}, "empty_arguments")
        return Problem(f"Your call came without arguments; it needs {', '.join(map(str, required))}. Nothing was run.")
    if type(given) is str and len(given) > LONGEST_REPLY:
        return Problem(f"The arguments of your call are too long ({len(given)} characters). Nothing was run.")
    value, family = (_from_text(given.strip())) if type(given) is str else (given, "")
    if type(value) is not dict:
        return value if isinstance(value, Problem) else Problem("The arguments of a call must be one JSON object.")
    if nests_deeper(value, DEEPEST_ARGUMENTS):
        return Problem(f"The arguments of your call nest more than {DEEPEST_ARGUMENTS} levels deep.")
    return Arguments(value, family)


def _from_text(text: str) -> tuple[Any, str]:
    value, family = decode(text), ""
    for _ in range(_MOST_ENCODED):
        if type(value) is not str:
            break
        value, family = decode(value), "encoded_arguments"
    if not isinstance(value, Problem) or value is REPEATED_KEY or value is NOT_FINITE:
        return value, family
    fenced = _FENCED.fullmatch(text)
    leading = _LEADING_WORD.match(text)
    stray = _STRAY_END.fullmatch(text)
    inner = fenced.group(1) if fenced else text[leading.end() :] if leading else stray.group(1) if stray else None
    if inner is not None:
        return decode(inner), "fenced_arguments" if fenced or leading else "trailed_arguments"
    written = python_object(text)
    if written is not None:
        return written, "python_arguments"
    return Problem("The arguments of your call are not valid JSON. Nothing was run."), ""
