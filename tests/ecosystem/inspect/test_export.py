"""`nftbench export --format inspect`: what Inspect reads of a run is what the run's files hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai import score
from inspect_ai.event import InfoEvent, ModelEvent, ScoreEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from nftbench.adapters.inspect import grade
from nftbench.adapters.inspect.samples import Played, sample, usage_of
from nftbench.adapters.inspect.telling import writable
from nftbench.commands.main import main
from nftbench.recorded import load_run
from nftbench.tasks import catalog
from tests.commands.recorded import record
from tests.ecosystem.inspect import players


def exported(run: Path, folder: Path) -> EvalLog:
    assert main(["export", str(run), "--format", "inspect", "--out", str(folder)]) == 0
    (file,) = folder.iterdir()
    return read_eval_log(str(file), resolve_attachments=True)


@pytest.fixture(scope="module")
def careless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty attempts at ten tasks; some succeed, some lose assets to others."""
    return record(tmp_path_factory.mktemp("runs") / "careless", "careless", "--trials", "2", instances="F1a*,F3c_0[12]")


@pytest.fixture(scope="module")
def log(careless: Path, tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return exported(careless, tmp_path_factory.mktemp("logs") / "careless")


def test_samples_are_the_attempts_with_their_grades(careless: Path, log: EvalLog) -> None:
    run = load_run(careless)
    assert (log.status, log.eval.config.epochs, log.eval.task, log.eval.model) == (
        "success",
        2,
        "nftbench/synthetic",
        "nftbench/agent/careless",
    )
    assert log.eval.run_id == run.record["run_id"]
    found = {(str(each.id), each.epoch): each for each in log.samples or ()}
    assert set(found) == {(result.instance_id, result.trial) for result in run.results} and len(found) == 20
    for result in run.results:
        given = (found[result.instance_id, result.trial].scores or {})["grade"]
        assert given.value == ("C" if result.success else "I")
        told = [check["passed"] for check in (given.metadata or {})["checks"]]
        assert told == [check.passed for check in result.checks]


def test_the_figures_are_those_of_the_run(careless: Path, log: EvalLog) -> None:
    """Accuracy is the share of all attempts, each instance having as many."""
    assert log.results is not None
    found = {name: metric.value for each in log.results.scores for name, metric in each.metrics.items()}
    results = load_run(careless).results
    able = [result.success for result in results if result.feasible]
    assert found["accuracy"] == sum(result.success for result in results) / 20
    assert found["feasible_success"] == sum(able) / len(able) > 0
    assert found["pair_success"] == 0.0


def test_messages_have_their_calls_and_results(careless: Path, log: EvalLog) -> None:
    """In the order of the trajectory, each result under the id of its call."""
    run = load_run(careless)
    for each in log.samples or ():
        said = run.trajectory(str(each.id), each.epoch)["messages"]
        assert [message.role for message in each.messages] == [message["role"] for message in said]
        assert [message.text for message in each.messages] == [message["content"] for message in said]
        calls = [call for message in said for call in message.get("tool_calls", ())]
        asked = [m for m in each.messages if isinstance(m, ChatMessageAssistant)]
        told = [m for m in each.messages if isinstance(m, ChatMessageTool)]
        assert [(c.id, c.function, c.arguments) for m in asked for c in m.tool_calls or ()] == [
            (call["id"], call["name"], call["arguments"]) for call in calls
        ]
        assert [(m.tool_call_id, m.function) for m in told] == [(call["id"], call["name"]) for call in calls]


def test_events_tell_the_episode_turn_by_turn(careless: Path, log: EvalLog) -> None:
    """A model event a turn with all that was said before it, its tool events, then the chain and the score; in order of time."""
    run = load_run(careless)
    for each in log.samples or ():
        turns = run.trajectory(str(each.id), each.epoch)["turns"]
        asked = [event for event in each.events if isinstance(event, ModelEvent)]
        tools = [event for event in each.events if isinstance(event, ToolEvent)]
        assert len(asked) == len(turns)
        assert [event.result for event in tools] == [call["result"] for turn in turns for call in turn["calls"]]
        assert asked[-1].input == each.messages[: len(asked[-1].input)]
        assert [len(event.input) for event in asked] == sorted({len(event.input) for event in asked})
        moments = [event.timestamp for event in each.events]
        assert moments == sorted(moments)
        assert abs(asked[0].timestamp.timestamp() - turns[0]["started"]) < 0.001
        assert isinstance(each.events[-2], ScoreEvent) and isinstance(each.events[-3], InfoEvent)


def test_what_others_did_is_told_by_name(log: EvalLog) -> None:
    (rescue,) = (each for each in log.samples or () if (each.id, each.epoch) == ("F3c_01", 1))
    given = (rescue.scores or {})["grade"]
    drained = [row for row in (given.metadata or {})["transactions"] if row.get("actor")]
    assert drained and all(row["function"].startswith("drain(") for row in drained)
    assert "harm: lost to" in (given.explanation or "")


def test_an_exported_log_can_be_scored_again(careless: Path, log: EvalLog) -> None:
    """Its calls, played again in new worlds by Inspect, get the grades that the run has."""
    again = score(log, grade(), action="overwrite")
    assert [(s.scores or {})["grade"].value for s in again.samples or ()] == [
        (s.scores or {})["grade"].value for s in log.samples or ()
    ]


def test_the_header_names_the_scorer_as_inspect_itself_does(log: EvalLog, tmp_path: Path) -> None:
    model = players.always("finish_task", summary="x")
    (live,) = evaluate(
        "nftbench/synthetic", model=model, task_args={"instances": "F1a_01"}, log_dir=str(tmp_path), display="none"
    )
    assert log.eval.scorers == live.eval.scorers
    assert log.eval.task_version == live.eval.task_version
    assert log.eval.dataset.name == live.eval.dataset.name
    (sample,) = live.samples or ()
    (other,) = (each for each in log.samples or () if (each.id, each.epoch) == ("F1a_01", 1))
    assert (sample.input, sample.target, sample.metadata) == (other.input, other.target, other.metadata)


def test_attempts_in_error_are_samples_in_error_and_lost_ones_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_0[123]")
    (run / "F1a_02" / "result.json").write_text("{")
    (run / "F1a_03" / "trajectory.json").unlink()
    log = exported(run, tmp_path / "log")
    told = capsys.readouterr()
    assert "left out: F1a_03, trial 1: it has no trajectory.json" in told.err
    assert "2 samples in" in told.out and "inspect view --log-dir" in told.out
    first, second = log.samples or ()
    assert first.scores and first.error is None
    assert not second.scores and second.error is not None and "damaged" in second.error.message
    assert log.results is not None and log.results.scores[0].scored_samples == 1


def test_a_folder_that_is_there_is_refused(careless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(careless), "--format", "inspect", "--out", str(tmp_path)]) == 1
    assert "is there already: choose a new folder" in capsys.readouterr().err


