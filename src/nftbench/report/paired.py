"""Two runs over the same tasks, compared task by task, so that what both find hard cancels out.

The unit is an attempt of both: the same instance and trial where both runs have as many trials, else the instance with the
means over its trials. Attempts in error on either side are left out of the difference and counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from nftbench.records.model import Result
from nftbench.report.measures import pair_of
from nftbench.report.statistics import RESAMPLES, Interval, bootstrapped, mcnemar, mean, smallest_visible


class Flip(Struct, frozen=True):
    """An attempt that one run solved and the other did not; how each ended."""

    instance_id: str
    trial: int
    first: str
    second: str


class Comparison(Struct, frozen=True, kw_only=True):
    """`difference` is the second run's rate less the first's, over `tasks` attempts (or instances, where the numbers of trials
    differ; flips and `p_value`, which is McNemar's exact one, are then None). `smallest_visible` is the smallest difference that
    these tasks would have shown."""

    tasks: int
    instances: int
    left_out: int
    first_rate: float | None
    second_rate: float | None
    difference: float | None
    interval: Interval | None
    p_value: float | None
    gained: tuple[Flip, ...] | None
    lost: tuple[Flip, ...] | None
    smallest_visible: float | None


def compare(first: Sequence[Result], second: Sequence[Result], *, resamples: int = RESAMPLES) -> Comparison:
    """Compare two runs' attempts. Only instances (and trials) that both have are looked at.

    The interval resamples pairs of an instance and its twin as a whole: they share a world.
    """
    trials = [max((result.trial for result in results), default=0) for results in (first, second)]
    if trials[0] == trials[1]:
        return _by_attempt(first, second, resamples)
    return _by_instance(first, second, resamples)


def _by_attempt(first: Sequence[Result], second: Sequence[Result], resamples: int) -> Comparison:
    there = {(result.instance_id, result.trial): result for result in second}
    both = [(a, there[a.instance_id, a.trial]) for a in first if (a.instance_id, a.trial) in there]
    scored = [(a, b) for a, b in both if a.status == b.status == "scored"]
    gained = tuple(_flip(a, b) for a, b in scored if b.success and not a.success)
    lost = tuple(_flip(a, b) for a, b in scored if a.success and not b.success)
    values = [(pair_of(a), float(a.success), float(b.success)) for a, b in scored]
    instances = len({a.instance_id for a, _ in scored})
    return _compared(values, (instances, len(both) - len(scored)), resamples, flips=(gained, lost))


def _by_instance(first: Sequence[Result], second: Sequence[Result], resamples: int) -> Comparison:
    here, there = _instance_means(first), _instance_means(second)
    clusters = {result.instance_id: pair_of(result) for result in first}
    both = [name for name in here if name in there]
    everything = {result.instance_id for result in first} & {result.instance_id for result in second}
    values = [(clusters[name], here[name], there[name]) for name in both]
    return _compared(values, (len(both), len(everything) - len(both)), resamples, flips=None)


def _compared(
    values: Sequence[tuple[tuple[str, str], float, float]],
    counted: tuple[int, int],
    resamples: int,
    flips: tuple[tuple[Flip, ...], tuple[Flip, ...]] | None,
) -> Comparison:
    clusters = [cluster for cluster, _, _ in values]
    differences = [b - a for _, a, b in values]
    instances, left_out = counted
    return Comparison(
        tasks=len(values),
        instances=instances,
        left_out=left_out,
        first_rate=mean([a for _, a, _ in values]),
        second_rate=mean([b for _, _, b in values]),
        difference=mean(differences),
        interval=bootstrapped(differences, clusters, resamples=resamples),
        p_value=None if flips is None else mcnemar(len(flips[1]), len(flips[0])),
        gained=None if flips is None else flips[0],
        lost=None if flips is None else flips[1],
        smallest_visible=smallest_visible(differences, clusters),
    )


def _flip(a: Result, b: Result) -> Flip:
    return Flip(a.instance_id, a.trial, a.ended_by, b.ended_by)


def _instance_means(results: Sequence[Result]) -> dict[str, float]:
    trials: dict[str, list[float]] = {}
    for result in results:
        if result.status == "scored":
            trials.setdefault(result.instance_id, []).append(float(result.success))
    return {name: sum(values) / len(values) for name, values in trials.items()}
