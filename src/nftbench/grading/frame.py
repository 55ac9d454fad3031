"""The frame: the ledger may differ from the start only as the goals, the allowed changes and the actors say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from nftbench.grading.checks.entries import goal_entry, goal_value
from nftbench.grading.coverage import Coverage, storage_allowed
from nftbench.grading.left_behind import LeftBehind, signatures_left
from nftbench.grading.moment import Moment, amount, named, spoken_order, spoken_status
from nftbench.grading.probes.takings import Opened, opened
from nftbench.grading.reference import reference_writes
from nftbench.grading.slots import is_counter, slot_strays, unexplained_slots
from nftbench.grading.unseen import unseen_views
from nftbench.records.model import Check
from nftbench.tasks.goals import (
    Allowance,
    Approval,
    Change,
    EventEmitted,
    Goal,
    MetadataSignalled,
    Operator,
)
from nftbench.tasks.model import Task
from nftbench.tools.toolbox import Desk
from nftbench.values import ZERO_ADDRESS, keccak256
from nftbench.world.actors import Move, Stage
from nftbench.world.ledger import Difference, Entry
from nftbench.world.sightings import ORDER_STATUS
from nftbench.world.world import World

NUMERIC = ("ether", "units", "coins")
SIGNALS = (
    "MetadataUpdate(uint256)",
    "BatchMetadataUpdate(uint256,uint256)",
    "ContractURIUpdated()",
)  # ERC-4906, ERC-7572
_SIGNAL_TOPICS = {keccak256(signature.encode()): signature.split("(")[0] for signature in SIGNALS}


class Strays(Struct, frozen=True):
    """What changed, what was signed or let be used in another way, which permissions are open, and what metadata was signalled,
    beyond what the task is about."""

    changes: tuple[Difference, ...]
    left: tuple[LeftBehind, ...]
    opened: tuple[Opened, ...] = ()
    signals: tuple[str, ...] = ()


def find_strays(task: Task, desk: Desk, found: dict[Any, Any] | None = None) -> Strays:
    """Everything that breaks the frame. It may put the world back to its start, so it comes last.

    Where nothing is wanted, as in an infeasible task, the world must be as it was: what the task's goals and allowed changes
    would permit were it feasible is then no excuse. `found` as in Moment.
    """
    goals, untouched = task.wanted, not task.wanted
    world, moment = desk.world, Moment(desk, None, {} if found is None else found)
    changes = world.changes(world.start, world.start_block)
    changes += list(unseen_views(desk, changes))
    strays = [d for d in _stray_changes(moment, changes, goals, task.permitted) if not is_counter(d)]
    left_behind = tuple(signatures_left(moment, goals, untouched))
    signals = tuple(_stray_signals(desk, goals))
    stray = {d.entry for d in strays}
    views = [d for d in strays if d.entry.kind == "view"]
    rest = [d for d in strays if d.entry.kind != "view"]
    slots = unexplained_slots(
        task, moment, [d for d in changes if d.entry not in stray], {d.entry.contract for d in rest}
    )
    open_now = tuple(opened(world, rest))
    changed = (*rest, *_not_drift(desk, views))
    told = {d.entry.contract for d in changed}
    left = {slot for slot in slots if slot[0] not in told and not storage_allowed(world, task.permitted, slot[0])}
    if left and not untouched:
        left -= reference_writes(task, world)
    return Strays((*changed, *slot_strays(left)), left_behind, open_now, signals)


def frame_checks(world: World, strays: Strays) -> list[Check]:
    """One failed check for every stray change and signature, or a single passed one."""
    checks = [_failed(world, stray) for stray in strays.changes]
    checks += [_signed(left) for left in strays.left]
    checks += [_signalled(signal) for signal in strays.signals]
    if not checks:
        checks.append(Check("frame", "nothing else has changed", True, "no other change", "no other change"))
    return checks


def _failed(world: World, stray: Difference) -> Check:
    return Check(
        kind="frame",
        name=f"{spoken_entry(world, stray.entry)} is left alone",
        passed=False,
        expected=_spoken_value(world, stray.entry, stray.before),
        actual=_spoken_value(world, stray.entry, stray.after),
    )


def _signed(left: LeftBehind) -> Check:
    return Check("frame", "no signature is left behind", False, "no signature", left.read_aloud())


def _signalled(signal: str) -> Check:
    name = "no metadata is signalled that did not change"
    return Check(kind="frame", name=name, passed=False, expected="no signal", actual=signal)


def spoken_entry(world: World, entry: Entry) -> str:
    """A ledger entry as a person would read it."""
    contract = named(world, entry.contract)
    match entry.kind:
        case "owner":
            return f"the owner of {contract} #{entry.subject}"
        case "approved":
            return f"the approved account of {contract} #{entry.subject}"
        case "operator":
            return f"{named(world, entry.detail)} as operator of {named(world, entry.subject)} in {contract}"
        case "units":
            return f"the units of {contract} #{entry.detail} held by {named(world, entry.subject)}"
        case "coins":
            return f"the {contract} held by {named(world, entry.subject)}"
        case "allowance":
            return f"the {contract} of {named(world, entry.subject)} that {named(world, entry.detail)} may spend"
        case "ether":
            return f"the ether of {named(world, entry.subject)}"
        case "role":
            return f"the role {named(world, entry.subject)} of {named(world, entry.detail)} in {contract}"
        case "storage":
            return f"the storage of {contract}"
    if entry.subject == ORDER_STATUS:
        return spoken_order(world, entry.detail[0])
    return f"{contract}.{entry.subject.split('(')[0]}{named(world, entry.detail)}"


def _spoken_value(world: World, entry: Entry, value: Any) -> str:
    """What an entry says, as a person would read it."""
    is_status = entry.kind == "view" and entry.subject == ORDER_STATUS and isinstance(value, tuple)
    return spoken_status(value) if is_status else named(world, value)


def _stray_changes(
    moment: Moment, changes: Sequence[Difference], goals: tuple[Goal, ...], allowed: tuple[Change, ...]
) -> Iterator[Difference]:
    desk, world = moment.desk, moment.world
    removals = _removals(world, goals)
    moves = desk.stage.moves
    coverage = Coverage(moment, goals, allowed, list(changes))
    for difference in (*changes, *_undone(world, moves, changes)):
        touching = [(m, d) for m in moves for d in m.differences if d.entry == difference.entry]
        abused = any(_used_agents_permission(desk, m, d, removals) for m, d in touching)
        if coverage.explains(difference, abused=abused):
            continue
        if abused or not _actors_own(difference, touching):
            yield difference


def _undone(world: World, moves: Sequence[Move], changes: Sequence[Difference]) -> Iterator[Difference]:
    """What actors changed and the agent put back: no difference from the start, but one from what they had left."""
    told = {difference.entry for difference in changes}
    moved: dict[Entry, list[Difference]] = {}
    for difference in (d for move in moves for d in move.differences if d.entry not in told):
        moved.setdefault(difference.entry, []).append(difference)
    for entry, steps in moved.items():
        now = world.surveyor.read(entry, block=world.start_block)
        left = (
            amount(now) + sum(amount(d.after) - amount(d.before) for d in steps)
            if entry.kind in NUMERIC
            else steps[-1].after
        )
        if left != now:
            yield Difference(entry, left, now)


def _removals(world: World, goals: tuple[Goal, ...]) -> dict[Entry, Any]:
    """The permissions that the goals ask to take away or to cut, with the values they ask for."""
    removals: dict[Entry, Any] = {}
    for goal in goals:
        entry = goal_entry(world, goal) if isinstance(goal, Operator | Approval | Allowance) else None
        if entry is not None and _wider(world.surveyor.read(entry, block=world.start_block), goal_value(world, goal)):
            removals[entry] = goal_value(world, goal)
    return removals


def _wider(value: Any, other: Any) -> bool:
    """Whether one value of a permission lets somebody do what the other does not."""
    if isinstance(value, str):
        return value not in (ZERO_ADDRESS, other)
    return amount(value) > amount(other)


def _actors_own(difference: Difference, touching: list[tuple[Move, Difference]]) -> bool:
    """Whether a change is just what the actors' moves did to the entry."""
    if not touching:
        return False
    if difference.entry.kind in NUMERIC:
        moved = sum(amount(d.after) - amount(d.before) for _, d in touching)
        return bool(amount(difference.after) - amount(difference.before) == moved)
    edges = [difference.before, *(v for _, d in touching for v in (d.before, d.after)), difference.after]
    return all(edges[i] == edges[i + 1] for i in range(0, len(edges), 2))


