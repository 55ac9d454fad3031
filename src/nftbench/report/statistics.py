"""Estimators for runs: intervals of rates, pass@k and pass^k, and what two runs over the same tasks tell apart.

Rates are 0 to 1, intervals are two-sided at LEVEL. Everything here is a function of plain numbers; `measures` and `paired`
say which numbers of a run go in. A sample is one value an instance (the mean over its trials), since trials of one
instance are no independent tasks.

Quantiles and tails are SciPy's special functions. `scipy.stats` has the same estimators, but takes as long to import as a
report of 2,500 attempts takes altogether; the tests hold ours against those of statsmodels.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import comb, fsum, sqrt

import numpy as np
from msgspec import Struct
from scipy import special

LEVEL = 0.95
POWER = 0.8
"""With which probability a difference of the size that `smallest_visible` tells would have been seen."""
RESAMPLES = 10_000


class Interval(Struct, frozen=True):
    """Both ends included. `method` is "wilson", "clustered" or "bootstrap"; `units` is how many independent units (tasks, or
    clusters of tasks) it stands on."""

    low: float
    high: float
    method: str
    units: int


def wilson(successes: int, tasks: int) -> Interval | None:
    """The score interval of a proportion (Wilson, JASA 22, 1927); None over no task.

    It stays within 0 to 1 and has a width where every task, or none, succeeded.
    """
    if tasks == 0:
        return None
    z = float(special.ndtri((1 + LEVEL) / 2))
    rate, widened = successes / tasks, 1 + z * z / tasks
    centre = (rate + z * z / (2 * tasks)) / widened
    reach = z * sqrt(rate * (1 - rate) / tasks + z * z / (4 * tasks * tasks)) / widened
    low = 0.0 if successes == 0 else centre - reach
    high = 1.0 if successes == tasks else centre + reach
    return Interval(low, high, "wilson", tasks)


def clustered(values: Sequence[float], clusters: Sequence[Hashable]) -> Interval | None:
    """An interval of the mean of values that are alike within clusters (one sub-family's tasks; both halves of a pair).

    The cluster-robust standard error of a mean, with the factor G / (G - 1) for G clusters and Student's t with G - 1 degrees
    of freedom (Liang and Zeger, Biometrika 73, 1986; for evaluations: Miller, arXiv 2411.00640), cut to 0 to 1. None for fewer
    than two clusters. Where all clusters deviate by nothing the error says nothing: then it is Wilson's over the clusters.
    """
    sums = _deviations(values, clusters)
    count, centre = len(sums), mean(values) or 0.0
    if count < 2:
        return None
    if not any(abs(each) > 1e-12 for each in sums):
        bare = wilson(round(centre * count), count)
        assert bare is not None
        return Interval(min(bare.low, centre), max(bare.high, centre), "clustered", count)
    reach = float(special.stdtrit(count - 1, (1 + LEVEL) / 2)) * _error(sums, len(values))
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach), "clustered", count)


def _deviations(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    """For each cluster the sum of its values' deviations from the mean of all."""
    centre = mean(values) or 0.0
    sums: dict[Hashable, float] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - centre
    return list(sums.values())


def _error(deviations: Sequence[float], values: int) -> float:
    """The cluster-robust standard error of a mean of so many values."""
    count = len(deviations)
    return float((count / (count - 1) * fsum(each * each for each in deviations)) ** 0.5 / values)


def pass_at_k(trials: int, successes: int, k: int) -> float | None:
    """The chance that at least one of k trials succeeds: 1 - C(n-c, k) / C(n, k), without bias (Chen et al., arXiv 2107.03374).

    None for fewer than k trials.
    """
    if trials < k:
        return None
    return 1 - comb(trials - successes, k) / comb(trials, k)


def pass_hat_k(trials: int, successes: int, k: int) -> float | None:
    """pass^k, the chance that all of k trials succeed: C(c, k) / C(n, k), without bias (Yao et al., arXiv 2406.12045).

    None for fewer than k trials.
    """
    if trials < k:
        return None
    return comb(successes, k) / comb(trials, k)


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None over nothing."""
    return fsum(values) / len(values) if values else None


def bootstrapped(
    differences: Sequence[float], clusters: Sequence[Hashable], *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval | None:
    """The percentile interval of a mean difference, whole clusters drawn with replacement (Efron and Tibshirani 1993, 13.3).

    The same input gives the same interval: the generator starts from `seed`. None over nothing.
    """
    if not differences:
        return None
    order = {cluster: index for index, cluster in enumerate(dict.fromkeys(clusters))}
    places = np.array([order[cluster] for cluster in clusters])
    sums = np.bincount(places, weights=np.asarray(differences, dtype=float))
    sizes = np.bincount(places).astype(float)
    drawn = np.random.default_rng(seed).integers(len(sums), size=(resamples, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high), "bootstrap", len(sums))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value that two success rates over the same tasks are equal, from the tasks that only one of them
    solved (McNemar, Psychometrika 12, 1947; exact: the sign test). 1 where no task tells them apart."""
    discordant = only_first + only_second
    return min(1.0, 2 * float(special.bdtr(min(only_first, only_second), discordant, 0.5))) if discordant else 1.0


def smallest_visible(differences: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The smallest true difference of the mean that this many tasks would have shown, at LEVEL with probability POWER.

    (z + z') times the cluster-robust standard error of what was measured, and never less than the six tasks that a two-sided
    exact test needs on one side. None for fewer than two clusters.
    """
    sums = _deviations(differences, clusters)
    if len(sums) < 2:
        return None
    reach = float(special.ndtri((1 + LEVEL) / 2) + special.ndtri(POWER))
    return min(1.0, max(reach * _error(sums, len(differences)), 6 / len(differences)))
