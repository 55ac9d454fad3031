"""A bounded search for the goal: what may be tried, some steps deep, and waits to every moment at which something may change.

A world is left out when everything that was written in it has been seen before (every slot and every balance of somebody else),
unless more goals hold in it. Looked at are, by turns, the world in which the most goals were won and the one that is likeliest.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from msgspec import Struct, structs

from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.revm import COINBASE, RevmEngine
from nftbench.grading.checks import CHECKS
from nftbench.grading.grade import grade
from nftbench.grading.moment import Moment
from nftbench.tasks.goals import Answer
from nftbench.validation.argument_values import Values
from nftbench.validation.candidates import (
    Move,
    Send,
    Sign,
    WaitUntil,
    callings,
    hinted,
    in_question,
    spoken_move,
)
from nftbench.validation.rehearsal import Rehearsal

DEEPEST = 6
_WIDE, _NARROW, _ASIDE = 120, 24, 6
_STEP = 4
"""What a step costs, in ranks."""
_BEFORE_DEADLINE, _BLOCK = 60, 12

Atom = tuple[Any, ...]


class Bounds(Struct, frozen=True):
    """How many calls one search may try, how many worlds it may look at, and whether it begins with calls of everything,
    also in contracts that the task has nothing to do with."""

    tried: int
    worlds: int
    wide: bool


BLIND = Bounds(18_000, 400, wide=True)


class Found(Struct, frozen=True):
    """`steps` lead to the goal; None if none was found. `tried` counts the calls, `worlds` the worlds looked at."""

    steps: tuple[str, ...] | None
    tried: int
    worlds: int


class Node(Struct, frozen=True):
    """A world on the way: how it came about, which goals hold in it that did not at the start, by their places, and how many
    do not hold yet, answers left out."""

    path: tuple[Move, ...]
    won: frozenset[int] = frozenset()
    missing: int = 1

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def cost(self) -> int:
        """Less for likely steps, and for few of them."""
        return sum(_STEP + (move.rank if isinstance(move, Send) else 0) for move in self.path)


class _Waiting:
    """The worlds that are still to be looked at: those on the `known` way first, and then in turn the one with the most goals
    won and the one that cost the least."""

    def __init__(self, known: tuple[Move, ...]) -> None:
        self._known = known
        self._orders: tuple[list[Any], list[Any]] = ([], [])
        self._taken: set[int] = set()
        self._turn = self._added = 0

    def add(self, node: Node) -> None:
        self._added += 1
        aside = node.path != self._known[: len(node.path)]
        heapq.heappush(self._orders[0], (aside, -len(node.won), node.cost, self._added, node))
        heapq.heappush(self._orders[1], (aside, node.cost, 0, self._added, node))

    def next(self) -> Node | None:
        self._turn += 1
        order = self._orders[self._turn % 2]
        while order:
            *_, number, node = heapq.heappop(order)
            if number not in self._taken:
                self._taken.add(number)
                found: Node = node
                return found
        return None


class Search:
    """One search in one world. `hints` is the feasible one of the pair, solved: the values that its reference sends come first.

    With `given` its very steps may be tried too; else they must be found.
    """

    def __init__(self, rehearsal: Rehearsal, hints: Rehearsal, *, given: bool, bounds: Bounds = BLIND) -> None:
        self.bounds = bounds
        self.rehearsal = rehearsal
        self.engine = rehearsal.world.engine
        rehearsal.reopen()
        values = Values(rehearsal)
        steps = list(hinted(rehearsal, hints.acts, values))
        world = rehearsal.world
        near = {step.to for step in steps if isinstance(step, Send)} | in_question(rehearsal)
        waits = list(_waits(rehearsal, values))
        kept = [step for step in steps if not isinstance(step, Send)]
        self.known = tuple(steps) if given else ()
        self.narrow: list[Move] = [*(steps if given else kept), *waits]
        self.wide: list[Move] = [*self.narrow]
        first = {_call(move) for move in self.narrow if isinstance(move, Send)}
        for contract in world.contracts:
            for calling in callings(world, contract):
                most = _WIDE if contract in near else _ASIDE
                ranked = [move for move in calling.ranked(values, most) if _call(move) not in first]
                self.wide += ranked
                self.narrow += ranked[:_NARROW] if contract in near else ()
        self.seen: set[Atom] = set()
        self._held: dict[frozenset[Atom], frozenset[int]] = {}
        self.tried = self.worlds = 0

    def run(self) -> Found:
        """Look until the goal is reached or nothing is left within the bounds."""
        for node in self.nodes():
            if node.complete and self._succeeds(node):
                return Found(self.spoken(node), self.tried, self.worlds)
        return Found(None, self.tried, self.worlds)

    def nodes(self) -> Iterator[Node]:
        """Worlds on the way, each standing as it is when it is yielded. A narrow search does not go on from those in which all
        goals hold."""
        self.rehearsal.reopen()
        self.given = self._holding()
        bounds = self.bounds
        waiting = _Waiting(self.known)
        waiting.add(Node(()))
        while self.tried < bounds.tried and self.worlds < bounds.worlds and (node := waiting.next()) is not None:
            for child in self._children(node):
                yield child
                done = child.complete and not bounds.wide
                if not done and len(child.path) < DEEPEST + len(child.won):
                    waiting.add(child)

    def _children(self, node: Node) -> Iterator[Node]:
        self._go(node.path)
        mark, stage = self.engine.snapshot(), self.rehearsal.desk.stage.snapshot()
        asked = sum(not isinstance(goal, Answer) for goal in self.rehearsal.task.goals)
        signed, sent = len(self.rehearsal.desk.signatures), len(self.rehearsal.desk.receipts)
        for move in self.wide if self.bounds.wide and not node.path else self.narrow:
            if self.tried >= self.bounds.tried:
                return
            self.tried += 1
            if not self._possible(move):
                continue
            done = self._make(move)
            atoms = self._atoms()
            holding = self._holding_in(atoms) if done else frozenset()
            won = holding - self.given
            if done and (len(won) > len(node.won) or not self.seen.issuperset(atoms)):
                self.seen |= atoms
                self.worlds += 1
                yield Node((*node.path, move), won, asked - len(holding))
            try:
                self.engine.restore(mark)
            except ValueError:  # a grade that was given meanwhile has put the world back to its start
                self._go(node.path)
                mark = self.engine.snapshot()
            self.rehearsal.desk.stage.restore(stage)
            del self.rehearsal.desk.signatures[signed:], self.rehearsal.desk.receipts[sent:]

    def spoken(self, node: Node) -> tuple[str, ...]:
        return tuple(spoken_move(self.rehearsal.world, move) for move in node.path)

    def _go(self, path: tuple[Move, ...]) -> None:
        self.rehearsal.reopen()
        for move in path:
            self._make(move)

    def _possible(self, move: Move) -> bool:
        if isinstance(move, WaitUntil):
            return move.timestamp > self.engine.block.timestamp
        if isinstance(move, Sign):
            return True
        return self.engine.call(move.to, move.data, sender=move.sender, value=move.value).success

    def _make(self, move: Move) -> bool:
        desk = self.rehearsal.desk
        if isinstance(move, WaitUntil):
            desk.stage.wait(move.timestamp - self.engine.block.timestamp)
            return True
        if isinstance(move, Sign):
            return "signature" in self.rehearsal.use("sign_typed_data", **move.arguments)
        outcome = desk.stage.transact(Transaction(sender=move.sender, to=move.to, data=move.data, value=move.value))
        if not isinstance(outcome, Receipt) or not outcome.success:
            return False
        desk.receipts.append(outcome)
        desk.stage.react()
        return True

    def _atoms(self) -> set[Atom]:
        """What has been written since the start: slots, and the balances of all who pay no fees here."""
        world = self.rehearsal.world
        assert isinstance(self.engine, RevmEngine)
        atoms: set[Atom] = set()
        for (address, slot), value in self.engine.changed_since(world.mark).items():
            if slot is not None:
                atoms.add((address, slot, value))
            elif address not in world.controlled and address != COINBASE:
                atoms.add((address, value.balance))
        atoms |= {("signed", s["signature"]) for s in self.rehearsal.desk.signatures}
        return atoms | {("time", self.engine.block.timestamp // 3600)}

    def _holding_in(self, atoms: set[Atom]) -> frozenset[int]:
        """The goals that hold now, looked at once for all worlds in which the same was written and told."""
        logs = {(log.address, log.topics, log.data) for r in self.rehearsal.desk.receipts for log in r.logs}
        world = frozenset(atoms | logs)
        if world not in self._held:
            self._held[world] = self._holding()
        return self._held[world]

    def _holding(self) -> frozenset[int]:
        """The places of the goals that hold now; answers are nothing that a chain can hold."""
        now, goals = Moment(self.rehearsal.desk, None), self.rehearsal.task.goals
        return frozenset(
            i for i, goal in enumerate(goals) if not isinstance(goal, Answer) and CHECKS[type(goal)](goal, now)[0]
        )

    def _succeeds(self, node: Node) -> bool:
        """Whether an agent that came here would have passed, were this the feasible one of the pair."""
        mark = self.engine.snapshot()
        task = structs.replace(self.rehearsal.task, feasible=True)
        passed = grade(task, self.rehearsal.desk, "finish_task").success
        try:
            self.engine.restore(mark)
        except ValueError:
            self._go(node.path)
        return passed


def _call(move: Send) -> tuple[str, str, bytes, int]:
    """What a transaction is, whatever its rank."""
    return move.sender, move.to, move.data, move.value


def _waits(rehearsal: Rehearsal, values: Values) -> Iterator[WaitUntil]:
    """Waits to when an actor moves, to the times that the world's values speak of, and to just before the deadline."""
    task, start = rehearsal.task, rehearsal.task.fixture.start_time
    moments = {start + a.trigger.after for a in task.fixture.actors if a.trigger.after is not None}
    moments |= {start + party.since for party in task.fixture.counterparties if party.since}
    moments |= {moment + late for moment in values.moments() for late in (-_BLOCK, 0, 1)}
    if task.deadline is not None:
        end = start + task.deadline - _BEFORE_DEADLINE
        moments = {moment for moment in moments if moment < end} | {end}
    yield from (WaitUntil(moment) for moment in sorted(moments)[:12])
