"""What trying out costs beside playing: `python -m benchmarks.bench_probes [INSTANCE GLOBS]`.

References are played and graded, and so is each once more with a signature that nobody asked for, so that there is something to
find: an order that gives a token away, wherever the world has a Seaport. Processor time, because a busy machine stretches the
wall clock.
"""

from __future__ import annotations

import fnmatch
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.report import table
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.chain.seaport import typed_data
from nftbench.episode.limits import Limits
from nftbench.episode.loop import run_episode
from nftbench.grading import left_behind
from nftbench.grading.checks import orders, standing
from nftbench.grading.grade import grade
from nftbench.run.runner import open_attempt
from nftbench.tasks import catalog
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.ledger import Entry

PROBES = ((standing, "_judged"), (left_behind, "use_of"), (left_behind, "permit_use"), (orders, "use_of"))
"""Where trying out begins."""


class Clock:
    """Processor time by what it went to, in seconds."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(("episodes", "grading", "probes"), 0.0)

    def timed(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self.spent[what] += time.process_time() - began

        return run


def give_away(desk: Desk) -> None:
    """Sign an order for the first token of the user's that asks for nothing."""
    world = desk.world
    exchange = next((a for a, c in world.contracts.items() if c.artifact == "Seaport"), None)
    owned = [e for e in world.start if e.kind == "owner" and world.surveyor.read(e) == world.user]
    if exchange is None or not owned:
        return
    token: Entry = owned[0]
    now = world.engine.block.timestamp
    zero, nobody = bytes(32), world.address("nobody")
    offer = (2, token.contract, token.subject, 1, 1)
    order = (world.user, nobody, (offer,), (), 0, now - 60, now + 90 * 86_400, zero, 1, zero, 0)
    signed = typed_data(world.engine.chain_id, exchange, order)
    standard_toolbox(desk).call("sign_typed_data", {"typed_data": signed})


def main(globs: list[str]) -> None:
    names = [name for name in catalog.instance_ids() if any(fnmatch.fnmatch(name, glob) for glob in globs)]
    if not names:
        sys.exit(f"no instance is called {' or '.join(globs)}")
    clock = Clock()
    for module, name in PROBES:
        setattr(module, name, clock.timed("probes", getattr(module, name)))
    _play(names[0], True, clock)  # what all need is compiled and loaded by then
    clock.spent = dict.fromkeys(clock.spent, 0.0)
    for name in names:
        for spoil in (False, True):
            _play(name, spoil, clock)
    attempts = 2 * len(names)
    figures: dict[str, Any] = {"instances": len(names), "attempts": attempts}
    figures |= {f"{what}_ms_each": round(1000 * spent / attempts, 2) for what, spent in clock.spent.items()}
    figures["probes_over_episodes"] = f"{clock.spent['probes'] / clock.spent['episodes']:.0%}"
    print(table(figures))


def _play(name: str, spoil: bool, clock: Clock) -> None:
    task = catalog.task(name, 0)
    opened = clock.timed("episodes", open_attempt)(task)
    box = standard_toolbox(opened.desk)
    outcome = clock.timed("episodes", run_episode)(task.prompt, box, ReferenceAgent(catalog.policy(task)), Limits())
    if spoil:
        give_away(opened.desk)
    clock.timed("grading", grade)(task, opened.desk, outcome.ended_by)


if __name__ == "__main__":
    main(sys.argv[1:] or ["F7*", "F8*", "F14*", "F3d*"])
