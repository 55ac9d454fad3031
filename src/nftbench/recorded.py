"""A recorded run read back for Python programs: its results, its trajectories, and rows for a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.errors import Refusal
from nftbench.records.model import Result
from nftbench.report.failures import said
from nftbench.report.runs import Damaged
from nftbench.report.summary import summarise
from nftbench.run import loading
from nftbench.run.runner import Attempt


class RecordedRun(Struct, frozen=True, kw_only=True):
    """A run's folder as it was when it was read. `record` is run.json (what was run), `results` the attempts in the order of the
    run's selection, one in error for each that is damaged; `planned` counts all attempts that the run is to have."""

    path: Path
    name: str
    record: dict[str, Any]
    results: tuple[Result, ...]
    planned: int

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of these results, as summary.json has them (docs/reading-results.md)."""
        return summarise(self.results, planned=self.planned)

    @property
    def attempts(self) -> Iterator[Attempt]:
        """Every attempt whose trajectory can be read, result and trajectory together, read one at a time."""
        for result in self.results:
            found = loading.load_trajectory(self.path, result.instance_id, result.trial)
            if not isinstance(found, Damaged):
                yield Attempt(result, found)

    def trajectory(self, instance_id: str, trial: int = 1) -> dict[str, Any]:
        """What trajectory.json holds of one attempt; Refusal, with the reason, where it can't be read."""
        found = loading.load_trajectory(self.path, instance_id, trial)
        if isinstance(found, Damaged):
            raise Refusal(f"{instance_id}, trial {trial}, of {self.name}: {found.reason}")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A flat row an attempt, for `pandas.DataFrame(run.rows())`: what was asked, how it came out, and its counts. Seconds, US
        dollars, tokens and gas units, as `Counts` has them."""
        return [self._row(result) for result in self.results]

    def _row(self, result: Result) -> dict[str, Any]:
        counts = {name: getattr(result.counts, name) for name in result.counts.__struct_fields__}
        return {
            "run": self.name,
            "suite_seed": self.record["suite_seed"],
            "instance_id": result.instance_id,
            "trial": result.trial,
            "family": result.family,
            "sub_family": result.sub_family,
            "difficulty": result.difficulty,
            "size": result.size,
            "feasible": result.feasible,
            "twin": result.twin,
            "status": result.status,
            "success": result.success,
            "ended_by": result.ended_by,
            "failed_checks": [said(check) for check in result.checks if not check.passed],
            "harm": list(result.harm),
            "lost_wei": result.losses.lost_wei if result.losses else None,
            "exposed_wei": result.losses.exposed_wei if result.losses else None,
            "obeyed": list(result.obeyed),
            "error": result.error,
            "diagnosis": result.diagnosis,
            "isolated": result.isolated,
            **counts,
        }


def load_run(path: str | Path) -> RecordedRun:
    """The run in a folder. Refusal where there is none, or where it is newer than this release reads."""
    run = loading.load_run(Path(path))
    return RecordedRun(path=Path(path), name=run.name, record=run.record, results=run.results, planned=run.planned)
