"""`inspect eval nftbench/<tier>` with the real package: samples, options, grades, what a log shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as evaluate
from inspect_ai import score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import InfoEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import Model
from msgspec import to_builtins

from nftbench.adapters.inspect import grade, suites
from nftbench.adapters.inspect.suites import TASKS, chosen
from nftbench.adapters.inspect.telling import writable
from nftbench.agents.backend import Backend
from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from tests.ecosystem.inspect import players

TIMES = {"seconds", "model_seconds", "tool_seconds", "wait_seconds"}
USAGE = {"prompt_tokens", "completion_tokens"}
"""Of the counts of a result: what differs from one playing to the next, and what depends on who is asked."""


def played(model: Model, folder: Path, **options: Any) -> EvalLog:
    arguments = {
        key: options.pop(key) for key in list(options) if key in ("instances", "families", "suite_seed", "max_turns")
    }
    (log,) = evaluate(
        "nftbench/synthetic", model=model, task_args=arguments, log_dir=str(folder), display="none", **options
    )
    return log


def by_id(log: EvalLog) -> dict[str, EvalSample]:
    return {str(sample.id): sample for sample in log.samples or ()}


def graded(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores is not None, sample.error
    told = dict(sample.scores["grade"].metadata or {})
    told.pop("transactions")
    return comparable(told)


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    counts = {name: value for name, value in result["counts"].items() if name not in TIMES | USAGE}
    bare: dict[str, Any] = json.loads(json.dumps({**result, "counts": counts, "served_models": ()}))
    return bare


def own(instance_id: str, backend: Backend, suite_seed: int = 0) -> dict[str, Any]:
    """The same attempt in our own runner."""
    result: dict[str, Any] = writable(to_builtins(attempt(catalog.task(instance_id, suite_seed), backend).result))
    return comparable(result)


def metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {
        name.removeprefix("nftbench/"): metric.value
        for scored in log.results.scores
        for name, metric in scored.metrics.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("tier", catalog.TIERS)
def test_the_reference_gets_the_grades_of_our_own_runner_over_every_instance(tier: str, tmp_path: Path) -> None:
    """Success, every check, how it ended, the world, turns, calls, transactions and gas: the same of each instance."""
    (log,) = evaluate(f"nftbench/{tier}", model=players.reference(), log_dir=str(tmp_path), display="none")
    samples = by_id(log)
    assert sorted(samples) == sorted(catalog.instance_ids(tier))
    for name, sample in samples.items():
        assert graded(sample) == own(name, ReferenceAgent(catalog.policy(catalog.task(name)))), name
    found = metrics(log)
    assert found["accuracy"] == found["feasible_success"] == found["pair_success"] == 1.0
    families = {sample.metadata["family"] for sample in samples.values()}
    assert all(found[family] == 1.0 for family in families)
    assert log.status == "success"


@pytest.mark.parametrize(
    ("model", "agent", "rates"),
    [
        pytest.param(players.always("finish_task", summary="Nothing was done."), NoopAgent, (0.0, 0.0), id="noop"),
        pytest.param(
            players.always("declare_infeasible", reason="This cannot be done."), DeclineAgent, (0.25, 0.0), id="decline"
        ),
    ],
)
def test_agents_that_do_not_try_get_the_grades_of_our_own_runner(
    model: Model, agent: type[Any], rates: tuple[float, float], tmp_path: Path
) -> None:
    """A quarter of the instances can't be done; declining all scores them, and no pair."""
    log = played(model, tmp_path, families=["F1a", "F2b", "F4"])
    samples = by_id(log)
    assert len(samples) == 8 + 8 + 32
    for name, sample in samples.items():
        assert graded(sample) == own(name, agent()), name
    found = metrics(log)
    assert (found["accuracy"], found["feasible_success"]) == rates
    assert found["pair_success"] == found["pairs_F4"] == 0.0
    assert found["F4"] == rates[0]


def test_epochs_are_trials_and_pairs_are_counted_within_one(tmp_path: Path) -> None:
    """F1a_04 is the twin of F1a_03. Declining in the first epoch and finishing in the second gets one half each time."""
    twin = catalog.task("F1a_04").twin
    endings = {1: ("declare_infeasible", {"reason": "no"}), 2: ("finish_task", {"summary": "done"})}
    model = players.model(lambda messages: [endings[players.here().trial]])
    log = played(model, tmp_path, instances=f"F1a_04,{twin}", epochs=2, max_samples=1)
    results = [graded(sample) for sample in log.samples or ()]
    assert sorted((each["instance_id"], each["trial"], each["success"]) for each in results) == [
        (twin, 1, False),
        (twin, 2, False),
        ("F1a_04", 1, True),
        ("F1a_04", 2, False),
    ]
    found = metrics(log)
    assert found["accuracy"] == 0.25  # one of four
    assert found["pair_success"] == 0.0


