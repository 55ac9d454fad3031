"""The frame by slot: state that no ledger entry shows.

A storage slot that the agent's transactions were the last to write, and that does not hold what it held at the start, is a
stray, in every contract, unless one of these explains it:

- a change that is covered (by a goal, an allowed change, an actor) depends on it: the reading that shows the change looks at
  the slot, and would read otherwise if the slot alone were put back (or looked at it at the start, and would have read
  otherwise had the slot alone been as it is now: what was struck off a list). What a holder has in all (ERC-721 balanceOf) goes
  with who owns what, and so do the lists of what a holder has with the places in them, and the slot of the next token, which
  collections that mint in runs fill in on the way;
- the goals read it: what they ask for is judged by them;
- it is a counter that went up by itself: a nonce, or the number of listings that were ever made. It is all that is left of a
  step that was undone, and nobody can do anything with it;
- it is how an order of the agent's own stands that was asked for, or that it made itself and put an end to;
- the reference leaves it changed, too, at whatever value: bookkeeping of the way to the goal that no view shows.

So a second `setPhases`, an approved hash in a wallet, a further entry on a list are seen, though their views take arguments
that nobody could guess, and though the contract is one that the task speaks of. What is so explained may still be wrong: then
the goals have to say so. A contract that has strays in the ledger already is not looked at again. Where nothing may change
at all, only counters are excused.

The reference is asked last, and only if something is left to explain: it has to be played for that (see reference).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from nftbench.chain.abi import Function
from nftbench.chain.engine import Slot
from nftbench.grading.checks.readings import goal_readings
from nftbench.grading.coverage import change_readings
from nftbench.grading.left_behind import order_readings
from nftbench.grading.moment import Moment, amount
from nftbench.tasks.model import Task
from nftbench.values import ZERO_ADDRESS, keccak256
from nftbench.world.ledger import Difference, Entry
from nftbench.world.world import World

COUNTERS = (
    "nonces(address)",  # ERC-2612
    "nonces(uint256)",
    "nonce()",
    "listingCount()",
)
"""Views of numbers that contracts only ever raise, each by themselves."""

BALANCE = "balanceOf(address)"
BY_OWNER = "tokenOfOwnerByIndex(address,uint256)"
SUPPLY = "totalSupply()"
BY_INDEX = "tokenByIndex(uint256)"

MOST_LISTED = 500
"""How many tokens of one holder are looked at."""

MOST_MAPPINGS = 32
"""Among how many storage positions of a contract its mappings are looked for."""


def is_counter(difference: Difference) -> bool:
    """Whether all that a difference says is that a contract has counted on."""
    entry, before, after = difference
    counts = entry.kind == "view" and entry.subject in COUNTERS
    return counts and isinstance(before, int) and isinstance(after, int) and after > before


def unexplained_slots(
    task: Task, moment: Moment, covered: Sequence[Difference], told: Iterable[str | None]
) -> dict[Slot, int]:
    """The slots that no reading explains, with what they held at the start; contracts in `told` are left out. `covered` are the
    changes that the task accounts for."""
    desk, world = moment.desk, moment.world
    blocks = [receipt.block_number for receipt in desk.receipts if receipt.success]
    left = world.engine.rewritten(blocks, since=world.start_block)
    known = set(told)
    left = {slot: then for slot, then in left.items() if slot[0] not in known}
    if left:
        left = _without(world, left, _counters(world, left), only=_raised)
    if left and task.wanted:
        showing = (*_showing(task, world, covered, left), *order_readings(moment, task.wanted))
        left = _without(world, left, showing)
    if left and task.wanted:
        still = {slot for entry in _neighbours(covered) for slot in _loaded(world, entry)}
        still |= _places(world, covered, left)
        left = {slot: then for slot, then in left.items() if slot not in still}
    return left


def slot_strays(slots: Iterable[Slot]) -> Iterator[Difference]:
    """One difference for every contract in which slots are left."""
    for contract in sorted({contract for contract, _ in slots}):
        yield Difference(Entry("storage", contract, None, None), "as it was", "something else")


def _showing(task: Task, world: World, covered: Sequence[Difference], left: Mapping[Slot, int]) -> Iterator[Entry]:
    """The readings that show covered changes, in the contracts where slots are left."""
    contracts = {contract for contract, _ in left}
    holders: dict[tuple[str, str | None], None] = {}
    for entry, before, after in covered:
        if entry.contract in contracts:
            yield entry
            if entry.kind == "owner":
                holders |= {(entry.contract or "", before): None, (entry.contract or "", after): None}
    for contract, holder in holders:
        yield from _listed(world, contract, holder)
    for entry in (*goal_readings(world, task.wanted), *change_readings(world, task.permitted)):
        yield entry


def _listed(world: World, contract: str, holder: str | None) -> Iterator[Entry]:
    """How many tokens of a collection a holder has, and which, where its views tell (ERC-721 Enumerable); or how many there
    are in all, for a token that came from nowhere or went there (no holder)."""
    signatures = {function.signature for function in world.interfaces[contract].functions}
    whose = () if holder in (None, ZERO_ADDRESS) else (holder,)
    count, item = (BALANCE, BY_OWNER) if whose else (SUPPLY, BY_INDEX)
    if count not in signatures:
        return
    number = Entry("view", contract, count, whose)
    yield number
    if item in signatures:
        most = max(amount(world.surveyor.read(number, block=block)) for block in (None, world.start_block))
        yield from (Entry("view", contract, item, (*whose, i)) for i in range(min(most, MOST_LISTED)))


def _places(world: World, covered: Sequence[Difference], left: Mapping[Slot, int]) -> set[Slot]:
    """The slots in which a collection that lists its holders' tokens keeps the place of each in its list: a mapping of ids
    that nothing shows, but that holds what the lists tell of every token in them, and 0 for those that are gone."""
    places: dict[tuple[str, str], dict[int, int]] = {}
    moved = [(d.entry.contract or "", d) for d in covered if d.entry.kind == "owner"]
    holders = dict.fromkeys([*world.addresses.values(), *(h for _, d in moved for h in (d.before, d.after))])
    for contract in sorted({contract for contract, _ in moved} & {contract for contract, _ in left}):
        for reading in (reading for holder in holders for reading in _listed(world, contract, holder)):
            token_id = world.surveyor.read(reading)
            if reading.subject in (BY_OWNER, BY_INDEX) and isinstance(token_id, int):
                places.setdefault((contract, reading.subject), {})[token_id] = reading.detail[-1]
    found: set[Slot] = set()
    for (contract, _), listed in places.items():
        told = listed | {d.entry.subject: 0 for where, d in moved if where == contract and d.after is None}
        for base in range(MOST_MAPPINGS):
            slots = {(contract, mapping_slots(token_id)[base]): place for token_id, place in told.items()}
            if all(world.engine.storage(*slot) == place for slot, place in slots.items()):
                found |= slots.keys() & left.keys()
    return found


@lru_cache(maxsize=65_536)
def mapping_slots(key: int) -> tuple[int, ...]:
    """Where Solidity's mappings keep the value of a number, for the first mappings of a contract in their order."""
    word = key.to_bytes(32, "big")
    return tuple(int.from_bytes(keccak256(word + base.to_bytes(32, "big")), "big") for base in range(MOST_MAPPINGS))


