"""The folder of one run on disk. Every file appears whole or not at all, so that a kill at any moment loses only work
that was still under way. Layout: run.json, summary.json, events.jsonl and progress.jsonl at the top,
`<instance>/result.json` and `<instance>/trajectory.json` for the first trial, `<instance>/trial_<k>/` for trial k >=
2.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from nftbench.records import codec
from nftbench.records.model import Result

RUN = "run.json"
SUMMARY = "summary.json"
EVENTS = "events.jsonl"
SPENDING = "spending.jsonl"
PROGRESS = "progress.jsonl"
RESULT = "result.json"
TRAJECTORY = "trajectory.json"
PARTIAL = ".partial"
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES})
"""What file systems that can't do it answer."""


class RunFolder:
    """Reads and writes the files of one run. One process at a time writes (see records.lock); its threads may share
    it, each writing attempts of its own. Writing raises OSError as the system gives it: disk full, no permission.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

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
        _write_whole(self.path / RUN, codec.encode(record, indent=2) + b"\n")
        _sync_folder(self.path)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        _write_whole(self.path / SUMMARY, codec.encode(summary, indent=2) + b"\n")
        _sync_folder(self.path)

    def has_summary(self) -> bool:
        return (self.path / SUMMARY).exists()

    def read_result(self, instance_id: str, trial: int) -> Result | None:
        """The recorded result of that very attempt; None when there is none, or none that can be read and trusted."""
        try:
            raw = (self.attempt_folder(instance_id, trial) / RESULT).read_bytes()
            result = codec.decode_result(raw)
        except (OSError, codec.Unreadable):
            return None
        return result if (result.instance_id, result.trial) == (instance_id, trial) else None

    def write_attempt(self, result: Result, trajectory: Mapping[str, Any]) -> None:
        """Record an attempt. The result comes last, so that a result on disk means that the attempt is done."""
        folder = self.attempt_folder(result.instance_id, result.trial)
        told, done = codec.encode(trajectory) + b"\n", codec.encode_result(result)
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        _write_whole(folder / TRAJECTORY, told)
        _write_whole(folder / RESULT, done)
        _sync_folder(folder)
        if is_new:
            _sync_folder(folder.parent)

    def foreign_results(self, instance_ids: Iterable[str]) -> bool:
        """Whether files of a run lie here, which without a run.json belong to nobody knows which."""
        names = (SUMMARY, EVENTS, SPENDING, PROGRESS, *instance_ids)
        return any((self.path / name).exists() for name in names)

    def sweep(self, instance_ids: Iterable[str]) -> None:
        """Remove what a killed process left half written. Only for the holder of the folder's lock."""
        for leftover in self._leftovers(instance_ids):
            with suppress(FileNotFoundError):
                leftover.unlink()

    def progress(self) -> LineFile:
        """The file that watchers read, opened to append."""
        return LineFile(self.path / PROGRESS)

    def _leftovers(self, instance_ids: Iterable[str]) -> Iterator[Path]:
        yield from self.path.glob(f".*{PARTIAL}")
        for instance_id in instance_ids:
            yield from (self.path / instance_id).glob(f".*{PARTIAL}")
            yield from (self.path / instance_id).glob(f"trial_*/.*{PARTIAL}")


class LineFile:
    """A .jsonl file to append to, safe across threads. A last line that a kill has torn is closed first, so that no
    new line is lost in it; each line goes out in one write. Once closed it takes lines and drops them.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._file = path.open("a+b", buffering=0)
        end = self._file.seek(0, os.SEEK_END)
        if end:
            self._file.seek(end - 1)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def append(self, line: Mapping[str, Any]) -> None:
        data = codec.encode_line(line)
        with self._lock:
            while data and not self._file.closed:
                data = data[self._file.write(data) :]

    def close(self) -> None:
        with self._lock:
            self._file.close()


def _write_whole(target: Path, data: bytes) -> None:
    partial = target.with_name(f".{target.name}{PARTIAL}")
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    """Make a rename outlive a power cut, where the system can open folders."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as problem:
        if problem.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)
