"""Damages to what a request forbids: it is done in between, and all is as it should be in the end."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.chain.revm import RevmEngine
from nftbench.grading.checks import CHECKS
from nftbench.grading.moment import Moment
from nftbench.tasks.goals import Always, Goal, Never, SendsNothing
from nftbench.validation.argument_values import Values
from nftbench.validation.candidates import Send, callings, hinted, spoken_move
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.strays import Spoil

_TRIED = 48
"""Calls of one function that may bring about what is forbidden."""


def in_between(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """What a goal says must not happen happens before everything else, and the reference's steps follow."""
    for goal in rehearsal.task.goals if rehearsal.task.feasible else ():
        if isinstance(goal, SendsNothing):
            yield Spoil("a transaction that does nothing is sent first", _sending)
        if isinstance(goal, Never | Always) and (move := _breaking(rehearsal, goal)) is not None:
            what = f"before everything else, {spoken_move(rehearsal.world, move)}: not so that {goal.read_aloud()}"
            yield Spoil(what, _first, (move,))


def _sending(rehearsal: Rehearsal) -> bool:
    rehearsal.reopen()
    user = rehearsal.world.user
    return rehearsal.send(user, user) and _then_the_rest(rehearsal)


def _first(rehearsal: Rehearsal, move: Send) -> bool:
    """The call, another that takes it back if there is one, and the reference's steps."""
    rehearsal.reopen()
    if not _sent(rehearsal, move):
        return False
    _take_back(rehearsal, move)
    return _then_the_rest(rehearsal)


def _take_back(rehearsal: Rehearsal, move: Send) -> None:
    """One more call of the same contract by which all storage is as it was at the start."""
    world, values = rehearsal.world, Values(rehearsal)
    mark, signed = world.engine.snapshot(), rehearsal.desk.stage.snapshot()
    count = len(rehearsal.desk.receipts)
    for calling in callings(world, move.to):
        for other in calling.ranked(values, _TRIED):
            if _sent(rehearsal, other) and not _written(rehearsal):
                return
            world.engine.restore(mark)
            rehearsal.desk.stage.restore(signed)
            del rehearsal.desk.receipts[count:]


def _written(rehearsal: Rehearsal) -> bool:
    """Whether some storage is not what it was at the start."""
    engine = rehearsal.world.engine
    assert isinstance(engine, RevmEngine)
    return any(slot is not None for _, slot in engine.differing_since(rehearsal.world.mark))


def _sent(rehearsal: Rehearsal, move: Send) -> bool:
    return rehearsal.send(move.sender, move.to, move.data, move.value)


def _then_the_rest(rehearsal: Rehearsal) -> bool:
    for act in rehearsal.acts:
        rehearsal.box.call(act.name, act.arguments)
    rehearsal.end()
    return True


def _breaking(rehearsal: Rehearsal, goal: Never | Always) -> Send | None:
    """One call of the contract that the goal reads by which it no longer holds."""
    rehearsal.reopen()
    world, values = rehearsal.world, Values(rehearsal)
    list(hinted(rehearsal, rehearsal.acts, values))
    for calling in callings(world, world.address(goal.reading.contract)):
        for move in calling.ranked(values, _TRIED):
            rehearsal.reopen()
            if _sent(rehearsal, move) and not _holds(rehearsal, goal):
                return move
    return None


def _holds(rehearsal: Rehearsal, goal: Goal) -> bool:
    return CHECKS[type(goal)](goal, Moment(rehearsal.desk, None))[0]
