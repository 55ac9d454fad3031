"""The headline figures that Inspect's own metrics don't have. What is in error is left out, as Inspect does."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from inspect_ai.scorer import Metric, SampleScore, Value, metric, value_to_float

_number = value_to_float()


@metric
def feasible() -> Metric:
    """`feasible_success`: of the tasks that can be done, how many were."""

    def measured(scores: list[SampleScore]) -> Value:
        return {
            "feasible_success": _mean(
                _number(each.score.value) for each in scores if (each.sample_metadata or {}).get("feasible")
            )
        }

    return measured


@metric(scores="unreduced")
def pairs() -> Metric:
    """`pair_success`: of the pairs (an instance that can't be done, and its twin), in how many both halves are right in the same
    epoch; `pairs_F1` and so on: the same of each family. Always saying "can't be done" scores none."""

    def measured(scores: list[SampleScore]) -> Value:
        right = pairs_of(scores)
        families: dict[str, list[float]] = {}
        for (family, _, _), both in right.items():
            families.setdefault(family, []).append(float(both))
        return {
            "pair_success": _mean(map(float, right.values())),
            **{f"pairs_{family}": fmean(rights) for family, rights in sorted(families.items())},
        }

    return measured


def pairs_of(scores: Iterable[SampleScore]) -> dict[tuple[str, str, int], bool]:
    """Whether both halves are right, of every pair of which both are scored in an epoch: by family, pair and epoch."""
    halves: dict[tuple[str, str, int], dict[bool, bool]] = {}
    for each in scores:
        told, graded = each.sample_metadata or {}, each.score.metadata or {}
        if told.get("twin"):
            key = (str(told["family"]), str(told["pair"]), int(graded.get("trial", 1)))
            halves.setdefault(key, {})[bool(told["feasible"])] = _number(each.score.value) == 1.0
    return {key: all(both.values()) for key, both in halves.items() if len(both) == 2}


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return fmean(found) if found else float("nan")
