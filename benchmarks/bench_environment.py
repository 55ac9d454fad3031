"""What Python programs get: episodes a second through `nftbench.Env`, its parts, what live environments take, and all of it
held against the same requests on bare pyrevm.

Seconds are CPU seconds of this process, so that a busy machine disturbs little. `first` are episodes whose worlds are built,
`again` those whose worlds were built before in this process. Against bare pyrevm, `first` is the whole episode over all of its
requests, `again` the episode over those that come after the world stands. Every round times everything, one after the other;
medians of the rounds are printed. Run it as `python benchmarks/bench_environment.py [--rounds N] [--families F1,F2]`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyrevm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nftbench
from benchmarks.bench_episodes import message_on, on_bare_pyrevm
from benchmarks.recording import RecordingEngine, Request
from benchmarks.report import table, write_json
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.episode.loop import run_episode
from nftbench.run.runner import close_attempt, open_attempt
from nftbench.tasks import catalog
from nftbench.tools.standard import standard_toolbox
from nftbench.world.starts import STARTS

LIVE = 1_000
MEMORY = """
import resource, sys
import nftbench
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
names = sys.argv[2].split(",")
nftbench.Env(names[0]).call("read_state")
before = resident()
live = [nftbench.Env(names[i % len(names)]) for i in range(int(sys.argv[1]))]
for env in live:
    env.call("read_state")
print(resident() - before)
"""


class Tape:
    """The requests of one reference episode; the first `built` of them make the world."""

    def __init__(self, instance_id: str) -> None:
        task = catalog.task(instance_id)
        opened = open_attempt(task, RecordingEngine)
        engine = opened.desk.world.engine
        assert isinstance(engine, RecordingEngine)
        self.genesis, self.requests, self.built = engine.genesis_timestamp, engine.requests, len(engine.requests)
        toolbox = standard_toolbox(opened.desk)
        outcome = run_episode(task.prompt, toolbox, ReferenceAgent(catalog.policy(task)), nftbench.Limits())
        assert close_attempt(opened, 1, outcome).result.success, instance_id

    def after_the_start(self) -> float:
        """CPU seconds of what comes after the world stands, on bare pyrevm."""
        evm = pyrevm.EVM(gas_limit=30_000_000, spec_id="CANCUN")
        now = message_on(evm, self.requests[: self.built], self.genesis)
        return timed(lambda: message_on(evm, self.requests[self.built :], now))


class Times:
    """CPU seconds of the parts of episodes."""

    def __init__(self) -> None:
        self.opening = self.steps = self.ending = 0.0
        self.count = 0

    def play(self, instance_id: str) -> None:
        """One episode of the reference, its calls as messages of chat completions."""
        began = time.process_time()
        env = nftbench.Env(instance_id)
        plan = catalog.policy(catalog.task(instance_id))()
        now = time.process_time()
        self.opening += now - began
        call = next(plan)
        while not env.done:
            message = as_message(call.name, call.arguments)
            began = time.process_time()
            step = env.step(message)
            taken = time.process_time() - began
            if step.done:
                self.ending += taken
                assert step.reward == 1.0, instance_id
                return
            self.steps += taken
            self.count += 1
            call = plan.send(step.observations[0]["content"])


def as_message(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}


def timed(action: Callable[[], object]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def episodes(names: list[str], *, again: bool) -> tuple[float, Times]:
    """CPU seconds of an episode of each, with its parts."""
    times = Times()
    if not again:
        STARTS.clear()
    seconds = timed(lambda: [times.play(name) for name in names])
    return seconds, times


def resets(names: list[str]) -> float:
    """Milliseconds of a reset of an environment that was played in."""
    envs = [nftbench.Env(name) for name in names]
    for env in envs:
        env.call("read_state")
    return timed(lambda: [env.reset() for env in envs]) / len(names) * 1_000


def live_megabytes(names: list[str]) -> float:
    """What a thousand environments take that live at once, over the instances in turn, each after its first step."""
    told = subprocess.run(
        [sys.executable, "-c", MEMORY, str(LIVE), ",".join(names)], capture_output=True, text=True, check=True
    )
    return int(told.stdout) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--families", default="F")
    given = parser.parse_args()
    names = [name for name in catalog.instance_ids() if name.startswith(tuple(given.families.split(",")))]
    tapes = [Tape(name) for name in names]
    whole: list[tuple[int, list[Request]]] = [(tape.genesis, tape.requests) for tape in tapes]
    episodes(names, again=False)
    rows: dict[str, list[float]] = {}
    for _ in range(given.rounds):
        first, _parts = episodes(names, again=False)
        bare = timed(lambda: on_bare_pyrevm(whole))
        again, parts = episodes(names, again=True)
        after = sum(tape.after_the_start() for tape in tapes)
        figures = {
            "episodes_per_second_first": len(names) / first,
            "episodes_per_second_again": len(names) / again,
            "opening_ms": parts.opening / len(names) * 1_000,
            "reset_ms": resets(names),
            "step_ms": parts.steps / parts.count * 1_000,
            "ending_with_grade_ms": parts.ending / len(names) * 1_000,
            "first_to_bare_pyrevm": first / bare,
            "again_to_bare_pyrevm": again / after,
            "again_to_all_requests_on_bare_pyrevm": again / bare,
        }
        for name, value in figures.items():
            rows.setdefault(name, []).append(value)
    shown: dict[str, Any] = {"instances": len(names), "engine_requests": sum(len(tape.requests) for tape in tapes)}
    shown |= {name: round(statistics.median(values), 3) for name, values in rows.items()}
    shown["megabytes_of_1000_live"] = round(live_megabytes(names), 1)
    print(table(shown))
    write_json("environment", shown)
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
