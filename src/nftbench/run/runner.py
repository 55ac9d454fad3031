"""The whole story of one attempt: a world is built, an agent acts in it, and the world it leaves behind is graded."""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nftbench import __version__
from nftbench.agents.backend import Backend
from nftbench.agents.failure import CLIFailure
from nftbench.chain.revm import RevmEngine
from nftbench.episode.fault import Fault, fault_of, is_fault
from nftbench.episode.limits import Limits
from nftbench.episode.loop import run_episode
from nftbench.episode.outcome import Outcome
from nftbench.errors import BenchmarkDefect
from nftbench.grading import GRADER_VERSION
from nftbench.grading.grade import Grade, grade, idle_endings
from nftbench.grading.reference import reference_gas
from nftbench.records.model import Counts, Result
from nftbench.run.trajectory import chain_record, trajectory
from nftbench.tasks.answer_forms import form_asked
from nftbench.tasks.catalog import SUITE_VERSION
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import MakeEngine, build_world
from nftbench.world.starts import STARTS

LARGEST_COUNT = 10**15
"""No count of tokens is larger, whatever a server says: what is written must be read again, and added up."""


class Attempt(Struct, frozen=True):
    """What one attempt leaves: the result, and the trajectory as JSON-able data."""

    result: Result
    trajectory: dict[str, Any]


class Opened(Struct, frozen=True):
    """An attempt that has begun: the world stands, the agent's tools are laid out, `started` is on the monotonic clock."""

    task: Task
    desk: Desk
    world_hash: str
    started: float


def attempt(
    task: Task, backend: Backend, *, trial: int = 1, limits: Limits | None = None, make_engine: MakeEngine = RevmEngine
) -> Attempt:
    """Play and grade one instance once.

    BenchmarkDefect when the world can't be built; CLIFailure when the run must stop (credentials, spend limit).
    """
    opened = open_attempt(task, make_engine)
    outcome = run_episode(task.prompt, standard_toolbox(opened.desk), backend, (limits or Limits()).of(task.turns))
    return close_attempt(opened, trial, outcome)


def open_attempt(task: Task, make_engine: MakeEngine = RevmEngine) -> Opened:
    """The world of a task for one attempt, put up again where this process has built it before; BenchmarkDefect, naming the
    instance, when it can't be built."""
    started = time.monotonic()
    try:
        if make_engine is RevmEngine:
            world, world_hash = STARTS.world((task.id, task.suite_seed), task.fixture)
        else:
            world = build_world(task.fixture, make_engine)
            world_hash = world.hash()
    except BenchmarkDefect as defect:
        raise BenchmarkDefect(f"{task.id}: {defect}") from defect
    return Opened(task, Desk(world, form_asked(task.goals)), world_hash, started)


def close_attempt(opened: Opened, trial: int, outcome: Outcome) -> Attempt:
    """Grade the world that an episode left behind, unless its outcome says nothing about the agent. Once only.

    What breaks in the grader leaves the attempt unscored, as a broken tool does.
    """
    task, desk = opened.task, opened.desk
    verdict, record = None, {}
    try:
        record = chain_record(desk)
        verdict = None if outcome.unscored else grade(task, desk, outcome.ended_by)
    except BaseException as problem:
        if not is_fault(problem):
            raise
        outcome = replace(outcome, ended_by="error", fault=fault_of("grader_fault", "grading", problem))
    counts = count(desk, outcome, time.monotonic() - opened.started)
    if verdict is not None and verdict.success:
        counts = replace(counts, reference_gas=reference_gas(task, desk.world))
    result = _result(opened, trial, outcome, verdict, counts)
    return Attempt(result, trajectory(task, trial, outcome, record))


