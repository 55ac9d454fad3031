"""What a second process is worth: built-in agents, `regrade` and `validate` with one and with two.

`python -m benchmarks.bench_processes [--rounds N] [--trials N]`. Each round makes the same work with one process and with two,
one right after the other, as commands of their own; the speed-up is that of the rounds' middle. Seconds are those in which the
work was done: from a run's first attempt to its end, process start included, without the command's own start. Where other work
is on the machine the seconds say little: `machine_gain` is what two bare loops gained between the rounds, and `cpu_bound` what
two free cores would give at most, from the processor time that the work takes with one and with two processes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.report import table, write_json
from benchmarks.spinning import gain

NFTBENCH = [sys.executable, "-m", "nftbench"]


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(arguments: list[str]) -> tuple[float, float]:
    """Seconds and CPU seconds of a command that must succeed."""
    cpu, started = processor_time(), time.perf_counter()
    subprocess.run([*NFTBENCH, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started, processor_time() - cpu


def bare() -> tuple[float, float]:
    """Of a command that does next to nothing: what each pays before its work begins."""
    found = [timed(["evaluate", "--help"]) for _ in range(3)]
    return min(seconds for seconds, _ in found), min(cpu for _, cpu in found)


def session(out: Path) -> float:
    """Seconds from a run's first attempt to its end, by its own record."""
    lines = [json.loads(line) for line in (out / "progress.jsonl").read_text().splitlines()]
    return float(lines[-1]["time"] - lines[0]["time"])


def evaluated(out: Path, count: int, trials: int) -> tuple[float, float]:
    arguments = ["evaluate", "--agent", "reference", "--quiet", "--trials", str(trials), "--out", str(out)]
    _, cpu = timed([*arguments, "--concurrency", str(count)])
    return session(out), cpu


def pairs(
    rounds: int, trials: int, folder: Path, start: tuple[float, float], gains: list[float]
) -> dict[str, list[list[tuple[float, float]]]]:
    """For each command the rounds, each with the figures of one process and of two."""
    found: dict[str, list[list[tuple[float, float]]]] = {"evaluate": [], "regrade": [], "validate": []}
    for number in range(rounds):
        gains.append(gain(apart=True))
        outs = [folder / f"{number}-{count}" for count in (1, 2)]
        found["evaluate"].append([evaluated(out, count, trials) for count, out in enumerate(outs, 1)])
        for name, rest in (("regrade", [str(outs[0])]), ("validate", ["--instances", "F2c*"])):
            both = [timed([name, *rest, "--workers", str(count)]) for count in (1, 2)]
            found[name].append([(seconds - start[0], cpu) for seconds, cpu in both])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--trials", type=int, default=4)
    given = parser.parse_args()
    start, gains = bare(), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        found = pairs(given.rounds, given.trials, Path(folder), start, gains)
    figures: dict[str, float] = {
        "load": round(os.getloadavg()[0], 1),
        "machine_gain": round(statistics.median(gains), 2),
    }
    for name, rounds in found.items():
        figures[f"{name}_seconds_with_one"] = round(statistics.median(one[0] for one, _ in rounds), 2)
        figures[f"{name}_seconds_with_two"] = round(statistics.median(two[0] for _, two in rounds), 2)
        figures[f"{name}_speed_up"] = round(statistics.median(one[0] / two[0] for one, two in rounds), 2)
        bound = [2 * (one[1] - start[1]) / (two[1] - start[1]) for one, two in rounds]
        figures[f"{name}_cpu_bound"] = round(statistics.median(bound), 2)
    print(table(figures))
    write_json("processes", figures)


if __name__ == "__main__":
    main()
