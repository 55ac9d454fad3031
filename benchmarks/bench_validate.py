"""What proving the suite costs: seconds of `nftbench validate`, reference episodes a second, memory of a thousand episodes.

`python -m benchmarks.bench_validate [--instances NAMES] [--workers N]`. The CPU time is that of all processes together; with
as many idle cores as workers, the seconds are what it takes. Episodes are of one process, on a suite seed of its own every
round, with nothing kept warm but the process.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.report import table, write_json
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog

FEW, MANY = 100, 1000


def validated(arguments: list[str]) -> dict[str, float]:
    """Seconds and CPU seconds of one validation in a process of its own; it must hold."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "nftbench", "validate", *arguments], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"validate_seconds": round(seconds, 1), "validate_cpu_seconds": round(cpu, 1)}


def resident() -> float:
    """Megabytes of this process in memory now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def episodes() -> dict[str, float]:
    """A thousand reference episodes over all families, each in a world that was not built before."""
    ids, few, cpu = catalog.instance_ids(), 0.0, time.process_time()
    for number in range(MANY):
        task = catalog.task(ids[number % len(ids)], number // len(ids))
        assert attempt(task, ReferenceAgent(catalog.policy(task))).result.success, task.id
        if number + 1 == FEW:
            few = resident()
    return {
        "reference_episodes_per_second": round(MANY / (time.process_time() - cpu), 1),
        "megabytes_after_a_hundred_episodes": round(few, 1),
        "megabytes_more_after_a_thousand": round(resident() - few, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", default="*")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    figures: dict[str, float] = {"instances": len(catalog.instance_ids()), "workers": given.workers, **episodes()}
    figures |= validated(["--instances", given.instances, "--workers", str(given.workers)])
    print(table(figures))
    write_json("validate", figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
