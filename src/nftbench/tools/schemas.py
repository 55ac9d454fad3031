"""The JSON schemas of arguments, in what every function-calling API takes.

Every list says what it holds, every object which properties it has, and a value that may be of several types is an `anyOf`
with nothing beside it: OpenAI's API refuses lists without `items`, its strict mode objects without declared properties,
and Gemini's API properties without a type and anything beside `anyOf`. So what has free keys (typed data, an answer that is
an object) is asked as one JSON text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.tools.arguments import Argument

TEXT: dict[str, Any] = {"type": "string"}
_TEXTS = {"type": "array", "items": TEXT}
_VALUE = {"anyOf": [TEXT, {"type": "boolean"}, _TEXTS]}
"""A contract value. What nests deeper than a list of plain values is asked as JSON text."""
_PAIR = {"type": "object", "properties": {"name": TEXT, "value": TEXT}, "required": ["name", "value"]}


def schema_of(argument: Argument) -> dict[str, Any]:
    """The schema of one argument."""
    told = {"description": argument.description} if argument.description else {}
    match argument.kind:
        case "texts":
            return {"type": "array", "items": TEXT, **told}
        case "values":
            return {"type": "array", "items": _VALUE, **told}
        case "where":
            return {"type": "array", "items": _PAIR, **told}
        case "rows":
            return {"type": "array", "items": object_of(argument.fields), **told}
        case "any":
            return {"anyOf": [{"type": "string", **told}, _TEXTS]}
    choices = {"enum": list(argument.choices)} if argument.choices else {}
    return {"type": "string", **told, **choices}


def object_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """The schema of an object with these properties."""
    schema: dict[str, Any] = {"type": "object", "properties": {a.name: schema_of(a) for a in arguments}}
    required = [a.name for a in arguments if a.required]
    return schema | ({"required": required} if required else {})
