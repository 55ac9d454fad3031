"""A stranger's bytes: random tool calls and random plays, none of which may raise or take long.

`python -m benchmarks.strangers [--calls 1000000] [--plays 3000] [--seed 0] [--workers 2]`. Calls are drawn from the tools'
own arguments, from values that the worlds have shown, and from what no one in their right mind sends: nesting without end,
numbers beyond all types, halves of characters, cut JSON, types that are none. Plays are some of them in a row, in the world of
an instance, and are graded. What raised or took longer than a second is printed with all it takes to do it again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nftbench.chain.abi import Function, Parameter
from nftbench.grading.grade import grade
from nftbench.tasks import catalog
from nftbench.tasks.answer_forms import form_asked
from nftbench.tools.arguments import Argument
from nftbench.tools.standard import STANDARD, standard_toolbox
from nftbench.tools.toolbox import RESULT_LIMIT, Desk, Tool, Toolbox
from nftbench.world.build import build_world

SLOWEST = 1.0
"""CPU seconds that a call, or the grading of a play, may take."""
CALLS_A_WORLD = 250
CALLS_A_PLAY = 25
ENDINGS = ("finish_task", "declare_infeasible")
WORDS = (
    "", " ", "0", "1", "-1", "17", str(2**256 - 1), str(2**256), "1e18", "0x", "0x0", "0x00", "0xzz", "null", "true",
    "\x00", "\ud800", "\u202e", "ipfs://x", "data:,x", "data:;base64,!", "data:application/json;base64,e30",
    "2027-01-01", "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00-14:00", "f()", "f(uint256)", "f(", "f((((",
    "balanceOf(address)", "ownerOf", "transferFrom", "[]", "{}", "[[[[", '{"a":', "1" * 5000, "x" * 20_000,
    "f(" + "(" * 400 + ")" * 400 + ")", "uint256" + "[]" * 400, "[" * 500 + "]" * 500, '{"a":' * 300 + "1" + "}" * 300,
)  # fmt: skip
KINDS = (
    "address",
    "uint256",
    "int8",
    "bytes32",
    "bytes",
    "string",
    "bool",
    "function",
    "(address,uint256)[]",
    "uint8[3]",
)


class Finding(Struct, frozen=True):
    """What should not have been: where, doing what, and why."""

    instance: str
    call: str
    why: str


class Tally(Struct):
    """What was done and what was found; `slowest` is in CPU seconds."""

    calls: int = 0
    refused: int = 0
    plays: int = 0
    transactions: int = 0
    slowest: float = 0.0
    slowest_grading: float = 0.0
    tools: Counter[str] = Counter()
    findings: list[Finding] = []


class Stranger:
    """Draws calls for one world."""

    def __init__(self, draw: random.Random, box: Toolbox) -> None:
        self._draw, world = draw, box.desk.world
        self._addresses = [*world.addresses.values(), "0x" + "ff" * 20, "0x12", "Mira"]
        self._contracts = list(world.contracts)
        self._uris = list(world.fixture.uris) or ["ipfs://x"]
        self._hashes = [receipt.transaction_hash for receipt in world.engine.receipts()]
        self._functions = {address: i.functions for address, i in world.interfaces.items() if i.functions}

    def call(self) -> tuple[str, dict[str, Any]]:
        """A tool and its arguments: half of the time a contract's own function with arguments of its types."""
        tool = self._draw.choice(STANDARD)
        if tool.name in ENDINGS:
            tool = self._draw.choice(STANDARD)
        if tool.name in ("call", "simulate", "send_transaction") and self._draw.random() < 0.7 and self._functions:
            return tool.name, self._sensible(tool)
        names = [a for a in tool.arguments if a.required or self._draw.random() < 0.4]
        given = {a.name: self._of(a) for a in names if self._draw.random() < 0.95}
        if self._draw.random() < 0.03:
            given[self._draw.choice(WORDS)[:40]] = self._junk(3)
        return tool.name, given

    def _sensible(self, tool: Tool) -> dict[str, Any]:
        address = self._draw.choice(list(self._functions))
        function: Function = self._draw.choice(self._functions[address])
        given: dict[str, Any] = {"contract" if tool.name == "call" else "to": address}
        given |= {"function": function.signature, "arguments": [self._typed(p, 3) for p in function.inputs]}
        if function.payable:
            given["value_wei"] = str(self._draw.choice([0, 1, 10**15, 10**18]))
        return given

    def _typed(self, parameter: Parameter, depth: int) -> Any:
        kind = parameter.canonical
        if self._draw.random() < 0.05 or depth == 0:
            return self._junk(2)
        if kind.endswith("]"):
            inner = Parameter(
                "", parameter.type[: parameter.type.rindex("[")], kind[: kind.rindex("[")], parameter.components
            )
            return [self._typed(inner, depth - 1) for _ in range(self._draw.choice([0, 1, 2, 2, 3, 40]))]
        if parameter.components:
            return [self._typed(part, depth - 1) for part in parameter.components]
        if kind == "address":
            return self._draw.choice(self._addresses)
        if kind == "bool":
            return self._draw.random() < 0.5
        if kind == "string":
            return self._draw.choice(WORDS)
        if kind.startswith("bytes"):
            size = int(kind[5:] or self._draw.choice([0, 4, 65, 400]))
            return "0x" + self._draw.randbytes(size).hex()
        return str(self._draw.choice([0, 1, 2, 17, 1000, self._draw.getrandbits(256)]))

    def _of(self, argument: Argument) -> Any:
        """Something for an argument, mostly of its kind."""
        draw = self._draw
        if draw.random() < 0.12:
            return self._junk(4)
        if argument.choices:
            return draw.choice([*argument.choices, "none"])
        match argument.kind:
            case "address":
                return draw.choice(self._addresses)
            case "integer" | "time":
                return draw.choice([str(draw.randint(0, 5000)), draw.randint(0, 10**7), *WORDS[:9]])
            case "hash":
                return draw.choice([*self._hashes[:50], "0x" + "00" * 32])
            case "data":
                return "0x" + draw.randbytes(draw.choice([0, 4, 36, 68, 500])).hex()
            case "texts":
                return [draw.choice([*KINDS, *WORDS]) for _ in range(draw.choice([0, 1, 2, 3, 40]))]
            case "values":
                return [self._junk(3) for _ in range(draw.choice([0, 1, 2, 3, 40]))]
            case "rows":
                rows = range(draw.choice([1, 2, 5, 60]))
                return [
                    {f.name: self._of(f) for f in argument.fields if f.required or draw.random() < 0.4} for _ in rows
                ]
            case "object":
                return self._typed_data()
        return draw.choice([draw.choice(self._uris), draw.choice(WORDS), json.dumps(self._typed_data())])

    def _typed_data(self) -> dict[str, Any]:
        draw = self._draw
        fields = [{"name": draw.choice("abcd"), "type": draw.choice([*KINDS[:7], "A", "A[]", "B"])} for _ in range(3)]
        message = {field["name"]: self._junk(3) for field in fields}
        domain = {"name": "x", "chainId": "31337", "verifyingContract": draw.choice(self._addresses)}
        return {"types": {"A": fields, "B": fields[:1]}, "primaryType": "A", "domain": domain, "message": message}

    def _junk(self, depth: int) -> Any:
        """Any JSON value; now and then one that nests far deeper than any tool will follow."""
        draw, kind = self._draw, self._draw.random()
        if kind < 0.6 or depth == 0:
            plain = [draw.choice(WORDS), draw.choice(self._addresses), draw.getrandbits(draw.choice([8, 64, 256, 300]))]
            return draw.choice([*plain, None, True, -1, 0.5, 1e300])
        if kind < 0.62:
            value: Any = draw.choice(WORDS)
            for _ in range(draw.choice([60, 70, 400])):
                value = [value] if draw.random() < 0.5 else {"a": value}
            return value
        if kind < 0.82:
            return [self._junk(depth - 1) for _ in range(draw.choice([0, 1, 2, 5]))]
        return {draw.choice(WORDS)[:30]: self._junk(depth - 1) for _ in range(draw.choice([0, 1, 3]))}


