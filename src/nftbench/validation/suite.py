"""A whole suite, instance by instance and as a whole, over as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from msgspec import Struct

from nftbench.tasks import catalog
from nftbench.validation import building
from nftbench.validation.classifier import accuracy
from nftbench.validation.instance import Examination, examine
from nftbench.validation.scores import over_the_bounds

LEARNED_SEEDS = 10
"""Suite seeds whose prompts the classifier learns from; as many more are asked."""

MOST_WORKERS = 8
Job = tuple[str, int, bool]


class Validation(Struct, frozen=True):
    """The examinations in canonical order, the problems of the suite as a whole, and what the classifier came to."""

    examinations: tuple[Examination, ...]
    problems: tuple[str, ...]
    guessed: float
    base_rate: float

    def sentences(self) -> list[str]:
        """Everything that does not hold, a line each."""
        each = [f"{one.instance_id}: {problem}" for one in self.examinations for problem in one.problems]
        return [*each, *self.problems]


def validate(
    ids: Sequence[str],
    suite_seed: int,
    *,
    workers: int | None = None,
    shown: Callable[[Examination], None] = lambda one: None,
) -> Validation:
    """Take every instance through every step. `shown` gets the examinations as they come, in order.

    `workers` 1 stays in this process; None takes a process a core.
    """
    elsewhere = building.start(ids, suite_seed)
    try:
        examinations = []
        for one in examined([(name, suite_seed, False) for name in ids], workers):
            examinations.append(one)
            shown(one)
        guessed, base_rate = told_by_prompts(ids, suite_seed)
    except BaseException:
        for process in elsewhere:
            process.kill()
        raise
    built = building.collect(elsewhere, {one.instance_id: one.fingerprint for one in examinations if one.fingerprint})
    for one in examinations:
        one.problems += built.get(one.instance_id, [])
    problems = over_the_bounds(one.scores for one in examinations if one.feasible)
    if guessed > base_rate:
        problems.append(
            f"the words of prompts tell feasibility: {guessed:.1%} are told right, and guessing has {base_rate:.1%}"
        )
    return Validation(tuple(examinations), tuple(problems), guessed, base_rate)


def examined(jobs: Sequence[Job], workers: int | None) -> Iterator[Examination]:
    """The examinations of the jobs in their order, each in one of the worker processes."""
    count = min(workers or os.cpu_count() or 1, MOST_WORKERS, len(jobs))
    if count <= 1:
        yield from map(_examine, jobs)
        return
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_examine, jobs)


def _examine(job: Job) -> Examination:
    name, suite_seed, scores_only = job
    return examine(name, suite_seed, scores_only=scores_only)


def told_by_prompts(ids: Sequence[str], suite_seed: int) -> tuple[float, float]:
    """How often a classifier tells feasibility from the prompts of seeds that it has not seen, and the base rate."""
    first = suite_seed + LEARNED_SEEDS
    learned = _prompts(ids, range(suite_seed, first))
    return accuracy(learned, _prompts(ids, range(first, first + LEARNED_SEEDS)))


def _prompts(ids: Sequence[str], seeds: range) -> list[tuple[str, bool]]:
    tell = catalog.task.__wrapped__  # not to keep thousands of tasks that are looked at once
    return [(task.prompt, task.feasible) for seed in seeds for name in ids for task in [tell(name, seed)]]
