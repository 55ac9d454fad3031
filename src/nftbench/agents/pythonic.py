"""Calls written as Python: `[transfer(token="7")]` or `finish_task(summary="done")`."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection

from nftbench.calls import Problem

_LONGEST = 20_000
_DEEPEST = 40
_SHAPE = re.compile(r"\[?\s*([A-Za-z_]\w*)\s*\(.*\)\s*,?\s*\]?", re.DOTALL)
_BRACKET = re.compile(r"[(\[{]|[)\]}]")


def python_calls(text: str, tool_names: Collection[str] | None) -> list[tuple[str, object]] | Problem | None:
    """The calls of a text that is nothing but calls, None if it is something else; with `tool_names` given, also None if
    the first one names no tool. Arguments must be named, and be plain values."""
    shape = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    if shape is None or (tool_names is not None and shape.group(1) not in tool_names) or _nests_deep(text):
        return None
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
        written = parsed.elts if isinstance(parsed, ast.List) else [parsed]
        return [_call(expression) for expression in written]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return Problem("The call in your reply is not written as one: name every argument and give plain values.")


def _call(expression: ast.expr) -> tuple[str, object]:
    if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name) or expression.args:
        raise ValueError("no plain call")
    arguments = {}
    for keyword in expression.keywords:
        if keyword.arg is None or keyword.arg in arguments or _repeats_a_key(keyword.value):
            raise ValueError("unpacked arguments, or one given twice")
        arguments[keyword.arg] = _plain(ast.literal_eval(keyword.value))
    return expression.func.id, arguments or ""


def _repeats_a_key(expression: ast.expr) -> bool:
    for node in ast.walk(expression):
        if isinstance(node, ast.Dict):
            keys = [ast.dump(key) for key in node.keys if key is not None]
            if len(set(keys)) != len(node.keys):
                return True
    return False


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner) for key, inner in value.items()}
    raise ValueError("no JSON value")


def _nests_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket.group() in "([{" else -1
        if depth > _DEEPEST:
            return True
    return False
