"""How a conversation is laid out for a chat server, and how its reply becomes an answer: `items_v1`.

The sibling layout with the server's own tool calling is `native.NativeLayout`.
"""

from __future__ import annotations

import json
import threading
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents.backend import Answer, Invocation
from nftbench.agents.replies.message import Reply, ToolCall
from nftbench.agents.replies.recovery import recover
from nftbench.agents.replies.tool_arguments import Arguments, decoded_arguments
from nftbench.agents.replies.tool_names import known_tool
from nftbench.calls import Call, Found, Problem, asking_for_one, unknown_tool
from nftbench.conversation import PROMPT_LAYOUT, ItemsRenderer, call_text


class Laid(Struct, frozen=True):
    """A request as a layout sends it: the JSON members of the body that hold it (`"messages": [...]` ...), the tools' schemas
    by name, and how many turns came before."""

    members: bytes
    schemas: dict[str, dict[str, Any]]
    turn: int


class Layout(Protocol):
    """A way of laying out; one object may serve many threads."""

    name: str

    def lay_out(self, request: str) -> Laid:
        """The request for the server."""
        ...

    def invocation(self, reply: Reply, schemas: dict[str, dict[str, Any]] | None) -> Invocation:
        """What the model said; `schemas` None where the tools are not known."""
        ...

    def answer(self, invocation: Invocation, laid: Laid) -> Answer:
        """The calls in it, or the problem."""
        ...


class ItemsLayout:
    """`items_v1`: everything is text, one call a reply. Each thread keeps what it rendered last, so that a turn costs its own
    length, not the conversation's."""

    name = PROMPT_LAYOUT

    def __init__(self) -> None:
        self._threads = threading.local()

    def lay_out(self, request: str) -> Laid:
        """The head as system message and the items."""
        renderer = getattr(self._threads, "renderer", None)
        if renderer is None:
            renderer = self._threads.renderer = ItemsRenderer()
        reading, rendering = renderer.render(request)
        return Laid(b'"messages":[' + rendering.encoded + b"]", schemas_of(reading.tools), rendering.turn)

    def invocation(self, reply: Reply, schemas: dict[str, dict[str, Any]] | None) -> Invocation:
        """A single structured call that can be read becomes its JSON object; several calls stay several, for the problem."""
        said = Invocation(
            text=reply.text,
            calls=reply.calls,
            reasoning=reply.reasoning,
            reasoning_name=reply.reasoning_name,
            reasoning_fields=reply.reasoning_fields,
            finish_reason=reply.finish_reason,
            served_model=reply.served_model,
            recovered=reply.calls_from or None,
            notes=reply.notes,
        )
        if not reply.calls:
            return said
        if len(reply.calls) > 1:
            return replace(said, text="\n".join(map(raw_call_text, reply.calls)))
        call = reply.calls[0]
        name = known_tool(call.name, schemas or {}) or call.name
        arguments = decoded_arguments(call.arguments, (schemas or {}).get(name))
        if not isinstance(arguments, Arguments):
            return replace(said, text=raw_call_text(call))
        family = said.recovered or arguments.family or ("tool_name" if name != call.name else None)
        return replace(said, text=call_text(Call(name, arguments.value)), recovered=family)

    def answer(self, invocation: Invocation, laid: Laid) -> Answer:
        """At most one call. One that stands as text in a model family's markup is recovered where nothing is unclear."""
        text, calls = invocation.text, invocation.calls
        if len(calls) > 1:
            problem = f"Your reply held {len(calls)} calls and none was run. Make exactly one call a reply."
            return Answer(text=text, problem=problem)
        if calls:
            return self._structured(invocation, laid)
        return answer_to_text(text, laid)

    def _structured(self, invocation: Invocation, laid: Laid) -> Answer:
        call, text = invocation.calls[0], invocation.text
        name = known_tool(call.name, laid.schemas)
        if name is None:
            return Answer(text=text, problem=unknown_tool(call.name, laid.schemas))
        arguments = decoded_arguments(call.arguments, laid.schemas.get(name))
        if isinstance(arguments, Problem):
            return Answer(text=text, problem=asking_for_one(arguments.text))
        return _called(text, Found(Call(name, arguments.value), invocation.recovered or ""), laid)


def answer_to_text(text: str, laid: Laid) -> Answer:
    """The one call that a text makes, in any family's markup, or the problem."""
    found = recover(text, laid.schemas)
    if isinstance(found, Problem):
        return Answer(text=text, problem=asking_for_one(found.text))
    return _called(text, found, laid)


def _called(text: str, found: Found, laid: Laid) -> Answer:
    return Answer(text=text, calls=((f"call_{laid.turn + 1}", found.call),), recovered=found.family or None)


def schemas_of(tools: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The parameters' JSON schema of each tool."""
    return {tool["name"]: tool.get("parameters") or {} for tool in tools}


def raw_call_text(call: ToolCall) -> str:
    """A structured call as text, its arguments as they came, readable or not."""
    arguments = call.arguments if type(call.arguments) is str else json.dumps(call.arguments, ensure_ascii=False)
    return f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments}}}'
