"""Who plays in Inspect: our own loop with its rules, `react()`, and whatever else; limits, faults and approvals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.approval import Approval, ApprovalPolicy, Approver, approver
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, Model, ModelOutput
from inspect_ai.solver import Solver, generate
from inspect_ai.tool import ToolCall

from nftbench.adapters.inspect import in_react, tools, worlds
from nftbench.episode.episode import MOST_CALLS
from nftbench.tools.standard import STANDARD, WITH_ORDER_BOOK
from nftbench.tools.toolbox import Toolbox
from tests.ecosystem.inspect import players

FINISH = ("finish_task", {"summary": "done"})


def played(model: Model, folder: Path, solver: Solver | None = None, **options: Any) -> EvalLog:
    arguments = {"instances": options.pop("instances", "F1a_01")}
    arguments |= {key: options.pop(key) for key in list(options) if key in ("max_turns", "max_repairs")}
    (log,) = evaluate(
        "nftbench/synthetic",
        model=model,
        solver=solver,
        task_args=arguments,
        log_dir=str(folder),
        display="none",
        **options,
    )
    assert not worlds._STANDING, "a world outlived its sample"
    return log


def only(log: EvalLog) -> EvalSample:
    (sample,) = log.samples or ()
    return sample


def result(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores, sample.error
    return dict(sample.scores["grade"].metadata or {})


def test_the_tools_are_told_with_their_own_schemas(tmp_path: Path) -> None:
    """What a provider is sent is what our own native layout sends: no property added, none lost."""
    seen: dict[str, Any] = {}

    def look(messages: Any, tools: Any, *_: Any) -> ModelOutput:
        seen.update({tool.name: tool.parameters.model_dump(exclude_none=True) for tool in tools})
        return players.output([FINISH])

    played(players.asked(look), tmp_path)
    assert seen == {tool.name: {"required": [], **tool.entry()["parameters"]} for tool in STANDARD}


@pytest.mark.parametrize("solver", [None, in_react(), generate()], ids=["own", "react", "generate"])
def test_a_task_with_an_order_book_has_its_tools_too(
    solver: Solver | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever plays is told of them, and may call them; in another sample of the same run nobody is."""
    real = tools.tools_for
    monkeypatch.setattr(
        tools, "tools_for", lambda fixture: WITH_ORDER_BOOK if players.here().task.id == "F1a_02" else real(fixture)
    )
    seen: dict[str, set[str]] = {}

    def look(messages: Any, told: Any, *_: Any) -> ModelOutput:
        seen[players.here().task.id] = {tool.name for tool in told}
        return players.output("bye" if players.here().over else [FINISH])

    played(players.asked(look), tmp_path, solver, instances="F1a_0[12]")
    standard = {tool.name for tool in STANDARD}
    assert seen == {"F1a_01": standard, "F1a_02": {tool.name for tool in WITH_ORDER_BOOK}}
    assert seen["F1a_02"] - standard == {"list_orders", "post_order"}


