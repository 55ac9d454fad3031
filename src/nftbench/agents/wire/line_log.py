"""Appending whole lines to a file that a kill may interrupt at any moment."""

from __future__ import annotations

import os
from pathlib import Path

from nftbench.errors import writing


def append_line(path: Path, line: bytes, *, lasting: bool = False) -> None:
    """Adds a line, in one write where the system lets it be one; a line that a kill left torn is closed first. Callers hold
    a lock where threads share the file. With `lasting` it returns when the disk has the line. CannotWrite if the disk refuses.
    """
    with writing():
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            _append(handle, line, lasting)
        except OSError as problem:
            problem.filename = problem.filename or str(path)
            raise


def _append(handle: int, line: bytes, lasting: bool) -> None:
    try:
        size = os.fstat(handle).st_size
        torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
        rest = b"%s%s\n" % (b"\n" if torn else b"", line)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if lasting:
            os.fsync(handle)
    finally:
        os.close(handle)
