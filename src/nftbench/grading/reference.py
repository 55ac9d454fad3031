"""What the reference leaves behind: it is played in the world itself, put back to its start, once a world."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from msgspec import Struct

from nftbench.chain.engine import Slot
from nftbench.tasks import catalog
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.world import World

LONGEST_PLAY = 1_000
"""Calls after which a reference that does not end is left."""

_ENDINGS = ("finish_task", "declare_infeasible")


class Played(Struct, frozen=True):
    """What a reference's play came to: the slots that it left changed, and the gas of its transactions."""

    writes: frozenset[Slot]
    gas: int


_known: WeakKeyDictionary[World, Played] = WeakKeyDictionary()
_gas: dict[tuple[str, int], int] = {}


def reference_gas(task: Task, world: World) -> int | None:
    """The gas that the reference uses for this task, in gas units; None for a task that is not in the catalog.

    It is found out once an instance; doing so may use the world up, as reference_writes does.
    """
    if task.sub_family not in catalog.SUB_FAMILIES:
        return None
    key = (task.id, task.suite_seed)
    if key not in _gas:
        _gas[key] = _played_in(task, world).gas
    return _gas[key]


def reference_writes(task: Task, world: World) -> frozenset[Slot]:
    """The storage slots that are not what they were when the reference is done; none for a task that is not in the catalog.

    The first time it uses the world up: it is left as the reference leaves it.
    """
    return _played_in(task, world).writes if task.sub_family in catalog.SUB_FAMILIES else frozenset()


def _played_in(task: Task, world: World) -> Played:
    if world not in _known:
        _known[world] = _played(task, world)
    return _known[world]


def _played(task: Task, world: World) -> Played:
    world.restart()
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
    writes = frozenset(world.engine.rewritten(blocks, since=world.start_block))
    return Played(writes, sum(receipt.gas_used for receipt in desk.receipts))
