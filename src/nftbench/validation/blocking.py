"""Which fact tells an infeasible world from its feasible twin, and that it can be read before anything is done."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.chain.abi import Function, UnknownFunction
from nftbench.chain.engine import Log
from nftbench.grading.frame import spoken_entry
from nftbench.grading.moment import named
from nftbench.tasks.orders import OrderType
from nftbench.tools.rendering import utc
from nftbench.validation.argument_values import Values, combinations, options
from nftbench.validation.rehearsal import Rehearsal
from nftbench.world.ledger import Entry, single_output
from nftbench.world.order_book import Entry as Posted
from nftbench.world.orders import status_told
from nftbench.world.world import World

_MOST_ASKED = 40
"""Calls of one view with different arguments."""
_BEFORE_DEADLINE = 60


def differing_facts(blocked: Rehearsal, twin: Rehearsal) -> Iterator[str]:
    """What reads differently in the two worlds, one sentence each: ledger, views, documents, order book,
    events.

    First as they stand at the start, then as they stand at the deadline if nothing is done.
    """
    blocked.reopen()
    twin.reopen()
    yield from _standing(blocked, twin)
    deadline = blocked.task.deadline
    if deadline is not None:
        for rehearsal in (blocked, twin):
            rehearsal.use("wait", seconds=str(deadline - _BEFORE_DEADLINE))
        yield from (f"{fact}, at the deadline" for fact in _standing(blocked, twin))


def _standing(blocked: Rehearsal, twin: Rehearsal) -> Iterator[str]:
    yield from _ledgers(blocked.world, twin.world)
    yield from _views(blocked, twin)
    for uri, content in blocked.world.fixture.uris.items():
        if twin.world.fixture.uris.get(uri) != content:
            yield f"the document {uri} says something else"
    yield from _wallets(blocked.world, twin.world)
    yield from _books(blocked.world, twin.world)
    mine, others = (_events(world) for world in (blocked.world, twin.world))
    if mine != others:
        event, when = next((e for e in mine if e not in others), ("one is missing", "of those in the twin"))
        yield f"the events differ: {event} ({when})"


def _ledgers(blocked: World, twin: World) -> Iterator[str]:
    mine, others = blocked.surveyor.capture(), twin.surveyor.capture()
    for entry in dict.fromkeys([*mine, *others]):
        if mine.get(entry) != others.get(entry):
            here, there = (_entry(w, entry) for w in (blocked, twin))
            if here != there:
                yield f"{spoken_entry(blocked, entry)} is {here}, not {there}"


def _entry(world: World, entry: Entry) -> str:
    if entry.contract is not None and entry.contract not in world.interfaces:
        return "nothing"
    try:
        return named(world, world.surveyor.read(entry))
    except UnknownFunction:  # the twin has another contract at this address
        return "nothing"


def _views(blocked: Rehearsal, twin: Rehearsal) -> Iterator[str]:
    values = Values(blocked)
    for address, interface in blocked.world.interfaces.items():
        for function in interface.functions:
            if function.read_only and function.inputs and function.outputs and len(function.inputs) <= 3:
                yield from _asked(blocked.world, twin.world, address, function, values)


def _asked(blocked: World, twin: World, address: str, function: Function, values: Values) -> Iterator[str]:
    for given in combinations([options(p, values) for p in function.inputs], _MOST_ASKED):
        data = function.encode(given)
        mine, other = (w.engine.call(address, data) for w in (blocked, twin))
        if (mine.success, mine.output) != (other.success, other.output):
            here, there = (
                _said(w, function, r.output) if r.success else "nothing" for w, r in ((blocked, mine), (twin, other))
            )
            yield f"{named(blocked, address)}.{function.name}{named(blocked, given)} is {here}, not {there}"
            return


def _said(world: World, function: Function, output: bytes) -> str:
    try:
        return named(world, single_output(function, output))[:120]
    except ValueError:
        return "0x" + output.hex()[:64]


def _wallets(blocked: World, twin: World) -> Iterator[str]:
    """Names and notes in the wallet's lists."""
    mine, others = (_listed(world) for world in (blocked, twin))
    if mine != others:
        yield f"the wallet lists {next((m for m in mine if m not in others), 'less')}"


def _books(blocked: World, twin: World) -> Iterator[str]:
    """Orders that only the blocked world's book has, or that it tells otherwise."""
    mine, others = ([_posted(world, entry) for entry in world.order_book.entries] for world in (blocked, twin))
    if mine != others:
        yield f"the order book has {next((order for order in mine if order not in others), 'less')[:300]}"


def _posted(world: World, entry: Posted) -> str:
    kind = OrderType(entry.components[4]).name
    return f"an order, {kind}, {status_told(world, entry)}: {named(world, entry.components)}"


def _listed(world: World) -> list[tuple[str | None, str]]:
    fixture = world.fixture
    return [*((a.label, a.note) for a in fixture.accounts), *((c.label, c.note) for c in fixture.contracts)]


def _events(world: World) -> list[tuple[str, str]]:
    """Every event with its time, as a person would see it."""
    engine = world.engine
    return [(_told(world, log), utc(engine.block_at(log.block_number).timestamp)) for log in engine.logs]


def _told(world: World, log: Log) -> str:
    event = world.interfaces[log.address].decode_log(log) if log.address in world.interfaces else None
    said = f"{event.name}{named(world, tuple(event.arguments.values()))}" if event else "something"
    return f"{named(world, log.address)}: {said}"[:200]
