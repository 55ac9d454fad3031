"""A session: one attempt in which the client makes the calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.episode.limits import Limits
from nftbench.run.runner import Attempt
from nftbench.serving.session import Session
from nftbench.tasks import catalog
from nftbench.tools.toolbox import Toolbox, ToolResult

FINISH = {"summary": "done"}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def opened(recorded: list[Attempt], *, instance: str = "F1a_01", clock: Clock | None = None, **limits: Any) -> Session:
    return Session(
        catalog.task(instance),
        trial=1,
        limits=Limits(**limits),
        isolated=False,
        record=recorded.append,
        clock=clock or Clock(),
    )


def test_an_end_is_recorded_once_whatever_comes_after_it() -> None:
    recorded: list[Attempt] = []
    session = opened(recorded, instance="F1a_04")
    session.connect({"name": "first"})
    session.connect({"name": "second"})
    assert json.loads(session.call("declare_infeasible", {"reason": "no"}).text) == {"ended": True}
    before = session.result
    assert session.call("finish_task", FINISH).error
    session.end("disconnected")
    assert session.check() and session.over and session.result is before and len(recorded) == 1
    assert recorded[0].result.success and recorded[0].result.isolated is False
    assert recorded[0].trajectory["session"] == {
        "name": session.name,
        "client": {"name": "first"},
        "isolated": False,
    }


def test_a_session_that_no_client_came_to_is_not_recorded() -> None:
    recorded: list[Attempt] = []
    session = opened(recorded)
    session.end("disconnected")
    assert not recorded and session.result is None and not session.check()


def test_time_runs_from_the_client_on_and_ends_the_session_without_a_call() -> None:
    recorded: list[Attempt] = []
    clock = Clock()
    session = opened(recorded, clock=clock, max_seconds=10)
    clock.now = 100
    assert not session.check()
    session.connect({})
    clock.now = 109
    assert not session.check() and not session.call("read_state", {}).error
    clock.now = 110
    assert session.check() and recorded[0].result.ended_by == "time_limit"
    assert session.call("finish_task", FINISH).error and len(recorded) == 1


def test_a_limit_ends_the_session_with_the_call_that_reaches_it() -> None:
    recorded: list[Attempt] = []
    session = opened(recorded, max_turns=1)
    session.connect({})
    assert not session.call("read_state", {}).error
    assert recorded[0].result.ended_by == "turn_limit" and recorded[0].result.status == "scored"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"a": float("nan")}, "number"),
        ({"a": "x" * 1_000_001}, "too long"),
        (json.loads('{"a":' * 70 + "1" + "}" * 70), "deep"),
    ],
)
def test_arguments_that_no_reply_may_hold_are_told_and_count_as_repairs(arguments: dict[str, Any], words: str) -> None:
    recorded: list[Attempt] = []
    session = opened(recorded, max_repairs=1)
    session.connect({})
    for _ in range(2):
        told = session.call("finish_task", arguments)
        assert told.error and words in json.loads(told.text)["error"]
    assert recorded[0].result.ended_by == "repair_limit" and recorded[0].result.counts.repairs == 2


def test_what_breaks_in_recording_is_kept_and_no_result_is_claimed() -> None:
    def broken(attempt: Attempt) -> None:
        raise OSError("disk full")

    session = Session(catalog.task("F1a_04"), trial=1, limits=Limits(), isolated=True, record=broken)
    session.connect({})
    assert session.call("declare_infeasible", {"reason": "no"}).error
    assert isinstance(session.fault, OSError) and session.result is None and session.over


def test_a_tool_that_breaks_ends_the_session_and_is_recorded_as_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(self: Toolbox, name: str, arguments: dict[str, Any]) -> ToolResult:
        raise RecursionError("too deep")

    recorded: list[Attempt] = []
    session = opened(recorded)
    session.connect({})
    monkeypatch.setattr(Toolbox, "call", breaking)
    told = session.call("read_state", {})
    assert told.error and "broken down" in json.loads(told.text)["error"]
    assert session.over and session.fault is None
    (attempt,) = recorded
    assert (attempt.result.status, attempt.result.cause) == ("error", "tool_fault")
    assert "too deep" in attempt.trajectory["fault"]["trace"]
    assert "nothing more" in session.call("read_state", {}).text


def test_each_session_has_a_name_of_its_own() -> None:
    assert len({opened([]).name for _ in range(5)}) == 5
