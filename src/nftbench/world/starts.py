"""The starts of worlds, kept as state: a world that was built once in this process is put up again, not built again.

Later trials, branches and replays of an instance each get a world of their own that is, to the bit, the one that building
would give: accounts, code, storage, blocks, receipts and logs, and what the surveyor knew. The ledger of the start and the
world hash are taken over as they are.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from msgspec import Struct

from nftbench.chain.moments import KeptChain
from nftbench.chain.revm import RevmEngine
from nftbench.tasks.model import Fixture
from nftbench.world.build import build_world
from nftbench.world.world import World

MOST_BYTES = 128 * 2**20
"""About how much memory the kept starts of a process may take; the ones that were wanted longest ago go first."""
_OF_AN_ENTRY = 400
"""Bytes that a slot, a change, a log or an entry of the ledger takes in Python, roughly."""


class Start(Struct, frozen=True):
    """A world at the moment at which the agent begins. `plan` is this world over an empty chain: names, contracts, the ledger
    of the start. `hash` is its world hash, `size` about how many bytes it takes."""

    chain: KeptChain
    plan: World
    hash: str
    size: int

    def world(self) -> World:
        """A world of its own that stands there."""
        return self.plan.over(RevmEngine.put_up(self.chain))


def start_of(world: World) -> Start:
    """What to keep of a world that was just built, and in which nobody has acted yet, on the default engine."""
    assert isinstance(world.engine, RevmEngine)
    chain = world.engine.keep()
    state = chain.state
    entries = sum(map(len, state.slots.values())) + len(state.changes) + len(chain.logs) + 2 * len(world.start)
    data = sum(len(receipt.data) + len(receipt.output) for receipt in chain.receipts)
    size = _OF_AN_ENTRY * entries + data + 2 * sum(map(len, state.codes.values()))
    return Start(chain, world.over(RevmEngine(chain_id=chain.terms.chain_id)), world.hash(), size)


class Starts:
    """The starts that this process keeps, by a name of the task that each belongs to. Safe to use from several threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, Start] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def world(self, key: Hashable, fixture: Fixture) -> tuple[World, str]:
        """A world of its own at the start of a fixture, with its world hash. What was kept under the key is only taken if it is
        of that very fixture. BenchmarkDefect as from build_world."""
        with self._lock:
            start = self._kept.get(key)
            if start is not None:
                self._kept.move_to_end(key)
        if start is not None and (start.plan.fixture is fixture or start.plan.fixture == fixture):
            return start.world(), start.hash
        world = build_world(fixture)
        start = start_of(world)
        self._keep(key, start)
        return world, start.hash

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _keep(self, key: Hashable, start: Start) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self._bytes += start.size - (before.size if before else 0)
            self._kept[key] = start
            while self._bytes > self._most_bytes and self._kept:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= gone.size


STARTS = Starts()
"""Those of this process."""
