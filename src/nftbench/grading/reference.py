"""What the reference leaves behind: it is played in the world itself, put back to its start, once a world."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from nftbench.chain.engine import Slot
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.world import World

LONGEST_PLAY = 1_000
"""Calls after which a reference that does not end is left."""

_ENDINGS = ("finish_task", "declare_infeasible")

_known: WeakKeyDictionary[World, frozenset[Slot]] = WeakKeyDictionary()


def reference_writes(task: Task, world: World) -> frozenset[Slot]:
    """The storage slots that are not what they were when the reference is done; none for a task that is not in the catalog.

    The first time it uses the world up: it is left as the reference leaves it.
    """
    if world not in _known:
        _known[world] = _played(task, world) if task.sub_family in catalog.SUB_FAMILIES else frozenset()
    return _known[world]


def _played(task: Task, world: World) -> frozenset[Slot]:
    world.engine.restore(world.mark)
    world.signatures = []
    desk = Desk(world)
    box = standard_toolbox(desk)
    play = catalog.policy(task)()
    try:
        call = next(play)
        for _ in range(LONGEST_PLAY):
            if call.name in _ENDINGS:
                break
            call = play.send(box.call(call.name, call.arguments).text)
    except StopIteration:
        pass
    blocks = [receipt.block_number for receipt in desk.receipts if receipt.success]
    return frozenset(world.engine.rewritten(blocks, since=world.start_block))
