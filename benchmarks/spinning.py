"""What two processes gain on this machine at this moment: loops without memory or files, one against two at once.

On two idle cores it is 2. Less says that cores share a unit or that other work is there, and bounds what anything measured beside
it can gain. Each loop is in a session of its own, as worker processes are: Linux shares processors out by session.
"""

from __future__ import annotations

import subprocess
import sys
import time

LOOP = "x = 0\nfor i in range({}):\n    x += i * i"


def seconds(count: int, size: int = 6_000_000) -> float:
    """Of so many loops at once."""
    started = time.perf_counter()
    loops = [subprocess.Popen([sys.executable, "-c", LOOP.format(size)], start_new_session=True) for _ in range(count)]
    for loop in loops:
        loop.wait()
    return time.perf_counter() - started


def gain() -> float:
    """How much more two loops get done than one in the same time."""
    return 2 * seconds(1) / seconds(2)
