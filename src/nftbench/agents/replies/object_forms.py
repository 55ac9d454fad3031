"""Calls as JSON objects in other forms than the one asked for: the names that other APIs and frameworks give the same fields."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

_NAMES = ("name", "tool_name", "tool", "function", "function_name", "action")
_ARGUMENTS = (
    *("arguments", "parameters", "args", "input", "inputs", "params", "kwargs", "tool_input", "tool_args"),
    *("action_input", "tool_arguments", "tool_parameters"),
)
_BESIDE = frozenset(
    {"type", "id", "index", "call_id", "tool_call_id", "role", "content", "thought", "reasoning", "status"}
)
"""Fields that change nothing about a call."""
_LISTS = ("tool_calls", "function_call", "tool_call", "calls")

Given = tuple[str, Any]


def called_in(value: object, tools: Collection[str] | None = None) -> list[Given]:
    """The calls (tool, arguments) that an object stands for in another form; none if it is not clear that it is one.
    With `tools`, an object whose one key is a tool's name counts too."""
    if type(value) is not dict:
        return []
    wrapper = next((name for name in _LISTS if value.get(name)), None)
    if wrapper is not None and set(value) - {wrapper} <= _BESIDE:
        listed = value[wrapper] if type(value[wrapper]) is list else [value[wrapper]]
        return [call for entry in listed for call in _one(entry)]
    if tools and len(value) == 1:
        name, given = next(iter(value.items()))
        if name in tools and type(given) is dict:
            return [(name, given)]
    return _one(value)


def named_only(value: object) -> list[Given]:
    """The call without arguments that an object stands for which only names a tool; none if it holds anything else."""
    if type(value) is not dict:
        return []
    if type(value.get("function")) is dict and set(value) - {"function"} <= _BESIDE:
        return named_only(value["function"])
    names = [name for name in _NAMES if type(value.get(name)) is str and value[name]]
    return [(value[names[0]], "")] if len(names) == 1 and set(value) - {names[0]} <= _BESIDE else []


def _one(value: object) -> list[Given]:
    if type(value) is not dict:
        return []
    if type(value.get("function")) is dict and set(value) - {"function"} <= _BESIDE:
        return _one(value["function"])
    names = [name for name in _NAMES if type(value.get(name)) is str and value[name]]
    given = [name for name in _ARGUMENTS if name in value]
    if len(names) != 1 or len(given) != 1 or set(value) - {names[0], given[0]} - _BESIDE:
        return []
    arguments = value[given[0]]
    return [(value[names[0]], arguments)] if arguments is None or type(arguments) in (dict, str) else []