def test_pair_success_needs_both_halves_in_the_same_epoch(tmp_path: Path) -> None:
    """The reference in the second epoch only: one of two pairs."""
    reference, twin = players.reference_says(), catalog.task("F1a_04").twin
    model = players.model(
        lambda messages: reference(messages) if players.here().trial == 2 else [("finish_task", {"summary": "x"})]
    )
    found = metrics(played(model, tmp_path, instances=["F1a_04", twin], epochs=2))
    assert found["pair_success"] == found["pairs_F1"] == found["accuracy"] == 0.5


def test_another_suite_seed_draws_other_worlds_with_the_same_grades(tmp_path: Path) -> None:
    sample = by_id(played(players.reference(), tmp_path, instances="F1a_01", suite_seed=7))["F1a_01"]
    assert graded(sample) == own("F1a_01", ReferenceAgent(catalog.policy(catalog.task("F1a_01", 7))), suite_seed=7)
    assert sample.input == catalog.task("F1a_01", 7).prompt != catalog.task("F1a_01", 0).prompt


def test_a_log_shows_calls_checks_and_transactions(tmp_path: Path) -> None:
    """Of a transfer: a tool event a call with its result, the table of checks, and the transaction by name, not by bytes."""
    log = played(players.reference(), tmp_path, instances="F1a_01")
    sample = by_id(read_eval_log(log.location, resolve_attachments=True))["F1a_01"]
    tools = [event for event in sample.events if isinstance(event, ToolEvent)]
    assert tools[-1].function == "finish_task" and str(tools[-1].result) == '{"ended": true}'
    (story,) = [event.data for event in sample.events if isinstance(event, InfoEvent)]
    assert "safeTransferFrom(" in str(story) and "done" in str(story)
    assert sample.scores is not None
    given = sample.scores["grade"]
    assert "| ok | frame | nothing else has changed |" in (given.explanation or "")
    (transaction,) = (given.metadata or {})["transactions"]
    assert transaction["function"].startswith("safeTransferFrom(") and transaction["success"]
    assert [event["event"] for event in transaction["events"]] == ["Transfer"]
    assert transaction["from"] == "user"
    assert given.answer == "finish_task"


def test_the_model_is_shown_nothing_that_gives_answers_away(tmp_path: Path) -> None:
    """Neither id, family, feasibility nor goals stand in what is sent."""
    sample = by_id(played(players.always("declare_infeasible", reason="no"), tmp_path, instances="F1a_04"))["F1a_04"]
    sent = " ".join(message.text for message in sample.messages[:2])
    assert sent.endswith(catalog.task("F1a_04").prompt)
    assert "F1a" not in sent and "infeasible instance" not in sent


def test_a_log_can_be_scored_again_by_playing_its_calls(tmp_path: Path) -> None:
    """`inspect score` has no world left, and gives the same grades."""
    log = played(players.reference(), tmp_path, instances=["F1a_01", "F1a_04", "F3c_01"])
    again = score(log, grade(), action="overwrite")
    for name, sample in by_id(again).items():
        assert sample.scores is not None
        assert sample.scores["grade"].value == "C", name
        assert graded(sample)["checks"] == graded(by_id(log)[name])["checks"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"instances": "F9z_01"}, "'F9z_01' is no instance of tier synthetic"),
        ({"instances": ["F1a_01", 5]}, "instances are texts"),
        ({"families": "F1,F77"}, "there is no family 'F77'; there is F1, "),
        ({"instances": "F1a_01", "families": "F2"}, "none of the instances asked for is of F2"),
        ({"suite_seed": "seven"}, "a suite seed is a whole number"),
    ],
)
def test_an_option_that_can_not_be_is_refused_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        TASKS["synthetic"](**options)
    assert sentence in str(refused.value.message)


def test_instances_and_families_come_as_lists_or_as_text() -> None:
    """As `-T` gives them: `F1a_01` a text, `F1a_01,F1a_02` a list or a text, globs too."""
    assert chosen("synthetic", instances="F1a_02, F1a_01") == ("F1a_01", "F1a_02")
    assert chosen("synthetic", instances=["F1a_0[12]"]) == ("F1a_01", "F1a_02")
    assert chosen("synthetic", families="F1a,F3c") == chosen("synthetic", instances=["F1a_*", "F3c_*"])
    assert chosen("synthetic", families=["F1"], instances="F?a_01") == ("F1a_01",)


def test_every_tier_of_the_catalogue_is_a_task() -> None:
    assert set(TASKS) == set(catalog.TIERS)


def test_a_tier_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(PrerequisiteError) as refused:
        suites._registered("nowhere")()
    assert str(refused.value.message) == f"there is no tier 'nowhere'; there is {', '.join(catalog.TIERS)}"
    assert not set(suites.ABSENT) & set(catalog.TIERS)
