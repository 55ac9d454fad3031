"""How much an episode costs: episodes a second, and its engine requests replayed on our adapter, on bare pyrevm and on anvil.

Ratios are taken in one run: every round times all of them, one after the other, and the medians of the rounds' ratios are
what is printed. Run it as `python benchmarks/bench_episodes.py [--rounds N] [--families F1]`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyrevm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.recording import RecordingEngine, Request
from benchmarks.report import table, write_json
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.chain.revm import RevmEngine
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from tests.chain import anvil
from tests.chain.anvil_engine import options

GAS = 15_000_000
Tape = tuple[int, list[Request]]


def play(tasks: list[Task]) -> None:
    """World build, reference agent and grading of every task."""
    for task in tasks:
        assert attempt(task, ReferenceAgent(catalog.policy(task))).result.success, task.id


def record(tasks: list[Task]) -> list[Tape]:
    tapes = []
    for task in tasks:
        attempt(task, ReferenceAgent(catalog.policy(task)), make_engine=RecordingEngine)
        engine = RecordingEngine.made
        assert engine is not None
        tapes.append((engine.genesis_timestamp, engine.requests))
    return tapes


def through_adapter(tapes: list[Tape]) -> None:
    for genesis, requests in tapes:
        engine = RevmEngine(chain_id=31337, genesis_timestamp=genesis)
        for request in requests:
            given = request.arguments
            match request.kind:
                case "call":
                    engine.call(given[0], given[1], sender=given[2], block=given[3])
                case "transact":
                    engine.transact(given[0])
                case "simulate":
                    engine.simulate(given[0])
                case "fund":
                    engine.fund(*given)
                case "balance":
                    engine.balance(given[0], block=given[1])
                case "advance_time":
                    engine.advance_time(given[0])


def on_bare_pyrevm(tapes: list[Tape]) -> None:
    """The same messages with no transaction semantics around them: no blocks, fees, receipts, decoding or history."""
    for genesis, requests in tapes:
        message_on(pyrevm.EVM(gas_limit=30_000_000, spec_id="CANCUN"), requests, genesis)


def message_on(evm: pyrevm.EVM, requests: list[Request], now: int) -> int:
    """Give the requests to an EVM at a time; the time when they are done."""
    for request in requests:
        given = request.arguments
        match request.kind:
            case "call":
                attempt_message(lambda: evm.message_call(given[2] or given[0], given[0], given[1]))  # noqa: B023
            case "transact" | "simulate":
                now += 12
                message(evm, request)
            case "fund":
                evm.set_balance(*given)
            case "balance":
                evm.get_balance(given[0])
            case "advance_time":
                now += given[0]
                evm.set_block_env(pyrevm.BlockEnv(timestamp=now))
    return now


def message(evm: pyrevm.EVM, request: Request) -> None:
    sent = request.arguments[0]
    mark = evm.snapshot() if request.kind == "simulate" else None
    if sent.to is None:
        attempt_message(lambda: evm.deploy(sent.sender, sent.data, gas=GAS))
    else:
        attempt_message(lambda: evm.message_call(sent.sender, sent.to, sent.data, value=sent.value, gas=GAS))
    if mark is not None:
        evm.revert(mark)


def attempt_message(send: Callable[[], object]) -> None:
    with contextlib.suppress(RuntimeError):
        send()


def on_anvil(node: anvil.Anvil, tapes: list[Tape]) -> tuple[float, int]:
    """Seconds of the replay on a node with an open connection, resets left out, and how many outcomes differ."""
    seconds, different = 0.0, 0
    for genesis, requests in tapes:
        node.rpc("anvil_reset")
        node.rpc("anvil_setBlockTimestampInterval", 12)
        node.rpc("evm_setNextBlockTimestamp", genesis + 1)
        node.rpc("evm_mine")
        now, started = genesis + 1, time.perf_counter()
        for request in requests:
            if request.kind == "transact":
                now += 12
            elif request.kind == "advance_time":
                now += max(request.arguments[0], 1)
            different += anvil_request(node, request, now) is not request.succeeded
        seconds += time.perf_counter() - started
    return seconds, different


def anvil_request(node: anvil.Anvil, request: Request, now: int) -> bool:
    """Whether the request succeeds, with the clock at `now` where it moves; the node has one block more at its start."""
    given = request.arguments
    try:
        match request.kind:
            case "call":
                fields = {"to": given[0], "data": "0x" + given[1].hex()} | ({"from": given[2]} if given[2] else {})
                node.rpc("eth_call", fields, "latest" if given[3] is None else hex(given[3] + 1))
            case "transact" | "simulate":
                sent = given[0]
                fields = {
                    "from": sent.sender,
                    "data": "0x" + sent.data.hex(),
                    "value": hex(sent.value),
                    "gas": hex(GAS),
                }
                if sent.to is not None:
                    fields["to"] = sent.to
                if request.kind == "simulate":
                    node.rpc("eth_call", fields, "latest")
                    return True
                receipt = node.receipt(node.rpc("eth_sendTransaction", fields))
                return receipt is not None and receipt["status"] == "0x1"
            case "fund":
                node.rpc("anvil_setBalance", given[0], hex(given[1]))
            case "balance":
                node.rpc("eth_getBalance", given[0], "latest" if given[1] is None else hex(given[1] + 1))
            case "advance_time":
                node.rpc("evm_setNextBlockTimestamp", now)
                node.rpc("evm_mine")
    except anvil.AnvilError:
        return False
    return True


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--families", default="F1")
    parser.add_argument("--no-anvil", action="store_true")
    given = parser.parse_args()
    ids = [i for i in catalog.instance_ids() if i.startswith(tuple(given.families.split(",")))]
    tasks = [catalog.task(i, 0) for i in ids]
    play(tasks)
    tapes = record(tasks)
    count = sum(len(requests) for _, requests in tapes)
    rows: dict[str, list[float]] = {"episodes": [], "adapter": [], "bare": []}
    for _ in range(given.rounds):
        rows["episodes"].append(timed(lambda: play(tasks)))
        rows["adapter"].append(timed(lambda: through_adapter(tapes)))
        rows["bare"].append(timed(lambda: on_bare_pyrevm(tapes)))
    ratio = statistics.median(e / b for e, b in zip(rows["episodes"], rows["bare"], strict=True))
    figures = {
        "instances": len(tasks),
        "engine_requests": count,
        "episodes_per_second": round(len(tasks) / statistics.median(rows["episodes"]), 1),
        "episode_to_bare_pyrevm": round(ratio, 2),
        "adapter_to_bare_pyrevm": round(
            statistics.median(a / b for a, b in zip(rows["adapter"], rows["bare"], strict=True)), 2
        ),
    }
    if not given.no_anvil:
        genesis = min(genesis for genesis, _ in tapes) - 60
        with anvil.running(anvil.binary(), *options(31337, genesis, 10**9, 30_000_000)) as node:
            seconds, different = on_anvil(node, tapes)
        adapter = statistics.median(rows["adapter"])
        figures |= {"anvil_to_adapter": round(seconds / adapter, 1), "anvil_outcomes_that_differ": different}
    print(table(figures))
    write_json("episodes", figures)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
