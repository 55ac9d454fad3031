"""The lock on a run's folder: held by one process while it works, released by the system when that process dies."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nftbench.errors import FolderLost, Refusal

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOCK_NAME = "run.lock"
_HELD_BY_ANOTHER = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})


class Hold:
    """A lock that is held. The system ties it to a file, not to a name: who removes the folder, or the lock file, can have
    another process hold a new one there."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder, self._descriptor = folder, descriptor

    def check(self) -> None:
        """FolderLost unless the folder still has the very file that is locked: to be asked before each write."""
        try:
            there = os.stat(self._folder / LOCK_NAME)
        except OSError as problem:
            raise FolderLost(self._lost(f"its {LOCK_NAME} is gone ({problem.strerror})")) from None
        if not os.path.samestat(there, os.fstat(self._descriptor)):
            raise FolderLost(self._lost(f"its {LOCK_NAME} has been replaced, so another process may work there"))

    def _lost(self, how: str) -> str:
        return f"{self._folder} was taken away while this run worked in it: {how}; nothing more is written there"


@contextmanager
def locked(folder: Path) -> Iterator[Hold]:
    """Hold an existing folder's lock; Refusal at once if another process holds it or it can't be had.

    The lock file stays behind when it is released: its presence means nothing, only the lock on it does.
    """
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as problem:
        raise Refusal(f"--out {folder} can't be written ({problem.strerror}): choose another folder") from None
    try:
        try:
            _lock(descriptor)
        except OSError as problem:
            raise Refusal(f"--out {folder} {_why(problem)}") from None
        hold = Hold(folder, descriptor)
        try:
            hold.check()
        except FolderLost:
            raise Refusal(f"--out {folder} is being removed or taken by another process: try again") from None
        yield hold
    finally:
        os.close(descriptor)


def is_held(folder: Path) -> bool:
    """Whether a process holds the folder's lock now; nothing is made for finding it out."""
    try:
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR)
    except OSError:
        return False
    try:
        _lock(descriptor)
    except OSError as problem:
        return problem.errno in _HELD_BY_ANOTHER
    finally:
        os.close(descriptor)
    return False


def _why(problem: OSError) -> str:
    if problem.errno in _HELD_BY_ANOTHER:
        return "is in use by another process: wait for it to end, or choose another folder"
    return f"can't be locked ({problem.strerror}): choose a folder on another disk"
