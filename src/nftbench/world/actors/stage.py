"""Plays the counterparties of one world: scripts after each of the agent's transactions and while time passes, policies around
its transactions, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.tasks.goals import Signed, spoken
from nftbench.tasks.model import Actor, Step
from nftbench.tasks.policies import Counterparty
from nftbench.world.actors.acts import Act, Memory, Move, Place
from nftbench.world.actors.behaviours import Behaviour, behaviour_of
from nftbench.world.actors.sight import Sight
from nftbench.world.ledger import Ledger
from nftbench.world.order_book import Entry
from nftbench.world.world import NotSigned, World

MOST_IN_A_LOOK = 25
"""How often one counterparty moves without looking up, so that a policy that never has enough ends."""


class StageMark(Struct, frozen=True):
    """A moment of a stage: how many moves there were, who was waiting, what everybody had in mind, and the order book."""

    moves: int
    waiting: tuple[Actor, ...]
    memories: dict[str, Memory]
    book: tuple[Entry, ...]


class Stage:
    """The actors of one world, what they have done so far, and what its counterparties have in mind, by name."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.moves: list[Move] = []
        self._waiting = list(world.fixture.actors)
        self._parties = [(party, behaviour_of(party.policy)) for party in world.fixture.counterparties]
        self.memories: dict[str, Memory] = {party.name: Memory() for party, _ in self._parties} | world.memories
        self._watched = {
            party.name: frozenset(behaviour.watches(party.policy, world)) for party, behaviour in self._parties
        }
        self._around = [pair for pair in self._parties if pair[1].ahead is not None]

    def snapshot(self) -> StageMark:
        """What to give to restore once the engine is put back to a mark of the same moment."""
        book = self.world.order_book.entries
        return StageMark(len(self.moves), tuple(self._waiting), dict(self.memories), book)

    def restore(self, mark: StageMark) -> None:
        del self.moves[mark.moves :]
        self._waiting = list(mark.waiting)
        self.memories = dict(mark.memories)
        self.world.order_book.restore(mark.book)

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        """Mine a transaction of the agent's, with those of others who saw it coming in front of it and behind it, all at one
        time. `react` is called afterwards. One that is refused never was in the mempool."""
        engine = self.world.engine
        if not self._around:
            return engine.transact(transaction)
        with engine.at_one_time():
            moved = [pair for pair in self._around if self._stirs(*pair, transaction)]
            outcome = engine.transact(transaction)
            for party, behaviour in moved:
                if behaviour.behind is not None:
                    self._act(party, behaviour.behind, "behind", transaction)
        return outcome

    def react(self) -> None:
        """Let every actor whose trigger holds move, each at most once, and every counterparty that has something to look at."""
        for actor in list(self._waiting):
            if self._due(actor):
                self._move(actor)
        now = self.world.engine.block.timestamp
        for party, behaviour in self._parties:
            moment = self._next_look(party, behaviour)
            if moment is not None and moment <= now:
                self._act(party, behaviour.acts, "after")
                self._seen(party, behaviour)

    def wait(self, seconds: int, enough: Callable[[], bool] | None = None) -> None:
        """Let time pass, stopping wherever an actor has a moment to move at; it ends sooner once `enough` says so."""
        engine = self.world.engine
        end = engine.block.timestamp + seconds
        while True:
            moments = [moment for moment in self._moments() if engine.block.timestamp < moment <= end]
            if not moments:
                break
            engine.advance_time(min(moments) - engine.block.timestamp)
            self.react()
            if enough is not None and enough():
                return
        if engine.block.timestamp < end:
            engine.advance_time(end - engine.block.timestamp)
            self.react()

    def _moments(self) -> Iterable[int]:
        """When somebody will look; whoever has something to look at already does so in the next block."""
        for actor in self._waiting:
            if actor.trigger.after is not None:
                yield self.world.fixture.start_time + actor.trigger.after
        for party, behaviour in self._parties:
            moment = self._next_look(party, behaviour)
            if moment is not None:
                yield max(moment, self.world.engine.pending_timestamp)

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
            self.moves.append(
                Move(actor.name, actor.hostile, block, tuple(receipts), changes, signed, _scripted(actor))
            )

    def _would_succeed(self, step: Step) -> bool:
        """Like whoever pays for what they send, an actor tries a step out first."""
        try:
            outcome = self.world.engine.simulate(self.world.transaction(step))
        except NotSigned:
            return False
        return isinstance(outcome, Receipt) and outcome.success

    def _next_look(self, party: Counterparty, behaviour: Behaviour) -> int | None:
        """When a counterparty looks next, which may be over already; None as long as there is nothing to look for."""
        memory, start = self.memories[party.name], self.world.fixture.start_time
        if self._is_done(party):
            return None
        first = start + party.since
        known = [m for m in (self._news(party, behaviour, memory), memory.moment) if m is not None]
        if not known:
            return None
        moment = max(min(known), first)
        if party.period is not None and moment == min(known):
            moment = first + ((moment - first) // party.period + 1) * party.period
        return None if party.until is not None and moment > start + party.until else moment

    def _is_done(self, party: Counterparty) -> bool:
        """Whether a counterparty has moved as often as it will, or its time is over."""
        spent = party.most is not None and self.memories[party.name].moved >= party.most
        return spent or (party.until is not None and self.world.elapsed > party.until)

    def _news(self, party: Counterparty, behaviour: Behaviour, memory: Memory) -> int | None:
        """Since when there has been something that it has not seen; None if there is nothing."""
        world, engine = self.world, self.world.engine
        if memory.looked is None:
            return world.fixture.start_time + min(party.since, 0)
        watched = self._watched[party.name]
        for log in engine.logs[memory.logs :]:
            if log.address in watched:
                return engine.block_at(log.block_number).timestamp
        if behaviour.transactions and len(engine.receipts()) > memory.receipts:
            return engine.receipts()[memory.receipts].timestamp
        entries = world.order_book.entries if behaviour.book else ()
        if len(entries) > memory.orders:
            return entries[memory.orders].listed
        if behaviour.signatures and len(world.signatures) > memory.signatures:
            return engine.block_at(world.signatures[memory.signatures]["block"]).timestamp
        return None

    def _stirs(self, party: Counterparty, behaviour: Behaviour, pending: Transaction) -> bool:
        """Let a counterparty move in front of the agent's transaction. Whether it has."""
        if self._is_done(party) or self.world.elapsed < party.since:
            return False
        assert behaviour.ahead is not None
        return self._act(party, behaviour.ahead, "ahead", pending)

    def _act(
        self,
        party: Counterparty,
        doing: Callable[[Any, Sight], Iterable[Act]],
        place: Place,
        pending: Transaction | None = None,
    ) -> bool:
        """Let a counterparty do what it would, the first thing that works each time, until nothing is left to it. Whether it has
        moved."""
        moved = False
        for _ in range(MOST_IN_A_LOOK):
            if self._is_done(party):
                break
            memory = self.memories[party.name]
            sight = Sight(self.world, party, memory, pending)
            act = next(
                (a for a in doing(party.policy, sight) if not a.transactions or sight.works(a.transactions)), None
            )
            if act is None:
                break
            if act.notes is not None:
                self.memories[party.name] = replace(memory, notes=act.notes)
            if not act.transactions and not act.posts:
                break
            self._perform(party, act, place)
            moved = True
        return moved

    def _perform(self, party: Counterparty, act: Act, place: Place) -> None:
        world = self.world
        before, block = self._ledger(), world.engine.block.number
        receipts = tuple(o for o in map(world.engine.transact, act.transactions) if isinstance(o, Receipt))
        changes = () if before is None else tuple(world.changes(before, block))
        for entry in act.posts:
            world.order_book.add(entry)
        self.moves.append(
            Move(party.name, party.hostile, block, receipts, changes, act.signed, act.reason, place, act.posts)
        )
        memory = self.memories[party.name]
        self.memories[party.name] = replace(memory, moved=memory.moved + 1)

    def _ledger(self) -> Ledger | None:
        """What there is before a move; None where nobody will ask whose doing it was."""
        return self.world.surveyor.capture()

    def _seen(self, party: Counterparty, behaviour: Behaviour) -> None:
        """Nothing is new to it any more. When time alone will give it something to do changes only with news."""
        engine = self.world.engine
        memory = replace(
            self.memories[party.name],
            logs=len(engine.logs),
            receipts=len(engine.receipts()),
            signatures=len(self.world.signatures),
            orders=len(self.world.order_book.entries),
            looked=engine.block.timestamp,
        )
        if behaviour.moment is not None:
            memory = replace(memory, moment=behaviour.moment(party.policy, Sight(self.world, party, memory)))
        self.memories[party.name] = memory


class Past(Stage):
    """The history of a world, in which the counterparties that have a past act already, and nobody else. What they do there is
    nobody's to explain: it is how the world is when the agent begins."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._waiting = []
        self._parties = [(party, behaviour) for party, behaviour in self._parties if party.since < 0]

    def _ledger(self) -> Ledger | None:
        return None


def _scripted(actor: Actor) -> str:
    """Why an actor with a script moves."""
    trigger = actor.trigger
    told = [] if trigger.after is None else [f"{trigger.after} seconds have passed since the start"]
    if trigger.condition is not None:
        told.append(f"{trigger.condition.read_aloud()} is {spoken(trigger.equals)}")
    return " and ".join(told) or "its steps would succeed"


def _holds_signature(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_signature, value))
    return isinstance(value, Signed)
