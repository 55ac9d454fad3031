"""The conversation between an episode and whoever answers: requests, the `items_v1` layout, and calls found in replies.

A request is JSON text with the keys `tools` and `messages`. Each next request of an episode repeats the one before with
more elements at the end of `messages`; readers and renderers here use that, and cost what is new, not what is old. They
give exactly what reading the whole text would give.

`items_v1` is made for servers that only know text: one system text (the head) with the task's system text, the tools and
the reply rule, then items that alternate between user and assistant. Nothing that was sent is ever changed later, so that
a server's prefix cache holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from nftbench.calls import Call, parse_call

PROMPT_LAYOUT = "items_v1"
LONGEST_SENT_BACK = 8_000
"""Characters of an assistant text that is no call, as it is sent back to the model; the rest is cut."""

_UNSENDABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_REPLY_RULE = (
    "# How to reply\n\n"
    "Reply with exactly one JSON object and nothing else: the tool you call and its arguments, as in\n"
    '{"name": "tool_name", "arguments": {"argument_name": "value"}}\n'
    "You get its result as the next message. One call a reply; a reply that is no such object calls nothing."
)

__all__ = [
    "LONGEST_SENT_BACK",
    "PROMPT_LAYOUT",
    "Call",
    "ItemsRenderer",
    "Reading",
    "Rendering",
    "RequestReader",
    "RequestWriter",
    "call_text",
    "parse_call",
    "render_items",
    "sendable",
]

Message = dict[str, Any]
Item = dict[str, str]


class Reading(Struct, frozen=True):
    """A request as read: `kept` leading messages are the very ones of the reading before it (0 after a fresh start)."""

    tools: list[dict[str, Any]]
    messages: list[Message]
    kept: int


class RequestReader:
    """Reads the request texts of one conversation after another. Not for use from two threads at once."""

    def __init__(self) -> None:
        self._stem = ""
        self._tools: list[dict[str, Any]] = []
        self._messages: list[Message] = []

    def read(self, request: str) -> Reading:
        """The tools and messages of a request; ValueError if it is no request. The lists grow with the next reading."""
        added = self._added(request)
        if added is None:
            return self._read_whole(request)
        kept = len(self._messages)
        self._messages.extend(added)
        self._stem = request[:-2]
        return Reading(self._tools, self._messages, kept)

    def _added(self, request: str) -> list[Message] | None:
        """The messages that the request has beyond the last one, or None if it is not that request, extended."""
        stem = self._stem
        if not stem or not request.startswith(stem) or not request.endswith("]}"):
            return None
        tail = request[len(stem) : -2]
        if not tail:
            return []
        if tail[0] != ",":
            return None
        try:
            added = json.loads(f"[{tail[1:]}]")
        except (ValueError, RecursionError):
            return None
        return added if added and all(type(message) is dict for message in added) else None

    def _read_whole(self, request: str) -> Reading:
        whole = json.loads(request)
        if type(whole) is not dict or type(whole.get("messages")) is not list:
            raise ValueError("a request is a JSON object with the key messages")
        self._tools, self._messages = whole.get("tools") or [], whole["messages"]
        self._stem = request[:-2] if self._messages and _ends_in_messages(request, len(self._messages)) else ""
        return Reading(self._tools, self._messages, 0)


class RequestWriter:
    """Writes the request texts of one episode, each extending the one before, at the cost of what is new; nothing is written
    for who never asks."""

    def __init__(self, tools: Sequence[dict[str, Any]]) -> None:
        self.messages: list[Message] = []
        self._tools = tools
        self._stem = ""
        self._written = 0

    def append(self, message: Message) -> None:
        """Adds a message; it must not be changed afterwards."""
        self.messages.append(message)

    def text(self) -> str:
        """The request as it now stands: ASCII, whatever the messages hold."""
        if not self._stem:
            self._stem = '{"tools":' + json.dumps(list(self._tools)) + ',"messages":['
        for number, message in enumerate(self.messages[self._written :], self._written):
            self._stem += ("," if number else "") + json.dumps(message)
        self._written = len(self.messages)
        return self._stem + "]}"


class Rendering(Struct, frozen=True):
    """A request in a layout: `encoded` is the JSON of all messages for a chat server, head first, without the brackets."""

    head: str
    items: list[Item]
    encoded: bytes
    turn: int
    """How many assistant messages the conversation holds: the number of turns before this one."""


class ItemsRenderer:
    """Renders the requests of one conversation after another as `items_v1`. Not for use from two threads at once."""

    def __init__(self) -> None:
        self._reader = RequestReader()
        self._restart()

    def _restart(self) -> None:
        self._head = ""
        self._items: list[Item] = []
        self._encoded = bytearray()
        self._last_item_at = 0
        self._turn = 0
        self._called: dict[str, str] = {}

    def render(self, request: str) -> tuple[Reading, Rendering]:
        """The request and its rendering; ValueError if it is no request."""
        reading = self._reader.read(request)
        messages, start = reading.messages, reading.kept
        if start == 0 or not self._items:
            self._restart()
            start = _leading_system_count(messages)
            self._head = _head(messages[:start], reading.tools)
            self._encoded += _encoded_item("system", self._head)
        for index in range(start, len(messages)):
            self._add(messages[index])
        return reading, Rendering(self._head, self._items, bytes(self._encoded), self._turn)

    def _add(self, message: Message) -> None:
        role = "assistant" if message.get("role") == "assistant" else "user"
        if role == "assistant":
            self._turn += 1
            self._called.update((str(call.get("id")), call["name"]) for call in message.get("tool_calls") or ())
        text = _item_text(message, self._called)
        items = self._items
        if items and items[-1]["role"] == role:
            text = f"{items[-1]['content']}\n\n{text}"
            items.pop()
            del self._encoded[self._last_item_at :]
        items.append({"role": role, "content": text})
        self._last_item_at = len(self._encoded)
        self._encoded += b"," + _encoded_item(role, text)


def render_items(request: str) -> tuple[str, list[Item]]:
    """The head and the items of a request in the layout `items_v1`; ValueError if it is no request."""
    _, rendering = ItemsRenderer().render(request)
    return rendering.head, rendering.items


def sendable(text: str) -> str:
    """The text with lone surrogates and control characters (tab and line ends aside) replaced: servers refuse or lose them."""
    return text if text.isprintable() else _UNSENDABLE.sub("\ufffd", text)


def call_text(call: Call) -> str:
    """The one JSON object that stands for a call, as the reply rule asks for it."""
    return json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)


def _ends_in_messages(request: str, count: int) -> bool:
    """Whether the two last characters close `messages` and the request, so that elements can be put before them."""
    if not request.endswith("]}"):
        return False
    try:
        return len(json.loads(request[:-2] + ",0]}")["messages"]) == count + 1
    except (ValueError, RecursionError):
        return False


def _leading_system_count(messages: list[Message]) -> int:
    for index, message in enumerate(messages):
        if message.get("role") != "system":
            return index
    return len(messages)


def _head(system: list[Message], tools: list[dict[str, Any]]) -> str:
    parts = [_text_of(message.get("content")) for message in system]
    if tools:
        parts.append("# Tools\n\n" + "\n\n".join(map(_tool_text, tools)))
    parts.append(_REPLY_RULE)
    return sendable("\n\n".join(part for part in parts if part))


def _tool_text(tool: dict[str, Any]) -> str:
    schema = json.dumps(tool.get("parameters") or {}, ensure_ascii=False)
    return f"## {tool['name']}\n{tool.get('description') or ''}\nArguments (JSON schema): {schema}"


def _item_text(message: Message, called: dict[str, str]) -> str:
    role = message.get("role")
    text = _text_of(message.get("content"))
    if role == "tool":
        name = called.get(str(message.get("tool_call_id")))
        return sendable(f"Result of {name}:\n{text}" if name else f"Result:\n{text}")
    if role != "assistant":
        return sendable(text)
    calls = message.get("tool_calls")
    if calls:
        return sendable("\n".join(call_text(Call(call["name"], call["arguments"])) for call in calls))
    if len(text) > LONGEST_SENT_BACK:
        text = f"{text[:LONGEST_SENT_BACK]} [{len(text) - LONGEST_SENT_BACK} more characters cut]"
    return sendable(text) if text.strip() else "(an empty reply)"


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _encoded_item(role: str, text: str) -> bytes:
    return f'{{"role":"{role}","content":{json.dumps(text)}}}'.encode("ascii")
