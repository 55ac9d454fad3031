"""How long it takes to read runs: report, view, compare and regrade over runs of 500 tasks x 5 trials.

The attempts are real ones of built-in agents, recorded under as many names as are asked for. Each command runs as a process of
its own, as a user would run it; the table gives wall seconds, and the largest memory that a process held. Regrading is told in
attempts a second of CPU, over the attempts that were really played.
Run it as `python -m benchmarks.bench_reports [--tasks N] [--trials K]`.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.report import table, write_json
from nftbench import evaluate
from nftbench.records.model import Result
from nftbench.records.owner import owner_of
from nftbench.records.store import RunFolder
from nftbench.run.loading import load_run, load_trajectory

MEGABYTE = 1024.0


def played(folder: Path, agent: str) -> Path:
    """A real run of a built-in agent over the whole suite, five trials a task."""
    if evaluate.main(["--agent", agent, "--trials", "5", "--quiet", "--out", str(folder)]) != 0:
        raise SystemExit(f"the run of {agent} failed")
    return folder


def multiplied(source: Path, target: Path, tasks: int, trials: int) -> Path:
    """The attempts of a run again under so many names, as a run of its own."""
    run = load_run(source)
    first = [result for result in run.results if result.trial == 1]
    names = [f"{first[n % len(first)].sub_family}_{n:04d}" for n in range(tasks)]
    target.mkdir()
    record = run.record | {"selection": names, "trials": trials}
    folder = RunFolder(target, owner_of(record))
    folder.write_record(record)
    for n, name in enumerate(names):
        result: Result = first[n % len(first)]
        trajectory = load_trajectory(source, result.instance_id, 1)
        assert isinstance(trajectory, dict)
        for trial in range(1, trials + 1):
            folder.write_attempt(replace(result, instance_id=name, trial=trial), trajectory)
    return target


def timed(*arguments: str) -> float:
    """Wall seconds of one command as a process of its own."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "nftbench", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"nftbench {arguments[0]} failed: {done.stderr[-500:]}")
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--trials", type=int, default=5)
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        real = [played(root / agent, agent) for agent in ("careless", "reference")]
        many = [multiplied(run, root / f"{run.name}-many", flags.tasks, flags.trials) for run in real]
        figures: dict[str, Any] = {"attempts": flags.tasks * flags.trials}
        figures["report_seconds"] = round(timed("report", str(many[0])), 2)
        figures["compare_10000_resamples_seconds"] = round(timed("compare", *map(str, many)), 2)
        figures["view_seconds"] = round(timed("view", str(many[0]), "--out", str(root / "page.html")), 2)
        figures["view_megabytes"] = round((root / "page.html").stat().st_size / 1e6, 1)
        figures["largest_memory_megabytes"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / MEGABYTE)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        timed("regrade", str(real[0]))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        figures["regraded_a_cpu_second"] = round(len(load_run(real[0]).results) / spent, 1)
    print(table(figures))
    write_json("reports", figures)


if __name__ == "__main__":
    main()
