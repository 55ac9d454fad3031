"""What is left to do in a run's folder: each attempt that has no readable, scored result yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from nftbench.records.model import Result
from nftbench.records.owner import Stray
from nftbench.records.store import RunFolder


class Job(Struct, frozen=True):
    """One attempt to make; trials count from 1."""

    instance_id: str
    trial: int


class Plan(Struct, frozen=True):
    """`pending` are the attempts to make now, first trials first; `kept` what an earlier command has finished; `strays`
    stand in the place of pending attempts and don't count."""

    pending: tuple[Job, ...]
    kept: tuple[Result, ...]
    strays: tuple[Stray, ...] = ()


class Recorded(Struct, frozen=True):
    """What stands in a run's folder: its results, errors included, in the order of the selection; whatever else is called a
    result, and does not count; and how many attempts were set aside."""

    results: tuple[Result, ...]
    strays: tuple[Stray, ...]
    replaced: int


def make(folder: RunFolder, selection: Sequence[str], trials: int) -> Plan:
    """The plan for that many trials of each instance. Attempts in error, or with a result that can't be trusted, are
    pending. CannotRead where a result may stand that can't be read now.
    """
    pending, kept, strays = [], [], []
    for job in jobs(selection, trials):
        found = folder.look(job.instance_id, job.trial)
        if isinstance(found, Stray):
            strays.append(found)
        if isinstance(found, Result) and found.status == "scored":
            kept.append(found)
        else:
            pending.append(job)
    return Plan(tuple(pending), tuple(kept), tuple(strays))


def recorded(folder: RunFolder, selection: Sequence[str], trials: int) -> Recorded:
    """What stands in the folder of a run with so many trials of each instance. CannotRead as `make`."""
    attempts = [(job.instance_id, job.trial) for job in jobs(selection, trials)]
    found = [folder.look(*attempt) for attempt in attempts]
    return Recorded(
        tuple(each for each in found if isinstance(each, Result)),
        (*(each for each in found if isinstance(each, Stray)), *folder.results_elsewhere(attempts)),
        folder.count_replaced(),
    )


def jobs(selection: Sequence[str], trials: int) -> Iterator[Job]:
    """All attempts of a run: every instance's first trial, then every second one, and so on."""
    return (Job(instance_id, trial) for trial in range(1, trials + 1) for instance_id in selection)
