"""A whole suite, instance by instance and as a whole, over as many processes as there are cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from nftbench.processes.crew import cores
from nftbench.processes.mapping import mapped
from nftbench.tasks import catalog
from nftbench.validation import building
from nftbench.validation.classifier import accuracy
from nftbench.validation.clauses import Case, Judgement, judge
from nftbench.validation.instance import Examination, examine
from nftbench.validation.scores import over_the_bounds

LEARNED_SEEDS = 10
"""Suite seeds whose prompts the classifier learns from; as many more are asked."""

MOST_WORKERS = 8
Job = tuple[str, int, bool]


class Validation(Struct, frozen=True):
    """The examinations in canonical order, the problems of the suite as a whole, and what the classifiers came to; `clauses` is
    None where there are too few cases to judge them by."""

    examinations: tuple[Examination, ...]
    problems: tuple[str, ...]
    guessed: float
    base_rate: float
    clauses: Judgement | None = None

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
    cannot_start: Callable[[str], None] = lambda why: None,
) -> Validation:
    """Take every instance through every step. `shown` gets the examinations as they come, in order.

    `workers` 1 stays in this process; None takes a process a core. `cannot_start` as mapped.
    """
    elsewhere = building.start(ids, suite_seed)
    try:
        examinations = []
        for one in examined([(name, suite_seed, False) for name in ids], workers, cannot_start=cannot_start):
            examinations.append(one)
            shown(one)
        told = wordings(ids, range(suite_seed, suite_seed + 2 * LEARNED_SEEDS))
    except BaseException:
        for process in elsewhere:
            process.kill()
        raise
    built = building.collect(elsewhere, {one.instance_id: one.fingerprint for one in examinations if one.fingerprint})
    for one in examinations:
        one.problems += built.get(one.instance_id, [])
    problems = over_the_bounds(one.scores for one in examinations if one.feasible)
    guessed, base_rate = told_by_prompts(told)
    clauses = judge(cases_of(told))
    problems += clauses.sentences() if clauses else []
    if guessed > base_rate:
        problems.append(
            f"the words of prompts tell feasibility: {guessed:.1%} are told right, and guessing has {base_rate:.1%}"
        )
    return Validation(tuple(examinations), tuple(problems), guessed, base_rate, clauses)


def examined(
    jobs: Sequence[Job], workers: int | None, *, cannot_start: Callable[[str], None] = lambda why: None
) -> Iterator[Examination]:
    """The examinations of the jobs in their order, each in one of the worker processes; `cannot_start` as mapped."""
    return mapped(_examine, jobs, workers or min(cores(), MOST_WORKERS), cannot_start=cannot_start)


def _examine(job: Job) -> Examination:
    name, suite_seed, scores_only = job
    return examine(name, suite_seed, scores_only=scores_only)


class Wordings(Struct, frozen=True):
    """One instance as it is worded on one suite seed after another."""

    sub_family: str
    feasible: bool
    twin: str | None
    prompts: tuple[str, ...]


def wordings(ids: Sequence[str], seeds: range) -> dict[str, Wordings]:
    """The prompts of each instance, by suite seed."""
    tell = catalog.task.__wrapped__  # not to keep thousands of tasks that are looked at once
    found = {}
    for name in ids:
        tasks = [tell(name, seed) for seed in seeds]
        prompts = tuple(task.prompt for task in tasks)
        found[name] = Wordings(tasks[0].sub_family, tasks[0].feasible, tasks[0].twin, prompts)
    return found


def told_by_prompts(told: Mapping[str, Wordings]) -> tuple[float, float]:
    """How often a classifier on words that has learned from the first half of the seeds tells feasibility in the other half,
    and the base rate. An instance counts only together with its twin."""
    whole = [one for one in told.values() if one.twin is None or one.twin in told]
    learned = [(prompt, one.feasible) for one in whole for prompt in one.prompts[:LEARNED_SEEDS]]
    return accuracy(learned, [(prompt, one.feasible) for one in whole for prompt in one.prompts[LEARNED_SEEDS:]])


def cases_of(told: Mapping[str, Wordings]) -> list[Case]:
    """The feasible instances as cases with or without an infeasible twin."""
    return [
        Case(one.sub_family, one.twin is not None, tuple(dict.fromkeys(one.prompts)))
        for one in told.values()
        if one.feasible
    ]
