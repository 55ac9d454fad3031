"""Environments: the rules, the grades and the records of a run, from Python, many at once and across processes."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import nftbench
from nftbench.agents.backend import answer_text
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.agents.layouts.items import ItemsLayout
from nftbench.agents.layouts.native import NativeLayout
from nftbench.agents.replies.message import read_message
from nftbench.records.model import Counts, Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tools.toolbox import Toolbox

EVERY_FAMILY = [name for name in catalog.instance_ids() if name.endswith(("_01", "_04"))]


def message(*calls: tuple[str, dict[str, Any]], ids: tuple[str | None, ...] = ()) -> dict[str, Any]:
    """An assistant message as chat completions give it."""
    listed = []
    for number, (name, arguments) in enumerate(calls):
        call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        identifier = ids[number] if ids else f"c{number}"
        listed.append(call if identifier is None else {"id": identifier, **call})
    return {"role": "assistant", "content": None, "tool_calls": listed}


def solved(env: nftbench.Env) -> Iterator[nftbench.Step]:
    """The reference's steps in an environment, as messages."""
    plan = catalog.policy(catalog.task(env.instance_id, env.suite_seed))()
    call = next(plan)
    while True:
        step = env.step(message((call.name, call.arguments), ids=(f"own_{len(env.messages)}",)))
        yield step
        if step.done:
            return
        call = plan.send(step.observations[0]["content"])


def played(instance_id: str, suite_seed: int = 0) -> nftbench.Env:
    env = nftbench.Env(instance_id, suite_seed)
    for _ in solved(env):
        pass
    return env


def timeless(result: Result) -> Result:
    """A result but for what time it took."""
    nothing = Counts()
    times = {n: getattr(nothing, n) for n in ("seconds", "model_seconds", "tool_seconds", "wait_seconds")}
    return replace(result, counts=replace(result.counts, **times))


def accepted(messages: list[dict[str, Any]]) -> None:
    """What the chat completions API demands of a history: each call answered right behind it, ids of calls unique, text."""
    seen: set[str] = set()
    open_calls: list[str] = []
    assert messages[0]["role"] == "system" and messages[1]["role"] == "user"
    for each in messages:
        if each["role"] == "tool":
            assert each["tool_call_id"] == open_calls.pop(0) and isinstance(each["content"], str)
            continue
        assert not open_calls, "a call without its result"
        if each["role"] == "assistant" and each.get("tool_calls"):
            for call in each["tool_calls"]:
                assert call["type"] == "function" and call["id"] not in seen
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                seen.add(call["id"])
                open_calls.append(call["id"])
        else:
            assert isinstance(each["content"], str) and each["content"]
    assert not open_calls
    json.dumps(messages, allow_nan=False)


@pytest.mark.parametrize("instance_id", EVERY_FAMILY)
def test_an_environment_comes_to_the_result_of_a_run_but_for_times(instance_id: str) -> None:
    task = catalog.task(instance_id, 3)
    env = played(instance_id, 3)
    there = attempt(task, ReferenceAgent(catalog.policy(task)))
    assert timeless(env.result()) == timeless(there.result)
    mine = env.attempt().trajectory
    for part in ("transactions", "signatures", "actors", "differences"):
        assert mine.get(part) == there.trajectory.get(part)
    assert [t["calls"][0]["result"] for t in mine["turns"]] == [
        t["calls"][0]["result"] for t in there.trajectory["turns"]
    ]


def test_reward_is_paid_once_at_the_end_and_the_share_of_goals_stands_beside_it() -> None:
    steps = list(solved(nftbench.Env("F1c_01")))
    assert [step.reward for step in steps] == [0.0] * (len(steps) - 1) + [1.0]
    assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]
    assert steps[-1].info == {
        **{"turns": len(steps), "ended_by": "finish_task", "success": True, "share_of_goals": 1.0},
    }
    idle = nftbench.Env("F1c_01").call("finish_task", {"summary": "done"})
    assert idle.reward == 0.0 and idle.info["share_of_goals"] < 1.0 and not idle.info["success"]


def test_the_share_of_goals_counts_those_that_hold() -> None:
    """F1d gathers tokens from several accounts: what the reference does but for its last transaction leaves one goal open."""
    env = nftbench.Env("F1d_01")
    sends = 0
    plan = catalog.policy(catalog.task("F1d_01"))()
    call = next(plan)
    total = sum(c["name"] == "send_transaction" for c in calls_of(played("F1d_01")))
    while True:
        if call.name == "send_transaction":
            sends += 1
            if sends == total:
                break
        call = plan.send(env.call(call.name, call.arguments).observations[0]["content"])
    step = env.call("finish_task", {"summary": "all but one"})
    goals = [check.passed for check in env.result().checks if check.kind == "goal"]
    assert 0 < step.info["share_of_goals"] < 1 and step.reward == 0.0
    assert step.info["share_of_goals"] == goals.count(True) / len(goals)


