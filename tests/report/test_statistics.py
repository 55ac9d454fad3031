"""Estimators against values worked out by hand, and against statsmodels and plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as other_mcnemar
from statsmodels.stats.proportion import proportion_confint

from nftbench.report.statistics import (
    bootstrapped,
    clustered,
    mcnemar,
    pass_at_k,
    pass_hat_k,
    smallest_visible,
    wilson,
)


def test_wilson_by_hand() -> None:
    """5 of 10 at z = 1.959964: centre 0.5, half-width z/(1+z^2/n) * sqrt(0.025 + z^2/400) = 0.2634."""
    found = wilson(5, 10)
    assert found is not None
    assert (found.low, found.high, found.units) == (
        pytest.approx(0.2366, abs=1e-4),
        pytest.approx(0.7634, abs=1e-4),
        10,
    )
    assert wilson(0, 0) is None


@given(st.integers(1, 400), st.data())
def test_wilson_is_that_of_another_implementation(tasks: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, tasks))
    found = wilson(successes, tasks)
    low, high = proportion_confint(successes, tasks, alpha=0.05, method="wilson")
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))


def test_clustered_by_hand() -> None:
    """Two clusters of two: means 1 and 0.5, overall 0.75; sums of deviations +-0.5; error sqrt(2 * 0.5) / 4 = 0.25;
    t at 1 degree of freedom is 12.706, so the interval is all of 0 to 1."""
    found = clustered([1, 1, 1, 0], ["a", "a", "b", "b"])
    assert found is not None
    assert (found.low, found.high, found.units) == (0.0, 1.0, 2)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=8, max_size=40))
def test_clustered_error_is_that_of_a_regression_on_a_constant(rows: list[tuple[int, float]]) -> None:
    """Cluster-robust covariance of statsmodels' OLS on a constant, its factor (G/(G-1)) * ((N-1)/(N-1)) the same as ours."""
    clusters, values = [c for c, _ in rows], [v for _, v in rows]
    found = clustered(values, clusters)
    if len(set(clusters)) < 2:
        assert found is None
        return
    fit = sm.OLS(np.array(values), np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(clusters)}, use_t=True
    )
    if fit.bse[0] < 1e-9:
        return
    low, high = fit.conf_int(alpha=0.05)[0]
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(max(0, low), abs=1e-6), pytest.approx(min(1, high), abs=1e-6))


def test_clusters_that_are_all_right_still_leave_a_doubt() -> None:
    """Four clusters without a failure: Wilson over four, whose lower end is n/(n+z^2) = 4/7.8415."""
    found = clustered([1.0] * 12, ["a", "b", "c", "d"] * 3)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(4 / (4 + 1.959964**2), abs=1e-5), 1.0)


@pytest.mark.parametrize("trials", range(1, 7))
def test_pass_at_k_and_pass_hat_k_are_what_enumeration_says(trials: int) -> None:
    for successes, k in itertools.product(range(trials + 1), range(1, trials + 1)):
        rights = [True] * successes + [False] * (trials - successes)
        draws = list(itertools.combinations(rights, k))
        assert pass_at_k(trials, successes, k) == pytest.approx(sum(map(any, draws)) / len(draws))
        assert pass_hat_k(trials, successes, k) == pytest.approx(sum(map(all, draws)) / len(draws))
    assert pass_at_k(trials, 0, trials + 1) is None
    assert pass_hat_k(trials, trials, trials + 1) is None


def test_mcnemar_by_hand() -> None:
    """1 against 9: 2 * (C(10,0) + C(10,1)) / 2^10 = 22/1024."""
    assert mcnemar(1, 9) == pytest.approx(22 / 1024)
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(4, 4) == 1.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_another_implementation(only_first: int, only_second: int) -> None:
    theirs = other_mcnemar([[5, only_first], [only_second, 7]], exact=True).pvalue
    assert mcnemar(only_first, only_second) == pytest.approx(float(theirs), abs=1e-9)


def test_the_bootstrap_is_near_the_normal_interval_and_always_the_same() -> None:
    """200 tasks in clusters of their own, 60 gained and 20 lost: mean 0.2, standard error sqrt((0.4 - 0.04)/200) = 0.0424."""
    values = [1.0] * 60 + [-1.0] * 20 + [0.0] * 120
    found = bootstrapped(values, range(200))
    assert found is not None
    reach = 1.96 * math.sqrt((0.4 - 0.04) / 200)
    assert (found.low, found.high) == (pytest.approx(0.2 - reach, abs=0.01), pytest.approx(0.2 + reach, abs=0.01))
    assert bootstrapped(values, range(200)) == found
    assert bootstrapped([], []) is None


def test_the_bootstrap_draws_whole_clusters() -> None:
    """The same difference in all members of a cluster: as wide as if every cluster were one task."""
    single = bootstrapped([1.0, 0.0] * 20, range(40))
    quadruple = bootstrapped([1.0] * 4 + [0.0] * 4, [0] * 4 + [1] * 4)
    assert single is not None
    assert quadruple is not None
    assert quadruple.high - quadruple.low == 1.0 > single.high - single.low


def test_the_smallest_visible_difference_by_hand() -> None:
    """Standard error 0.0425 (with the factor 200/199) times 1.960 + 0.842 is 0.119; where nothing differs, six tasks of all."""
    values = [1.0] * 60 + [-1.0] * 20 + [0.0] * 120
    assert smallest_visible(values, range(200)) == pytest.approx(0.1192, abs=1e-3)
    assert smallest_visible([0.0] * 200, range(200)) == pytest.approx(0.03)
    assert smallest_visible([0.0], [0]) is None
