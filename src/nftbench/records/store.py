"""The folder of one run on disk. Every file appears whole or not at all, so that a kill at any moment loses only work
that was still under way. Layout: run.json, summary.json, events.jsonl and progress.jsonl at the top,
`<instance>/result.json` and `<instance>/trajectory.json` for the first trial, `<instance>/trial_<k>/` for trial k >= 2,
`replaced/<instance>/trial_<k>_<n>/` for what was set aside.
"""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nftbench.errors import CannotRead, reading, writing
from nftbench.records import codec
from nftbench.records.model import Result
from nftbench.records.owner import Owner, Stray, judged

RUN = "run.json"
SUMMARY = "summary.json"
EVENTS = "events.jsonl"
SPENDING = "spending.jsonl"
PROGRESS = "progress.jsonl"
RESULT = "result.json"
TRAJECTORY = "trajectory.json"
REPLACED = "replaced"
PARTIAL = ".partial"
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES})
"""What file systems that can't do it answer."""


class RunFolder:
    """Reads and writes the files of one run. One process at a time writes (see records.lock); its threads may share
    it, each writing attempts of its own. Writing raises CannotWrite with the system's words: disk full, no permission.

    `owner` is whose results count, None for any run's. `check` is called before each write, and raises FolderLost where
    the folder is no longer the writer's. The folder itself is never made.
    """

    def __init__(self, path: Path, owner: Owner | None = None, check: Callable[[], None] = lambda: None) -> None:
        self.path, self.owner, self.check = path, owner, check

    @property
    def events_path(self) -> Path:
        return self.path / EVENTS

    @property
    def spending_path(self) -> Path:
        return self.path / SPENDING

    def attempt_folder(self, instance_id: str, trial: int) -> Path:
        """Where the files of a trial (counted from 1) lie; the folder may not exist yet."""
        folder = self.path / instance_id
        return folder if trial == 1 else folder / f"trial_{trial}"

    def read_record(self) -> bytes | None:
        """The bytes of run.json, None when there is none; OSError when it can't be read."""
        try:
            return (self.path / RUN).read_bytes()
        except FileNotFoundError:
            return None

    def write_record(self, record: Mapping[str, Any]) -> None:
        self._write(self.path / RUN, codec.encode(record, indent=2) + b"\n")
        self._sync(self.path)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        self._write(self.path / SUMMARY, codec.encode(summary, indent=2) + b"\n")
        self._sync(self.path)

    def has_summary(self) -> bool:
        return (self.path / SUMMARY).exists()

    def has_results(self) -> bool:
        """Whether anything was played here, by whatever run."""
        return bool(self.results_elsewhere(())) or (self.path / REPLACED).exists()

    def look(self, instance_id: str, trial: int) -> Result | Stray | None:
        """What stands in the place of an attempt: its result, a stray, or nothing. CannotRead when something is there that
        the system does not let us read: it may be a result, so nobody may say that there is none."""
        file = self.attempt_folder(instance_id, trial) / RESULT
        try:
            with reading():
                raw = file.read_bytes()
        except CannotRead as problem:
            if problem.errno == errno.ENOENT:
                return None
            raise
        return judged(raw, str(file.relative_to(self.path)), (instance_id, trial), self.owner)

    def read_result(self, instance_id: str, trial: int) -> Result | None:
        """The recorded result of that very attempt; None when there is none that counts. CannotRead as `look`."""
        found = self.look(instance_id, trial)
        return found if isinstance(found, Result) else None

    def write_attempt(self, result: Result, trajectory: Mapping[str, Any] | bytes) -> None:
        """Record an attempt. The result comes last, so that a result on disk means that the attempt is done. A stray in its
        place is set aside first. A trajectory in bytes is encoded already, and names no run yet."""
        run_id = self.owner.run_id if self.owner is not None else ""
        told = codec.encode_trajectory(trajectory, run_id)
        done = codec.encode_result(result, run_id)
        folder = self.attempt_folder(result.instance_id, result.trial)
        self.check()
        if isinstance(self.look(result.instance_id, result.trial), Stray):
            self.set_aside(result.instance_id, result.trial)
        made = self._make(folder)
        self._write(folder / TRAJECTORY, told)
        self._write(folder / RESULT, done)
        self._sync(folder)
        for parent in made:
            self._sync(parent)

    def set_aside(self, instance_id: str, trial: int) -> Path | None:
        """Move an attempt's files under `replaced/`, so that it can be made again; None if there was no result. Killed at
        any moment, the attempt is either still in its place or set aside, and both files are in one of the two."""
        folder = self.attempt_folder(instance_id, trial)
        self.check()
        if not (folder / RESULT).exists():
            return None
        kept = self.path / REPLACED / instance_id
        number = 1
        while (kept / f"trial_{trial}_{number}" / RESULT).exists():
            number += 1
        target = kept / f"trial_{trial}_{number}"
        with writing():
            made = self._make(target)
            if (folder / TRAJECTORY).exists():
                _copy(folder / TRAJECTORY, target / TRAJECTORY)
            self._sync(target)
            self.check()
            os.replace(folder / RESULT, target / RESULT)
            for changed in (target, folder, *made):
                self._sync(changed)
            with suppress(FileNotFoundError):
                (folder / TRAJECTORY).unlink()
        return target

    def count_replaced(self) -> int:
        """How many attempts were set aside."""
        return sum(1 for _ in (self.path / REPLACED).glob(f"*/*/{RESULT}"))

    def results_elsewhere(self, attempts: Iterable[tuple[str, int]]) -> list[Stray]:
        """The files called as results are that stand in the place of none of the given attempts."""
        expected = {self.attempt_folder(*attempt) / RESULT for attempt in attempts}
        found = [*self.path.glob(f"*/{RESULT}"), *self.path.glob(f"*/trial_*/{RESULT}")]
        return [
            Stray(str(path.relative_to(self.path)), "foreign", "it is of no task of this run")
            for path in sorted(found)
            if path not in expected and path.relative_to(self.path).parts[0] != REPLACED
        ]

    def foreign_results(self, instance_ids: Iterable[str]) -> bool:
        """Whether files of a run lie here, which without a run.json belong to nobody knows which."""
        names = (SUMMARY, EVENTS, SPENDING, PROGRESS, *instance_ids)
        return any((self.path / name).exists() for name in names)

    def sweep(self, instance_ids: Iterable[str]) -> None:
        """Remove what a killed process left half written. Only for the holder of the folder's lock."""
        self.check()
        for leftover in self._leftovers(instance_ids):
            with suppress(FileNotFoundError), writing():
                leftover.unlink()

    def progress(self) -> LineFile:
        """The file that watchers read, opened to append."""
        self.check()
        return LineFile(self.path / PROGRESS, self.check)

    def _leftovers(self, instance_ids: Iterable[str]) -> Iterator[Path]:
        yield from self.path.glob(f".*{PARTIAL}")
        for instance_id in instance_ids:
            yield from (self.path / instance_id).glob(f".*{PARTIAL}")
            yield from (self.path / instance_id).glob(f"trial_*/.*{PARTIAL}")

    def _make(self, folder: Path) -> list[Path]:
        """Make a folder inside the run's, which must be there; the folders that got a new entry, innermost first."""
        made: list[Path] = []
        with writing():
            for part in reversed([folder, *folder.parents][: len(folder.relative_to(self.path).parts)]):
                with suppress(FileExistsError):
                    part.mkdir()
                    made.insert(0, part.parent)
        return made

    def _write(self, target: Path, data: bytes) -> None:
        partial = target.with_name(f".{target.name}{PARTIAL}")
        self.check()
        with writing():
            try:
                with partial.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                self.check()
                os.replace(partial, target)
            except BaseException:
                with suppress(OSError):
                    partial.unlink()
                raise

    def _sync(self, folder: Path) -> None:
        """Make a rename outlive a power cut, where the system can open folders."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        with writing():
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            except OSError as problem:
                if problem.errno not in _NO_FOLDER_SYNC:
                    raise
            finally:
                os.close(descriptor)


class LineFile:
    """A .jsonl file to append to, safe across threads. A last line that a kill has torn is closed first, so that no
    new line is lost in it; each line goes out in one write. Once closed it takes lines and drops them.
    """

    def __init__(self, path: Path, check: Callable[[], None] = lambda: None) -> None:
        self._lock = threading.Lock()
        self._check = check
        with writing():
            self._file = path.open("a+b", buffering=0)
            end = self._file.seek(0, os.SEEK_END)
            if end:
                self._file.seek(end - 1)
                if self._file.read(1) != b"\n":
                    self._file.write(b"\n")

    def append(self, line: Mapping[str, Any]) -> None:
        data = codec.encode_line(line)
        with self._lock, writing():
            if not self._file.closed:
                self._check()
            while data and not self._file.closed:
                data = data[self._file.write(data) :]

    def close(self) -> None:
        with self._lock:
            self._file.close()


def _copy(source: Path, target: Path) -> None:
    """The same file under a second name, or where the file system has no such thing its content."""
    with suppress(FileNotFoundError):
        target.unlink()
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        with target.open("rb") as file:
            os.fsync(file.fileno())