def _used_agents_permission(desk: Desk, move: Move, change: Difference, removals: dict[Entry, Any]) -> bool:
    """Whether somebody's asset went away in this move by a permission or signature that the agent answers for."""
    world, entry = desk.world, change.entry
    if entry.kind not in ("owner", "units", "coins"):
        return False
    holder = change.before if entry.kind == "owner" else entry.subject
    if holder in (None, ZERO_ADDRESS) or (entry.kind != "owner" and amount(change.after) > amount(change.before)):
        return False
    if move.signed and holder in world.controlled:
        return True
    for permission in _permissions(desk, move, entry, holder):
        at_move = world.surveyor.read(permission, block=move.before_block)
        if permission in removals and _wider(at_move, removals[permission]):
            return True
        if _made_by_agent(desk, move, permission, at_move):
            return True
    return False


def _permissions(desk: Desk, move: Move, entry: Entry, holder: str) -> Iterator[Entry]:
    """The standing permissions by which this move may have taken the holder's asset: those of its senders, and those of
    contracts, which may have been called on the way."""
    world = desk.world
    takers = dict.fromkeys([*(receipt.sender for receipt in move.receipts), *world.contracts])
    if entry.kind == "owner":
        approved = Entry("approved", entry.contract, entry.subject, None)
        if world.surveyor.read(approved, block=move.before_block) in takers:
            yield approved
    kind = "allowance" if entry.kind == "coins" else "operator"
    for taker in takers:
        permission = Entry(kind, entry.contract, holder, taker)
        if world.surveyor.read(permission, block=move.before_block):
            yield permission


