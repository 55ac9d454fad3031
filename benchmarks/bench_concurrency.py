"""Thirty-two tasks of sixty turns at once, through `nftbench evaluate`, against a server that takes 100 ms a reply.

`python benchmarks/bench_concurrency.py`. The best there can be is sixty waits of 100 ms, 6 s; the ratio to that is printed,
with the peak memory of the process and the time that its start takes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.report import table, write_json
from benchmarks.servers import scripted_server

TURNS, DELAY, TASKS = 60, 0.1, 32


def evaluate(url: str, out: Path) -> tuple[float, int]:
    """Seconds from the first task's start to the last one's end, and peak memory in bytes."""
    command = [sys.executable, "-m", "nftbench.evaluate", "--instances", "F1*", "--model", "bench", "--endpoint", url]
    command += ["--concurrency", str(TASKS), "--max-turns", "61", "--out", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
    assert len(lines) == TURNS * TASKS, len(lines)
    return max(line["t_end"] for line in lines) - min(line["t_start"] for line in lines), peak


def import_seconds() -> float:
    """The shortest of five starts that import the evaluate command, without the interpreter's own start."""

    def start(code: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    return min(start("import nftbench.evaluate") for _ in range(5)) - min(start("pass") for _ in range(5))


def main() -> None:
    with scripted_server(DELAY, TURNS) as url, tempfile.TemporaryDirectory() as folder:
        seconds, peak = evaluate(url, Path(folder) / "run")
    figures = {
        "seconds": round(seconds, 2),
        "to_the_best_possible": round(seconds / (TURNS * DELAY), 3),
        "peak_memory_mb": round(peak / 1e6),
        "import_seconds": round(import_seconds(), 3),
    }
    print(table(figures))
    write_json("concurrency", figures)


if __name__ == "__main__":
    main()
