"""`nftbench validate`: prove a suite. The reference solves it, nothing else does, every damage is seen, nothing leaks."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nftbench.processes.crew import without_processes
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier
from nftbench.run.selection import resolve
from nftbench.tasks import catalog
from nftbench.validation import table
from nftbench.validation.instance import Examination
from nftbench.validation.suite import examined, validate

_SPARE_SEEDS = 1_000
"""Suite seeds beyond the one validated that the steps look at."""


def main(argv: Sequence[str]) -> int:
    """Validate the instances that the arguments name: 0 if everything holds, 1 with a line for each thing that does not."""
    flags = validate_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    ids = resolve(flags.instances, catalog.instance_ids(tier), tier=tier)
    out = Screen(sys.stdout)
    if flags.baselines:
        return _baselines(out, ids, flags.suite_seed, flags.workers)
    out.line(table.head())
    rows = _Rows(out)
    found = validate(ids, flags.suite_seed, workers=flags.workers, shown=rows.add, cannot_start=_without_processes)
    rows.close()
    failures = [*found.sentences(), *rows.problems]
    out.line()
    out.line(
        f"Words of prompts tell feasibility in {found.guessed:.1%} of unseen prompts; guessing has {found.base_rate:.1%}."
    )
    if found.clauses is not None:
        out.line(
            f"Clauses of prompts tell which cases have an infeasible twin in {found.clauses.told:.1%} of cases; guessing has "
            f"{found.clauses.base_rate:.1%}, and chance may add {found.clauses.margin:.1%}."
        )
    for sentence in failures:
        out.line(printable(f"FAILED {sentence}", 600))
    out.line(f"{len(ids)} instances, suite seed {flags.suite_seed}: {_verdict(len(failures))}")
    return 1 if failures else 0


def _without_processes(why: str) -> None:
    Screen(sys.stderr).line(printable(without_processes(why)))


def _verdict(failures: int) -> str:
    return "everything holds" if not failures else f"{failures} thing{'s' if failures > 1 else ''} failed"


class _Rows:
    """Shows each sub-family's rows as soon as all of its instances are there."""

    def __init__(self, out: Screen) -> None:
        self.problems: list[str] = []
        self._out = out
        self._waiting: list[Examination] = []

    def add(self, one: Examination) -> None:
        if self._waiting and self._waiting[0].instance_id.partition("_")[0] != one.instance_id.partition("_")[0]:
            self.close()
        self._waiting.append(one)

    def close(self) -> None:
        if not self._waiting:
            return
        for line in table.rows(self._waiting):
            self._out.line(printable(line))
        problem = table.without_damages(self._waiting)
        self.problems += [problem] if problem else []
        self._waiting = []


def _baselines(out: Screen, ids: Sequence[str], suite_seed: int, workers: int | None) -> int:
    jobs = [(name, suite_seed, True) for name in ids]
    found = list(examined(jobs, workers, cannot_start=_without_processes))
    for line in table.baseline_table(found):
        out.line(line)
    return 0


def validate_parser() -> Parser:
    parser = Parser(
        prog="nftbench validate",
        description="Prove a suite: the reference solves it and nothing else does, every damage to a solved world is seen, "
        "what is infeasible is, and nothing leaks.",
        epilog="Exit code: 0 everything holds, 1 something does not, with a line for each naming the instance.",
    )
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument(
        "--instances", action="append", metavar="NAMES", help="ids and globs, comma-separated (default: all)"
    )
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED - _SPARE_SEEDS), default=0, metavar="N")
    parser.add_argument("--workers", type=whole(1, 64), metavar="N", help="processes (default: one a core, at most 8)")
    parser.add_argument(
        "--baselines", action="store_true", help="only print the table of the baselines' scores, in Markdown"
    )
    return parser
