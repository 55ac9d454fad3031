"""Worlds are built the same everywhere: fingerprints of tasks and worlds, made in other processes too.

As a program, `python -m nftbench.validation.building SEED ID ...` prints the fingerprints as a JSON object.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence

from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.world.build import build_world

HASH_SEEDS = ("1", "4242")
"""Values of PYTHONHASHSEED under which everything must come out the same."""


def fingerprint(task: Task) -> str:
    """A SHA-256 over the whole task, as it prints itself, and over its world."""
    return hashlib.sha256(f"{task!r}\n{build_world(task.fixture).hash()}".encode()).hexdigest()


def fingerprints(ids: Iterable[str], suite_seed: int) -> dict[str, str]:
    return {name: fingerprint(catalog.task(name, suite_seed)) for name in ids}


def start(ids: Sequence[str], suite_seed: int) -> list[subprocess.Popen[str]]:
    """Processes that build the same worlds, each under a hash seed of its own."""
    command = [sys.executable, "-m", "nftbench.validation.building", str(suite_seed), *ids]
    return [
        subprocess.Popen(
            command,
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in HASH_SEEDS
    ]


def collect(processes: Sequence[subprocess.Popen[str]], here: Mapping[str, str]) -> dict[str, list[str]]:
    """What is wrong with each instance, by what the processes built and what was built here."""
    problems: dict[str, list[str]] = {name: [] for name in here}
    for seed, process in zip(HASH_SEEDS, processes, strict=True):
        output, complaint = process.communicate()
        there: dict[str, str] = json.loads(output) if process.returncode == 0 else {}
        for name, found in here.items():
            if name not in there:
                reason = (complaint.strip().splitlines() or ["no output"])[-1]
                problems[name].append(f"another process could not build its world: {reason[:200]}")
            elif there[name] != found:
                problems[name].append(f"another process, under PYTHONHASHSEED={seed}, builds another world of it")
    return problems


if __name__ == "__main__":
    print(json.dumps(fingerprints(sys.argv[2:], int(sys.argv[1]))))