def calls_of(env: nftbench.Env) -> list[dict[str, Any]]:
    return [call for turn in env.attempt().trajectory["turns"] for call in turn.get("calls", ())]


def test_what_one_sends_is_what_a_run_sends_with_native_calls() -> None:
    """The very messages that the native layout sends to a server, but for the ids, which are the message's own here."""
    replies = [
        message(("read_state", {}), ("get_contract", {"contract": "0x" + "11" * 20})),
        {"role": "assistant", "content": "I think it is done.", "reasoning_content": "hm"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "aha",
            **{"tool_calls": message(("wait", {}))["tool_calls"]},
        },
    ]
    sent: list[dict[str, Any]] = []

    class Server:
        layout = NativeLayout()

        def complete(self, request: str) -> str:
            laid = self.layout.lay_out(request)
            sent.append(json.loads(b"{" + laid.members + b"}"))
            reply = read_message(
                replies[len(sent) - 1] if len(sent) <= 3 else message(("finish_task", {"summary": ""}))
            )
            invocation = self.layout.invocation(reply, laid.schemas)  # type: ignore[arg-type]
            return answer_text(self.layout.answer(invocation, laid), invocation)

    attempt(catalog.task("F1a_01"), Server())
    env = nftbench.Env("F1a_01")
    assert env.tools == sent[0]["tools"] == nftbench.tools()
    for number, reply in enumerate(replies):
        assert nameless(env.messages) == nameless(sent[number]["messages"])
        env.step(reply)
    assert nameless(env.messages) == nameless(sent[3]["messages"])
    accepted(env.messages)


def nameless(messages: list[dict[str, Any]]) -> str:
    """Messages with the ids of calls numbered in their order."""
    text = json.dumps(messages)
    ids = [call["id"] for each in messages for call in each.get("tool_calls") or ()]
    for number, identifier in enumerate(ids):
        text = text.replace(json.dumps(identifier), f'"#{number}"')
    return text


def test_what_a_model_reads_as_text_is_what_a_run_sends_in_items() -> None:
    replies = [
        '{"name": "read_state", "arguments": {}}',
        "no call at all",
        '{"name": "wait", "arguments": {"seconds": "60"}}',
    ]
    sent: list[list[dict[str, Any]]] = []

    class Server:
        layout = ItemsLayout()

        def complete(self, request: str) -> str:
            laid = self.layout.lay_out(request)
            sent.append(json.loads(b"{" + laid.members + b"}")["messages"])
            said = replies[len(sent) - 1] if len(sent) <= 3 else '{"name": "finish_task", "arguments": {"summary": ""}}'
            invocation = self.layout.invocation(read_message({"content": said}), laid.schemas)  # type: ignore[arg-type]
            return answer_text(self.layout.answer(invocation, laid), invocation)

    attempt(catalog.task("F1a_01"), Server())
    env = nftbench.Env("F1a_01")
    for number, reply in enumerate(replies):
        assert env.text_messages == sent[number]
        step = env.step_text(reply)
        assert step.observations == env.text_messages[-1:] == sent[number + 1][-1:]
    assert [m["role"] for m in sent[3]] == ["system", *["user", "assistant"] * 3, "user"]


def test_several_calls_of_one_message_run_in_order_and_one_that_cannot_be_read_runs_none() -> None:
    env = nftbench.Env("F1a_01")
    step = env.step(message(("read_state", {}), ("wait", {"seconds": "60"}), ("read_state", {}), ids=("a", "b", "c")))
    assert [each["tool_call_id"] for each in step.observations] == ["a", "b", "c"]
    first, _, third = (json.loads(each["content"]) for each in step.observations)
    assert int(third["time"]) >= int(first["time"]) + 60
    step = env.step(message(("read_state", {}), ("no_such_tool", {})))
    assert [each["role"] for each in step.observations] == ["user"] and "no_such_tool" in step.info["problem"]
    assert env.messages[-1] == step.observations[0]
    accepted(env.messages)


def test_ids_of_calls_are_kept_unless_they_are_missing_or_were_there_before() -> None:
    env = nftbench.Env("F1a_01")
    for ids in (("x", None), ("x", "y"), ("", "with a blank")):
        step = env.step(message(("read_state", {}), ("read_state", {}), ids=ids))
        assert len(step.observations) == 2
    ids = [each["tool_call_id"] for each in env.messages if each["role"] == "tool"]
    assert ids[0] == "x" and ids[3] == "y" and len(set(ids)) == 6
    accepted(env.messages)


