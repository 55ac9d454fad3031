"""A world to try things in: played by the reference, spoiled, graded, and put back, as often as needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from nftbench.chain.engine import Block, Receipt, Transaction
from nftbench.chain.keys import Key
from nftbench.grading.checks import CHECKS, check_goal
from nftbench.grading.checks.entries import goal_entry
from nftbench.grading.grade import Grade, grade
from nftbench.grading.moment import Moment
from nftbench.records.model import EndedBy
from nftbench.tasks.answer_forms import form_asked
from nftbench.tasks.goals import EventEmitted, MetadataSignalled, Probe, Reading
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk, Ending
from nftbench.validation.orders_alike import told_apart
from nftbench.validation.replay import Turn
from nftbench.world.actors import StageMark
from nftbench.world.build import build_world
from nftbench.world.ledger import Difference, Entry

ACTING = ("send_transaction", "sign_typed_data", "post_order", "wait")
"""The tools that leave something behind."""

_LEDGERS_KEPT = 3

ENDINGS: dict[str, EndedBy] = {"finish_task": "finish_task", "declare_infeasible": "declare_infeasible"}


class _Solved(Struct, frozen=True):
    """What it takes to be back at the end of the reference's episode."""

    mark: Any
    stage: StageMark
    desk: Desk
    receipts: tuple[Receipt, ...]
    signatures: tuple[dict[str, Any], ...]
    ending: Ending | None


