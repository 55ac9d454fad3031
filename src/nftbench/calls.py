"""Finding the one tool call in what a model wrote, or saying what is wrong with it in words for the model.

A call is a JSON object with a `name` and an object of `arguments`. It is taken when it is the whole text; inside a fence or
prose only when the text holds exactly one such object and its tool exists. Nothing is ever guessed: an object that was cut,
repeats a key or is one of several calls nothing.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Collection
from typing import Any

from msgspec import Struct

LONGEST_REPLY = 1_000_000
"""Characters of a reply that are searched for a call; a longer reply is told to be too long."""
DEEPEST_ARGUMENTS = 64
"""How many levels of lists and objects the arguments of a call may nest."""

_BRACE = re.compile(r"[{}]")
_FENCE = re.compile(r"```(?:(?!```).)*```", re.DOTALL)


class Call(Struct, frozen=True):
    """One tool call: the tool's name and its arguments, decoded but not checked against the tool."""

    name: str
    arguments: dict[str, Any]


class Problem(Struct, frozen=True):
    """Why a text is no call: one or two sentences for the model, in whatever layout it answers."""

    text: str


class Found(Struct, frozen=True):
    """A call and how it was written: "" as asked for, else the family of the deviation (fenced, prose, parameters ...)."""

    call: Call
    family: str = ""


def asking_for_one(problem: str) -> str:
    """A problem's text for a model that writes its calls as text, with the form asked for; a Problem itself says nothing of
    any form, because other layouts have others."""
    if "exactly one call" in problem or problem.startswith("There is no tool"):
        return problem
    return f'{problem} Reply with exactly one JSON object of the form {{"name": "tool_name", "arguments": {{...}}}}.'


def parse_call(text: str, tool_names: Collection[str]) -> Call | str:
    """The call that a reply text makes, or a sentence worded for the model that says why it makes none. Never raises."""
    found = find_call(text, tool_names)
    return found.call if isinstance(found, Found) else asking_for_one(found.text)


def find_call(text: str, tool_names: Collection[str]) -> Found | Problem:
    """Like parse_call, and tells how the call was written. Never raises."""
    if len(text) > LONGEST_REPLY:
        return Problem(f"Your reply is too long ({len(text)} characters) and was not read.")
    whole = text.strip()
    if not whole:
        return Problem("Your reply was empty.")
    if whole[0] == "{":
        value = decode(whole)
        if isinstance(value, Problem):
            if value is REPEATED_KEY or value is NOT_FINITE:
                return value
        else:
            return _known(as_call(value) or Problem(_missing(value)), tool_names)
    return _find_inside(whole, tool_names)


def _find_inside(text: str, tool_names: Collection[str]) -> Found | Problem:
    values = objects_in(text)
    if isinstance(values, Problem):
        return values
    calls = [call for call in map(as_call, values) if call is not None]
    if len(calls) > 1:
        return Problem(f"Your reply held {len(calls)} calls and none was run.")
    if not calls:
        return Problem("Your reply held no call.")
    found = _known(calls[0], tool_names)
    if isinstance(found, Problem):
        return found
    fence = _FENCE.fullmatch(text)
    return Found(found.call, found.family or ("fenced" if fence else "prose"))


def _known(found: Found | Problem, tool_names: Collection[str]) -> Found | Problem:
    if isinstance(found, Problem) or is_tool(found.call.name, tool_names):
        return found
    return Problem(unknown_tool(found.call.name, tool_names))


def is_tool(name: str, tool_names: Collection[str]) -> bool:
    """Whether a call may name this tool; where no tools were declared, any name may be called."""
    return not tool_names or name in tool_names


def unknown_tool(name: str, tool_names: Collection[str]) -> str:
    """The sentence about a tool that does not exist, with the nearest names."""
    near = difflib.get_close_matches(name[:100], list(tool_names), n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"The tools are {', '.join(sorted(tool_names)[:30])}."
    return f"There is no tool {json.dumps(name[:100])}. {hint}"


def as_call(value: object) -> Found | Problem | None:
    """The call that a decoded object stands for, what is wrong with it, or None where it is not meant as a call.

    Besides the form asked for it knows `parameters` in place of `arguments`, arguments as JSON text, and the
    `{"type": "function", "function": ...}` form of chat servers.
    """
    if not isinstance(value, dict):
        return None
    fields: dict[str, Any] = value
    family = ""
    if isinstance(fields.get("function"), dict) and "name" not in fields:
        fields, family = fields["function"], "openai_json"
    if "name" not in fields or not ("arguments" in fields or "parameters" in fields):
        return None
    if "arguments" in fields and "parameters" in fields:
        return Problem("Your call held both arguments and parameters and was not run.")
    name = fields["name"]
    arguments = fields["arguments"] if "arguments" in fields else fields["parameters"]
    family = family or ("" if "arguments" in fields else "parameters")
    if type(name) is not str or not name:
        return Problem("The name of a call must be the name of a tool, as text.")
    if arguments is None or (type(arguments) is str and arguments.strip() in ("", "null")):
        return Found(Call(name, {}), family or "empty_arguments")
    if type(arguments) is str:
        arguments, family = decode(arguments), family or "string_arguments"
    if type(arguments) is not dict:
        return Problem(f"The arguments of {json.dumps(name[:100])} must be one JSON object.")
    if nests_deeper(arguments, DEEPEST_ARGUMENTS):
        return Problem(f"The arguments of {json.dumps(name[:100])} nest more than {DEEPEST_ARGUMENTS} levels deep.")
    return Found(Call(name, arguments), family)


def decode(text: str) -> Any:
    """The value of a whole JSON text as a model wrote it (raw line ends in strings are let through), or a Problem."""
    try:
        return _DECODER.decode(text)
    except _Refused as refused:
        return refused.problem
    except (ValueError, RecursionError):
        return Problem("Your reply was not valid JSON.")


def objects_in(text: str) -> list[Any] | Problem:
    """The JSON objects of a text, outermost only. What looks like an object but does not decode is skipped as a whole;
    a text that ends inside one is a Problem, because what is inside a cut object was not meant alone."""
    values: list[Any] = []
    at = text.find("{")
    while at >= 0:
        try:
            value, at_end = _DECODER.raw_decode(text, at)
            values.append(value)
        except _Refused as refused:
            return refused.problem
        except (ValueError, RecursionError):
            past = _past_balanced(text, at)
            if past is None:
                return Problem("The JSON of your reply is broken or was cut off.")
            at_end = past
        at = text.find("{", at_end)
    return values


def nests_deeper(value: object, levels: int) -> bool:
    """Whether lists and objects nest more than so many levels in a decoded JSON value."""
    layer = [value]
    for _ in range(levels):
        layer = [
            inner
            for outer in layer
            for inner in (outer.values() if type(outer) is dict else outer if type(outer) is list else ())
            if type(inner) in (dict, list)
        ]
        if not layer:
            return False
    return True


def _missing(value: object) -> str:
    keys = ", ".join(sorted(value)[:8])[:100] if type(value) is dict else ""
    return f"Your JSON object is no call: it needs the keys name and arguments{f' and has {keys}' if keys else ''}."


def _past_balanced(text: str, start: int) -> int | None:
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.end()
    return None


REPEATED_KEY = Problem("An object in your reply has the same key twice, so it is not clear what you meant.")
NOT_FINITE = Problem("Your reply holds a number that JSON does not have (NaN or an infinity).")


class _Refused(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused(REPEATED_KEY)
    return value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refused(NOT_FINITE)
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite, strict=False)
