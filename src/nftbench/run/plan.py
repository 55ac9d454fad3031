"""What is left to do in a run's folder: each attempt that has no readable, scored result yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from nftbench.records.model import Result
from nftbench.records.store import RunFolder


class Job(Struct, frozen=True):
    """One attempt to make; trials count from 1."""

    instance_id: str
    trial: int


class Plan(Struct, frozen=True):
    """`pending` are the attempts to make now, first trials first; `kept` what an earlier command has finished."""

    pending: tuple[Job, ...]
    kept: tuple[Result, ...]


def make(folder: RunFolder, selection: Sequence[str], trials: int) -> Plan:
    """The plan for that many trials of each instance. Attempts in error, or with a result that can't be trusted, are
    pending.
    """
    pending, kept = [], []
    for job in jobs(selection, trials):
        result = folder.read_result(job.instance_id, job.trial)
        if result is not None and result.status == "scored":
            kept.append(result)
        else:
            pending.append(job)
    return Plan(tuple(pending), tuple(kept))


def recorded(folder: RunFolder, selection: Sequence[str], trials: int) -> list[Result]:
    """Every result that stands in the folder, in the order of the selection, errors included."""
    found = (folder.read_result(job.instance_id, job.trial) for job in jobs(selection, trials))
    return [result for result in found if result is not None]


def jobs(selection: Sequence[str], trials: int) -> Iterator[Job]:
    """All attempts of a run: every instance's first trial, then every second one, and so on."""
    return (Job(instance_id, trial) for trial in range(1, trials + 1) for instance_id in selection)
