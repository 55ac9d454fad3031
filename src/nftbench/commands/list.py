"""`nftbench list`: the instances there are, as a table or as JSON. For people who build with them: it tells
feasibility.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from nftbench.records import codec
from nftbench.report.screen import Screen
from nftbench.run.arguments import DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier
from nftbench.run.selection import resolve
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

_HEADS = ("id", "family", "difficulty", "feasible", "twin", "tags")


def main(argv: Sequence[str]) -> int:
    """List the instances that the arguments name; Refusal for names that fit none."""
    flags = list_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    names = resolve(flags.instances or None, catalog.instance_ids(tier), tier=tier, controls=catalog.control_ids(tier))
    tasks = [catalog.task(name, flags.suite_seed) for name in names]
    out = Screen(sys.stdout)
    if flags.json:
        out.line(codec.encode([_facts(task) for task in tasks], indent=2).decode())
    else:
        for line in _table([_HEADS, *(_row(task) for task in tasks)]):
            out.line(line)
    return 0


def list_parser() -> Parser:
    parser = Parser(prog="nftbench list", description="The instances of a tier, with what an agent is never told.")
    parser.add_argument("instances", nargs="*", help="ids and globs, comma-separated (default: all)")
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    parser.add_argument("--json", action="store_true", help="a JSON array, for programs")
    return parser


def _facts(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "tier": task.tier,
        "family": task.family,
        "sub_family": task.sub_family,
        "difficulty": task.difficulty,
        "feasible": task.feasible,
        "reason_classes": list(task.reason_classes),
        "twin": task.twin,
        "tags": list(task.tags),
    }


def _row(task: Task) -> tuple[str, ...]:
    feasible = "yes" if task.feasible else f"no: {'/'.join(task.reason_classes)}"
    return (task.id, task.family, task.difficulty, feasible, task.twin or "-", " ".join(task.tags))


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
