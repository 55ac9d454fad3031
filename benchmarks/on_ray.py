"""What a second Ray worker is worth: episodes of 50 ms with one local worker and with two, once computing and once waiting.

`python -m benchmarks.on_ray [--rounds N] [--episodes N]`, in an environment with the extra `ray`. Each round plays the same
episodes with one worker and with two, one right after the other, through the seam that `--executor ray` uses; workers are
started and have played before the clock runs. A thread of the driver stands behind each worker. Episodes that wait, as for a
model, show what the seam itself costs; those that compute need two free cores: `machine_gain` is what two bare loops of one
session gained between the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ray

from benchmarks.report import table, write_json
from benchmarks.spinning import gain
from nftbench.adapters.ray import cluster
from nftbench.adapters.ray.cluster import Players
from nftbench.adapters.ray.orders import Finished, Key, News, Order
from nftbench.adapters.ray.player import Player
from nftbench.run.config import Config
from nftbench.run.plan import Job
from nftbench.run.sources import BuiltIn
from nftbench.tasks import catalog

LEAST = 0.050
"""Seconds that an episode of the benchmark takes at least."""


class Computing(Player):
    """Plays an attempt as often as it takes to work for LEAST seconds, and tells of the last."""

    def play(self, order: Order) -> Iterator[News]:
        began = time.process_time()
        while True:
            last = list(super().play(order))
            if time.process_time() - began >= LEAST:
                break
        yield from (news for news in last)  # a generator, as Ray wants it


class Waiting(Player):
    """Plays an attempt, and waits for LEAST seconds as if for a model."""

    def play(self, order: Order) -> Iterator[News]:
        time.sleep(LEAST)
        yield from super().play(order)


def play(players: Players, config: Config, jobs: list[Job], threads: int) -> float:
    """Seconds for the jobs."""
    waiting: SimpleQueue[tuple[int, Job]] = SimpleQueue()
    for place in enumerate(jobs):
        waiting.put(place)

    def work() -> None:
        while True:
            try:
                number, job = waiting.get_nowait()
            except Empty:
                return
            seat = players.take(lambda: None)
            order = Order(number=number, config=config, job=job, key=Key(""), was_answered=True, reply_tokens=None)
            for told in seat.player.play.options(num_returns="streaming").remote(order):
                news = ray.get(told)
                assert isinstance(news, Finished), news
            players.give_back(seat)

    workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
    started = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - started


def compared(name: str, kind: type[Player], config: Config, jobs: list[Job], rounds: int) -> dict[str, float]:
    """The figures of one kind of episodes: milliseconds of one with one worker and with two, and the middle of the rounds."""
    cluster.Player = kind  # type: ignore[misc]
    sides = {count: Players(count, 1, print) for count in (1, 2)}
    for count, players in sides.items():
        while players.ready() < count:
            time.sleep(0.1)
        play(players, config, jobs * count, count)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    gains = []
    for _ in range(rounds):
        gains.append(gain(apart=False))
        for count, players in sides.items():
            seconds[count].append(play(players, config, jobs, count))
    for players in sides.values():
        players.close()
    ratios = [one / two for one, two in zip(seconds[1], seconds[2], strict=True)]
    return {
        f"{name}_machine_gain": round(statistics.median(gains), 2),
        f"{name}_milliseconds_with_one": round(1000 * statistics.median(seconds[1]) / len(jobs), 1),
        f"{name}_milliseconds_with_two": round(1000 * statistics.median(seconds[2]) / len(jobs), 1),
        f"{name}_speed_up": round(statistics.median(ratios), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--episodes", type=int, default=100)
    given = parser.parse_args()
    config = Config(
        tier="synthetic",
        selection=(),
        source=BuiltIn("reference"),
        sampling={},
        concurrency=2,
        trials=1,
        suite_seed=0,
        max_turns=60,
        prompt_layout="items_v1",
        request_timeout=600.0,
        out=None,
    )
    ids = catalog.instance_ids()
    jobs = [Job(ids[number % len(ids)], 1) for number in range(given.episodes)]
    ray.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    figures = {"load": round(os.getloadavg()[0], 1)}
    figures |= compared("computing", Computing, config, jobs, given.rounds)
    figures |= compared("waiting", Waiting, config, jobs, given.rounds)
    ray.shutdown()
    print(table(figures))
    write_json("ray", figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