class Rehearsal:
    """One task's world with a desk at it. `turns` is how the reference played; `solve` brings that about again."""

    def __init__(self, task: Task, turns: Iterable[Turn]) -> None:
        self.task = task
        self.turns = tuple(turns)
        self.acts = tuple(t for t in self.turns if t.name in ACTING)
        self.last = self.turns[-1]
        self.world = build_world(task.fixture)
        self.stranger = Key.derive(task.fixture.seed, "an account that is in no world").address
        self._solved: _Solved | None = None
        self.solved_effect: tuple[Any, ...] = ()
        self._known: list[tuple[Block, dict[Entry, Any]]] = []
        self.reopen()

    def reopen(self) -> None:
        """The world as it was at the start, with nothing done."""
        self.world.restart()
        self.desk = Desk(self.world, form_asked(self.task.goals))
        self.box = standard_toolbox(self.desk)

    def solve(self) -> None:
        """The world as the reference left it, the episode ended."""
        if self._solved is not None:
            try:
                self.world.engine.restore(self._solved.mark)
            except ValueError:
                self._solved = None  # a grade or another play has put the world back further than that
        if self._solved is None:
            self.play(self.acts)
            self.end()
            self.solved_effect = self.effect()
            desk = self.desk
            mark, stage = self.world.engine.snapshot(), desk.stage.snapshot()
            self._solved = _Solved(mark, stage, desk, tuple(desk.receipts), tuple(desk.signatures), desk.ending)
        solved, desk = self._solved, self._solved.desk
        desk.receipts[:], desk.signatures[:] = solved.receipts, solved.signatures
        desk.ending, self.world.signatures = solved.ending, desk.signatures
        desk.stage.restore(solved.stage)
        if desk is not self.desk:
            self.desk, self.box = desk, standard_toolbox(desk)

    @property
    def solved_mark(self) -> Any:
        """The engine's mark of the solved world, to which `solve` goes back."""
        assert self._solved is not None, "it has not been solved"
        return self._solved.mark

    def play(self, turns: Iterable[Turn]) -> None:
        """These calls from the start on."""
        self.reopen()
        for turn in turns:
            self.box.call(turn.name, turn.arguments)

    def end(self) -> None:
        """The last call of the reference, which ends the episode."""
        self.box.call(self.last.name, self.last.arguments)

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.box.call(tool, arguments).text)
        return result

    def send(self, sender: str, to: str, data: bytes = b"", value: int = 0) -> bool:
        """A transaction, as the agent's if the account is one of its own. Whether it succeeded."""
        mine, transaction = sender in self.world.controlled, Transaction(sender=sender, to=to, data=data, value=value)
        outcome = self.desk.stage.transact(transaction) if mine else self.world.engine.transact(transaction)
        done = isinstance(outcome, Receipt) and outcome.success
        if mine and isinstance(outcome, Receipt):
            self.desk.receipts.append(outcome)
            self.desk.stage.react()
        return done

    def call(self, sender: str, contract: str, function: str, *args: Any) -> bool:
        """Send a contract call by full signature; False too where there is no such function."""
        interface = self.world.interfaces[contract]
        found = next((f for f in interface.functions if f.signature == function), None)
        return found is not None and self.send(sender, contract, found.encode(args))

    def answer(self, value: Any) -> bool:
        """End the episode with this answer instead."""
        self.desk.ending = Ending(kind="finish_task", summary="done", answer=value)
        return True

    def grade(self, ended_by: EndedBy | None = None) -> Grade:
        """The grade of the world as it stands; it may be put back to its start by that."""
        return grade(self.task, self.desk, ended_by or self.ended_by)

    def passes(self) -> bool:
        """Whether the grade is a success. The goals are looked at first: what misses one needs no look at everything else."""
        goals, deadline = self.task.wanted, self.task.deadline
        return all(check_goal(goal, self.desk, deadline).passed for goal in goals) and self.grade().success

    @property
    def ended_by(self) -> EndedBy:
        return ENDINGS[self.desk.ending.kind] if self.desk.ending else "turn_limit"

    def differences(self) -> list[Difference]:
        """What is not as it was at the start, fees left out."""
        return self.world.changes(self.world.start, self.world.start_block)

    def effect(self) -> tuple[Any, ...]:
        """What has come of the episode so far, as far as a grade may look at it: two ends with one effect are one."""
        changes = sorted(str(d) for d in self.differences())
        signed = [told_apart(self.world, s, self.task.goals) for s in self.desk.signatures]
        told = {self.world.address(g.contract) for g in self.task.goals if isinstance(g, EventEmitted)}
        logs = [log for r in self.desk.receipts if r.success for log in r.logs if log.address in told]
        late = self.task.deadline is not None and self.world.elapsed > self.task.deadline
        events = sorted((log.address, log.topics, log.data) for log in logs)
        return changes, signed, events, self._signals(), self.readings(), late

    def _signals(self) -> list[tuple[Any, ...]]:
        """What was signalled of metadata, each time with the URIs as they were then."""
        read, found = self.world.read, []
        for goal in (g for g in self.task.goals if isinstance(g, MetadataSignalled)):
            address = self.world.address(goal.collection)
            for log in (log for r in self.desk.receipts for log in r.logs if log.address == address):
                uris = [
                    str(read(Reading(goal.collection, "tokenURI", (i,)), block=log.block_number))
                    for i in goal.token_ids
                ]
                found.append((log.topics, log.data, uris))
        return sorted(found)

    def readings(self) -> list[Any]:
        """What the goals look at, as it reads now: the ledger does not hold all of it."""
        found: list[Any] = []
        for goal in self.task.goals:
            entry = goal_entry(self.world, goal)
            if isinstance(goal, Probe):
                found.append(CHECKS[Probe](goal, Moment(self.desk, None)))
            elif entry is not None and entry.kind != "ether":
                found.append(self.world.surveyor.read(entry))
        return found

    def entries(self, kind: str) -> Iterator[tuple[Entry, Any]]:
        """The ledger's entries of a kind, with their values now; reverting ones are left out."""
        yield from [(entry, value) for entry, value in self._values().items() if entry.kind == kind]

    def _values(self) -> dict[Entry, Any]:
        """All entries that can be read now, with their values. A block that was made once is never made again, so what was read
        after it holds whenever it is the newest."""
        block, surveyor = self.world.engine.block, self.world.surveyor
        known = next((values for then, values in self._known if then is block), None)
        if known is None:
            values = {entry: surveyor.read(entry) for entry in surveyor.capture()}
            known = {entry: value for entry, value in values.items() if value is not None}
            self._known = [*self._known[-_LEDGERS_KEPT + 1 :], (block, known)]
        return known

    def having(self, function: str) -> list[str]:
        """The contracts that have a function of this signature."""
        interfaces = self.world.interfaces.items()
        return [
            address for address, interface in interfaces if any(f.signature == function for f in interface.functions)
        ]

    def signed_with(self, sender: str) -> bool:
        """Whether there is a key behind this account: it is a person's, not a contract."""
        return sender in self.world.names and sender not in self.world.contracts
