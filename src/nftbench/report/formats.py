"""A report as text: a table for the terminal, Markdown, or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from nftbench.report.columns import COLUMNS, WITH_ERRORS, Column, rate_cell
from nftbench.report.document import RunReport
from nftbench.report.failures import FailureKind, failure_kinds
from nftbench.report.measures import Measures
from nftbench.report.screen import printable
from nftbench.report.table import grids
from nftbench.values import in_order

Row = tuple[str, Measures]
SHOWN_FAILURES = 12
"""Kinds of failure that the terminal and Markdown show; JSON holds all."""


def terminal(reports: Sequence[RunReport], *, width: int, ascii_only: bool) -> Iterator[str]:
    """Lines for a terminal: the runs side by side where there are several, then each run."""
    if len(reports) > 1:
        yield from grids(*_side_by_side(reports), width=width, ascii_only=ascii_only)
        yield ""
    for report in reports:
        yield printable(f"{report.run.name}: {report.run.who}")
        heads, rows = _table(report)
        yield from grids(heads, rows, width=width, ascii_only=ascii_only)
        yield from remarks(report)
        yield from _failures(failure_kinds(report.run.compared))
        yield ""


def markdown(reports: Sequence[RunReport]) -> Iterator[str]:
    """The same as Markdown, with every column."""
    if len(reports) > 1:
        yield "## Runs side by side\n"
        yield from _markdown_table(*_side_by_side(reports))
        yield ""
    for report in reports:
        yield f"## {_escaped(report.run.name)}: {_escaped(report.run.who)}\n"
        yield from _markdown_table(*_table(report))
        yield ""
        for line in remarks(report):
            yield f"- {_escaped(line)}"
        kinds = failure_kinds(report.run.compared)
        if kinds:
            yield "\n| attempts | ended by | failed | sub-families | example | what it says |\n|---|---|---|---|---|---|"
            for kind in kinds[:SHOWN_FAILURES]:
                yield "| " + " | ".join(_escaped(cell) for cell in _failure_cells(kind)) + " |"
        yield ""


def comma_separated(reports: Sequence[RunReport]) -> str:
    """CSV, a row for each run and group: run, grouping, name, and every column's plain values."""
    file = StringIO()
    names = [name for column in COLUMNS for name in column.values(reports[0].overall)]
    writer = csv.DictWriter(file, ["run", "grouping", "name", *names], lineterminator="\n")
    writer.writeheader()
    for report in reports:
        for grouping, name, measures in _groups(report):
            values = {key: value for column in COLUMNS for key, value in column.values(measures).items()}
            writer.writerow({"run": _cell(report.run.name), "grouping": grouping, "name": name} | values)
    return file.getvalue()


def remarks(report: RunReport) -> Iterator[str]:
    """What a reader must know of a run beside its figures, a line each."""
    run = report.run
    yield "intervals: 95 %; a sub-family's is Wilson's, those over sub-families take whole sub-families as units"
    if run.active:
        yield f"still going: {len(run.results)} of {run.planned} attempts are done"
    elif run.planned > len(run.results):
        yield f"not finished: {run.planned - len(run.results)} of {run.planned} attempts"
    for damaged in run.damaged:
        place = damaged.instance_id if damaged.trial == 1 else f"{damaged.instance_id}, trial {damaged.trial}"
        yield printable(f"damaged, counted as in error: {place} ({damaged.reason})", 300)
    if report.apart is not None:
        successes = report.apart.success.scored
        yield (
            f"not isolated, in no figure above: {report.apart.tasks} attempts, {successes.successes} of {successes.tasks} right"
        )


def _groups(report: RunReport) -> Iterator[tuple[str, str, Measures]]:
    yield "all", "all", report.overall
    for grouping, groups in report.groups.items():
        for name, measures in groups.items():
            yield grouping, name, measures


def _table(report: RunReport) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: families and difficulties, and all together. A column with nothing to say is left out."""
    rows: list[Row] = [*report.groups["family"].items(), *report.groups["difficulty"].items(), ("all", report.overall)]
    columns = [column for column in COLUMNS if _tells(column, [measures for _, measures in rows])]
    heads = ["", *(column.name for column in columns)]
    return heads, [[name, *(column.cell(measures) for column in columns)] for name, measures in rows]


def _tells(column: Column, rows: Sequence[Measures]) -> bool:
    if column.name == WITH_ERRORS:
        return any(measures.errors for measures in rows)
    return any(column.cell(measures) not in ("-", "0", "0.000") for measures in rows)


def _side_by_side(reports: Sequence[RunReport]) -> tuple[list[str], list[list[str]]]:
    """A row a family and one for all; a column a run: feasible success."""
    families = sorted({name for report in reports for name in report.groups["family"]}, key=in_order)
    heads = ["success %", *(printable(report.run.name) for report in reports)]
    rows = [[name, *(_success(report.groups["family"].get(name)) for report in reports)] for name in families]
    rows.append(["all", *(_success(report.overall) for report in reports)])
    rows.append(["feasible", *(rate_cell(report.overall.feasible.scored) for report in reports)])
    rows.append(["pairs", *(rate_cell(report.overall.pairs.scored) for report in reports)])
    return heads, rows


def _success(measures: Measures | None) -> str:
    return "-" if measures is None else rate_cell(measures.success.scored)


def _failures(kinds: Sequence[FailureKind]) -> Iterator[str]:
    if not kinds:
        return
    yield "failures by kind:"
    for kind in kinds[:SHOWN_FAILURES]:
        count, ended, failed, families, example, says = _failure_cells(kind)
        yield printable(f"  {count:>4}  {ended}; failed: {failed}; in {families}", 200)
        yield printable(f"        e.g. {example}: {says}", 300)
    if len(kinds) > SHOWN_FAILURES:
        yield f"  and {len(kinds) - SHOWN_FAILURES} more kinds; --format json has all"


def _failure_cells(kind: FailureKind) -> list[str]:
    ended = kind.ended_by + (f" ({kind.cause})" if kind.cause and kind.cause != kind.ended_by else "")
    failed = ", ".join(kind.failed) or "not graded"
    example = kind.example if kind.trial == 1 else f"{kind.example}, trial {kind.trial}"
    return [str(kind.count), ended, failed, " ".join(kind.sub_families), example, kind.says[:300]]


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(map(_escaped, heads)) + " |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield "| " + " | ".join(map(_escaped, row)) + " |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it stands: nothing in it is a cell's end, a link, HTML or emphasis."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+!|~" else c for c in printable(text))


def _cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return "'" + text if text[:1] in "=+-@\t\r" else text