def test_several_calls_of_a_reply_run_in_their_order_and_none_after_the_end(tmp_path: Path) -> None:
    """One turn; what stands behind the call that ends is answered, not run."""
    sample = only(played(players.in_turn([("read_state", {}), FINISH, ("wait", {"seconds": "60"})]), tmp_path))
    told = [message for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert [message.function for message in told] == ["read_state", "finish_task", "wait"]
    assert "the episode had ended" in told[2].text
    assert (result(sample)["counts"]["turns"], result(sample)["counts"]["tool_calls"]) == (1, 3)


def test_more_calls_than_a_reply_may_make_are_not_run(tmp_path: Path) -> None:
    sample = only(played(players.in_turn([("read_state", {})] * (MOST_CALLS + 1), [FINISH]), tmp_path))
    told = [message.text for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert f"{MOST_CALLS} calls at most" in told[MOST_CALLS] and "error" not in told[MOST_CALLS - 1][:9]


def test_a_reply_without_a_call_is_told_so_and_may_be_repaired(tmp_path: Path) -> None:
    sample = only(played(players.in_turn("Let me think.", [FINISH]), tmp_path))
    asked = [message.text for message in sample.messages if isinstance(message, ChatMessageUser)]
    assert asked[1] == "That was no valid call: Your reply called no tool. Call one of the tools."
    assert result(sample)["ended_by"] == "finish_task" and result(sample)["counts"]["repairs"] == 1


def test_a_call_that_can_not_be_read_leaves_no_call_in_the_history(tmp_path: Path) -> None:
    """Servers refuse calls without results; the model sees what it wrote, and that none of it was run."""
    broken = players.output([("read_state", {}), ("wait", {})])
    assert broken.message.tool_calls is not None
    broken.message.tool_calls[1] = ToolCall("x", "wait", {}, parse_error='Error parsing: {"seconds": ')
    sample = only(played(players.in_turn(broken, [FINISH]), tmp_path))
    said, told = sample.messages[2:4]
    assert isinstance(said, ChatMessageAssistant) and not said.tool_calls and '{"seconds": ' in said.text
    assert told.text.startswith("That was no valid call: ") and "None of your calls was run." in told.text
    assert result(sample)["counts"]["tool_calls"] == 1


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ('{"name": "read_state", "arguments": {}}', "read_state"),
        ('<tool_call>\n{"name": "read_state", "arguments": {}}\n</tool_call>', "read_state"),
        ([("functions.read_state", {})], "read_state"),
    ],
)
def test_a_call_in_another_form_is_read_as_in_a_run(said: Any, called: str, tmp_path: Path) -> None:
    """Written as text in a model family's markup, or under a name with a prefix: run, and shown as what was run."""
    sample = only(played(players.in_turn(said, [FINISH]), tmp_path))
    message, told = sample.messages[2:4]
    assert isinstance(message, ChatMessageAssistant) and message.tool_calls is not None
    assert [call.function for call in message.tool_calls] == [called]
    assert isinstance(told, ChatMessageTool) and told.error is None and "error" not in told.text[:9]
    assert result(sample)["recoveries"]


def test_arguments_of_the_wrong_type_get_the_wallets_own_words(tmp_path: Path) -> None:
    """And a list that came as JSON text is read, as in a run."""
    wrong = [("get_contract", {"address": 7}), ("get_contract", {"unheard_of": "x"})]
    sample = only(played(players.in_turn(wrong, [FINISH]), tmp_path))
    told = [message for message in sample.messages if isinstance(message, ChatMessageTool)][:2]
    assert all(message.error is None and message.text.startswith('{"error": ') for message in told)
    assert "validation errors" not in told[0].text + told[1].text


def test_too_many_replies_without_a_call_are_a_scored_failure(tmp_path: Path) -> None:
    sample = only(played(players.in_turn("no"), tmp_path, max_repairs=2))
    assert result(sample)["ended_by"] == "repair_limit" and not result(sample)["success"]
    assert sample.limit is not None and "more than 2 replies in a row" in (sample.limit.reason or "")
    assert sum(isinstance(message, ChatMessageAssistant) for message in sample.messages) == 3


@pytest.mark.parametrize("solver", [None, in_react(), generate()], ids=["own", "react", "generate"])
@pytest.mark.parametrize("options", [{"max_turns": 2}, {"turn_limit": 2}], ids=["task", "inspect"])
def test_the_limit_of_turns_is_told_and_holds(solver: Solver | None, options: dict[str, int], tmp_path: Path) -> None:
    """The task's own, or the one of Inspect's command line; whoever plays."""
    sample = only(played(players.always("read_state"), tmp_path, solver, **options))
    assert "You have 2 turns" in sample.messages[0].text
    assert result(sample)["ended_by"] == "turn_limit" and result(sample)["counts"]["turns"] == 2
    assert sample.limit is not None and sample.limit.type == "turn"


def test_our_own_loop_asks_no_more_than_it_may(tmp_path: Path) -> None:
    asked: list[int] = []
    played(players.model(lambda messages: asked.append(1) or [("read_state", {})]), tmp_path, max_turns=2)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("options", "ended_by"),
    [({"token_limit": 250}, "token_limit"), ({"message_limit": 6}, "turn_limit")],
)
def test_inspects_own_limits_are_scored_failures(options: dict[str, Any], ended_by: str, tmp_path: Path) -> None:
    sample = only(played(players.always("read_state"), tmp_path, **options))
    assert result(sample)["ended_by"] == ended_by and not result(sample)["success"]


