"""The report on one or more runs as plain data: what `nftbench report --format json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nftbench.report.failures import failure_kinds
from nftbench.report.measures import GROUPINGS, Measures, grouped, measure
from nftbench.report.runs import Run

FORMAT = 1
RECORDED = (
    "model",
    "agent",
    "cli",
    "provider",
    "suite_seed",
    "suite_version",
    "grader_version",
    "tool_set",
    "prompt_layout",
)


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a report says of one run; `groups` goes by grouping ("family" ...) and name."""

    run: Run
    overall: Measures
    groups: dict[str, dict[str, Measures]]
    apart: Measures | None


def report_on(run: Run) -> RunReport:
    """Work out the measures of a run, over all and by group."""
    results = run.compared
    return RunReport(
        run=run,
        overall=measure(results),
        groups={name: grouped(results, key) for name, key in GROUPINGS.items()},
        apart=measure(run.apart) if run.apart else None,
    )


def document(reports: Sequence[RunReport]) -> dict[str, Any]:
    """The reports as JSON-able data."""
    return {"format": FORMAT, "runs": [_run(report) for report in reports]}


def _run(report: RunReport) -> dict[str, Any]:
    run = report.run
    return {
        "name": run.name,
        "record": {name: run.record.get(name) for name in RECORDED},
        "planned": run.planned,
        "unfinished": run.planned - len(run.results),
        "active": run.active,
        "damaged": msgspec.to_builtins(run.damaged),
        "overall": msgspec.to_builtins(report.overall, str_keys=True),
        **{f"by_{name}": msgspec.to_builtins(groups, str_keys=True) for name, groups in report.groups.items()},
        "failures": msgspec.to_builtins(failure_kinds(run.compared)),
        "not_isolated": msgspec.to_builtins(report.apart, str_keys=True),
    }
