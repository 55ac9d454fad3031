"""The loop ends where it should: by the agent, by a limit, or by a failure that says whose it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.agents.builtin.scripted import ScriptedBackend
from nftbench.agents.failure import CLIFailure
from nftbench.calls import Call
from nftbench.episode.episode import TEXT_KEPT, Episode
from nftbench.episode.limits import Limits
from nftbench.episode.loop import run_episode
from nftbench.episode.outcome import Outcome
from tests.world.scenes import Stand

FINISH = Call("finish_task", {"summary": "done"})
READ = Call("read_state", {})


def played(replies: list[Any], **limits: Any) -> tuple[Outcome, ScriptedBackend]:
    backend = ScriptedBackend(replies)
    ticks = iter(range(10_000))
    outcome = run_episode("Do it.", Stand().open().box, backend, Limits(**limits), clock=lambda: float(next(ticks)))
    return outcome, backend


def test_the_agent_ends_it() -> None:
    outcome, _ = played([READ, FINISH])
    assert (outcome.ended_by, len(outcome.turns), outcome.failure) == ("finish_task", 2, None)
    assert [m["role"] for m in outcome.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    declined, _ = played([Call("declare_infeasible", {"reason": "no"})])
    assert declined.ended_by == "declare_infeasible"


def test_every_request_extends_the_one_before_it() -> None:
    _, backend = played([READ, "no call at all", READ, FINISH])
    for earlier, later in zip(backend.requests, backend.requests[1:], strict=False):
        assert later.startswith(earlier[:-2]) and len(later) > len(earlier)


def test_a_reply_without_a_call_is_told_so_and_may_be_repaired() -> None:
    outcome, backend = played(["Sure, I will.", READ, FINISH], max_repairs=1)
    assert outcome.ended_by == "finish_task"
    told = json.loads(backend.requests[1])["messages"][-1]
    assert told["role"] == "user" and told["content"].startswith("That was no valid call: ")


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_repairs_are_bounded_in_a_row(repairs: int) -> None:
    outcome, _ = played(["?"] * 20, max_repairs=repairs)
    assert (outcome.ended_by, len(outcome.turns)) == ("repair_limit", repairs + 1)
    mixed, _ = played(["?", READ] * 4 + [FINISH], max_repairs=1)
    assert mixed.ended_by == "finish_task"


def test_turns_time_and_tokens_are_limited() -> None:
    assert played([READ], max_turns=5)[0].ended_by == "turn_limit"
    assert len(played([READ], max_turns=5)[0].turns) == 5
    assert played([READ], max_seconds=3)[0].ended_by == "time_limit"


class Paid:
    """Every reply costs 30 tokens."""

    def complete(self, request: str) -> str:
        usage = {"usage": {"prompt_tokens": 20, "completion_tokens": 10}}
        return json.dumps(
            {"tool_calls": [{"id": "1", "name": "read_state", "arguments": {}}], "text": "", "usage": usage}
        )


def test_tokens_of_all_turns_count_towards_their_limit() -> None:
    outcome = run_episode("Do it.", Stand().open().box, Paid(), Limits(max_tokens=90))
    assert (outcome.ended_by, len(outcome.turns)) == ("token_limit", 3)


@pytest.mark.parametrize(
    ("kind", "ended_by", "unscored"),
    [
        ("model_format", "model_format", False),
        ("context_limit", "context_limit", False),
        ("cli_error", "error", True),
        ("incomplete_output", "error", True),
        ("model_mismatch", "error", True),
    ],
)
def test_a_failure_ends_the_episode_and_says_whose_it_is(kind: Any, ended_by: str, unscored: bool) -> None:
    outcome, _ = played([READ, CLIFailure(kind, "why")])
    assert (outcome.ended_by, outcome.unscored, str(outcome.failure)) == (ended_by, unscored, f"{kind}: why")


@pytest.mark.parametrize("kind", ["auth_or_quota", "spend_limit"])
def test_a_failure_that_stops_the_run_passes_through(kind: Any) -> None:
    with pytest.raises(CLIFailure):
        played([READ, CLIFailure(kind, "why")])


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    max_leaves=20,
)
replies = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec=None, categories=["Cs", "Cc", "Lu"])),
    nested.map(json.dumps),
    st.builds(
        lambda n, a: json.dumps({"name": n, "arguments": a}), st.sampled_from(["read_state", "call", "nope"]), nested
    ),
    st.builds(lambda n: '{"name":"call","arguments":' + '{"a":' * n + "1" + "}" * n + "}", st.integers(1, 3000)),
    st.sampled_from(
        ['{"name":"call","name":"wait","arguments":{}}', '{"name":"wait","arguments":{"seconds":NaN}}', "x" * 2_000_000]
    ),
)


@given(st.lists(replies, min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_no_reply_breaks_the_loop_or_what_is_recorded_of_it(written: list[str]) -> None:
    outcome, backend = played([*written, FINISH], max_repairs=20)
    assert outcome.ended_by == "finish_task"
    recorded = json.dumps([outcome.messages, outcome.turns], allow_nan=False)
    assert recorded.isascii() and len(backend.requests[-1]) < 2_000_000


class Eager:
    """Makes many calls in one reply, and finishes in the last of them."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def complete(self, request: str) -> str:
        made = [{"id": f"c{i}", "name": "wait", "arguments": {"seconds": "10"}} for i in range(self.calls - 1)]
        made.append({"id": "last", "name": "finish_task", "arguments": {"summary": "done"}})
        return json.dumps({"tool_calls": made, "text": "", "usage": {}})


