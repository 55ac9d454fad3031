"""What every answerer is to an episode, and what one answer holds."""

from __future__ import annotations

import json
from typing import Any, Protocol

from msgspec import Struct

from nftbench.agents.replies.message import ToolCall
from nftbench.conversation import Call


class Backend(Protocol):
    """Answers the requests of episodes. One backend may serve many threads; each thread has one episode at a time."""

    def complete(self, request: str) -> str:
        """The answer to a request (JSON text with `tools` and `messages`) as JSON text, see `answer_text`.

        Raises CLIFailure when there is no answer; nothing else that a server or a model does raises.
        """
        ...


class Invocation(Struct, frozen=True, kw_only=True):
    """One reply of a model. `text` is what counts as said, without thinking; a single structured call is its JSON object.

    `usage["usage"]` is the server's own usage, with `retried` beside it where attempts before this one were made:
    `{"attempts", "prompt_tokens", "completion_tokens"}` and their `cost` in dollars where it is known; `spent` is what this
    reply cost in dollars, where it is known. `usage["waited"]` are the seconds, where there were any, that went by waiting for
    the server's leave to ask (again).
    """

    text: str
    usage: dict[str, Any] = {}
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    reasoning_name: str | None = None
    reasoning_fields: dict[str, Any] = {}
    finish_reason: str | None = None
    served_model: str | None = None
    recovered: str | None = None
    notes: tuple[str, ...] = ()


class Answer(Struct, frozen=True, kw_only=True):
    """What an episode is told: calls in order with their ids, or the problem that it should tell the model."""

    text: str
    calls: tuple[tuple[str, Call], ...] = ()
    problem: str | None = None
    recovered: str | None = None


NO_USAGE: dict[str, Any] = {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}


def answer_text(answer: Answer, invocation: Invocation | None = None) -> str:
    """The JSON text that `complete` returns (ASCII, so that lone surrogates survive)."""
    return json.dumps(answer_body(answer, invocation))


def answer_body(answer: Answer, invocation: Invocation | None = None) -> dict[str, Any]:
    """An answer as an episode takes it.

    Keys: `tool_calls` (`id`, `name`, `arguments`), `text`, `usage`, and where there is something to say `problem`,
    `recovered`, `served_model`, `reasoning`, `reasoning_name`, `finish_reason`, `reasoning_fields`, `notes`. An episode puts
    `reasoning_fields` into its assistant message, so that native tool calling can give a model its thoughts back.
    """
    body: dict[str, Any] = {
        "tool_calls": [
            {"id": identifier, "name": call.name, "arguments": call.arguments} for identifier, call in answer.calls
        ],
        "text": answer.text,
        "usage": invocation.usage if invocation else NO_USAGE,
    }
    if answer.problem is not None:
        body["problem"] = answer.problem
    if answer.recovered:
        body["recovered"] = answer.recovered
    if invocation is not None:
        for name in ("served_model", "reasoning", "reasoning_name", "finish_reason"):
            value = getattr(invocation, name)
            if value is not None:
                body[name] = value
        if invocation.reasoning_fields:
            body["reasoning_fields"] = invocation.reasoning_fields
        if invocation.notes:
            body["notes"] = list(invocation.notes)
    return body
