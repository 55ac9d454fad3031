"""How agents that can't know better score: what a suite's figures have to be held against."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from nftbench.agents.builtin.catalog import built_in
from nftbench.grading.grade import idle_endings
from nftbench.run.runner import Attempt, attempt
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.validation.replay import ReplayAgent, Trace

BASELINES = ("noop", "decline", "careless", "random")
REPLAYED_SEEDS = 2
"""On how many other suite seeds a trace is replayed."""

MOST_RANDOM = Fraction(1, 50)
"""Of the feasible instances, how many the random agent may solve; at least one in any selection."""

MOST_REPLAYED = Fraction(1, 5)
"""Of the replays of feasible instances, how many may solve."""

FEWEST_JUDGED = 20
"""Replays from which on their share is judged."""


class Scores(Struct, frozen=True, kw_only=True):
    """Which baselines pass one instance, and how many replays on other seeds of how many."""

    passed: tuple[str, ...] = ()
    replays_solved: int = 0
    replays: int = 0


def play(task: Task, agent: str) -> Attempt:
    """One attempt of a built-in agent."""
    return attempt(task, built_in(agent, catalog.policy(task), catalog.careless(task)))


def scores(task: Task, trace: Trace) -> Scores:
    """The baselines at one instance. `trace` is the reference's, from this suite seed."""
    agents = [a for a in BASELINES if a != "careless" or catalog.careless(task) is not None]
    passed = tuple(agent for agent in agents if play(task, agent).result.success)
    others = [catalog.task(task.id, task.suite_seed + i) for i in range(1, REPLAYED_SEEDS + 1)]
    solved = sum(attempt(other, ReplayAgent(trace)).result.success for other in others)
    return Scores(passed=passed, replays_solved=solved, replays=len(others))


def is_trap(task: Task) -> bool:
    """Whether the first idea is meant to fail here."""
    return any(tag.startswith("trap:") for tag in task.tags)


def unexpected(task: Task, found: Scores) -> list[str]:
    """A sentence for each baseline that does better or worse than it may."""
    problems = []
    idle = idle_endings(task)
    if ("noop" in found.passed) is not ("finish_task" in idle):
        passes = "noop" in found.passed
        problems.append(f"doing nothing and saying that it is done {'passes' if passes else 'fails where it is right'}")
    if ("decline" in found.passed) is not ("declare_infeasible" in idle):
        right = "declare_infeasible" in idle
        problems.append(
            "declining does not pass, and it is infeasible"
            if right
            else "declining passes, and something was to be done"
        )
    if catalog.careless(task) is None:
        problems.append(f"the sub-family {task.sub_family} has no careless play")
    elif is_trap(task) and "careless" in found.passed:
        problems.append("the careless agent passes an instance that is tagged as a trap")
    return problems


def over_the_bounds(feasible: Iterable[Scores]) -> list[str]:
    """What the random agent and the replays solve too many of, among the feasible instances."""
    found = list(feasible)
    lucky = sum("random" in one.passed for one in found)
    solved, replays = sum(one.replays_solved for one in found), sum(one.replays for one in found)
    problems = []
    if lucky > max(Fraction(1), MOST_RANDOM * len(found)):
        problems.append(f"the random agent solves {lucky} of {len(found)} feasible instances, more than one in fifty")
    if replays >= FEWEST_JUDGED and solved >= MOST_REPLAYED * replays:
        problems.append(f"traces replayed by position solve {solved} of {replays} feasible worlds, a fifth or more")
    return problems