@pytest.mark.parametrize("taken", ["call_2", "call_2_2", "call_1"])
def test_an_id_that_the_environment_would_have_given_itself_may_be_taken(taken: str) -> None:
    env = nftbench.Env("F1a_01")
    env.step(message(("read_state", {}), ids=(taken,)))
    env.step(message(("read_state", {}), ("read_state", {}), ids=(None, None)))
    env.call("read_state")
    accepted(env.messages)


def test_an_object_of_a_client_library_is_a_message_too() -> None:
    given = SimpleNamespace(model_dump=lambda **_: message(("finish_task", {"summary": "ok"})))
    assert nftbench.Env("F1a_01").step(given).done


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "None"),
        ("finish", "'finish'"),
        ([], "an object with content or tool_calls"),
        ({}, "content or tool_calls"),
        ({"role": "user", "content": "x"}, "'user'"),
        ({"choices": [{"message": {}}]}, "choices"),
        ({"role": "assistant", "tool_calls": "all"}, "tool_calls"),
        ({"role": "assistant", "tool_calls": [{"id": "x"}]}, "name"),
        ({"role": "assistant", "content": 7}, "content"),
    ],
)
def test_what_is_no_assistant_message_is_a_typed_error_and_changes_nothing(given: Any, words: str) -> None:
    env = nftbench.Env("F1a_01")
    before = env.messages
    with pytest.raises(nftbench.NotAMessage, match=words):
        env.step(given)
    assert env.messages == before and env.step(message(("read_state", {}))).info["turns"] == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["role", "content", "tool_calls", "function_call", "reasoning_content", "id"])
CALL = st.fixed_dictionaries(
    {
        "function": st.fixed_dictionaries(
            {"name": st.sampled_from(["read_state", "call", "x"]), "arguments": JSON | st.text()}
        )
    },
    optional={"id": JSON, "type": JSON},
)
ANYTHING = (
    JSON
    | st.dictionaries(FIELDS, JSON, max_size=4)
    | st.fixed_dictionaries({"content": JSON, "tool_calls": st.lists(CALL, max_size=3)})
)


@settings(max_examples=150, deadline=None)
@given(st.lists(ANYTHING, min_size=1, max_size=4))
def test_whatever_is_given_is_a_step_or_a_typed_error(messages: list[Any]) -> None:
    env = shared_env()
    for given_message in messages:
        turns = env._sitting.episode.turns
        before = len(turns)
        try:
            step = env.step(given_message)
        except nftbench.EpisodeOver:
            break
        except nftbench.NotAMessage:
            assert len(turns) == before
        else:
            assert len(turns) == before + 1 and step.observations
    accepted(env.messages)


_SHARED: list[nftbench.Env] = []


def shared_env() -> nftbench.Env:
    if not _SHARED:
        _SHARED.append(nftbench.Env("F1a_02"))
    _SHARED[0].reset()
    return _SHARED[0]


def test_after_the_end_nothing_more_is_taken_and_before_it_there_is_no_result() -> None:
    env = nftbench.Env("F1a_04")
    with pytest.raises(nftbench.EpisodeRunning, match="F1a_04"):
        env.result()
    env.call("declare_infeasible", {"reason": "no"})
    for more in (
        lambda: env.step(message(("read_state", {}))),
        lambda: env.step_text("{}"),
        lambda: env.call("read_state"),
        env.truncate,
    ):
        with pytest.raises(nftbench.EpisodeOver, match=r"F1a_04.*declare_infeasible"):
            more()
    assert env.done and env.result().ended_by == "declare_infeasible"


def test_limits_end_an_episode_as_in_a_run() -> None:
    limits = nftbench.Limits(max_turns=2, max_tokens=100, max_repairs=0)
    assert "You have 2 turns" in nftbench.Env("F1a_01", limits=limits).messages[0]["content"]
    turns = nftbench.Env("F1a_01", limits=limits)
    turns.step(message(("read_state", {})))
    assert turns.step(message(("read_state", {}))).info["ended_by"] == "turn_limit"
    tokens = nftbench.Env("F1a_01", limits=limits)
    step = tokens.step(message(("read_state", {})), usage={"prompt_tokens": 90, "completion_tokens": 10})
    assert step.done and step.reward == 0.0 and tokens.result().ended_by == "token_limit"
    assert (tokens.result().counts.prompt_tokens, tokens.result().counts.completion_tokens) == (90, 10)
    repairs = nftbench.Env("F1a_01", limits=limits)
    assert repairs.step({"content": "hello"}).info["ended_by"] == "repair_limit"


def test_an_episode_can_be_ended_from_outside_but_not_as_if_the_agent_had_ended_it() -> None:
    env = nftbench.Env("F1a_01")
    with pytest.raises(nftbench.Refusal, match=r"'finish_task'.*turn_limit"):
        env.truncate("finish_task")
    step = env.truncate("context_limit")
    assert step.done and step.observations == [] and env.result().ended_by == "context_limit"
    assert not env.result().success


