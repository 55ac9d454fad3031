"""Who plays: our own loop, with the rules of a run of `nftbench evaluate`, and Inspect's `react()` over the same tools."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent, react
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall
from inspect_ai.util import LimitExceededError

from nftbench.adapters.inspect.tools import tool_definitions, tool_infos, wallet_tools
from nftbench.adapters.inspect.worlds import LiveWorld, here
from nftbench.episode.limits import Limits
from nftbench.episode.prompt import REPAIR
from nftbench.records.model import EndedBy

NO_CALL = REPAIR.format(problem="Your reply called no tool. Call one of the tools.")


@solver
def wallet_agent() -> Solver:
    """The loop of a run with native tool calls: all calls of a reply in their order; a reply that is no valid call is told so, a
    bounded number of times; the episode ends when the agent ends it, or at a limit."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        world, model = here(), get_model()
        infos = tool_infos(world.task)
        while world.over is None:
            state.output = await model.generate(state.messages, tools=infos)
            if gave_no_reply(state.output):
                state.messages.append(state.output.message)
                return state
            state.messages += await _turn(world, state.messages, state.output)
        _tell_of_limit(world.over, world.limits)
        return state

    return solve


def gave_no_reply(output: ModelOutput) -> bool:
    """Whether the context was full, or a filter took the reply away."""
    return output.stop_reason == "model_length" or (
        output.stop_reason == "content_filter" and not output.message.tool_calls
    )


async def _turn(world: LiveWorld, before: list[ChatMessage], output: ModelOutput) -> list[ChatMessage]:
    """The messages that a turn adds. The calls stand in it as they were read; a reply that made none that is valid has no calls
    in the history, since no server takes calls without results."""
    turn = world.begin_turn(output)
    try:
        if not turn.calls:
            message = output.message
            if message.tool_calls:
                message = message.model_copy(update={"tool_calls": None, "content": turn.said})
            return [message, ChatMessageUser(content=turn.told)]
        given = output.message.tool_calls or []
        read = [
            ToolCall(id=given[place].id if given else call["id"], function=call["name"], arguments=call["arguments"])
            for place, call in enumerate(turn.calls)
        ]
        message = output.message.model_copy(update={"tool_calls": read})
        done = await execute_tools([*before, message], tool_definitions(world.task, schemas=False))
        return [message, *done.messages]
    finally:
        world.end_turn()


def _tell_of_limit(ended: EndedBy | None, limits: Limits) -> None:
    """Has Inspect note which limit ended the sample."""
    match ended:
        case "turn_limit":
            raise LimitExceededError("turn", value=limits.turns, limit=limits.turns)
        case "repair_limit":
            most = limits.max_repairs
            raise LimitExceededError(
                "custom", value=most + 1, limit=most, message=f"more than {most} replies in a row were no valid call"
            )


@agent
def in_react(prompt: str | None = None) -> Agent:
    """Inspect's own `react()` with the wallet's tools. It goes on until the agent has ended the episode, or a limit does.
    `prompt` is told beside the system text of the task."""

    async def goes_on(state: AgentState) -> bool | str:
        if here().over is not None:
            return False
        return True if state.output.message.tool_calls else NO_CALL

    return react(prompt=prompt, tools=[wallet_tools()], submit=False, on_continue=goes_on)
