"""The layout `native_v1`: the server's own tool calling, with the tools in the request and several calls a reply.

The history is always one that servers accept: every call has its result right after it, ids are unique and of a form that
all of them take, arguments are valid JSON text, and what a model thought goes back under the very names it came with.
"""

from __future__ import annotations

import json
import threading
from typing import Any

from nftbench.agents.backend import Answer, Invocation
from nftbench.agents.layouts.items import Laid, answer_to_text, raw_call_text, schemas_of
from nftbench.agents.replies.message import Reply, ToolCall
from nftbench.agents.replies.tool_arguments import decoded_arguments
from nftbench.agents.replies.tool_names import known_tool
from nftbench.calls import Call, Found, Problem, unknown_tool
from nftbench.conversation import LONGEST_SENT_BACK, Message, RequestReader, sendable

NATIVE_LAYOUT = "native_v1"
_ASK = "Call one of the tools."


class ChatHistory:
    """Lays out a conversation's messages, given one after the other, as chat messages with tool calls. An assistant message may
    hold `reasoning_fields`, which go back as they are. Nothing that was laid out is changed later.

    With `own_ids` calls keep the ids that they have, which must be unique; else each gets one of nine letters and digits, which
    even the strictest chat templates take.
    """

    def __init__(self, *, own_ids: bool = False) -> None:
        self.turn = 0
        self._own_ids = own_ids
        self._calls = 0
        self._unanswered: list[tuple[str, str]] = []

    def add(self, message: Message) -> list[Message]:
        """The chat messages that this message adds."""
        role, content = message.get("role"), message.get("content")
        text = sendable(content if isinstance(content, str) else json.dumps(content) if content is not None else "")
        waiting = next((pair for pair in self._unanswered if pair[0] == str(message.get("tool_call_id"))), None)
        if role == "tool" and waiting is not None:
            self._unanswered.remove(waiting)
            return [_result(waiting[1], text)]
        added = self.unanswered()
        self._unanswered = []
        if role == "tool":
            text = f"Result:\n{text}"
        if role == "assistant":
            self.turn += 1
            added.append(self._assistant(message, text))
        else:
            added.append({"role": "system" if role == "system" else "user", "content": text})
        return added

    def unanswered(self) -> list[Message]:
        """What stands for the results of calls that have none yet."""
        return [_result(wire, "(no result)") for _, wire in self._unanswered]

    def _assistant(self, message: Message, text: str) -> Message:
        calls = message.get("tool_calls") or []
        if len(text) > LONGEST_SENT_BACK:
            text = f"{text[:LONGEST_SENT_BACK]} [{len(text) - LONGEST_SENT_BACK} more characters cut]"
        fields = dict(message.get("reasoning_fields") or {})
        if not calls:
            return {"role": "assistant", "content": text if text.strip() else "(an empty reply)", **fields}
        return {
            "role": "assistant",
            "content": text or None,
            "tool_calls": [self._call(call) for call in calls],
            **fields,
        }

    def _call(self, call: dict[str, Any]) -> dict[str, Any]:
        self._calls += 1
        wire = str(call["id"]) if self._own_ids else f"call{self._calls:05d}"
        self._unanswered.append((str(call.get("id")), wire))
        arguments = sendable(json.dumps(call["arguments"], ensure_ascii=False))
        return {"id": wire, "type": "function", "function": {"name": call["name"], "arguments": arguments}}


class NativeRenderer:
    """Renders the requests of one conversation after another as chat messages with tool calls. Not for use from two threads at
    once."""

    def __init__(self) -> None:
        self._reader = RequestReader()
        self._restart()

    def _restart(self) -> None:
        self._encoded = bytearray()
        self._tools = b"[]"
        self._history = ChatHistory()

    def render(self, request: str) -> Laid:
        """The request's tools and messages; ValueError if it is no request."""
        reading = self._reader.read(request)
        if reading.kept == 0:
            self._restart()
            self._tools = json.dumps([chat_tool(tool) for tool in reading.tools]).encode("ascii")
        for message in reading.messages[reading.kept :]:
            for laid in self._history.add(message):
                self._encoded += _encoded(laid)
        open_results = b"".join(map(_encoded, self._history.unanswered()))
        messages = (bytes(self._encoded) + open_results)[1:]
        tools = b'"tools":' + self._tools + b"," if reading.tools else b""
        return Laid(tools + b'"messages":[' + messages + b"]", schemas_of(reading.tools), self._history.turn)


class NativeLayout:
    """`native_v1` for a backend; one object may serve many threads."""

    name = NATIVE_LAYOUT

    def __init__(self) -> None:
        self._threads = threading.local()

    def lay_out(self, request: str) -> Laid:
        """Tools and messages as chat servers have them."""
        renderer = getattr(self._threads, "renderer", None)
        if renderer is None:
            renderer = self._threads.renderer = NativeRenderer()
        laid: Laid = renderer.render(request)
        return laid

    def invocation(self, reply: Reply, schemas: dict[str, dict[str, Any]] | None) -> Invocation:
        """What the model said; calls stay calls, their text is only what was said beside them."""
        return Invocation(
            text=reply.text or "\n".join(map(raw_call_text, reply.calls)),
            calls=reply.calls,
            reasoning=reply.reasoning,
            reasoning_name=reply.reasoning_name,
            reasoning_fields=reply.reasoning_fields,
            finish_reason=reply.finish_reason,
            served_model=reply.served_model,
            recovered=reply.calls_from or None,
            notes=reply.notes,
        )

    def answer(self, invocation: Invocation, laid: Laid) -> Answer:
        """All calls of the reply in their order; if one of them cannot be read, none is run."""
        if not invocation.calls:
            answer = answer_to_text(invocation.text, laid)
            if answer.problem is None:
                return Answer(text=answer.text, calls=answer.calls, recovered=answer.recovered or "json_text")
            return Answer(text=answer.text, problem=f"Your reply called no tool. {_ASK}")
        calls: list[tuple[str, Call]] = []
        family = invocation.recovered
        for number, given in enumerate(invocation.calls, 1):
            read = _read(given, laid)
            if isinstance(read, Problem):
                return Answer(text=invocation.text, problem=f"{read.text} None of your calls was run. {_ASK}")
            turn = laid.turn + 1
            calls.append((f"call_{turn}" if number == 1 else f"call_{turn}_{number}", read.call))
            family = family or read.family or None
        return Answer(text=invocation.text, calls=tuple(calls), recovered=family)


def _read(given: ToolCall, laid: Laid) -> Found | Problem:
    name = known_tool(given.name, laid.schemas)
    if name is None:
        return Problem(unknown_tool(given.name, laid.schemas))
    arguments = decoded_arguments(given.arguments, laid.schemas.get(name))
    if isinstance(arguments, Problem):
        return arguments
    return Found(Call(name, arguments.value), arguments.family or ("tool_name" if name != given.name else ""))


def chat_tool(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool of a request as the `tools` of chat completions have it."""
    function = {
        "name": tool["name"],
        "description": tool.get("description") or "",
        "parameters": tool.get("parameters") or {"type": "object", "properties": {}},
    }
    return {"type": "function", "function": function}


def _result(wire: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": wire, "content": text}


def _encoded(message: Message) -> bytes:
    return b"," + json.dumps(message).encode("ascii")
