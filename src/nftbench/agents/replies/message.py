"""Reading the message of a chat completion, in every shape that servers give it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from nftbench.agents.replies.markup import tell_apart

_REASONING_FIELDS = (
    *("reasoning_content", "reasoning", "reasoning_text", "thinking", "thinking_content", "thinking_blocks"),
    "reasoning_details",
)
_TEXT_PARTS = frozenset({"text", "output_text", "refusal"})
_THINKING_PARTS = frozenset(
    {"thinking", "think", "reasoning", "reasoning.text", "reasoning_text", "redacted_thinking", "summary_text"}
)
_CALL_PARTS = frozenset({"tool_use", "tool_call", "function_call", "function"})
_ARGUMENTS = ("arguments", "parameters", "input", "args")
"""The names that a call's arguments come under; the first that is there counts."""


LONGEST_REASONING = 200_000
"""Characters of thinking that are kept of a reply. With more of it none goes back to the model either: in part it could be
neither read nor, where it is signed, checked."""


class ToolCall(Struct, frozen=True):
    """A call as the server structured it: `arguments` is whatever stood there, `identifier` the server's own (never a key)."""

    name: str
    arguments: Any
    identifier: str | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """What a model said: `text` without thinking and channel marks, calls apart. `raw` is the text as the server sent it.
    `reasoning_name` is the field that the reasoning came in, None if it came inside the text; `reasoning_fields` has all such
    fields of the message as they came. `calls_from` says where calls were found that the server had not structured itself:
    `harmony`, or `content_parts`."""

    text: str = ""
    raw: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    reasoning_name: str | None = None
    reasoning_fields: dict[str, Any] = {}
    lost_markers: bool = False
    calls_from: str = ""
    finish_reason: str | None = None
    served_model: str | None = None
    usage: dict[str, Any] = {}
    notes: tuple[str, ...] = ()


class Malformed(Struct, frozen=True):
    """A message that is none: what is wrong with it, for people."""

    text: str


def read_message(message: object) -> Reply | Malformed:
    """The reply in a choice's `message`; the fields outside of the message are left empty."""
    if type(message) is not dict:
        return Malformed("the reply's choice holds no message")
    calls = _structured_calls(message.get("tool_calls") or _old_call(message))
    content = _content(message.get("content"))
    unread = isinstance(content, Malformed) and calls and not isinstance(calls, Malformed)
    if unread:
        content = _Content("")
    if isinstance(content, Malformed):
        return content
    if isinstance(calls, Malformed):
        return calls
    raw = content.text
    if not raw and type(message.get("refusal")) is str:
        raw = message["refusal"]
    told = tell_apart(raw)
    name, reasoning = _reasoning_field(message)
    reasoning = reasoning or content.reasoning or told.reasoning
    fields = {field: message[field] for field in _REASONING_FIELDS if message.get(field)}
    is_long = reasoning is not None and len(reasoning) > LONGEST_REASONING
    noted = {"markup": told.markup, "content_unread": bool(unread), "reasoning_cut": is_long}
    in_channels = tuple(ToolCall(tool, arguments) for tool, arguments in told.calls)
    found = _beside(calls, in_channels or content.calls)
    return Reply(
        text=told.text,
        raw=raw,
        calls=calls + found,
        reasoning=_bounded(reasoning) if reasoning else None,
        reasoning_name=name,
        reasoning_fields={} if is_long else fields,
        lost_markers=told.lost_markers,
        calls_from=("harmony" if in_channels else "content_parts") if found else "",
        notes=tuple(name for name, holds in noted.items() if holds),
    )


def _bounded(reasoning: str) -> str:
    if len(reasoning) <= LONGEST_REASONING:
        return reasoning
    return f"{reasoning[:LONGEST_REASONING]}... [cut, {len(reasoning)} characters]"