def _neighbours(covered: Sequence[Difference]) -> Iterator[Entry]:
    """The tokens next to those that changed hands."""
    for entry, _, _ in covered:
        if entry.kind == "owner":
            yield from (entry._replace(subject=i) for i in (entry.subject - 1, entry.subject + 1) if 0 <= i < 1 << 256)


def _counters(world: World, left: Mapping[Slot, int]) -> Iterator[Entry]:
    """The counters of the contracts where slots are left: of themselves, of every account, of every token."""
    for contract in sorted({contract for contract, _ in left}):
        functions = world.interfaces[contract].functions if contract in world.interfaces else ()
        for function in (f for f in functions if f.signature in COUNTERS):
            for args in _counted(world, contract, function):
                yield Entry("view", contract, function.signature, args)


def _counted(world: World, contract: str, function: Function) -> Iterator[tuple[Any, ...]]:
    if not function.inputs:
        yield ()
    elif function.inputs[0].canonical == "address":
        yield from ((address,) for address in world.addresses.values() if address != ZERO_ADDRESS)
    else:
        yield from ((token_id,) for token_id in world.surveyor.token_ids(contract))


def _raised(before: Any, after: Any) -> bool:
    return isinstance(before, int) and isinstance(after, int) and after > before


def _without(
    world: World, left: dict[Slot, int], readings: Iterable[Entry], only: Callable[[Any, Any], bool] = operator.ne
) -> dict[Slot, int]:
    """The slots that are left when those are taken out that a reading depends on: one that looks at the slot and would read
    otherwise (as `only` has it, of before and after) if the slot alone held what it held at the start; or that did so at the
    start, and would have read otherwise had the slot alone held what it holds now."""
    left = dict(left)
    entries = list(dict.fromkeys(readings))
    for block in (None, world.start_block):
        for entry in entries:
            if not left:
                return left
            for slot in _loaded(world, entry, block) & left.keys():
                other = left[slot] if block is None else world.engine.storage(*slot)
                real, supposed = _read(world, entry, block), _read(world, entry, block, {slot: other})
                if only(supposed, real) if block is None else only(real, supposed):
                    del left[slot]
    return left


def _read(world: World, entry: Entry, block: int | None, storage: Mapping[Slot, int] | None = None) -> Any:
    with world.engine.supposing(block=block, storage=storage):
        return world.surveyor.read(entry)


def _loaded(world: World, entry: Entry, block: int | None = None) -> set[Slot]:
    if entry.contract is None:
        return set()
    with world.engine.supposing(block=block):
        return world.engine.loaded(entry.contract, world.surveyor.call_data(entry))