@pytest.mark.parametrize("solver", [in_react(), generate()], ids=["react", "generate"])
def test_other_agents_play_with_the_same_tools_and_grades(solver: Solver, tmp_path: Path) -> None:
    log = played(players.reference(then="I am done."), tmp_path, solver, instances=["F1a_01", "F1a_04", "F3c_01"])
    assert [result(sample)["success"] for sample in log.samples or ()] == [True] * 3


def test_react_is_told_to_call_a_tool_and_stops_when_the_episode_ends(tmp_path: Path) -> None:
    asked: list[int] = []
    sayings = iter(["Hm.", [("finish_task", {"summary": "done"})]])
    sample = only(played(players.model(lambda messages: asked.append(1) or next(sayings)), tmp_path, in_react()))
    assert len(asked) == 2
    assert any("called no tool" in message.text for message in sample.messages if message.role == "user")
    assert result(sample)["ended_by"] == "finish_task"


def test_an_agent_that_leaves_without_an_end_has_failed(tmp_path: Path) -> None:
    sample = only(played(players.in_turn("It is done."), tmp_path, generate()))
    assert result(sample)["ended_by"] == "disconnected" and not result(sample)["success"]


@pytest.mark.parametrize("solver", [None, in_react()], ids=["own", "react"])
def test_a_full_context_is_the_models_own_failure(solver: Solver | None, tmp_path: Path) -> None:
    sample = only(played(players.in_turn(players.output("", stop="model_length")), tmp_path, solver))
    assert result(sample)["ended_by"] == "context_limit" and result(sample)["status"] == "scored"


def test_a_content_filter_says_nothing_about_the_model(tmp_path: Path) -> None:
    sample = only(played(players.in_turn(players.output("", stop="content_filter")), tmp_path))
    assert not sample.scores and sample.error is not None and "content filter" in sample.error.message


@pytest.mark.parametrize("solver", [None, in_react()], ids=["own", "react"])
def test_a_broken_tool_is_a_sample_in_error_and_no_wrong_answer(
    solver: Solver | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other samples are played and counted all the same."""
    call = Toolbox.call

    def breaking(self: Toolbox, name: str, arguments: Any) -> Any:
        if name == "read_state":
            raise RuntimeError("boom")
        return call(self, name, arguments)

    monkeypatch.setattr(Toolbox, "call", breaking)
    model = players.model(
        lambda messages: [("read_state", {})] if players.here().task.id == "F1a_02" and len(messages) < 3 else [FINISH]
    )
    log = played(model, tmp_path, solver, instances=["F1a_01", "F1a_02", "F1a_03"])
    samples = {str(sample.id): sample for sample in log.samples or ()}
    broken = samples.pop("F1a_02")
    assert broken.error is not None and "tool_fault: read_state broke: RuntimeError: boom" in broken.error.message
    assert not broken.scores
    assert all(sample.scores and sample.error is None for sample in samples.values())
    assert log.results is not None and log.results.scores[0].scored_samples == 2


@pytest.mark.parametrize("options", [{}, {"score_on_error": True}], ids=["plain", "score_on_error"])
def test_a_provider_that_fails_says_nothing_about_the_model(options: dict[str, bool], tmp_path: Path) -> None:
    """Not even where Inspect is told to score samples in error: what was done until then is no answer."""

    def fail(messages: Any) -> Any:
        if len(messages) > 2:
            raise ConnectionError("the server is gone")
        return [("read_state", {})]

    sample = only(played(players.model(fail), tmp_path, **options))
    assert not sample.scores
    assert sample.error is not None and "the server is gone" in sample.error.message


def test_a_call_that_is_not_approved_does_not_reach_the_wallet(tmp_path: Path) -> None:
    @approver
    def no_waiting() -> Approver:
        async def approve(message: str, call: ToolCall, view: Any, history: Any) -> Approval:
            return Approval(decision="reject" if call.function == "wait" else "approve")

        return approve

    calls = [("read_state", {}), ("wait", {"seconds": "3600"}), ("read_state", {}), FINISH]
    sample = only(played(players.in_turn(calls), tmp_path, approval=[ApprovalPolicy(no_waiting(), "*")]))
    first, refused, last, _ = (m for m in sample.messages if isinstance(m, ChatMessageTool))
    assert refused.error is not None and refused.error.type == "approval"
    assert first.text == last.text, "time went by"
    counts = result(sample)["counts"]
    assert (counts["turns"], counts["tool_calls"], counts["tool_errors"]) == (1, 4, 1)
