"""Open files: how many a run needs, and whether the system gives it so many."""

from __future__ import annotations

import sys

from nftbench.errors import Refusal

if sys.platform != "win32":
    import resource

BASE = 64
"""Open files of a run beside those of its tasks: libraries, logs, the lock."""
A_TASK = 3
"""Of each task under way: its connection, one more while that is made anew, and the file that it writes."""


def needed(concurrency: int) -> int:
    """Open files for so many tasks at once, at most."""
    return BASE + A_TASK * concurrency


def make_room(concurrency: int) -> None:
    """Raises this process's own limit on open files where so many tasks at once need it; Refusal where the system does not
    let it. Windows has no such limit."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = needed(concurrency)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError):
        raise Refusal(
            f"--concurrency {concurrency} needs {wanted} open files, and the system allows {hard}: give a lower "
            "--concurrency, or raise the limit (ulimit -n)"
        ) from None
