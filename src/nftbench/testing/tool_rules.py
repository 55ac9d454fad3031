"""What the function-calling APIs refuse in a request's tools, told in their own manner, and a server that refuses so.

The rules are those of the public documentation and of the refusals that people report: OpenAI's function calling and its
strict mode (structured outputs), Gemini's function declarations (a subset of OpenAPI 3.0), Anthropic's `input_schema`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from nftbench.testing.faults import respond
from nftbench.testing.server import Behaviour, Received

Schema = dict[str, Any]
Rules = Callable[[dict[str, Any]], Iterator[str]]
"""From a tool (`name`, `description`, `parameters`) to what an API would say against it."""

_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_COMBINED = ("anyOf", "oneOf", "allOf", "not", "enum")
_OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_DESCRIPTION = 1024
_STRICT_KEYS = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref"}
    | {"pattern", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems", "$defs", "title"}
)
_STRICT_DEPTH = 5
"""Levels of objects and lists; the present limit is ten, some deployments still hold to the five of the beginning."""
_STRICT_PROPERTIES = 100
_GEMINI_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_GEMINI_PARAMETER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}")
_GEMINI_KEYS = frozenset(
    {"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"}
    | {"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"}
    | {"default", "items", "minimum", "maximum"}
)
_ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ANTHROPIC_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def places(schema: Schema, where: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every schema inside a schema, itself first, with the way to it."""
    yield where, schema
    for name, inner in (schema.get("properties") or {}).items():
        yield from places(inner, (*where, "properties", name))
    if isinstance(schema.get("items"), dict):
        yield from places(schema["items"], (*where, "items"))
    for key in ("anyOf", "oneOf", "allOf"):
        for number, inner in enumerate(schema.get(key) or ()):
            yield from places(inner, (*where, key, str(number)))


def openai(tool: dict[str, Any]) -> Iterator[str]:
    """OpenAI's chat completions, without `strict`."""
    said = f"Invalid schema for function {tool['name']!r}"
    if not _OPENAI_NAME.fullmatch(tool["name"]):
        yield f"Invalid 'tools[].function.name': {tool['name']!r} does not match the pattern"
    if len(tool.get("description") or "") > _LONGEST_DESCRIPTION:
        yield f"Invalid 'tools[].function.description' of {tool['name']!r}: more than {_LONGEST_DESCRIPTION} characters"
    root = tool["parameters"]
    if root.get("type") != "object":
        yield f"{said}: schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{root.get('type')}\"'."
    if any(key in root for key in _COMBINED):
        yield f"{said}: schema must not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    for where, schema in places(root):
        kinds = schema.get("type")
        for kind in kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []:
            if kind not in _TYPES:
                yield f"{said}: In context={where}, {kind!r} is not valid under any of the given schemas."
            if kind == "array" and not isinstance(schema.get("items"), dict):
                yield f"{said}: In context={where}, array schema missing items."
            if kind == "object" and not isinstance(schema.get("properties"), dict):
                yield f"{said}: In context={where}, object schema missing properties."
        if not set(schema.get("required") or ()) <= set(schema.get("properties") or ()):
            yield f"{said}: In context={where}, 'required' names what is not among the properties."


def openai_strict(tool: dict[str, Any]) -> Iterator[str]:
    """The same with `strict: true`."""
    yield from openai(tool)
    said = f"Invalid schema for function {tool['name']!r}"
    properties = 0
    for where, schema in places(tool["parameters"]):
        unknown = set(schema) - _STRICT_KEYS
        if unknown:
            yield f"{said}: In context={where}, {min(unknown)!r} is not permitted."
        if "type" not in schema and "anyOf" not in schema and "$ref" not in schema:
            yield f"{said}: In context={where}, schema must have a 'type' key."
        if "object" in _kinds(schema):
            properties += len(schema.get("properties") or {})
            if schema.get("additionalProperties") is not False:
                yield f"{said}: In context={where}, 'additionalProperties' is required to be supplied and to be false."
            if set(schema.get("required") or ()) != set(schema.get("properties") or ()):
                yield f"{said}: In context={where}, 'required' is required to be supplied and to include every key in properties."
        if len([part for part in where if part in ("properties", "items")]) > _STRICT_DEPTH:
            yield f"{said}: In context={where}, more than {_STRICT_DEPTH} levels of nesting."
    if properties > _STRICT_PROPERTIES:
        yield f"{said}: {properties} object properties, more than {_STRICT_PROPERTIES}."


