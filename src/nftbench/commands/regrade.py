"""`nftbench regrade`: a recorded run graded again with the present grader, by replaying its tool calls without any model."""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct, to_builtins

from nftbench.errors import Refusal
from nftbench.grading import GRADER_VERSION
from nftbench.processes.crew import cores, without_processes
from nftbench.processes.mapping import mapped
from nftbench.records import codec
from nftbench.records.model import Result
from nftbench.records.owner import RUN_ID, UNMARKED, owner_of, with_id
from nftbench.records.store import RunFolder
from nftbench.report.runs import Damaged, Run
from nftbench.report.screen import Screen, printable
from nftbench.report.summary import summarise
from nftbench.run import place
from nftbench.run.arguments import Parser, whole
from nftbench.run.loading import load_run, load_trajectory
from nftbench.run.regrading import Regraded, Worlds, regrade

FORMAT = 1
FEWEST = 48
"""Attempts from which on it pays to start processes."""
MOST_WORKERS = 8


def main(argv: Sequence[str]) -> int:
    """Grade the run that the arguments name again. 0: every scored attempt was replayed; 1: refused, or some were not."""
    flags = regrade_parser().read(argv)
    if flags is None:
        return 0
    path = Path(flags.run)
    run = load_run(path)
    if run.active:
        raise Refusal(f"{run.name} is still going; regrade it when it has ended")
    if run.record["tool_set"] != "standard":
        raise Refusal(f"{run.name} was played with the tool set {run.record['tool_set']}; there is standard")
    done = _all_again(path, run, flags.workers)
    out = Screen(sys.stdout)
    if flags.format == "json":
        told = [{k: v for k, v in to_builtins(each).items() if k != "result"} for each in done]
        out.line(codec.encode({"format": FORMAT, "grader": GRADER_VERSION, "attempts": told}, indent=2).decode())
    else:
        for line in lines(run, done):
            out.line(printable(line))
    if flags.out:
        _write(Path(flags.out), path, run, done)
        out.line(printable(f"Written to {flags.out}"))
    return 1 if any(each.outcome == "refused" for each in done) else 0


class _Instance(Struct, frozen=True):
    """The attempts of a run at one instance."""

    folder: Path
    suite_seed: int
    results: tuple[Result, ...]


def _all_again(path: Path, run: Run, workers: int | None) -> list[Regraded]:
    """The attempts graded again, in the order of the run's results; those at one instance by one process, which shares its
    world between them."""
    at_one = itertools.groupby(sorted(run.results, key=_place), key=lambda result: result.instance_id)
    instances = [_Instance(path, run.record["suite_seed"], tuple(results)) for _, results in at_one]
    usual = min(cores(), MOST_WORKERS) if len(run.results) >= FEWEST else 1
    found = {}
    for regraded in mapped(_instance_again, instances, workers or usual, cannot_start=_without_processes):
        found.update({(each.instance_id, each.trial): each for each in regraded})
    return [found[_place(result)] for result in run.results]


def _instance_again(instance: _Instance) -> list[Regraded]:
    worlds = Worlds()
    return [_again(instance.folder, each, instance.suite_seed, worlds) for each in instance.results]


def _without_processes(why: str) -> None:
    Screen(sys.stderr).line(printable(without_processes(why)))


def _place(result: Result) -> tuple[str, int]:
    return result.instance_id, result.trial


def _again(path: Path, result: Result, suite_seed: int, worlds: Worlds) -> Regraded:
    trajectory = load_trajectory(path, result.instance_id, result.trial)
    if isinstance(trajectory, Damaged):
        return Regraded(
            instance_id=result.instance_id,
            trial=result.trial,
            outcome="refused",
            before=result.success,
            reason=trajectory.reason,
        )
    return regrade(result, trajectory, suite_seed, worlds)


def lines(run: Run, done: Sequence[Regraded]) -> Iterator[str]:
    """What changed and why, and what could not be graded again, for people."""
    counts = Counter(each.outcome for each in done)
    yield f"{run.name}: graded by grader {run.record['grader_version']}, again by grader {GRADER_VERSION}"
    for each in done:
        name = each.instance_id if each.trial == 1 else f"{each.instance_id}, trial {each.trial}"
        if each.outcome == "changed":
            yield f"{name}: {_word(each.before)} before, {_word(each.after)} now"
            for reason in each.because:
                yield f"    {reason[:300]}"
        elif each.outcome == "refused":
            yield f"{name}: not graded again, its grade stays: {each.reason[:600]}"
    yield (
        f"{counts['same']} the same, {counts['changed']} changed, {counts['refused']} not replayed, "
        f"{counts['unscored']} in error and without a grade"
    )


def _word(success: bool | None) -> str:
    return "right" if success else "wrong"


def _write(out: Path, source: Path, run: Run, done: Sequence[Regraded]) -> None:
    """A run's folder of its own with the new grades; what was not graded again is left out, so that it is missing there."""
    if out.exists():
        raise Refusal(f"--out {out} is there already: choose a new folder")
    kept_fields = {name: value for name, value in run.record.items() if name not in (RUN_ID, UNMARKED)}
    record = with_id(kept_fields | {"grader_version": GRADER_VERSION, "regraded_from": run.name}, begun=False)
    with place.held(out) as hold:
        folder = RunFolder(out, owner_of(record), hold.check)
        folder.write_record(record)
        kept = []
        for each in done:
            trajectory = load_trajectory(source, each.instance_id, each.trial)
            if each.result is not None and not isinstance(trajectory, Damaged):
                folder.write_attempt(each.result, trajectory)
                kept.append(each.result)
        folder.write_summary(summarise(kept, planned=run.planned))


def regrade_parser() -> Parser:
    parser = Parser(
        prog="nftbench regrade",
        description="Replay the tool calls of a recorded run on fresh worlds and grade them with the present grader, without "
        "any model. Says which grades change and why; docs/errata.md says what each grader got wrong.",
        epilog="An attempt whose replay does not give the recorded results to the letter keeps its grade and is named. "
        "Exit code: 0 all scored attempts were replayed, 1 refused or some were not.",
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")
    parser.add_argument(
        "--workers",
        type=whole(1, 64),
        metavar="N",
        help="processes (default: one a core, at most 8; of few attempts one)",
    )
    parser.add_argument("--out", metavar="FOLDER", help="write the run with its new grades into this new folder")
    return parser
