"""A recorded attempt as a sample of an Inspect log: what was said, done and spent, when, and how it was graded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from inspect_ai._util.error import EvalError
from inspect_ai.event import InfoEvent, ModelEvent, ScoreEvent, SpanBeginEvent, SpanEndEvent, ToolEvent
from inspect_ai.log import EvalSample, EvalSampleLimit
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    StopReason,
)
from inspect_ai.tool import ToolCall
from msgspec import Struct

from nftbench.adapters.inspect.scoring import score_of
from nftbench.adapters.inspect.suites import sample_of
from nftbench.adapters.inspect.telling import chain_story, writable
from nftbench.adapters.inspect.tools import tool_infos
from nftbench.conversation import sendable
from nftbench.records.model import Result
from nftbench.tasks.model import Task

_LIMITS: dict[str, Literal["turn", "token", "working", "custom"]] = {
    "turn_limit": "turn",
    "token_limit": "token",
    "time_limit": "working",
    "repair_limit": "custom",
}
"""Ways of ending that Inspect shows as limits, and its types for them."""


class Played(Struct, frozen=True, kw_only=True):
    """A recorded attempt. `limits` are those that the run had, by the names of the endings; `started` is when it began, for
    records that tell no times."""

    task: Task
    result: Result
    trajectory: dict[str, Any]
    model: str
    limits: dict[str, float]
    started: datetime


def sample(played: Played) -> EvalSample:
    """The attempt as Inspect would have logged it. An attempt in error has an error and no score."""
    result, trajectory = played.result, played.trajectory
    messages = [message(each, number) for number, each in enumerate(trajectory["messages"])]
    record = _Record(played, _with_reasoning(messages, trajectory["turns"]))
    scored = result.status == "scored"
    told = sample_of(played.task)
    limit = _LIMITS.get(result.ended_by)
    return EvalSample(
        id=result.instance_id,
        epoch=result.trial,
        input=told.input,
        target=told.target,
        metadata=told.metadata or {},
        messages=record.messages,
        output=record.outputs[-1] if record.outputs else ModelOutput(model=played.model),
        scores={score_name(result): score_of(result, trajectory)} if scored else None,
        error=None
        if scored
        else EvalError(message=writable(result.error or "in error"), traceback="", traceback_ansi=""),
        limit=EvalSampleLimit(type=limit, limit=played.limits.get(result.ended_by, -1)) if limit else None,
        events=list(record.events(played)),
        model_usage={played.model: sum(record.usages, ModelUsage())},
        started_at=record.began.isoformat(),
        completed_at=(record.began + timedelta(seconds=result.counts.seconds)).isoformat(),
        total_time=result.counts.seconds,
        working_time=max(0.0, result.counts.seconds - (result.counts.wait_seconds or 0.0)),
        turn_count=result.counts.turns,
    )


def score_name(result: Result) -> str:
    """Under which name an attempt is scored: what stands apart in every figure of a run stands apart here."""
    if result.control_of is not None:
        return "control"
    return "grade" if result.isolated else "not_isolated"


def message(said: dict[str, Any], number: int) -> ChatMessage:
    """A message of a trajectory as Inspect has it; `number` is its place in the conversation."""
    text, identifier = sendable(str(said.get("content") or "")), f"message-{number}"
    match said["role"]:
        case "system":
            return ChatMessageSystem(id=identifier, content=text)
        case "tool":
            return ChatMessageTool(id=identifier, content=text, tool_call_id=str(said.get("tool_call_id")))
        case "assistant":
            calls = [
                ToolCall(id=call["id"], function=call["name"], arguments=writable(call["arguments"]))
                for call in said.get("tool_calls") or ()
            ]
            return ChatMessageAssistant(id=identifier, content=text, tool_calls=calls or None, source="generate")
    return ChatMessageUser(id=identifier, content=text)


def usage_of(turn: dict[str, Any]) -> ModelUsage:
    """What a turn used, in Inspect's terms: tokens read from a cache stand apart from the other ones of the prompt."""
    usage = (turn.get("usage") or {}).get("usage") or {}
    prompt, completion = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    return ModelUsage(
        input_tokens=max(0, prompt - (cached or 0)),
        output_tokens=completion,
        total_tokens=prompt + completion,
        input_tokens_cache_read=cached,
        reasoning_tokens=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        total_cost=usage.get("spent"),
    )


def _detail(usage: dict[str, Any], field: str, name: str) -> int | None:
    details = usage.get(field)
    value = details.get(name) if isinstance(details, dict) else None
    return value if type(value) is int and value >= 0 else None


