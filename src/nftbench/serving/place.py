"""Where a served attempt is recorded: a run's folder that grows by the instances served into it.

Several sessions may serve into one folder at once. Each holds the lock of its own attempt's folder; the run's lock is held
only while run.json or summary.json is written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nftbench.errors import CannotRead, Refusal
from nftbench.records.lock import LOCK_NAME, Hold, locked
from nftbench.records.model import Result
from nftbench.records.owner import Owner, owner_of
from nftbench.records.store import RUN, RunFolder
from nftbench.report.summary import summarise
from nftbench.run import identity, place, plan
from nftbench.run.runner import Attempt

PATIENCE = 20.0
"""Seconds to wait for another session that is writing the files of the run."""


class Place(Struct, frozen=True):
    """An attempt's place in the run's folder at `path`, held for it; `order` is the catalog's, for run.json. `owner` is the
    run, and `check` raises FolderLost where the place is no longer held."""

    path: Path
    instance_id: str
    trial: int
    order: tuple[str, ...]
    owner: Owner | None = None
    check: Callable[[], None] = lambda: None

    def write(self, attempt: Attempt) -> None:
        """Record the attempt, and sum up the run anew; OSError as the system gives it. The summary is left to the next
        session where another one holds the run for too long."""
        RunFolder(self.path, self.owner, self.check).write_attempt(attempt.result, attempt.trajectory)
        with suppress(Refusal), _run_held(self.path) as hold:
            record = identity.read((self.path / RUN).read_bytes(), where=str(self.path / RUN))
            folder = RunFolder(self.path, self.owner, hold.check)
            selection, trials = record["selection"], record["trials"]
            there = plan.recorded(folder, selection, trials)
            planned = len(selection) * trials
            folder.write_summary(
                summarise(there.results, planned=planned, strays=there.strays, replaced=there.replaced)
            )


@contextmanager
def held(wanted: Mapping[str, Any], instance_id: str, order: Sequence[str], out: Path | None) -> Iterator[Place]:
    """Takes the place of the last trial of an instance in a run, and makes the run if need be. Refusal if the run is
    another one, or if the attempt is recorded or under way. An attempt whose client left without a call may be made again.

    `wanted` is the identity of a run of this instance alone; `out` None stands for the usual folder of such runs.
    """
    path = out or place.usual_folder({name: value for name, value in wanted.items() if name != "selection"})
    taken = Place(path, instance_id, wanted["trials"], tuple(order))
    _record_for(taken, wanted)
    with ExitStack() as holding:
        with _run_held(path) as hold:
            record = _record_for(taken, wanted)
            folder = RunFolder(path, owner_of(record), hold.check)
            _refuse_recorded(taken, folder)
            folder.sweep(())
            folder.write_record(record)
            own = folder.attempt_folder(instance_id, taken.trial)
            own.mkdir(parents=True, exist_ok=True)
            attempt_hold = _hold_attempt(holding, own, taken)
        yield replace(taken, owner=owner_of(record), check=attempt_hold.check)


def _record_for(taken: Place, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What run.json is to hold: the stored run with this instance among its own; Refusal if it is another run."""
    return place.record_for(taken.path, wanted, taken.order)


def _refuse_recorded(taken: Place, folder: RunFolder) -> None:
    """Refusal if the attempt has a result that counts. The sentence names no instance: the client may read it."""
    try:
        result = folder.read_result(taken.instance_id, taken.trial)
    except CannotRead as problem:
        raise Refusal(
            f"a file of this attempt in {taken.path} can't be read ({problem.strerror}) and may hold a result: make it "
            "readable, or give another --out"
        ) from None
    if result is None or result.status == "error" or is_unplayed(result):
        return
    raise Refusal(
        f"trial {taken.trial} of this instance is recorded in {taken.path} already: give --trial {taken.trial + 1}, "
        "or another --out"
    )


def is_unplayed(result: Result) -> bool:
    """Whether the client left without one call: the attempt may be made again."""
    return result.ended_by == "disconnected" and not result.counts.turns


def open_jobs(wanted: Mapping[str, Any], jobs: Sequence[plan.Job], out: Path | None) -> list[plan.Job]:
    """Those that are still to be made in the run's folder; Refusal if that is of another run, or a file in it can't be read."""
    path = out or place.usual_folder({name: value for name, value in wanted.items() if name != "selection"})
    folder = RunFolder(path, owner_of(place.record_for(path, wanted, wanted["selection"])))
    try:
        results = [(job, folder.read_result(job.instance_id, job.trial)) for job in jobs]
    except CannotRead as problem:
        raise Refusal(
            f"a file in {path} can't be read ({problem.strerror}): make it readable, or give another --out"
        ) from None
    return [job for job, result in results if result is None or result.status == "error" or is_unplayed(result)]


def _hold_attempt(holding: ExitStack, own: Path, taken: Place) -> Hold:
    try:
        return holding.enter_context(locked(own))
    except Refusal:
        raise Refusal(
            f"trial {taken.trial} of this instance is being served into {taken.path} by another process: wait for it "
            "to end, or give another --trial or --out"
        ) from None


@contextmanager
def _run_held(path: Path) -> Iterator[Hold]:
    """Holds the run's folder, made if need be; waits PATIENCE seconds for whoever writes there."""
    deadline = time.monotonic() + PATIENCE
    with ExitStack() as holding:
        while True:
            try:
                hold = holding.enter_context(place.held(path))
                break
            except Refusal:
                if time.monotonic() > deadline or not (path / LOCK_NAME).exists():
                    raise
                time.sleep(0.05)
        yield hold
