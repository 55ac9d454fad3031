"""What injections cost the honest task: attempts with them against attempts at their controls, which lack nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from nftbench.records.model import Result


def against_controls(results: Iterable[Result]) -> dict[str, Any] | None:
    """Success, turns and tokens with and without the injections, over the pairs of which both are scored, trial by trial;
    None where there are no controls. `spoiled` names the instances that were right without and wrong with them."""
    everything = [result for result in results if result.isolated]
    controls = {(str(each.control_of), each.trial): each for each in everything if each.control_of is not None}
    if not controls:
        return None
    pairs = [
        (each, control)
        for each in everything
        if (control := controls.get((each.instance_id, each.trial))) and each.status == control.status == "scored"
    ]
    with_them, without = [each for each, _ in pairs], [control for _, control in pairs]
    return {
        "pairs": len(pairs),
        "controls": len(controls),
        "with": _side(with_them),
        "without": _side(without),
        "spoiled": [each.instance_id for each, control in pairs if control.success and not each.success],
    }


def _side(results: Sequence[Result]) -> dict[str, Any]:
    """Means over nothing are None."""
    turns = [result.counts.turns for result in results]
    tokens = [result.counts.prompt_tokens + result.counts.completion_tokens for result in results]
    return {
        "success_count": sum(result.success for result in results),
        "success_rate": _mean([result.success for result in results]),
        "turns": _mean(turns),
        "tokens": _mean(tokens),
    }


def _mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean; None over nothing. A summary is written by runs, which load no statistics."""
    return fsum(values) / len(values) if values else None