def _result(opened: Opened, trial: int, outcome: Outcome, verdict: Grade | None, counts: Counts) -> Result:
    task, ending = opened.task, opened.desk.ending
    broken: Fault | CLIFailure | None = outcome.fault or outcome.failure
    return Result(
        instance_id=task.id,
        trial=trial,
        status="error" if verdict is None else "scored",
        success=verdict is not None and verdict.success,
        feasible=task.feasible,
        family=task.family,
        sub_family=task.sub_family,
        difficulty=task.difficulty,
        twin=task.twin,
        ended_by=outcome.ended_by,
        checks=verdict.checks if verdict else (),
        error=str(broken) if broken else None,
        cause=broken.kind if isinstance(broken, Fault) else broken.cause if broken else None,
        answer=ending.answer if ending else None,
        reason=ending.reason if ending else None,
        reason_class=ending.reason_class if ending else None,
        diagnosis=verdict.diagnosis if verdict else None,
        only_the_ending_failed=verdict is not None and verdict.only_the_ending_failed,
        idle_endings=idle_endings(task),
        harm=verdict.harm if verdict else (),
        losses=verdict.losses if verdict else None,
        obeyed=verdict.obeyed if verdict else (),
        tags=task.tags,
        counts=counts,
        recoveries=dict(Counter(turn["recovered"] for turn in outcome.turns if turn.get("recovered"))),
        notes=dict(Counter(note for turn in outcome.turns for note in turn.get("notes", ()))),
        control_of=task.control_of,
        counterpart=task.counterpart,
        prompt_fits=outcome.failure.facts.get("prompt_fits") if outcome.failure else None,
        served_models=tuple(sorted({turn["served_model"] for turn in outcome.turns if turn.get("served_model")})),
        versions={"nftbench": __version__, "suite": SUITE_VERSION, "grader": GRADER_VERSION},
        world_hash=opened.world_hash,
        size=task.size,
        parts=verdict.parts if verdict else (),
    )


def count(desk: Desk, outcome: Outcome, seconds: float) -> Counts:
    """The columns that stand beside success."""
    usages = [(turn.get("usage") or {}) for turn in outcome.turns]
    calls = [call for turn in outcome.turns for call in turn.get("calls", ())]
    tokens = [usage.get("usage") or {} for usage in usages]
    # `spent` is a reply's own price, `cost` that of the attempts before it (agents.backend.Invocation)
    retried = [t.get("retried") or {} for t in tokens] + ([outcome.failure.usage] if outcome.failure else [])

    costs = [
        row[key] for rows, key in ((tokens, "spent"), (retried, "cost")) for row in rows if row.get(key) is not None
    ]

    def total(rows: list[dict[str, Any]], key: str) -> int:
        return min(sum(int(row.get(key) or 0) for row in rows), LARGEST_COUNT)

    return Counts(
        turns=len(outcome.turns),
        tool_calls=len(calls),
        tool_errors=sum(call["error"] for call in calls),
        transactions=len(desk.receipts),
        reverted=sum(not receipt.success for receipt in desk.receipts),
        signatures=len(desk.signatures),
        repairs=sum("problem" in turn for turn in outcome.turns),
        gas_used=sum(receipt.gas_used for receipt in desk.receipts),
        prompt_tokens=total(tokens, "prompt_tokens"),
        completion_tokens=total(tokens, "completion_tokens"),
        retried_attempts=total(retried, "attempts"),
        retried_prompt_tokens=total(retried, "prompt_tokens"),
        retried_completion_tokens=total(retried, "completion_tokens"),
        cost_usd=math.fsum(costs) if costs else None,
        seconds=round(seconds, 3),
        model_seconds=_spent(outcome, "model"),
        tool_seconds=_spent(outcome, "tools"),
        wait_seconds=_spent(outcome, "waits"),
    )


def _spent(outcome: Outcome, what: str) -> float | None:
    """The seconds of all timed turns that went to the model, the tools or waits; None where no turn was timed."""
    timed = [turn["seconds"] for turn in outcome.turns if "seconds" in turn]
    return round(math.fsum(seconds.get(what, 0.0) for seconds in timed), 6) if timed else None
