"""What worker processes are asked to do in tests."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from nftbench.agents.failure import CLIFailure
from nftbench.errors import BenchmarkDefect


def doubled(number: int) -> int:
    """Talks on the way, as libraries do."""
    print("a word on standard output", flush=True)
    os.write(1, b"and another\n")
    return 2 * number


def pid(_: object = None) -> int:
    return os.getpid()


def group(_: object = None) -> int:
    return os.getpgid(0)


def hangs(place: str) -> None:
    """Says who it is, and never ends."""
    Path(place).write_text(str(os.getpid()))
    while True:
        time.sleep(60)


def dies(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def dies_once(place: str) -> str:
    """Ends its process the first time that it is asked."""
    if not Path(place).exists():
        Path(place).touch()
        os._exit(7)
    return "done"


def defective(number: int) -> int:
    if number == 2:
        raise BenchmarkDefect("F1a_02: the fixture reverts")
    return number


def failing(_: object = None) -> None:
    raise CLIFailure(
        "context_limit",
        "too long",
        cause="overflow",
        configuration=True,
        usage={"attempts": 1},
        facts={"prompt_fits": True},
    )


class Stubborn(Exception):
    """Cannot be made again from its arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def stubborn(_: object = None) -> None:
    raise Stubborn(1, 2)


def leaves(_: object = None) -> None:
    sys.exit(3)


def first_or_hangs(place: str | None) -> str:
    if place is not None:
        hangs(place)
    return "first"