def opened(instance: str, suite_seed: int) -> tuple[Any, Toolbox]:
    """A task and the tools over its world."""
    task = catalog.task(instance, suite_seed)
    return task, standard_toolbox(Desk(build_world(task.fixture), form_asked(task.goals)))


def tried(tally: Tally, instance: str, box: Toolbox, name: str, given: dict[str, Any]) -> None:
    """One call, timed; what should not have been goes into the tally."""
    started = time.process_time()
    why = ""
    try:
        result = box.call(name, given)
        if len(result.text) > RESULT_LIMIT or not isinstance(json.loads(result.text), dict):
            why = f"a result of {len(result.text)} characters, or no object"
        tally.refused += result.error
    except Exception:
        why = traceback.format_exc(limit=-4)
    taken = time.process_time() - started
    tally.calls += 1
    tally.tools[name] += 1
    tally.slowest = max(tally.slowest, taken)
    if taken > SLOWEST:
        why = why or f"{taken:.2f} seconds"
    if why:
        tally.findings.append(Finding(instance, f"{name} {json.dumps(given)[:600]}", why))


def calls_in(tally: Tally, draw: random.Random, instances: list[str], count: int) -> None:
    """So many calls, in worlds that are left as they have become for CALLS_A_WORLD of them."""
    while count > 0:
        instance = draw.choice(instances)
        _, box = opened(instance, draw.randrange(1000))
        stranger = Stranger(draw, box)
        for _ in range(min(count, CALLS_A_WORLD)):
            tried(tally, instance, box, *stranger.call())
            box.desk.ending = None
        tally.transactions += len(box.desk.receipts)
        count -= CALLS_A_WORLD


