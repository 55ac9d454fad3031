"""The agents that need no model: reference, baselines, scripted; and the table of them."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

import pytest

from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.agents.builtin.catalog import BUILT_IN, built_in
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.agents.builtin.scripted import ScriptedBackend
from nftbench.agents.failure import CLIFailure
from nftbench.calls import Call
from nftbench.conversation import RequestWriter
from nftbench.errors import BenchmarkDefect, Refusal

TOOLS = [{"name": "read_state", "parameters": {}}, {"name": "finish_task", "parameters": {}}]


def policy() -> Generator[Call, str, None]:
    result = yield Call("read_state", {})
    yield Call("finish_task", {"summary": f"saw {result}"})


def started() -> RequestWriter:
    writer = RequestWriter(TOOLS)
    writer.append({"role": "user", "content": "Do it."})
    return writer


def calls(answer: str) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = json.loads(answer)["tool_calls"]
    return read


def test_the_reference_plays_its_policy_and_hands_it_each_result() -> None:
    agent, writer = ReferenceAgent(policy), started()
    first = calls(agent.complete(writer.text()))
    assert first == [{"id": "call_1", "name": "read_state", "arguments": {}}]
    writer.append({"role": "assistant", "content": "", "tool_calls": first})
    writer.append({"role": "tool", "tool_call_id": "call_1", "content": "a token"})
    assert calls(agent.complete(writer.text()))[0]["arguments"] == {"summary": "saw a token"}


def test_a_policy_that_ends_too_early_or_is_not_understood_is_a_defect() -> None:
    writer = started()
    with pytest.raises(BenchmarkDefect):
        ReferenceAgent(lambda: iter(())).complete(writer.text())  # type: ignore[arg-type, return-value]
    agent = ReferenceAgent(policy)
    agent.complete(writer.text())
    writer.append({"role": "user", "content": "That is no call."})
    with pytest.raises(BenchmarkDefect, match="That is no call"):
        agent.complete(writer.text())


def test_the_baselines_end_at_once() -> None:
    assert calls(NoopAgent().complete(started().text()))[0]["name"] == "finish_task"
    assert calls(DeclineAgent().complete(started().text()))[0]["name"] == "declare_infeasible"


@pytest.mark.parametrize("name", ["reference", "noop", "decline"])
def test_each_built_in_agent_is_found_by_its_name(name: str) -> None:
    assert calls(built_in(name, policy).complete(started().text()))
    assert BUILT_IN[name][0]


@pytest.mark.parametrize(("name", "near"), [("refrence", "reference"), ("no-op", "noop"), ("xyz", "decline")])
def test_an_unknown_agent_is_refused_with_the_near_names(name: str, near: str) -> None:
    with pytest.raises(Refusal, match=near):
        built_in(name, policy)


def test_a_script_says_its_replies_in_order_and_the_last_from_then_on() -> None:
    backend, text = (
        ScriptedBackend(["Hm.", Call("read_state", {}), '{"name": "finish_task", "arguments": {}}']),
        started().text(),
    )
    first = json.loads(backend.complete(text))
    assert first["tool_calls"] == [] and "no call" in first["problem"] and first["text"] == "Hm."
    assert calls(backend.complete(text))[0]["name"] == "read_state"
    assert calls(backend.complete(text))[0]["name"] == calls(backend.complete(text))[0]["name"] == "finish_task"
    assert backend.requests == [text] * 4


def test_a_script_may_fail_and_may_look_at_the_request() -> None:
    backend = ScriptedBackend(
        [CLIFailure("cli_error", "down"), lambda request: Call("finish_task", {"n": len(request)})]
    )
    with pytest.raises(CLIFailure):
        backend.complete(started().text())
    assert calls(backend.complete(started().text()))[0]["arguments"] == {"n": len(started().text())}


def test_a_script_without_replies_is_none() -> None:
    with pytest.raises(ValueError):
        ScriptedBackend([])