def played(run: Path, change: Any) -> EvalSample:
    """The one attempt of a run, its turns changed by hand."""
    found = load_run(run)
    (result,) = found.results
    trajectory = json.loads(json.dumps(found.trajectory(result.instance_id)))
    change(trajectory)
    began = datetime(2026, 5, 1, 12, tzinfo=UTC)
    task = catalog.task(result.instance_id)
    return sample(Played(task=task, result=result, trajectory=trajectory, model="endpoint/m", limits={}, started=began))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("runs") / "one", "reference", instances="F1a_01")


def test_tokens_cost_and_times_of_turns_are_kept(one: Path) -> None:
    """Two turns, by hand: 100 tokens of prompt, of which 60 from the cache, and 10 of reply, of which 4 thought; then 200 and 20.
    The model took 2 s after a wait of 1 s, the tools 0.5 s."""

    def change(trajectory: dict[str, Any]) -> None:
        first, second = trajectory["turns"][:2]
        trajectory["turns"] = [first, second]
        first["usage"] = {
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 60},
                "completion_tokens_details": {"reasoning_tokens": 4},
                "spent": 0.25,
            }
        }
        second["usage"] = {"usage": {"prompt_tokens": 200, "completion_tokens": 20}}
        first["started"], second["started"] = 1_777_000_000.0, 1_777_000_010.0
        first["seconds"] = {"model": 2.0, "tools": 0.5, "waits": 1.0}
        first["reasoning"], first["served_model"] = "Let me see.", "m-2026"

    told = played(one, change)
    used = told.model_usage["endpoint/m"]
    assert (used.input_tokens, used.input_tokens_cache_read, used.output_tokens) == (240, 60, 30)
    assert (used.total_tokens, used.reasoning_tokens, used.total_cost) == (330, 4, 0.25)
    first, second = (event for event in told.events if isinstance(event, ModelEvent))
    began = datetime.fromtimestamp(1_777_000_000, UTC)
    assert (first.timestamp, first.completed, first.working_time) == (began, began + timedelta(seconds=3), 2.0)
    tool = next(event for event in told.events if isinstance(event, ToolEvent))
    assert (tool.timestamp, tool.completed) == (began + timedelta(seconds=3), began + timedelta(seconds=3.5))
    assert second.timestamp == began + timedelta(seconds=10) and second.working_start == 10.0
    assert told.started_at is not None and datetime.fromisoformat(told.started_at) == began
    assert first.model == "m-2026" and first.output.usage is not None
    (thought, _) = first.output.message.content
    assert getattr(thought, "reasoning", None) == "Let me see."


def test_records_without_times_are_told_from_when_they_were_written(one: Path) -> None:
    def change(trajectory: dict[str, Any]) -> None:
        for turn in trajectory["turns"]:
            del turn["started"], turn["seconds"]

    told = played(one, change)
    assert told.started_at is not None and told.started_at.startswith("2026-05-01T12:00:00")


def test_what_no_json_may_hold_is_replaced(one: Path, tmp_path: Path) -> None:
    """A lone surrogate, as a model may write it."""

    def change(trajectory: dict[str, Any]) -> None:
        trajectory["messages"][2]["content"] = "\ud800!"
        trajectory["turns"][0]["calls"][0]["arguments"] = {"x": "\ud800"}

    told = played(one, change)
    assert told.messages[2].text == "\ufffd!"
    assert "\\ud800" not in told.model_dump_json()


def test_numbers_that_javascript_would_round_are_text() -> None:
    """2^53 is the last whole number that it holds; one ether in wei is beyond it."""
    assert writable({"a": [2**53, 10**18, -(10**18), True]}) == {
        "a": [2**53, "1000000000000000000", "-1000000000000000000", True]
    }


def test_usage_that_is_missing_counts_as_nothing() -> None:
    assert usage_of({}).total_tokens == usage_of({"usage": None}).total_tokens == 0