def play_in(tally: Tally, draw: random.Random, instance: str) -> None:
    """A play of random calls, graded."""
    task, box = opened(instance, draw.randrange(1000))
    stranger = Stranger(draw, box)
    for _ in range(CALLS_A_PLAY):
        tried(tally, instance, box, *stranger.call())
        box.desk.ending = None
    ending = draw.choice(ENDINGS)
    given = {"summary": "x", "answer": stranger._junk(4)} if ending == "finish_task" else {"reason": "x"}
    for _ in range(2):  # a wrong form is told once
        tried(tally, instance, box, ending, given)
    started = time.process_time()
    why = ""
    try:
        grade(task, box.desk, ending)
    except Exception:
        why = traceback.format_exc(limit=-4)
    taken = time.process_time() - started
    tally.plays += 1
    tally.transactions += len(box.desk.receipts)
    tally.slowest_grading = max(tally.slowest_grading, taken)
    if taken > SLOWEST:
        why = why or f"{taken:.2f} seconds"
    if why:
        tally.findings.append(Finding(instance, "grading", why))


def worked(work: tuple[int, int, int]) -> Tally:
    """One worker's share: a seed, how many calls, how many plays."""
    seed, calls, plays = work
    draw, instances = random.Random(seed), list(catalog.instance_ids())
    tally = Tally(tools=Counter(), findings=[])
    calls_in(tally, draw, instances, calls)
    for _ in range(plays):
        play_in(tally, draw, draw.choice(instances))
    return tally


def shares(seed: int, calls: int, plays: int, workers: int) -> Iterator[tuple[int, int, int]]:
    """The work in pieces of some thousand calls, so that what is found is seen soon."""
    pieces = max(workers, calls // 5000, 1)
    for piece in range(pieces):
        yield seed * 1_000_003 + piece, calls // pieces, plays * (piece + 1) // pieces - plays * piece // pieces


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strangers", description="random calls and random plays")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--plays", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    flags = parser.parse_args(argv)
    started, total = time.monotonic(), Tally(tools=Counter(), findings=[])
    with multiprocessing.get_context("spawn").Pool(flags.workers) as pool:
        for tally in pool.imap_unordered(worked, shares(flags.seed, flags.calls, flags.plays, flags.workers)):
            total.calls += tally.calls
            total.refused += tally.refused
            total.plays += tally.plays
            total.transactions += tally.transactions
            total.slowest = max(total.slowest, tally.slowest)
            total.slowest_grading = max(total.slowest_grading, tally.slowest_grading)
            total.tools += tally.tools
            total.findings += tally.findings
            for finding in tally.findings:
                print(f"{finding.instance}: {finding.call}\n{finding.why}\n", file=sys.stderr, flush=True)
    print(
        f"{total.calls} calls ({total.refused} refused), {total.plays} plays, {total.transactions} transactions in "
        f"{time.monotonic() - started:.0f} s; slowest call {total.slowest:.3f} s, slowest grading "
        f"{total.slowest_grading:.3f} s of CPU; {len(total.findings)} findings"
    )
    return 1 if total.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
