"""Scripted counterparties: they move after each of the agent's transactions and while time passes, never at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from nftbench.chain.engine import Receipt
from nftbench.tasks.goals import Signed
from nftbench.tasks.model import Actor, Step
from nftbench.world.ledger import Difference
from nftbench.world.world import NotSigned, World


class Move(Struct, frozen=True):
    """What one move of an actor did, fees left out. `before_block` is the last block before it; `signed` says that it used
    a signature of the agent's."""

    actor: str
    hostile: bool
    before_block: int
    receipts: tuple[Receipt, ...]
    differences: tuple[Difference, ...]
    signed: bool = False


class Stage:
    """The actors of one world and what they have done so far."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.moves: list[Move] = []
        self._waiting = list(world.fixture.actors)

    def snapshot(self) -> tuple[int, tuple[Actor, ...]]:
        """What to give to restore once the engine is put back to a mark of the same moment."""
        return len(self.moves), tuple(self._waiting)

    def restore(self, mark: tuple[int, tuple[Actor, ...]]) -> None:
        del self.moves[mark[0] :]
        self._waiting = list(mark[1])

    def react(self) -> None:
        """Let every actor whose trigger holds move, each at most once."""
        for actor in list(self._waiting):
            if self._due(actor):
                self._move(actor)

    def wait(self, seconds: int, enough: Callable[[], bool] | None = None) -> None:
        """Let time pass, stopping wherever an actor has a moment to move at; it ends sooner once `enough` says so."""
        engine = self.world.engine
        end = engine.block.timestamp + seconds
        while True:
            moments = [
                moment
                for actor in self._waiting
                if (moment := self._moment(actor)) is not None and engine.block.timestamp < moment <= end
            ]
            if not moments:
                break
            engine.advance_time(min(moments) - engine.block.timestamp)
            self.react()
            if enough is not None and enough():
                return
        if engine.block.timestamp < end:
            engine.advance_time(end - engine.block.timestamp)
            self.react()

    def _moment(self, actor: Actor) -> int | None:
        after = actor.trigger.after
        return None if after is None else self.world.fixture.start_time + after

    def _due(self, actor: Actor) -> bool:
        trigger = actor.trigger
        if trigger.after is not None and self.world.elapsed < trigger.after:
            return False
        if trigger.condition is None:
            return True
        return bool(self.world.read(trigger.condition) == self.world.resolve(trigger.equals))

    def _move(self, actor: Actor) -> None:
        world = self.world
        receipts: list[Receipt] = []
        before, block = None, world.engine.block.number
        for step in actor.steps:
            if not self._would_succeed(step):
                break
            if before is None:
                before = world.surveyor.capture()
            outcome = world.send(step)
            assert isinstance(outcome, Receipt)
            receipts.append(outcome)
        if not actor.repeat and (receipts or actor.trigger.condition is None):
            self._waiting.remove(actor)
        if before is not None:
            changes = tuple(world.changes(before, block))
            signed = any(_holds_signature(step.args) for step in actor.steps[: len(receipts)])
            self.moves.append(Move(actor.name, actor.hostile, block, tuple(receipts), changes, signed))

    def _would_succeed(self, step: Step) -> bool:
        """Like whoever pays for what they send, an actor tries a step out first."""
        try:
            outcome = self.world.engine.simulate(self.world.transaction(step))
        except NotSigned:
            return False
        return isinstance(outcome, Receipt) and outcome.success


def _holds_signature(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_signature, value))
    return isinstance(value, Signed)
