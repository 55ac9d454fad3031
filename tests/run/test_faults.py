"""What breaks in a tool or in the grader costs that attempt, named, and never the run; the same command makes it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from nftbench.run import runner
from nftbench.tools.toolbox import Toolbox


def finishing(summary: str) -> str:
    calls = [("read_state", {}), ("finish_task", {"summary": summary}), ("read_state", {})]
    made = [{"id": str(i), "name": name, "arguments": given} for i, (name, given) in enumerate(calls)]
    return json.dumps({"tool_calls": made, "text": "", "usage": {}})


class Panic(BaseException):
    """As the embedded EVM raises: no Exception."""


def too_deep() -> None:
    too_deep()


def panic() -> None:
    raise Panic("an unwrapped error value")


def let_it_break(monkeypatch: pytest.MonkeyPatch, part: str, problem: Callable[[], None]) -> None:
    """The tool, or the grader, raises where the agent ends with the summary "break"."""
    call, grade = Toolbox.call, runner.grade

    def breaking_call(self: Toolbox, name: str, arguments: Any) -> Any:
        if arguments.get("summary") == "break":
            problem()
        return call(self, name, arguments)

    def breaking_grade(task: Any, desk: Any, *rest: Any) -> Any:
        if desk.ending.summary == "break":
            problem()
        return grade(task, desk, *rest)

    if part == "tool":
        monkeypatch.setattr(Toolbox, "call", breaking_call)
    else:
        monkeypatch.setattr(runner, "grade", breaking_grade)


@pytest.mark.parametrize("problem", [too_deep, panic])
@pytest.mark.parametrize("part", ["tool", "grader"])
def test_what_breaks_costs_one_attempt_and_a_resume_makes_it_again(
    bench: Any, monkeypatch: pytest.MonkeyPatch, part: str, problem: Callable[[], None]
) -> None:
    let_it_break(monkeypatch, part, problem)
    ran = bench.run(lambda name, call: finishing("break" if name == "F1a_04" else "done"))
    assert ran.code == 1 and bench.calls == ["F1a_01", "F1a_04", "F1b_01"]
    assert "Traceback" not in ran.err + ran.out and f"1 {part}_fault" in ran.out
    result, told = bench.json("F1a_04/result.json"), bench.json("F1a_04/trajectory.json")
    assert (result["status"], result["success"], result["checks"]) == ("error", False, [])
    raised = {too_deep: "RecursionError", panic: "Panic"}[problem]
    assert result["error"].startswith(f"{part}_fault: ") and raised in result["error"]
    assert result["cause"] == f"{part}_fault"
    assert told["fault"]["kind"] == f"{part}_fault" and problem.__name__ in told["fault"]["trace"]
    assert len(told["turns"][0]["calls"]) == 3
    assert bench.json("F1b_01/result.json")["status"] == "scored"

    assert bench.run(lambda name, call: finishing("done")).code == 0
    assert bench.calls == ["F1a_04"]
    assert bench.json("F1a_04/result.json")["status"] == "scored"
    assert bench.json("F1a_04/trajectory.json")["fault"] is None


@pytest.mark.parametrize("part", ["tool", "grader"])
def test_whoever_wants_to_leave_may_still_leave(monkeypatch: pytest.MonkeyPatch, bench: Any, part: str) -> None:
    """Ctrl-C inside a tool is no fault of the tool's."""

    def leave() -> None:
        raise KeyboardInterrupt

    let_it_break(monkeypatch, part, leave)
    bench.run(lambda name, call: finishing("break"))
    assert not (bench.out / "F1a_01/result.json").exists()
