"""A run's summary as text for people: a table with one row a sub-family, and the headline figures under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from nftbench.report.harm import Toll, spoken_toll

_COLUMNS = ("instances", "feasible", "infeasible", "errors", "turns", "tokens", "cost")
_BLANK = "    \n"
_PLAIN = box.Box(_BLANK * 2 + " -- \n" + _BLANK * 5, ascii=True)


def table_text(summary: Mapping[str, Any], *, width: int, ascii_only: bool) -> str:
    """The table, a row for each sub-family and one for all of them; where `width` is too small, the last columns go.

    "feasible" and "infeasible" hold right answers of scored attempts; turns and tokens are means over all attempts.
    """
    rows = [[name, *_cells(group)] for name, group in summary["by_sub_family"].items()]
    rows.append(["all", *_cells(summary)])
    style = _PLAIN if ascii_only else box.SIMPLE_HEAD
    return next(_fitting(["", *_COLUMNS], rows, width, style))[0]


def grids(heads: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, ascii_only: bool) -> Iterator[str]:
    """Tables whose first column is names and whose last row stands apart; columns for which `width` has no room go into a
    further table below.
    """
    style, heads, rows = _PLAIN if ascii_only else box.SIMPLE_HEAD, list(heads), [list(row) for row in rows]
    while len(heads) > 1:
        text, shown = next(_fitting(heads, rows, width, style))
        yield text
        heads, rows = [heads[0], *heads[shown:]], [[row[0], *row[shown:]] for row in rows]


def _fitting(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, style: box.Box
) -> Iterator[tuple[str, int]]:
    """The table with as many of its first columns as fit (at least one beside the names), and how many these are."""
    for columns in range(len(heads), 1, -1):
        text = _drawn(heads[:columns], [row[:columns] for row in rows], style)
        if columns == 2 or max(map(len, text.splitlines())) <= width:
            yield text, columns


def _drawn(heads: Sequence[str], rows: Sequence[Sequence[str]], style: box.Box) -> str:
    table = Table(box=style, pad_edge=False)
    table.add_column(heads[0], no_wrap=True)
    for name in heads[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows[:-1]:
        table.add_row(*row)
    table.add_section()
    table.add_row(*rows[-1])
    console = Console(file=StringIO(), width=1000, markup=False, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()).strip("\n")


def headlines(summary: Mapping[str, Any]) -> list[str]:
    """The headline figures, one a line; rates leave errors out, and are given with errors as failures where that
    differs.
    """
    baselines = summary["baselines"]
    lines = [
        _headline("feasible success", summary["feasible"]),
        _headline("pair success", summary["pairs"]),
        _headline("overall", summary["overall"]),
        f"{'':<18}{percent(baselines['decline'])} by always declining, {percent(baselines['noop'])} by doing nothing",
    ]
    if summary["tasks_error"]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in summary["errors"].items())
        lines.append(f"{'in error':<18}{summary['tasks_error']} of {summary['tasks_planned']} ({kinds})")
    if summary["harm"]["tasks"]:
        lines.append(f"{'harm':<18}{_harm(summary['harm'])}")
    if summary["attacks"]["tasks"]:
        lines.append(_attacks(summary["attacks"]))
    if "controls" in summary:
        lines.append(_spoiled(summary["controls"]))
    if "not_isolated" in summary:
        apart = summary["not_isolated"]
        lines.append(f"{'not isolated':<18}{_counted(apart)}; not comparable, so kept out of every figure above")
    if summary["tasks_unfinished"]:
        lines.append(f"{'not finished':<18}{summary['tasks_unfinished']} of {summary['tasks_planned']}")
    return lines


def percent(rate: float | None) -> str:
    """A rate from 0 to 1 in percent; `-` for a rate over nothing."""
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _headline(name: str, rates: Mapping[str, Any]) -> str:
    line = f"{name:<18}{percent(rates['success_rate'])} ({rates['success_count']} of {rates['scored']})"
    if rates["scored"] != rates["tasks"]:
        line += f"; {percent(rates['success_rate_errors_as_failures'])} with errors as failures"
    return line


def _harm(found: Mapping[str, Any]) -> str:
    return spoken_toll(Toll(**{name: found[name] for name in Toll.__struct_fields__}))


def _attacks(attacks: Mapping[str, Any]) -> str:
    rate = percent(attacks["attack_success_rate"])
    return (
        f"{'obeyed others':<18}{rate} ({attacks['obeyed']} of {attacks['tasks']} attempts with instructions in the way)"
    )


def _spoiled(controls: Mapping[str, Any]) -> str:
    with_them, without = controls["with"]["success_rate"], controls["without"]["success_rate"]
    return f"{'injections':<18}{percent(with_them)} right with them, {percent(without)} without ({controls['pairs']} pairs)"


def _counted(apart: Mapping[str, Any]) -> str:
    overall, feasible = apart["overall"], apart["feasible"]
    return (
        f"{overall['success_count']} of {overall['scored']} right "
        f"({feasible['success_count']} of {feasible['scored']} feasible)"
    )


def _cells(group: Mapping[str, Any]) -> list[str]:
    counts, tasks = group["counts"], group["overall"]["tasks"]
    tokens = counts.get("prompt_tokens", 0) + counts.get("completion_tokens", 0)
    return [
        str(group["instances"]),
        _fraction(group["feasible"]),
        _fraction(group["infeasible"]),
        str(group["overall"]["errors"]),
        f"{counts.get('turns', 0) / tasks:.1f}" if tasks else "-",
        f"{tokens / tasks:,.0f}" if tasks else "-",
        "-" if counts["cost_usd"] is None else f"${counts['cost_usd']:.4f}",
    ]


def _fraction(rates: Mapping[str, Any]) -> str:
    return f"{rates['success_count']}/{rates['scored']}" if rates["tasks"] else "-"
