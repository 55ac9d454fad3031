"""A call as a person types it: `tool`, `tool {"argument": "value"}`, or `tool argument=value other=["a", "b"]`."""

from __future__ import annotations

import json
import shlex
from typing import Any

from nftbench.errors import Refusal
from nftbench.run.near import quoted


def typed_call(line: str) -> tuple[str, dict[str, Any]]:
    """The tool's name and its arguments; Refusal for what can't be read. A value that is JSON is taken as JSON, else as text;
    numbers stay text, since integers travel as decimal strings."""
    name, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if not rest:
        return name, {}
    if rest.startswith("{"):
        return name, json_arguments(rest)
    arguments: dict[str, Any] = {}
    for word in _words(rest):
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise Refusal(f"{quoted(word)} is no argument: write name=value, or all arguments as one JSON object")
        if key in arguments:
            raise Refusal(f"the argument {quoted(key)} is given twice")
        arguments[key] = _value(value)
    return name, arguments


def json_arguments(text: str) -> dict[str, Any]:
    """Arguments given as one JSON object; Refusal otherwise."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Refusal(f"the arguments {quoted(text)} are no JSON: {problem}") from None
    if not isinstance(value, dict):
        raise Refusal(f'the arguments are to be a JSON object such as {{"seconds": "60"}}; got {quoted(text)}')
    return value


def _words(text: str) -> list[str]:
    """Words as a shell has them, but brackets and the quotes in them stay together."""
    words: list[str] = []
    word, depth, quote = "", 0, ""
    for character in text:
        if quote:
            word += character
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote, word = character, word + character
        elif character.isspace() and depth == 0:
            words, word = [*words, word] if word else words, ""
        else:
            depth += (character in "[{") - (character in "]}")
            word += character
    if quote or depth > 0:
        raise Refusal(f"{quoted(text)} lacks a closing {quote or 'bracket'}")
    return [*words, word] if word else words


def _value(text: str) -> Any:
    if text[:1] in "[{" or text in ("true", "false", "null"):
        try:
            return json.loads(text)
        except ValueError as problem:
            raise Refusal(f"the value {quoted(text)} is no JSON: {problem}") from None
    try:
        return "".join(shlex.split(text)) if text[:1] in "\"'" else text
    except ValueError:
        raise Refusal(f"the value {quoted(text)} lacks a closing quote") from None
