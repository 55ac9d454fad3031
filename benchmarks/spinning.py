"""What two processes gain on this machine at this moment: loops without memory or files, one against two at once.

On two idle cores it is 2. Less says that cores share a unit or that other work is there, and bounds what anything measured beside
it can gain. Linux may share processors out by session: worker processes of nftbench have one each, those of Ray share one.
"""

from __future__ import annotations

import subprocess
import sys
import time

LOOP = "x = 0\nfor i in range({}):\n    x += i * i"


def seconds(count: int, *, apart: bool, size: int = 6_000_000) -> float:
    """Of so many loops at once, each in a session of its own or not."""
    started = time.perf_counter()
    command = [sys.executable, "-c", LOOP.format(size)]
    loops = [subprocess.Popen(command, start_new_session=apart) for _ in range(count)]
    for loop in loops:
        loop.wait()
    return time.perf_counter() - started


def gain(*, apart: bool) -> float:
    """How much more two loops get done than one in the same time."""
    return 2 * seconds(1, apart=apart) / seconds(2, apart=apart)