def test_reset_begins_the_next_trial_in_the_world_as_it_was() -> None:
    env = played("F1a_05")
    first = env.result()
    begun = env.reset(trial=2)
    assert not env.done and begun == nftbench.Env("F1a_05").messages
    for _ in solved(env):
        pass
    assert env.result() != first and replace(timeless(env.result()), trial=1) == timeless(first)


@pytest.mark.parametrize("bad", [{"suite_seed": -1}, {"suite_seed": "0"}, {"trial": 0}, {"suite_seed": True}])
def test_numbers_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(nftbench.Refusal):
        nftbench.Env("F1a_01", **bad)


def test_an_unknown_instance_is_a_typed_error_that_names_the_nearest() -> None:
    for ask in (nftbench.Env, nftbench.task):
        with pytest.raises(nftbench.UnknownInstance, match=r"'F1a_1'.*F1a_01"):
            ask("F1a_1")
    with pytest.raises(LookupError):
        nftbench.replay("Z9", [])


def test_arguments_of_calls_are_json_or_a_typed_error() -> None:
    env = nftbench.Env("F1a_01")
    for bad in ({"what": {1, 2}}, {"what": b"x"}, [1], "text"):
        with pytest.raises(nftbench.NotAMessage, match="read_state"):
            env.call("read_state", bad)  # type: ignore[arg-type]
    assert env.call("read_state").info["turns"] == 1
    assert "no tool" in env.call("rob_a_bank").observations[0]["content"]


def test_a_replay_of_recorded_calls_has_the_recorded_grade() -> None:
    env = played("F3a_02", 5)
    calls = calls_of(env)
    in_every_form = [
        [(call["name"], call["arguments"]) for call in calls],
        calls,
        [{"function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}} for call in calls],
    ]
    for given_calls in in_every_form:
        again = nftbench.replay("F3a_02", given_calls, 5)
        assert again.success and again.checks == env.result().checks and again.world_hash == env.result().world_hash
    unended = nftbench.replay("F3a_02", calls[:-1], 5, ended_by="context_limit")
    assert unended.ended_by == "context_limit" and not unended.success
    with pytest.raises(nftbench.EpisodeOver):
        nftbench.replay("F3a_02", [*calls, calls[0]], 5)
    with pytest.raises(nftbench.NotAMessage):
        nftbench.replay("F3a_02", ["read_state"], 5)


def test_a_copy_stands_at_the_same_point_and_goes_its_own_way() -> None:
    env = nftbench.Env("F1a_05")
    steps = solved(env)
    next(steps)
    next(steps)
    branch = copy.deepcopy(env)
    assert branch.messages == env.messages
    branch.step(message(("read_state", {}), ids=("own_2",)))
    accepted(branch.messages)
    branch.call("finish_task", {"summary": "too early"})
    for _ in steps:
        pass
    assert env.result().success and not branch.result().success
    ended = pickle.loads(pickle.dumps(branch))
    assert ended.done and timeless(ended.result()) == timeless(branch.result())


def _success_in_another_process(env: nftbench.Env) -> tuple[list[dict[str, Any]], bool]:
    begun = env.messages
    plan = calls_of(played(env.instance_id, env.suite_seed))[env._info()["turns"] :]
    for call in plan:
        env.call(call["name"], call["arguments"])
    return begun, env.result().success


def test_an_environment_travels_to_a_spawned_process_and_goes_on_there() -> None:
    env = nftbench.Env("F1c_02", 4)
    next(solved(env))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        begun, success = pool.apply(_success_in_another_process, (env,))
    assert begun == env.messages and success


def test_environments_that_take_turns_in_several_threads_come_to_what_each_comes_to_alone() -> None:
    """Sixteen at once, two of each instance, stepped in turn by whichever thread is free."""
    names = [name for name in EVERY_FAMILY if name.endswith("_01")][:8]
    alone = {name: timeless(played(name).result()) for name in names}
    envs = [nftbench.Env(name) for name in names for _ in range(2)]
    plays = [solved(env) for env in envs]
    with ThreadPoolExecutor(4) as threads:
        while not all(env.done for env in envs):
            list(threads.map(lambda play: next(play, None), plays))
    assert [timeless(env.result()) for env in envs] == [alone[env.instance_id] for env in envs]


def test_a_tool_that_breaks_voids_the_attempt_and_pays_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    env = nftbench.Env("F1a_01")

    def broken(self: Toolbox, name: str, arguments: Any) -> Any:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(Toolbox, "call", broken)
    with pytest.raises(nftbench.NftbenchError, match=r"F1a_01.*tool_fault"):
        env.call("read_state")
    assert env.done and env.result().status == "error"


def test_results_are_json() -> None:
    msgspec.json.encode(played("F1a_01").result())