def is_cut(arguments: object) -> bool:
    """Whether an arguments text is the beginning of a JSON object that broke off."""
    if type(arguments) is not str or not arguments.lstrip().startswith("{"):
        return False
    text = arguments.strip()
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or error.pos >= len(text)
    except (ValueError, RecursionError):
        return False
    return False


class _Content(Struct, frozen=True):
    text: str
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()


def _content(content: object) -> _Content | Malformed:
    """What a message's content says: a string, null, or a list of parts."""
    if content is None:
        return _Content("")
    if type(content) is str:
        return _Content(content)
    if type(content) is not list or not content:
        return Malformed(f"the reply's content is {_kind(content)}, not text")
    texts: list[str] = []
    thoughts: list[str] = []
    called: list[object] = []
    for part in content:
        if type(part) is str:
            texts.append(part)
        elif type(part) is not dict:
            return Malformed(f"a part of the reply's content is {_kind(part)}")
        elif part.get("type") in _THINKING_PARTS:
            thoughts.append(_part_text(part))
        elif part.get("type") in _CALL_PARTS:
            called.append(part)
        elif part.get("type") in _TEXT_PARTS or (part.get("type") is None and type(part.get("text")) is str):
            texts.append(_part_text(part))
    calls = _structured_calls(called)
    return calls if isinstance(calls, Malformed) else _Content("".join(texts), "".join(thoughts) or None, calls)


def _part_text(part: object) -> str:
    """The text of a part; thinking parts may hold it under several names, or as parts of their own."""
    if type(part) is str:
        return part
    if type(part) is dict:
        for name in ("text", "thinking", "reasoning", "summary", "content", "refusal", "value"):
            if part.get(name) is not None:
                inner = part[name]
                return inner if type(inner) is str else "".join(_flat_text(inner))
    return ""


def _flat_text(parts: object) -> list[str]:
    if isinstance(parts, dict):
        return [_part_text(parts)]
    if not isinstance(parts, list):
        return []
    inner = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text for text in inner if isinstance(text, str)]


def _reasoning_field(message: dict[str, Any]) -> tuple[str | None, str | None]:
    for name in _REASONING_FIELDS:
        value = message.get(name)
        parts = value if type(value) is list else [value]
        text = "".join(map(_part_text, parts)) if value else ""
        if text:
            return name, text
    return None, None


def _old_call(message: dict[str, Any]) -> object:
    """The one call in the form that chat completions had before lists of them."""
    called = message.get("function_call")
    return [{"function": called}] if type(called) is dict and called else None


def _structured_calls(listed: object) -> tuple[ToolCall, ...] | Malformed:
    if not listed:
        return ()
    if type(listed) is dict:
        listed = [listed]
    if type(listed) is not list:
        return Malformed(f"the reply's tool_calls is {_kind(listed)}, not a list")
    calls = []
    for entry in listed:
        function = entry.get("function", entry) if type(entry) is dict else None
        if type(function) is not dict or type(function.get("name")) is not str:
            return Malformed("a tool call of the reply has no function name")
        arguments = next((function[name] for name in _ARGUMENTS if name in function), None)
        identifier = entry.get("id")
        calls.append(
            ToolCall(function["name"], arguments, identifier if type(identifier) is str and identifier else None)
        )
    return tuple(calls)


def _beside(structured: tuple[ToolCall, ...], found: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The calls of the content that are not the very ones that the server structured and left in the content too."""
    if not structured or not found:
        return found
    known = [(call.name, _decoded(call.arguments)) for call in structured]
    return tuple(call for call in found if (call.name, _decoded(call.arguments)) not in known)


def _decoded(arguments: object) -> object:
    if type(arguments) is not str:
        return arguments
    try:
        return json.loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return arguments


def _kind(value: object) -> str:
    names = {
        dict: "an object",
        list: "an empty list" if value == [] else "a list",
        bool: "a truth value",
        type(None): "null",
    }
    return names.get(type(value), "a number" if isinstance(value, int | float) else "text")
