"""Reading the arguments of a structured call, which servers give as an object, as JSON text, empty, fenced or trailed."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from nftbench.calls import DEEPEST_ARGUMENTS, Problem, decode, nests_deeper

_FENCED = re.compile(r"```(?:json)?\s*\n?(.*?)\n?\s*```", re.DOTALL)
_LEADING_WORD = re.compile(r"json\s*\n")
_STRAY_END = re.compile(r"(\{.*\})[\s\"'`]+", re.DOTALL)


class Arguments(Struct, frozen=True):
    """Arguments, and how they had to be recovered ("" where they were as they should be)."""

    value: dict[str, Any]
    family: str = ""


def decoded_arguments(given: object, schema: dict[str, Any] | None) -> Arguments | Problem:
    """The arguments of a call to a tool with this schema (None: not known). Empty ones count as none only for a tool that
    needs none; text after the object is let go only if it is quotes and blanks."""
    if given is None or (type(given) is str and not given.strip()):
        required = list((schema or {}).get("required") or ())
        if not required:
            return Arguments({}, "empty_arguments")
        return Problem(f"Your call came without arguments; it needs {', '.join(map(str, required))}. Nothing was run.")
    value, family = (_from_text(given.strip())) if type(given) is str else (given, "")
    if type(value) is not dict:
        return value if isinstance(value, Problem) else Problem("The arguments of a call must be one JSON object.")
    if nests_deeper(value, DEEPEST_ARGUMENTS):
        return Problem(f"The arguments of your call nest more than {DEEPEST_ARGUMENTS} levels deep.")
    return Arguments(value, family)


def _from_text(text: str) -> tuple[Any, str]:
    value = decode(text)
    if not isinstance(value, Problem):
        return value, ""
    fenced = _FENCED.fullmatch(text)
    leading = _LEADING_WORD.match(text)
    stray = _STRAY_END.fullmatch(text)
    inner = fenced.group(1) if fenced else text[leading.end() :] if leading else stray.group(1) if stray else None
    if inner is None:
        return Problem("The arguments of your call are not valid JSON. Nothing was run."), ""
    value = decode(inner)
    return value, "fenced_arguments" if fenced or leading else "trailed_arguments"
