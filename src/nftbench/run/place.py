"""Where a run may write: its folder is looked at without leaving a trace, then made, and held by one process alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from nftbench.errors import Refusal
from nftbench.records import codec
from nftbench.records.lock import Hold, locked
from nftbench.records.store import RUN, RunFolder
from nftbench.run import identity

RUNS = Path("runs")


def usual_folder(wanted: Mapping[str, Any]) -> Path:
    """The folder under runs/ that belongs to this identity: the same command finds it again, another gets another."""
    marks = {name: value for name, value in wanted.items() if name in ("selection", *identity.IDENTITY)}
    digest = hashlib.sha256(codec.encode(dict(sorted(marks.items())))).hexdigest()[:8]
    name = wanted.get("agent") or wanted.get("model") or wanted.get("cli") or wanted["provider"]
    return RUNS / f"{re.sub(r'[^A-Za-z0-9._]+', '-', str(name)).strip('-.')[:60] or 'run'}-{digest}"


def record_for(path: Path, wanted: Mapping[str, Any], order: Sequence[str] = ()) -> dict[str, Any]:
    """What the folder's run.json is to hold for this run to begin there, or to go on; Refusal if it can't. Writes
    nothing. `order` is that of the catalog's instances. A record of before versions were recorded is of the first ones,
    unless nothing was played yet: it is then of the present ones.
    """
    where = path / RUN
    try:
        if path.exists() and not path.is_dir():
            raise Refusal(f"--out {path} is a file: choose a folder")
        raw = RunFolder(path).read_record()
    except OSError as problem:
        raise Refusal(f"--out: {where} can't be read ({problem.strerror}): choose another folder") from None
    if raw is None:
        if RunFolder(path).foreign_results(wanted["selection"]):
            raise Refusal(f"--out {path} holds files of a run but no {RUN} that says of which: choose another folder")
        return identity.settled(None, wanted, where=str(where))
    stored = identity.read(raw, where=str(where), versions=None if RunFolder(path).has_results() else wanted)
    return identity.settled(stored, wanted, where=str(where), order=order)


def newcomers(path: Path, record: Mapping[str, Any]) -> list[str]:
    """The instances of a settled record that the folder's run.json does not hold yet; none for a new run."""
    raw = RunFolder(path).read_record()
    if raw is None:
        return []
    there = set(identity.read(raw, where=str(path / RUN))["selection"])
    return [name for name in record["selection"] if name not in there]


@contextmanager
def held(path: Path) -> Iterator[Hold]:
    """The lock on the run's folder, which is made if need be; Refusal if it can't be written or another process holds it.
    What was made for a refused run is removed again.
    """
    made = _make(path)
    try:
        with locked(path) as hold:
            made.clear()
            yield hold
    finally:
        _unmake(made)


def _make(path: Path) -> list[Path]:
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            made.append(folder)
    except OSError as problem:
        _unmake(made)
        raise Refusal(f"--out {path} can't be written ({problem.strerror}): choose another folder") from None
    return made


def _unmake(made: list[Path]) -> None:
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()
