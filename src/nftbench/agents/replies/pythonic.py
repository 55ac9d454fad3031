"""Calls and objects written as Python: `[transfer(token="7")]`, `finish_task(summary="done")`, `{'token': 7}`."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection
from typing import Any

from nftbench.calls import Problem

_LONGEST = 20_000
_DEEPEST = 40
_SHAPE = re.compile(r"\[?\s*((?:default_api\.|functions\.|tools\.)?[A-Za-z_]\w*)\s*\(.*\)\s*,?\s*\]?", re.DOTALL)
_PRINTED = re.compile(r"print\s*\(\s*((?:\w+\.)?\w+\s*\(.*\))\s*\)", re.DOTALL)
_BRACKET = re.compile(r"[(\[{]|[)\]}]")
_ESCAPE = re.compile(r"\\(u[dD][89a-fA-F]|.)", re.DOTALL)
_PLAIN_ESCAPES = frozenset("\\'\"nrtbfu\n")
"""What Python and JSON read alike; whatever else stands after a backslash is read differently, or is a mistake."""
_NAMESPACES = frozenset({"default_api", "functions", "tools"})
_JSON_NAMES = {"true": True, "false": False, "null": None}


_UNCLEAR = Problem("The call in your reply is not written as one: name every argument and give plain values.")


def python_calls(text: str, tool_names: Collection[str] | None) -> list[tuple[str, object]] | Problem | None:
    """The calls of a text that is nothing but calls, None if it is something else; with `tool_names` given, also None if
    the first one names no tool. Arguments must be named, and be plain values."""
    shape = _SHAPE.fullmatch(text) if len(text) <= _LONGEST else None
    name = shape.group(1).rpartition(".")[2] if shape else ""
    if shape is None or (tool_names is not None and name not in tool_names) or _nests_deep(text):
        return None
    if not _escapes_plainly(text):
        return _UNCLEAR
    printed = _PRINTED.fullmatch(text.strip())
    try:
        parsed = ast.parse(printed.group(1) if printed else text.strip(), mode="eval").body
        written = parsed.elts if isinstance(parsed, ast.List) else [parsed]
        return [_call(expression) for expression in written]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return _UNCLEAR


def python_object(text: str) -> dict[str, Any] | None:
    """The object that a text is as Python writes it, with plain values under text keys, none of them twice; else None."""
    if len(text) > _LONGEST or not (text.startswith("{") and text.endswith("}")):
        return None
    if _nests_deep(text) or not _escapes_plainly(text):
        return None
    try:
        expression = ast.parse(text, mode="eval").body
        value = None if _repeats_a_key(expression) else _value(expression)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) else None


def _call(expression: ast.expr) -> tuple[str, object]:
    if not isinstance(expression, ast.Call) or expression.args:
        raise ValueError("no plain call")
    arguments = {}
    for keyword in expression.keywords:
        if keyword.arg is None or keyword.arg in arguments or _repeats_a_key(keyword.value):
            raise ValueError("unpacked arguments, or one given twice")
        arguments[keyword.arg] = _value(keyword.value)
    return _name(expression.func), arguments or ""


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    if (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id in _NAMESPACES
    ):
        return function.attr
    raise ValueError("no plain call")


def _value(expression: ast.expr) -> object:
    return _plain(ast.literal_eval(_JsonNames().visit(expression)))


class _JsonNames(ast.NodeTransformer):
    """Lets JSON's names for values stand in Python."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_JSON_NAMES[node.id]) if node.id in _JSON_NAMES else node


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


def _escapes_plainly(text: str) -> bool:
    return all(escape in _PLAIN_ESCAPES for escape in _ESCAPE.findall(text))


def _nests_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket.group() in "([{" else -1
        if depth > _DEEPEST:
            return True
    return False
