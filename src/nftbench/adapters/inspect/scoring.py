"""The score of a sample: its world graded as a run's is."""

from __future__ import annotations

from typing import Any

from inspect_ai.event import ErrorEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState
from msgspec import to_builtins

from nftbench.adapters.inspect.metrics import feasible, pairs
from nftbench.adapters.inspect.telling import answer_of, chain_story, explanation_of, told_transactions, writable
from nftbench.adapters.inspect.worlds import LiveWorld, standing
from nftbench.agents.failure import CLIFailure
from nftbench.episode.limits import Limits
from nftbench.records.model import EndedBy, Result
from nftbench.tasks import catalog

METRICS = (
    accuracy(),
    stderr(cluster="pair"),
    feasible(),
    grouped(accuracy(), "family", all=False),
    pairs(),
)
_LIMITS: dict[str, EndedBy] = {
    "turn": "turn_limit",
    "message": "turn_limit",
    "token": "token_limit",
    "cost": "token_limit",
    "time": "time_limit",
    "working": "time_limit",
}
"""Inspect's limits in the words of the records."""


class Unscored(RuntimeError):
    """Something broke that says nothing about the model: the sample is in error, and no wrong answer."""


@scorer(metrics=list(METRICS))
def grade() -> Scorer:
    """Grades what the chain holds: goals reached, nothing else changed, ended in the right way. A sample of a log, whose world is
    gone, is graded by playing its calls again. A sample in error has no score, not even where Inspect is to score errors."""

    async def score(state: TaskState, target: Target) -> Score | None:
        if any(isinstance(event, ErrorEvent) for event in transcript().events):
            return None
        world = standing(state.uuid) or replayed(state)
        attempt = world.close(*_ending(state, world))
        if attempt.result.status == "error":
            raise Unscored(attempt.result.error or "the sample was not scored")
        transcript().info(writable(chain_story(attempt.trajectory)), source="nftbench")
        return score_of(attempt.result, attempt.trajectory)

    return score


def score_of(result: Result, trajectory: dict[str, Any]) -> Score:
    """A graded attempt as a score: checks with what was expected and found, transactions decoded."""
    return Score(
        value=CORRECT if result.success else INCORRECT,
        answer=writable(answer_of(result)),
        explanation=writable(explanation_of(result)),
        metadata=writable({**to_builtins(result), "transactions": told_transactions(trajectory)}),
    )


def replayed(state: TaskState) -> LiveWorld:
    """A new world in which the calls of a sample's messages have been made."""
    task = catalog.task(str(state.sample_id), int(state.metadata["suite_seed"]))
    world = LiveWorld(task, state.epoch, Limits())
    answered = {message.tool_call_id for message in state.messages if isinstance(message, ChatMessageTool)}
    for message in state.messages:
        for call in (isinstance(message, ChatMessageAssistant) and message.tool_calls) or ():
            if call.id in answered and world.over is None:
                world.call(call.function, call.arguments)
    return world


def _ending(state: TaskState, world: LiveWorld) -> tuple[EndedBy, CLIFailure | None]:
    """How the episode ended. An agent that left without ending it counts as one that was disconnected."""
    ended = world.over
    if ended is not None:
        return ended, None
    limits = [event.type for event in transcript().events if isinstance(event, SampleLimitEvent)]
    if limits:
        return _LIMITS.get(limits[-1], "disconnected"), None
    stopped = state.output.stop_reason if state.output.choices else "unknown"
    if stopped == "model_length":
        return "context_limit", CLIFailure("context_limit", "the context window was full")
    if stopped == "content_filter":
        return "error", CLIFailure("incomplete_output", "a content filter cut the reply", cause="content_filter")
    return "disconnected", None
