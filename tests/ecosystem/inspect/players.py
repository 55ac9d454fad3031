"""Models of Inspect that play by a plan, without any server."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall

from nftbench.adapters.inspect.worlds import LiveWorld, here
from nftbench.tasks import catalog

Saying = str | list[tuple[str, dict[str, Any]]] | ModelOutput
"""A text, or calls by name and arguments, or all of it."""


def output(said: Saying, number: int = 1, stop: StopReason | None = None) -> ModelOutput:
    """What a model gives back; with usage, since Inspect's mock model would otherwise fetch a table of tokens."""
    if isinstance(said, ModelOutput):
        return said
    calls = [
        ToolCall(id=f"server_{number}_{place}", function=name, arguments=arguments)
        for place, (name, arguments) in enumerate(said if isinstance(said, list) else [], 1)
    ]
    message = ChatMessageAssistant(
        content=said if isinstance(said, str) else "", tool_calls=calls or None, source="generate"
    )
    choice = ChatCompletionChoice(message=message, stop_reason=stop or ("tool_calls" if calls else "stop"))
    usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return ModelOutput(model="planned", choices=[choice], usage=usage)


def asked(answer: Callable[..., ModelOutput]) -> Model:
    """A model that answers with what the function makes of messages, tools and settings."""
    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def model(says: Callable[[list[ChatMessage]], Saying]) -> Model:
    """A model that says what the function makes of the messages."""
    count = 0

    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        nonlocal count
        count += 1
        return output(says(messages), count)

    return asked(answer)


def reference_says(then: str | None = None) -> Callable[[list[ChatMessage]], Saying]:
    """Plays the reference policy of the sample that is running, whichever world it finds; `then` is said after its end."""
    plays: dict[int, tuple[LiveWorld, Generator[Any, str, None]]] = {}

    def says(messages: list[ChatMessage]) -> Saying:
        world, last = here(), messages[-1]
        if id(world) not in plays:
            plays[id(world)] = world, catalog.policy(world.task)()
            step = next(plays[id(world)][1])
        elif then is not None and world.over is not None:
            return then
        else:
            assert isinstance(last, ChatMessageTool), last.text
            step = plays[id(world)][1].send(last.text)
        return [(step.name, step.arguments)]

    return says


def reference(then: str | None = None) -> Model:
    """A model that plays so."""
    return model(reference_says(then))


def always(name: str, **arguments: Any) -> Model:
    """Makes the same call every time."""
    return model(lambda messages: [(name, arguments)])


def in_turn(*sayings: Saying) -> Model:
    """Says one after the other, and the last one from then on."""
    left = list(sayings)
    return model(lambda messages: left.pop(0) if len(left) > 1 else left[0])