def _made_by_agent(desk: Desk, move: Move, permission: Entry, at_move: Any) -> bool:
    """Whether a permission was wider at the move than at the start, and no actor had made it so."""
    world = desk.world
    if not _wider(at_move, world.surveyor.read(permission, block=world.start_block)):
        return False
    return not any(
        d.entry == permission and d.after == at_move
        for m in desk.stage.moves
        if m.before_block < move.before_block and not m.signed
        for d in m.differences
    )


def _not_drift(desk: Desk, strays: list[Difference]) -> list[Difference]:
    """Those changed views that would not read the same now had the agent only waited (a price that falls with time does), be it
    that nothing had happened at all or that the actors had moved alone. What the agent put back reads as if nothing had
    happened, so there only the actors are an excuse.

    Puts the world back to its start to find out, so it comes last.
    """
    if not strays:
        return []
    world, now, elapsed = desk.world, desk.world.engine.pending_timestamp, desk.world.elapsed
    world.restart()
    undone = [d for d in strays if world.surveyor.read(d.entry, block=world.start_block) == d.after]
    strays = undone + _otherwise_at(world, now, [d for d in strays if d not in undone])
    if strays and elapsed > world.elapsed:
        Stage(world).wait(elapsed - world.elapsed)
        strays = _otherwise_at(world, now, strays)
    return strays


def _otherwise_at(world: World, timestamp: int, changes: list[Difference]) -> list[Difference]:
    """Those views that do not read so at this time; the transactions of others push the clock on, so it has to be given."""
    with world.engine.supposing(timestamp=timestamp):
        return [d for d in changes if world.surveyor.read(d.entry) != d.after]


def _stray_signals(desk: Desk, goals: tuple[Goal, ...]) -> Iterator[str]:
    """Metadata signals of the agent's own transactions that no goal is about: readers act on them as on a change."""
    world = desk.world
    wanted = {(world.address(g.contract), g.event) for g in goals if isinstance(g, EventEmitted)}
    for goal in goals:
        if isinstance(goal, MetadataSignalled):
            wanted |= {(world.address(goal.collection), name) for name in ("MetadataUpdate", "BatchMetadataUpdate")}
    mine = (r for r in world.engine.receipts() if r.block_number > world.start_block and r.sender in world.controlled)
    for log in (log for receipt in mine for log in receipt.logs):
        name = _SIGNAL_TOPICS.get(log.topics[0]) if log.topics else None
        if name is not None and (log.address, name) not in wanted:
            yield f"{name} of {named(world, log.address)}"