def gemini(tool: dict[str, Any]) -> Iterator[str]:
    """Gemini's function declarations, as its own API and Vertex AI check them."""
    said = f"GenerateContentRequest.tools[0].function_declarations[{tool['name']}]"
    if not _GEMINI_NAME.fullmatch(tool["name"]):
        yield f"{said}.name: Invalid function name."
    for path, schema in places(tool["parameters"]):
        where = f"{said}.parameters" + "".join(f".{part}" for part in path)
        unknown = set(schema) - _GEMINI_KEYS
        if unknown:
            yield f"Invalid JSON payload received. Unknown name \"{min(unknown)}\" at '{where}': Cannot find field."
        if "anyOf" in schema:
            if len(schema) > 1:
                yield f"{where}: schema specified other fields alongside any_of, which must be the only field set."
            continue
        kind = schema.get("type")
        if not isinstance(kind, str):
            yield f"{where}.type: must be specified when not using one_of, any_of or all_of fields"
        if kind == "array" and not schema.get("items"):
            yield f"{where}.items: missing field."
        if kind == "object" and not schema.get("properties"):
            yield f"{where}.properties: should be non-empty for OBJECT type"
        if "enum" in schema and kind != "string":
            yield f"{where}.enum: only allowed for STRING type"
        if "" in (schema.get("enum") or ()):
            yield f"{where}.enum: cannot be empty"
        for name in schema.get("properties") or {}:
            if not _GEMINI_PARAMETER.fullmatch(name):
                yield f"{where}.properties: invalid parameter name {name}"
        for name in schema.get("required") or ():
            if name not in (schema.get("properties") or {}):
                yield f"{where}.required[{name}]: property is not defined"


def anthropic(tool: dict[str, Any]) -> Iterator[str]:
    """Anthropic's Messages API."""
    said = f"tools.{tool['name']}"
    if not _ANTHROPIC_NAME.fullmatch(tool["name"]):
        yield f"{said}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    root = tool["parameters"]
    if root.get("type") != "object":
        yield f"{said}.custom.input_schema.type: Input should be 'object'"
    if any(key in root for key in ("anyOf", "oneOf", "allOf")):
        yield f"{said}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
    for where, schema in places(root):
        if "$ref" in schema:
            yield f"{said}.custom.input_schema: {'.'.join(where)}: $ref is not supported"
        for name in schema.get("properties") or {}:
            if not _ANTHROPIC_PROPERTY.fullmatch(name):
                yield f"{said}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'"
        for kind in _kinds(schema):
            if kind not in _TYPES:
                yield f"{said}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"


RULES: dict[str, Rules] = {"openai": openai, "gemini": gemini, "anthropic": anthropic}
"""The APIs' rules for tools as they are sent; `openai_strict` is for their strict variants."""


def strict_variant(tool: dict[str, Any]) -> dict[str, Any]:
    """The tool for OpenAI's strict mode: every property is required, one that may be left out may be null instead."""
    return {**tool, "parameters": _strict(tool["parameters"])}


def _strict(schema: Schema) -> Schema:
    made = dict(schema)
    if "anyOf" in schema:
        made["anyOf"] = [_strict(inner) for inner in schema["anyOf"]]
    if "items" in schema:
        made["items"] = _strict(schema["items"])
    if schema.get("type") == "object":
        required = set(schema.get("required") or ())
        given = {name: _strict(inner) for name, inner in schema["properties"].items()}
        made["properties"] = {name: inner if name in required else _or_null(inner) for name, inner in given.items()}
        made |= {"required": list(given), "additionalProperties": False}
    return made


def _or_null(schema: Schema) -> Schema:
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **choices}


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type")
    return kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []


def picky(api: str, answer: Callable[[Received], Behaviour]) -> Callable[[Received], Behaviour]:
    """A plan for FaultServer: requests whose tools the API would refuse are refused with status 400 and its words, all
    others answered by `answer`."""
    rules = RULES[api]

    def plan(asked: Received) -> Behaviour:
        tools = [tool["function"] for tool in asked.json().get("tools") or ()]
        problem = next((said for tool in tools for said in rules(tool)), None)
        if problem is None:
            return answer(asked)
        error = {"message": problem, "type": "invalid_request_error", "param": "tools", "code": None}
        if api == "openai":
            error["code"] = "invalid_function_parameters"
        if api == "gemini":
            return respond(400, {"error": {"code": 400, "message": f"* {problem}\n", "status": "INVALID_ARGUMENT"}})
        return respond(400, {"type": "error", "error": error} if api == "anthropic" else {"error": error})

    return plan