def _with_reasoning(messages: list[ChatMessage], turns: list[dict[str, Any]]) -> list[ChatMessage]:
    """The messages, each assistant's with what it thought before, and each tool's with the name of the tool."""
    replies = iter(turns)
    functions: dict[str, str] = {}
    whole: list[ChatMessage] = []
    for each in messages:
        update: dict[str, Any] = {}
        if isinstance(each, ChatMessageAssistant):
            thought = next(replies, {}).get("reasoning")
            if thought:
                update["content"] = [ContentReasoning(reasoning=sendable(str(thought))), ContentText(text=each.text)]
            functions.update((call.id, call.function) for call in each.tool_calls or ())
        elif isinstance(each, ChatMessageTool):
            update["function"] = functions.get(each.tool_call_id or "")
        whole.append(each.model_copy(update=update))
    return whole


class _Record:
    """What an attempt's turns come to: outputs, usages and events, in the order of the turns."""

    def __init__(self, played: Played, messages: list[ChatMessage]) -> None:
        self.messages = messages
        self.turns: list[dict[str, Any]] = played.trajectory["turns"]
        self.replies = [place for place, each in enumerate(messages) if isinstance(each, ChatMessageAssistant)]
        self.usages = [usage_of(turn) for turn in self.turns]
        self.outputs = [
            _output(messages[place], turn.get("served_model") or played.model, usage)
            for place, turn, usage in zip(self.replies, self.turns, self.usages, strict=False)
        ]
        first = self.turns[0].get("started") if self.turns else None
        self.began = played.started if first is None else datetime.fromtimestamp(first, UTC)

    def events(self, played: Played) -> Iterator[Any]:
        """A model event and its tool events a turn; then what happened on the chain, and the score."""
        solvers, agent, scorers = "solvers", "agent", "scorers"
        now = self.began
        yield SpanBeginEvent(id=solvers, span_id=solvers, type=solvers, name=solvers, **_at(now, self.began))
        yield SpanBeginEvent(
            id=agent, span_id=agent, parent_id=solvers, type="solver", name="agent", **_at(now, self.began)
        )
        tools, config = tool_infos(played.task), GenerateConfig()
        for turn, place, output in zip(self.turns, self.replies, self.outputs, strict=False):
            spent = turn.get("seconds") or {}
            started = turn.get("started")
            asked = now if started is None else max(now, datetime.fromtimestamp(started, UTC))
            answered = asked + timedelta(seconds=spent.get("model", 0.0) + spent.get("waits", 0.0))
            now = answered + timedelta(seconds=spent.get("tools", 0.0))
            yield ModelEvent(
                span_id=agent,
                model=output.model,
                input=self.messages[:place],
                tools=tools,
                tool_choice="auto",
                config=config,
                output=output,
                completed=answered,
                working_time=spent.get("model"),
                **_at(asked, self.began),
            )
            for call in turn.get("calls", ()):
                yield _tool_event(call, agent, now, _at(answered, self.began))
        yield SpanEndEvent(id=agent, span_id=agent, **_at(now, self.began))
        yield SpanEndEvent(id=solvers, span_id=solvers, **_at(now, self.began))
        yield SpanBeginEvent(id=scorers, span_id=scorers, type="scorers", name=scorers, **_at(now, self.began))
        if "transactions" in played.trajectory:
            story = writable(chain_story(played.trajectory))
            yield InfoEvent(span_id=scorers, source="nftbench", data=story, **_at(now, self.began))
        if played.result.status == "scored":
            given = score_of(played.result, played.trajectory)
            yield ScoreEvent(span_id=scorers, score=given, scorer=score_name(played.result), **_at(now, self.began))
        yield SpanEndEvent(id=scorers, span_id=scorers, **_at(now, self.began))


def _tool_event(call: dict[str, Any], span: str, completed: datetime, at: dict[str, Any]) -> ToolEvent:
    return ToolEvent(
        span_id=span,
        id=call["id"],
        function=call["name"],
        arguments=writable(call["arguments"]),
        result=sendable(str(call["result"])),
        completed=completed,
        **at,
    )


def _at(moment: datetime, began: datetime) -> dict[str, Any]:
    """When an event was, on the clock and since the sample began."""
    return {"timestamp": moment, "working_start": max(0.0, (moment - began).total_seconds())}


def _output(reply: ChatMessage, model: str, usage: ModelUsage) -> ModelOutput:
    assert isinstance(reply, ChatMessageAssistant)
    stop: StopReason = "tool_calls" if reply.tool_calls else "stop"
    return ModelOutput(model=model, choices=[ChatCompletionChoice(message=reply, stop_reason=stop)], usage=usage)
