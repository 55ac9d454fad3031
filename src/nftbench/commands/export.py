"""`nftbench export` and `nftbench export-tasks`: runs and tasks as data for training and analysis."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from nftbench.errors import Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier
from nftbench.run.exporting import FORMATS, card, left_out, run_rows, task_rows, write
from nftbench.run.loading import load_run
from nftbench.run.selection import resolve
from nftbench.tasks import catalog

INSPECT = "inspect"
"""The format that an adapter writes; it is imported when it is asked for, since its package is optional."""


def main(argv: Sequence[str]) -> int:
    """Export the run that the arguments name; Refusal for what can't be exported whole and true."""
    flags = export_parser().read(argv)
    if flags is None:
        return 0
    path = Path(flags.run)
    run = load_run(path)
    if run.active:
        raise Refusal(f"{run.name} is still going; export it when it has ended")
    if str(run.record["suite_version"]) != catalog.SUITE_VERSION:
        raise Refusal(
            f"{run.name} was played in suite {run.record['suite_version']}, whose tools were others than those of suite "
            f"{catalog.SUITE_VERSION}: export it with the nftbench that played it"
        )
    screen, err = Screen(sys.stdout), Screen(sys.stderr)
    if flags.format == INSPECT:
        file, samples, missing = import_module("nftbench.adapters.inspect.export").write_log(run, path, Path(flags.out))
        for reason in missing:
            err.line(printable(f"left out: {reason}", 300))
        screen.line(printable(f"{samples} samples in {file}; look at them with: inspect view --log-dir {flags.out}"))
        return 0
    rows = list(run_rows(run, path))
    about = f"Attempts of {run.who} at tasks of nftbench, suite {catalog.SUITE_VERSION}, graded by what the chain then held."
    text = card(title=f"nftbench run {run.name}", about=about, form=flags.format, rows=len(rows), gives_away=True)
    file = write(rows, Path(flags.out), flags.format, text)
    for reason in left_out(run, path):
        err.line(printable(f"left out: {reason}", 300))
    screen.line(printable(f"{len(rows)} rows in {file}"))
    return 0


def main_tasks(argv: Sequence[str]) -> int:
    """Export the tasks that the arguments name."""
    flags = export_tasks_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    names = resolve(flags.instances or None, catalog.instance_ids(tier), tier=tier, controls=catalog.control_ids(tier))
    rows = list(task_rows([catalog.task(name, flags.suite_seed) for name in names], answers=flags.answers))
    about = f"Tasks of nftbench, suite {catalog.SUITE_VERSION}, drawn from suite seed {flags.suite_seed}."
    text = card(title="nftbench tasks", about=about, form=flags.format, rows=len(rows), gives_away=flags.answers)
    file = write(rows, Path(flags.out), flags.format, text)
    Screen(sys.stdout).line(printable(f"{len(rows)} rows in {file}"))
    return 0


def export_parser() -> Parser:
    parser = Parser(
        prog="nftbench export",
        description="A run as a dataset: an attempt a row, with OpenAI messages, tool calls, tools and grade, and a card.",
        epilog="Attempts in error are left out and named; in a log of Inspect they are samples in error.",
    )
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    _add_writing(parser, (*FORMATS, INSPECT), f", or {INSPECT}, a log for `inspect view` (needs inspect_ai)")
    return parser


def export_tasks_parser() -> Parser:
    parser = Parser(
        prog="nftbench export-tasks",
        description="Tasks as a dataset: a task a row, with the first messages and the tools.",
        epilog="Without --answers nothing in a row tells whether a task can be done, or how.",
    )
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument(
        "--instances", action="append", metavar="NAMES", help="ids and globs, as for evaluate (default: all)"
    )
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    parser.add_argument("--answers", action="store_true", help="add feasibility, twins, reasons, goals and tags")
    _add_writing(parser, FORMATS)
    return parser


def _add_writing(parser: Parser, formats: Sequence[str], more: str = "") -> None:
    parser.add_argument(
        "--format", choices=formats, default="jsonl", help=f"jsonl (default), parquet (needs pyarrow){more}"
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="a new folder for the data and its card")
