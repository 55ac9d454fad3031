"""Reading the message of a chat completion, in every shape that servers give it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from nftbench.agents.markup import tell_apart

_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
_TEXT_PARTS = frozenset({"text", "output_text"})
_THINKING_PARTS = frozenset(
    {"thinking", "reasoning", "reasoning.text", "reasoning_text", "redacted_thinking", "summary_text"}
)


class ToolCall(Struct, frozen=True):
    """A call as the server structured it: `arguments` is whatever stood there, `identifier` the server's own (never a key)."""

    name: str
    arguments: Any
    identifier: str | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """What a model said: `text` without thinking and channel marks, calls apart. `raw` is the text as the server sent it.
    `reasoning_name` is the field that the reasoning came in, None if it came inside the text; `reasoning_fields` has all such
    fields of the message as they came."""

    text: str = ""
    raw: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    reasoning_name: str | None = None
    reasoning_fields: dict[str, Any] = {}
    lost_markers: bool = False
    from_channels: bool = False
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
    content = _content(message.get("content"))
    if isinstance(content, Malformed):
        return content
    raw, part_reasoning = content
    if not raw and type(message.get("refusal")) is str:
        raw = message["refusal"]
    calls = _structured_calls(message)
    if isinstance(calls, Malformed):
        return calls
    told = tell_apart(raw)
    name, reasoning = _reasoning_field(message)
    reasoning = reasoning or part_reasoning or told.reasoning
    calls += tuple(ToolCall(tool, arguments) for tool, arguments in told.calls)
    return Reply(
        text=told.text,
        raw=raw,
        calls=calls,
        reasoning=reasoning,
        reasoning_name=name,
        reasoning_fields={field: message[field] for field in _REASONING_FIELDS if message.get(field)},
        lost_markers=told.lost_markers,
        from_channels=bool(told.calls),
        notes=("markup",) if told.markup else (),
    )


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


def _content(content: object) -> tuple[str, str | None] | Malformed:
    """The text and the reasoning in a message's content: a string, null, or a list of parts."""
    if content is None:
        return "", None
    if type(content) is str:
        return content, None
    if type(content) is not list or not content:
        return Malformed(f"the reply's content is {_kind(content)}, not text")
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if type(part) is str:
            texts.append(part)
        elif type(part) is not dict:
            return Malformed(f"a part of the reply's content is {_kind(part)}")
        elif part.get("type") in _THINKING_PARTS:
            thoughts.append(_part_text(part))
        elif part.get("type") in _TEXT_PARTS or (part.get("type") is None and type(part.get("text")) is str):
            texts.append(_part_text(part))
    return "".join(texts), "".join(thoughts) or None


def _part_text(part: object) -> str:
    """The text of a part; thinking parts may hold it under several names, or as parts of their own."""
    if type(part) is str:
        return part
    if type(part) is dict:
        for name in ("text", "thinking", "reasoning", "summary", "content"):
            if part.get(name) is not None:
                inner = part[name]
                return inner if type(inner) is str else "".join(_flat_text(inner))
    return ""


def _flat_text(parts: object) -> list[str]:
    if not isinstance(parts, list):
        return []
    inner = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text for text in inner if isinstance(text, str)]


def _reasoning_field(message: dict[str, Any]) -> tuple[str | None, str | None]:
    for name in _REASONING_FIELDS[:2]:
        value = message.get(name)
        if type(value) is str and value:
            return name, value
    details = message.get("reasoning_details")
    if type(details) is list:
        text = "".join(map(_part_text, details))
        return ("reasoning_details", text) if text else (None, None)
    return None, None


def _structured_calls(message: dict[str, Any]) -> tuple[ToolCall, ...] | Malformed:
    listed = message.get("tool_calls")
    if not listed and type(message.get("function_call")) is dict:
        listed = [{"function": message["function_call"]}]
    if listed is None:
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
        arguments = function["arguments"] if "arguments" in function else function.get("parameters")
        identifier = entry.get("id")
        calls.append(
            ToolCall(function["name"], arguments, identifier if type(identifier) is str and identifier else None)
        )
    return tuple(calls)


def _kind(value: object) -> str:
    names = {
        dict: "an object",
        list: "an empty list" if value == [] else "a list",
        bool: "a truth value",
        type(None): "null",
    }
    return names.get(type(value), "a number" if isinstance(value, int | float) else "text")
