"""One attempt: what is recorded of it, and whose fault an end is."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.agents.builtin.scripted import ScriptedBackend
from nftbench.agents.failure import CLIFailure
from nftbench.calls import Call
from nftbench.episode.limits import Limits
from nftbench.errors import BenchmarkDefect
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.model import Step


def test_a_solved_attempt_is_recorded_whole() -> None:
    """F1a_05 takes a lock off and sends a token: two transactions."""
    task = catalog.task("F1a_05")
    made = attempt(task, ReferenceAgent(catalog.policy(task)), trial=3)
    result = made.result
    assert (result.instance_id, result.trial, result.status, result.success) == ("F1a_05", 3, "scored", True)
    assert (result.family, result.sub_family, result.twin, result.ended_by) == ("F1", "F1a", task.twin, "finish_task")
    assert result.counts.transactions == 2 and result.counts.reverted == 0 and result.counts.gas_used > 42_000
    assert result.counts.turns == result.counts.tool_calls == len(made.trajectory["turns"])
    assert len(result.world_hash) == 64 and set(result.versions) == {"nftbench", "suite", "grader"}
    assert [t["success"] for t in made.trajectory["transactions"]] == [True, True]
    json.dumps(made.trajectory, allow_nan=False)


def test_an_unscored_failure_is_an_error_without_checks() -> None:
    result = attempt(catalog.task("F1a_01"), ScriptedBackend([CLIFailure("incomplete_output", "no usage")])).result
    assert (result.status, result.success, result.checks) == ("error", False, ())
    assert result.error == "incomplete_output: no usage"


def test_a_scored_failure_is_graded_as_the_world_stands() -> None:
    result = attempt(catalog.task("F1a_01"), ScriptedBackend([CLIFailure("context_limit", "too long")])).result
    assert (result.status, result.success, result.ended_by) == ("scored", False, "context_limit")
    assert {c.kind for c in result.checks} == {"ending", "goal", "frame"}


def test_a_limit_is_a_scored_failure() -> None:
    result = attempt(
        catalog.task("F1a_01"), ScriptedBackend([Call("read_state", {})]), limits=Limits(max_turns=4)
    ).result
    assert (result.status, result.ended_by, result.counts.turns) == ("scored", "turn_limit", 4)


def test_a_fixture_that_reverts_is_our_defect_and_names_the_instance() -> None:
    task = catalog.task("F1a_01")
    collection = next(each for each in task.fixture.contracts if each.artifact == "OpenZeppelinCollection")
    broken = Step(sender="user", target=collection.name, function="burn", args=(10**9,))
    bad = replace(task, fixture=replace(task.fixture, steps=(*task.fixture.steps, broken)))
    with pytest.raises(
        BenchmarkDefect, match=r"F1a_01: the fixture step .*\.burn by 'user' fails: ERC721NonexistentToken"
    ):
        attempt(bad, ScriptedBackend([Call("read_state", {})]))


def test_gas_is_told_against_the_references_and_time_by_what_it_went_to() -> None:
    """The reference's own attempt uses what the reference uses; a failed attempt is held against nothing."""
    task = catalog.task("F1a_02")
    solved = attempt(task, ReferenceAgent(catalog.policy(task))).result.counts
    assert solved.gas_used == solved.reference_gas
    assert solved.gas_used > 21_000
    assert solved.tool_seconds is not None
    assert solved.model_seconds is not None
    assert 0 < solved.tool_seconds + solved.model_seconds <= solved.seconds + 0.001
    careless = catalog.careless(task)
    assert careless is not None
    assert attempt(task, ReferenceAgent(careless)).result.counts.reference_gas is None
