"""`nftbench compare`: two runs over the same tasks, paired task by task."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nftbench.errors import Refusal
from nftbench.records import codec
from nftbench.records.model import Result
from nftbench.report.harm import attacks, harm, spoken_toll, toll
from nftbench.report.paired import Comparison, Flip, compare
from nftbench.report.runs import Run
from nftbench.report.screen import Screen, printable
from nftbench.report.statistics import LEVEL, POWER, RESAMPLES
from nftbench.run.arguments import Parser, whole
from nftbench.run.loading import load_runs
from nftbench.values import in_order

MUST_AGREE = ("tier", "suite_version", "grader_version", "tool_set", "suite_seed")
"""What makes the tasks and their grades the same; with another value nothing can be compared."""
SHOULD_AGREE = ("max_turns", "max_seconds", "prompt_layout")
"""What a reader is told where it differs: it is part of how an agent was run."""
FORMAT = 1


def main(argv: Sequence[str]) -> int:
    """Compare the two runs that the arguments name; Refusal for runs that can't be compared."""
    flags = compare_parser().read(argv)
    if flags is None:
        return 0
    first, second = load_runs([Path(flags.first), Path(flags.second)])
    comparisons = compared(first, second, flags.resamples)
    out = Screen(sys.stdout)
    if flags.format == "json":
        out.line(codec.encode(_document(first, second, comparisons), indent=2).decode())
    else:
        for line in lines(first, second, comparisons):
            out.line(printable(line))
    return 0


def compared(first: Run, second: Run, resamples: int = RESAMPLES) -> dict[str, Comparison]:
    """The comparison over all tasks that both runs have, over the feasible, the infeasible, and each family.

    Refusal, naming why, where the runs are no measurements of the same thing or one of them is still going.
    """
    for run in (first, second):
        if run.active:
            raise Refusal(f"{run.name} is still going; compare it when it has ended")
    different = [
        f"{name} {_value(first.record, name)} there, {_value(second.record, name)} here"
        for name in MUST_AGREE
        if first.record.get(name) != second.record.get(name)
    ]
    if different:
        raise Refusal(f"{first.name} and {second.name} can't be compared: {'; '.join(different)}")
    both = {result.instance_id for result in first.compared} & {result.instance_id for result in second.compared}
    if not both:
        raise Refusal(f"{first.name} and {second.name} can't be compared: no isolated attempt at a task that both have")
    sides = _both_have(first, second)
    families = sorted({result.family for result in sides[0]}, key=in_order)
    found = {}
    for name in ("all", "feasible", "infeasible", *families):
        here, there = ([result for result in side if _belongs(result, name)] for side in sides)
        if here:
            found[name] = compare(here, there, resamples=resamples)
    return found


def _belongs(result: Result, group: str) -> bool:
    """Whether a result is one of a row's."""
    return group in ("all", "feasible" if result.feasible else "infeasible", result.family)


def lines(first: Run, second: Run, comparisons: Mapping[str, Comparison]) -> Iterator[str]:
    """The comparison for people."""
    whole_run = comparisons["all"]
    yield f"A  {first.name}: {first.who}"
    yield f"B  {second.name}: {second.who}"
    for name in SHOULD_AGREE:
        if first.record.get(name) != second.record.get(name):
            yield f"note: {name} differs: {_value(first.record, name)} in A, {_value(second.record, name)} in B"
    left = {r.instance_id for r in first.compared} ^ {r.instance_id for r in second.compared}
    if left:
        yield f"note: {len(left)} instances that only one of them has are left out"
    yield ""
    yield f"{'':<12}{'tasks':>6}{'A':>9}{'B':>9}{'B - A':>9}   {f'{LEVEL:.0%} interval':<20}{'p (McNemar)':<13}visible from"
    for name, comparison in comparisons.items():
        yield _line(name, comparison)
    yield ""
    yield from _harm(first, second)
    if whole_run.left_out:
        yield f"{whole_run.left_out} attempts in error on either side are left out"
    if whole_run.gained is None or whole_run.lost is None:
        yield "the numbers of trials differ, so instances are compared by their means over trials"
        return
    yield from _flips("only B solved", whole_run.gained)
    yield from _flips("only A solved", whole_run.lost)
    yield (
        f"intervals resample pairs of an instance and its twin; visible from: the smallest difference that these tasks show with "
        f"a probability of {POWER:.0%}"
    )


def _line(name: str, found: Comparison) -> str:
    interval = "-" if found.interval is None else f"{100 * found.interval.low:+.1f} to {100 * found.interval.high:+.1f}"
    p_value = "-" if found.p_value is None else "< 0.0001" if found.p_value < 1e-4 else f"{found.p_value:.4f}"
    seen = "-" if found.smallest_visible is None else f"{100 * found.smallest_visible:.1f}"
    rates = f"{_points(found.first_rate)}{_points(found.second_rate)}{_points(found.difference, '+')}"
    return f"{name:<12}{found.tasks:>6}{rates}   {interval:<20}{p_value:<13}{seen}"


def _both_have(first: Run, second: Run) -> list[list[Result]]:
    """The compared attempts of both runs at the instances that both have."""
    both = {result.instance_id for result in first.compared} & {result.instance_id for result in second.compared}
    return [[result for result in run.compared if result.instance_id in both] for run in (first, second)]


def _harm(first: Run, second: Run) -> Iterator[str]:
    """Harm and instructions obeyed on either side, where there is any to tell."""
    sides = _both_have(first, second)
    tolls = [toll(side) for side in sides]
    if any(each.tasks for each in tolls):
        yield from (f"harm in {name}: {spoken_toll(each)}" for name, each in zip("AB", tolls, strict=True))
    met = [attacks(side) for side in sides]
    if any(each["tasks"] for each in met):
        told = (f"{each['obeyed']} of {each['tasks']} in {name}" for name, each in zip("AB", met, strict=True))
        yield f"attempts in which others' instructions were obeyed: {', '.join(told)}"


def _points(rate: float | None, sign: str = "") -> str:
    return f"{'-':>9}" if rate is None else f"{100 * rate:>{sign}9.1f}"


def _flips(words: str, flips: Sequence[Flip]) -> Iterator[str]:
    yield f"{words}: {len(flips)}"
    for flip in flips:
        trial = "" if flip.trial == 1 else f", trial {flip.trial}"
        yield f"  {flip.instance_id}{trial}: A ended by {flip.first}, B by {flip.second}"


def _value(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return "unset" if value is None else str(value)


def _document(first: Run, second: Run, comparisons: Mapping[str, Comparison]) -> dict[str, Any]:
    told = [{"harm": harm(side), "attacks": attacks(side)} for side in _both_have(first, second)]
    return {
        "format": FORMAT,
        "first": {"name": first.name, "who": first.who, **told[0]},
        "second": {"name": second.name, "who": second.who, **told[1]},
        "comparisons": msgspec.to_builtins(dict(comparisons)),
    }


def compare_parser() -> Parser:
    parser = Parser(
        prog="nftbench compare",
        description="Two runs over the same tasks, paired by instance and trial: the difference with its interval, the exact "
        "McNemar test, the tasks that flipped, and the smallest difference that these tasks could have shown.",
        epilog="Runs of another suite, grader, tool set, tier or suite seed are refused.",
    )
    parser.add_argument("first", metavar="A", help="the folder of the first run")
    parser.add_argument("second", metavar="B", help="the folder of the second run")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")
    parser.add_argument(
        "--resamples",
        type=whole(100, 1_000_000),
        default=RESAMPLES,
        metavar="N",
        help="of the bootstrap (default: 10000)",
    )
    return parser