def test_the_calls_of_one_reply_run_in_order_and_are_bounded() -> None:
    stand = Stand().open()
    start = stand.world.engine.block.timestamp
    outcome = run_episode("Do it.", stand.box, Eager(16), Limits(max_turns=1))
    assert outcome.ended_by == "finish_task" and stand.world.engine.block.timestamp == start + 150
    stand = Stand().open()
    outcome = run_episode("Do it.", stand.box, Eager(20), Limits(max_turns=1))
    assert (outcome.ended_by, stand.world.engine.block.timestamp) == ("turn_limit", start + 160)
    assert [call["error"] for call in outcome.turns[0]["calls"]] == [False] * 16 + [True] * 4


def test_no_call_behind_the_one_that_ends_the_episode_is_run() -> None:
    stand = Stand().open()

    class Late:
        def complete(self, request: str) -> str:
            finish = {"id": "a", "name": "finish_task", "arguments": {"summary": "done"}}
            late = {"id": "b", "name": "wait", "arguments": {"seconds": "10"}}
            return json.dumps({"tool_calls": [finish, late], "text": "", "usage": {}})

    outcome = run_episode("Do it.", stand.box, Late(), Limits())
    assert [c["error"] for c in outcome.turns[0]["calls"]] == [False, True]
    assert stand.world.elapsed == 0


def test_without_a_time_limit_time_ends_nothing() -> None:
    assert played([READ], max_seconds=None, max_turns=40)[0].ended_by == "turn_limit"


class Slow:
    """Takes five seconds to answer each request, of which `waited` went by until the server let it ask."""

    def __init__(self, waited: float, replies: int) -> None:
        self.now, self._waited, self._left = 0.0, waited, replies

    def complete(self, request: str) -> str:
        self.now += 5
        self._left -= 1
        name = "read_state" if self._left else "finish_task"
        call = {"id": "c", "name": name, "arguments": {} if self._left else {"summary": "done"}}
        return json.dumps({"tool_calls": [call], "text": "", "usage": {"usage": {}, "waited": self._waited}})


def test_each_turn_says_when_it_began_and_what_it_took_the_model_and_the_tools() -> None:
    backend = Slow(0, 3)
    episode = Episode("Do it.", Stand().open().box, Limits(), clock=lambda: backend.now, wall=lambda: 1e9 + backend.now)
    while episode.over() is None:
        episode.take(json.loads(backend.complete(episode.request())))
    turns = episode.outcome("finish_task").turns
    assert [turn["started"] for turn in turns] == [1e9, 1e9 + 5, 1e9 + 10]
    assert all(turn["seconds"] == {"model": 5.0, "tools": 0.0} for turn in turns)


