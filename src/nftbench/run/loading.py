"""A run's folder read back, for reports: what it records, what is damaged, and whether a process is still at work on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nftbench.errors import BenchmarkDefect, CannotRead, Refusal
from nftbench.records import codec
from nftbench.records.lock import is_held
from nftbench.records.model import Result
from nftbench.records.owner import Stray, owner_of
from nftbench.records.store import RUN, TRAJECTORY, RunFolder
from nftbench.report.runs import Damaged, Run
from nftbench.run import identity
from nftbench.run.plan import Job, jobs
from nftbench.tasks import catalog


def load_run(path: Path, *, name: str | None = None) -> Run:
    """The run in a folder. Refusal where there is none, where its record is cut or newer than this release reads."""
    folder = RunFolder(path)
    try:
        raw = folder.read_record()
    except OSError as problem:
        raise Refusal(f"{path / RUN} can't be read ({problem.strerror})") from None
    if raw is None:
        what = "is not there" if not path.exists() else f"is no folder of a run: it has no {RUN}"
        raise Refusal(f"{path} {what}; a run's folder is what `nftbench evaluate --out` names")
    record = identity.read(raw, where=str(path / RUN))
    folder = RunFolder(path, owner_of(record))
    planned = list(jobs(record["selection"], record["trials"]))
    results, damaged = [], []
    for job in planned:
        found = _attempt(folder, job)
        if isinstance(found, Damaged):
            damaged.append(found)
            results.append(_stand_in(found, record))
        elif found is not None:
            results.append(found)
    return Run(
        name=name or path.resolve().name,
        record=record,
        results=tuple(results),
        damaged=tuple(damaged),
        planned=len(planned),
        active=is_held(path),
    )


def load_runs(paths: Sequence[Path]) -> list[Run]:
    """Several runs, each under a name of its own: the folder's, with as much of its path as tells it from the others.

    Refusal for the same folder twice.
    """
    resolved = [path.resolve() for path in paths]
    for place, path in enumerate(resolved):
        if path in resolved[:place]:
            raise Refusal(f"{paths[place]} is named twice; name each run once")
    names = [path.name for path in resolved]
    depth = 1
    while len(set(names)) < len(names):
        depth += 1
        names = ["/".join(path.parts[-depth:]) for path in resolved]
    return [load_run(path, name=name) for path, name in zip(paths, names, strict=True)]


def _attempt(folder: RunFolder, job: Job) -> Result | Damaged | None:
    """An attempt's result, None where it is still to be made."""

    def damaged(reason: str) -> Damaged:
        return Damaged(job.instance_id, job.trial, reason)

    try:
        found = folder.look(job.instance_id, job.trial)
    except CannotRead as problem:
        return damaged(f"it can't be read: {problem.strerror}")
    return damaged(found.why) if isinstance(found, Stray) else found


def _stand_in(damaged: Damaged, record: dict[str, Any]) -> Result:
    """What stands for a damaged attempt: one in error, told by the catalogue what it was about."""
    try:
        task = catalog.task(damaged.instance_id, record["suite_seed"])
    except (BenchmarkDefect, Refusal, KeyError, ValueError):
        task = None
    sub_family = task.sub_family if task else damaged.instance_id.partition("_")[0]
    return Result(
        instance_id=damaged.instance_id,
        trial=damaged.trial,
        status="error",
        success=False,
        feasible=task.feasible if task else True,
        family=task.family if task else sub_family[:-1],
        sub_family=sub_family,
        difficulty=task.difficulty if task else "unknown",
        twin=task.twin if task else None,
        ended_by="error",
        error=f"damaged: {damaged.reason}",
    )


def load_trajectory(path: Path, instance_id: str, trial: int) -> dict[str, Any] | Damaged:
    """What an attempt's trajectory.json holds, or why it can't be read."""
    try:
        raw = (RunFolder(path).attempt_folder(instance_id, trial) / TRAJECTORY).read_bytes()
        value = codec.decode(raw)
    except FileNotFoundError:
        return Damaged(instance_id, trial, f"it has no {TRAJECTORY}")
    except OSError as problem:
        return Damaged(instance_id, trial, f"its {TRAJECTORY} can't be read: {problem.strerror}")
    except codec.Unreadable as problem:
        return Damaged(instance_id, trial, f"its {TRAJECTORY} can't be read: {problem}")
    if not isinstance(value, dict) or not isinstance(value.get("turns"), list):
        return Damaged(instance_id, trial, f"its {TRAJECTORY} holds no turns")
    return value
