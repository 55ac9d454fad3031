"""Whenever Ctrl-C comes while a command starts, it leaves without a traceback."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMANDS = {
    "evaluate": ["-m", "nftbench", "evaluate", "--agent", "decline", "--instances", "F1a_0[1-4]", "--out"],
    "evaluate itself": ["-m", "nftbench.evaluate", "--agent", "decline", "--instances", "F1a_0[1-4]", "--out"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_at_no_moment_of_its_start_does_a_command_answer_ctrl_c_with_a_traceback(
    command: list[str], tmp_path: Path
) -> None:
    """At 40 moments over the first second, from when the package itself is being loaded (what Python does before, nobody
    can help)."""
    chance = random.Random(7)
    for number in range(40):
        out = tmp_path / str(number)
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", *command, str(out)], stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stderr is not None
        told = b""
        while b"nftbench.starting" not in told and process.poll() is None:
            told += os.read(process.stderr.fileno(), 65536)
        loaded = time.monotonic() - started
        time.sleep(chance.uniform(0.0, 4 * loaded))
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
        assert b"Traceback" not in told + rest and b"KeyboardInterrupt" not in told + rest, (told + rest).decode()[
            -3000:
        ]
        assert process.returncode in (0, 130)


def test_an_interrupt_that_is_ignored_does_not_end_the_start(tmp_path: Path) -> None:
    """As under nohup."""

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    process = subprocess.Popen(
        [sys.executable, *COMMANDS["evaluate"], str(tmp_path / "out")],
        stderr=subprocess.DEVNULL,
        preexec_fn=ignore,  # noqa: PLW1509
    )
    for _ in range(10):
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