def test_waiting_for_the_servers_leave_is_no_time_of_the_task() -> None:
    """Of 5 seconds a turn 4 are waits: nine turns are nine seconds of a limit of ten."""
    backend = Slow(4, 9)
    outcome = run_episode("Do it.", Stand().open().box, backend, Limits(max_seconds=10), clock=lambda: backend.now)
    assert (outcome.ended_by, len(outcome.turns)) == ("finish_task", 9)
    assert outcome.turns[0]["seconds"] == {"model": 1.0, "tools": 0.0, "waits": 4.0}
    busy = Slow(0, 9)
    outcome = run_episode("Do it.", Stand().open().box, busy, Limits(max_seconds=10), clock=lambda: busy.now)
    assert (outcome.ended_by, len(outcome.turns)) == ("time_limit", 2)


def test_what_is_said_beside_a_call_is_bounded_as_every_reply() -> None:
    long = "x" * (TEXT_KEPT * 3)
    episode = Episode("Do it.", Stand().open().box, Limits())
    call = {"id": "c", "name": "read_state", "arguments": {}}
    episode.take({"tool_calls": [call], "text": long, "usage": {}})
    outcome = episode.outcome("turn_limit")
    assert len(outcome.messages[2]["content"]) < TEXT_KEPT + 100 and len(outcome.turns[0]["reply"]) < TEXT_KEPT + 100


@pytest.mark.parametrize("turns", [1, 7, 640])
def test_the_agent_is_told_how_many_turns_it_has(turns: int) -> None:
    outcome, _ = played([READ], max_turns=turns, max_repairs=10_000)
    assert f"You have {turns} turns;" in outcome.messages[0]["content"]
    assert (outcome.ended_by, len(outcome.turns)) == ("turn_limit", turns)


def test_a_turn_taken_call_by_call_is_the_turn_taken_at_once() -> None:
    """Whoever runs the calls himself leaves the same conversation and the same record."""
    calls = [
        {"id": "a", "name": "read_state", "arguments": {}},
        {"id": "b", "name": "get_contract", "arguments": {"address": "nobody"}},
        {"id": "c", "name": "finish_task", "arguments": {"summary": "done"}},
        {"id": "d", "name": "read_state", "arguments": {}},
    ]

    def episode() -> Episode:
        return Episode("Do it.", Stand().open().box, Limits(), clock=lambda: 0.0, wall=lambda: 0.0)

    at_once, one_by_one = episode(), episode()
    results = at_once.take({"tool_calls": calls, "text": "so"})
    begun = one_by_one.begin({"tool_calls": calls, "text": "so"})
    assert [one_by_one.perform(call["name"], call["arguments"]) for call in begun] == results
    one_by_one.end()
    assert one_by_one.messages == at_once.messages
    assert one_by_one.turns == at_once.turns


def test_calls_that_are_not_let_through_are_answered_and_not_run() -> None:
    """Of three calls the first and the last never come; each has its answer in its place, and the next turn begins clean."""
    episode = Episode("Do it.", Stand().open().box, Limits())
    calls = [{"id": str(n), "name": name, "arguments": {}} for n, name in enumerate(["wait", "read_state"] * 2)]
    episode.begin({"tool_calls": calls[:3], "text": ""})
    assert not episode.perform("read_state", {}).error
    episode.end()
    answers = [message for message in episode.messages if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in answers] == ["0", "1", "2"]
    assert ["not let through" in message["content"] for message in answers] == [True, False, True]
    assert [call["error"] for call in episode.turns[-1]["calls"]] == [True, False, True]
    assert episode.take({"tool_calls": calls[3:], "text": ""})[0].error is False


def test_a_call_that_somebody_changed_is_recorded_as_it_was_run() -> None:
    episode = Episode("Do it.", Stand().open().box, Limits())
    episode.begin({"tool_calls": [{"id": "a", "name": "wait", "arguments": {"seconds": "86400"}}], "text": ""})
    episode.perform("wait", {"seconds": "60"})
    episode.end()
    [call] = episode.turns[-1]["calls"]
    assert call["arguments"] == {"seconds": "60"}
