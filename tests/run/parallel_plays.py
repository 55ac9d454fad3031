"""Plays for worker processes in tests: attempts at some instances do what no attempt should."""

from __future__ import annotations

import os
import time
from pathlib import Path

from nftbench.errors import BenchmarkDefect
from nftbench.run.config import Config
from nftbench.run.parallel import play
from nftbench.run.plan import Job
from nftbench.run.playing import Played

DEADLY = "F1b_01"
DEFECTIVE = "F1b_02"
HANGING = "F1b_03"


def deadly(config: Config, job: Job) -> Played:
    """An attempt that no process survives."""
    if job.instance_id == DEADLY:
        os._exit(1)
    return play(config, job)


def defective(config: Config, job: Job) -> Played:
    if job.instance_id == DEFECTIVE:
        raise BenchmarkDefect(f"{job.instance_id}: the fixture reverts")
    return play(config, job)


def hanging(config: Config, job: Job) -> Played:
    """Says who it is in the working folder, and never ends."""
    if job.instance_id == HANGING:
        Path(f"hanging-{os.getpid()}").touch()
        time.sleep(3600)
    return play(config, job)
