"""Each kind of goal against the final world: one function a kind, in a visible table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from nftbench.chain.abi import DecodedEvent
from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.grading.answers import judge
from nftbench.grading.documents import NoDocument, document_of, says_the_same
from nftbench.records.model import Check, CheckKind
from nftbench.tasks.goals import (
    Allowance,
    Answer,
    Approval,
    At,
    EtherChange,
    EventEmitted,
    Goal,
    HoldsCoins,
    HoldsUnits,
    JsonView,
    MetadataSignalled,
    Operator,
    Owns,
    Pays,
    Probe,
    Reading,
    Signature,
    SoleListing,
    ViewEquals,
)
from nftbench.tasks.model import Step
from nftbench.tools.toolbox import Desk
from nftbench.world.ledger import Entry
from nftbench.world.world import NotSigned, World

_NUMBER = re.compile(r"-?[0-9]+|0[xX][0-9a-fA-F]+")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


class Moment(Struct, frozen=True):
    """When a goal is looked at: after block `block` (None: at the end)."""

    desk: Desk
    block: int | None

    @property
    def world(self) -> World:
        return self.desk.world


Finding = tuple[bool, str]


def named(world: World, value: Any) -> str:
    """A value with addresses by their names in the world."""
    if isinstance(value, str) and value in world.names:
        return world.names[value]
    if isinstance(value, tuple | list):
        return "(" + ", ".join(named(world, v) for v in value) + ")"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return "nothing" if value is None else str(value)


def goal_entry(world: World, goal: Goal) -> Entry | None:
    """The ledger entry that a goal is about, if it is about one."""
    match goal:
        case Owns():
            return world.entry("owner", goal.collection, goal.token_id)
        case HoldsUnits():
            return Entry("units", world.address(goal.collection), world.address(goal.account), goal.token_id)
        case HoldsCoins():
            return Entry("coins", world.address(goal.token), world.address(goal.account), None)
        case EtherChange():
            return Entry("ether", None, world.address(goal.account), None)
        case Approval():
            return world.entry("approved", goal.collection, goal.token_id)
        case Operator():
            return Entry(
                "operator", world.address(goal.collection), world.address(goal.owner), world.address(goal.operator)
            )
        case Allowance():
            return Entry("allowance", world.address(goal.token), world.address(goal.owner), world.address(goal.spender))
        case ViewEquals():
            address = world.address(goal.reading.contract)
            function = world.function(address, goal.reading.function, len(goal.reading.args))
            return Entry("view", address, function.signature, world.resolve(goal.reading.args))
    return None


def goal_value(world: World, goal: Goal) -> Any:
    """What the goal's ledger entry must hold; an EtherChange counts from the start."""
    match goal:
        case Owns():
            return world.address(goal.account)
        case HoldsUnits() | HoldsCoins() | Allowance():
            return goal.amount
        case EtherChange():
            return world.engine.balance(world.address(goal.account), block=world.start_block) + goal.wei
        case Approval():
            return world.address(goal.approved or "nobody")
        case Operator():
            return goal.allowed
        case ViewEquals():
            return world.resolve(goal.value)
    return None


def _entry_goal(goal: Goal, moment: Moment) -> Finding:
    world = moment.world
    entry = goal_entry(world, goal)
    assert entry is not None
    actual = world.surveyor.read(entry, block=moment.block)
    if isinstance(goal, EtherChange):
        actual += world.fees_paid(entry.subject, world.start_block, moment.block)
        return actual == goal_value(world, goal), f"{actual - (goal_value(world, goal) - goal.wei)} wei"
    return actual == goal_value(world, goal), named(world, actual)


def payment_entries(world: World, goal: Pays) -> tuple[Entry, Entry]:
    """What the payer and the payee have of the currency, as ledger entries."""
    payer, payee = world.address(goal.payer), world.address(goal.payee)
    if goal.token is None:
        return Entry("ether", None, payer, None), Entry("ether", None, payee, None)
    token = world.address(goal.token)
    return Entry("coins", token, payer, None), Entry("coins", token, payee, None)


def _own_change(moment: Moment, entry: Entry) -> int:
    """By how much a balance has changed since the start, fees and the actors' own moves left out."""
    world, read = moment.world, moment.world.surveyor.read
    change = int(read(entry, block=moment.block) or 0) - int(read(entry, block=world.start_block) or 0)
    if entry.kind == "ether":
        change += world.fees_paid(entry.subject, world.start_block, moment.block)
    for move in moment.desk.stage.moves:
        if moment.block is None or move.before_block < moment.block:
            change -= sum((d.after or 0) - (d.before or 0) for d in move.differences if d.entry == entry)
    return change


def _payment(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Pays)
    paid, received = (_own_change(moment, entry) for entry in payment_entries(moment.world, goal))
    asked = received if goal.told_by is None else _told(goal, goal.told_by, moment)
    return (
        -paid == received == asked and goal.least <= received <= goal.most,
        f"paid {-paid}, of which {received} to {goal.payee}, which asked for {asked}",
    )


def _told(goal: Pays, told_by: tuple[str, str], moment: Moment) -> int:
    """What the payee's own events say that the payer paid."""
    name, argument = told_by
    payer = moment.world.address(goal.payer)
    events = [event for _, event in _events(goal.payee, moment) if event.name == name]
    return sum(int(event.arguments[argument]) for event in events if payer in event.arguments.values())


def _answer(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Answer)
    ending = moment.desk.ending
    return judge(goal, moment.world.resolve(goal.value), ending.answer if ending else None)


def _probe(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Probe)
    engine = moment.world.engine
    if moment.block is not None and not goal.first:
        return _tried_then(moment.world, goal, moment.block)
    if not goal.first:
        return _tried(moment.world, goal, engine.simulate)
    mark = engine.snapshot()
    try:
        for probe in goal.first:
            as_said, reason = _tried(moment.world, probe, engine.transact)
            if not as_said:
                return False, f"before that: {reason}"
        return _tried(moment.world, goal, engine.simulate)
    finally:
        engine.restore(mark)


def _tried_then(world: World, probe: Probe, block: int) -> Finding:
    """The probe against the state after a past block, where it can be run alone only, and for nothing."""
    step = Step(sender=probe.sender, target=probe.contract, function=probe.function, args=probe.args, value=probe.value)
    try:
        sent = world.transaction(step)
    except NotSigned as missing:
        return not probe.succeeds, str(missing)
    result = world.engine.call(sent.to or "", sent.data, sender=sent.sender, value=sent.value, block=block)
    reason = "it succeeds" if result.success else world.explain(result.output, result.halt)
    return result.success is probe.succeeds, reason


def _tried(world: World, probe: Probe, run: Callable[[Transaction], Receipt | Refused]) -> Finding:
    step = Step(sender=probe.sender, target=probe.contract, function=probe.function, args=probe.args, value=probe.value)
    try:
        outcome = run(world.transaction(step))
    except NotSigned as missing:
        return not probe.succeeds, str(missing)
    happened = isinstance(outcome, Receipt) and outcome.success
    return happened is probe.succeeds, world.reason(outcome)


def _events(contract: str, moment: Moment) -> Iterator[tuple[int, DecodedEvent]]:
    """The contract's events since the start, each with its block."""
    world = moment.world
    address = world.address(contract)
    for log in world.engine.logs:
        in_time = moment.block is None or log.block_number <= moment.block
        if log.address == address and log.block_number > world.start_block and in_time:
            event = world.interfaces[address].decode_log(log)
            if event is not None:
                yield log.block_number, event


def _event(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, EventEmitted)
    world = moment.world
    seen = []
    for _, event in _events(goal.contract, moment):
        if event.name == goal.event:
            seen.append(named(world, tuple(event.arguments.values())))
            if all(event.arguments.get(k) == world.resolve(v) for k, v in goal.args.items()):
                return True, seen[-1]
    return False, "; ".join(seen)[:500] or "no such event"


def _json(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, JsonView)
    world = moment.world
    try:
        document = document_of(world.read(goal.reading, block=moment.block))
    except NoDocument as problem:
        return False, str(problem)[:500]
    return says_the_same(document, world.resolve(goal.document)), str(document)[:500]


def _sole_listing(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, SoleListing)
    world, block = moment.world, moment.block

    def read(function: str, *args: Any, at: int | None = block) -> Any:
        return world.read(Reading(goal.market, function, args), block=at)

    newest = read("listingOf", At(goal.collection), goal.token_id)
    fresh = range(read("listingCount", at=world.start_block) + 1, read("listingCount") + 1)
    mine = [i for i in fresh if isinstance(found := read("getListing", i), tuple) and found[0] in world.controlled]
    return mine == [newest] * bool(newest), f"of the new listings {mine} stand; the token's is {newest}"


def _signalled(goal: Goal, moment: Moment) -> Finding:
    """At the block of a token's newest signal its URI must have been the one it has now."""
    assert isinstance(goal, MetadataSignalled)
    wanted = set(goal.token_ids)
    newest: dict[int, int] = {}
    for block, event in _events(goal.collection, moment):
        if event.name in ("MetadataUpdate", "BatchMetadataUpdate"):
            ends = tuple(event.arguments.values())
            low, high = ends[0], ends[-1]
            if not (high - low < len(wanted) and wanted.issuperset(range(low, high + 1))):
                return False, f"signalled {low} to {high}"
            newest |= dict.fromkeys(range(low, high + 1), block)
    missing = sorted(wanted - newest.keys())
    early = [
        i for i, block in sorted(newest.items()) if _uri(goal, i, moment, block) != _uri(goal, i, moment, moment.block)
    ]
    return not (missing or early), f"not signalled: {missing}; signalled before the URI changed: {early}"


def _uri(goal: MetadataSignalled, token_id: int, moment: Moment, block: int | None) -> Any:
    return moment.world.read(Reading(goal.collection, "tokenURI", (token_id,)), block=block)


def signature_matches(world: World, goal: Signature, signed: dict[str, Any]) -> bool:
    """Whether one recorded signature is the one that the goal asks for."""
    typed_data = signed["typed_data"]
    if (
        signed["signer"] != world.address(goal.signer or world.fixture.user)
        or typed_data.get("primaryType") != goal.primary_type
    ):
        return False
    for path, value in goal.values.items():
        found: Any = typed_data if path.startswith("domain.") else typed_data.get("message")
        for part in path.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        if not _says(found, world.resolve(value)):
            return False
    return not goal.spent or is_spent(world, signed)


def is_spent(world: World, signed: dict[str, Any]) -> bool:
    """Whether the agent has handed a signature in to the contract that it is made out to, which would not have taken another
    in its place, and sending the same again fails."""
    start = bytes.fromhex(signed["signature"][2:66])
    contract = str(signed["typed_data"]["domain"].get("verifyingContract")).lower()
    handed_in = [
        Transaction(sender=r.sender, to=r.to, data=r.data, value=r.value)
        for r in world.engine.receipts()
        if r.block_number > world.start_block
        and r.sender in world.controlled
        and r.success
        and str(r.to).lower() == contract
        and start in r.data
        and not _works_without(world, r, start)
    ]
    again = [world.engine.simulate(transaction) for transaction in handed_in]
    return bool(again) and not any(isinstance(outcome, Receipt) and outcome.success for outcome in again)


def _works_without(world: World, receipt: Receipt, start: bytes) -> bool:
    """Whether the transaction would have done as well with other bytes where the signature begins: then they were only data."""
    other = receipt.data.replace(start, bytes(byte ^ 1 for byte in start))
    before = receipt.block_number - 1
    call = world.engine.call
    return call(receipt.to or "", other, sender=receipt.sender, value=receipt.value, block=before).success


def _says(found: Any, wanted: Any) -> bool:
    """Whether a field of typed data, as JSON has it, means the wanted value."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return found is wanted
    if isinstance(wanted, int):
        if isinstance(found, str) and _NUMBER.fullmatch(found):
            return int(found, 16 if found[:2] in ("0x", "0X") else 10) == wanted
        return bool(found == wanted)
    if not isinstance(found, str):
        return False
    if isinstance(wanted, bytes):
        return found.lower() == "0x" + wanted.hex()
    return bool(found == wanted) or (
        _ADDRESS.fullmatch(str(wanted)) is not None and found.lower() == str(wanted).lower()
    )


def _signature(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, Signature)
    world = moment.world
    signed = [s for s in moment.desk.signatures if moment.block is None or s["block"] <= moment.block]
    actual = "; ".join(f"a {s['typed_data'].get('primaryType')} signed by {named(world, s['signer'])}" for s in signed)
    return any(signature_matches(world, goal, s) for s in signed), actual[:500] or "no signature"


CHECKS: dict[type, Callable[[Goal, Moment], Finding]] = {
    Owns: _entry_goal,
    HoldsUnits: _entry_goal,
    HoldsCoins: _entry_goal,
    EtherChange: _entry_goal,
    Pays: _payment,
    SoleListing: _sole_listing,
    Approval: _entry_goal,
    Operator: _entry_goal,
    Allowance: _entry_goal,
    ViewEquals: _entry_goal,
    JsonView: _json,
    MetadataSignalled: _signalled,
    Answer: _answer,
    Probe: _probe,
    EventEmitted: _event,
    Signature: _signature,
}


def check_goal(goal: Goal, desk: Desk, deadline: int | None) -> Check:
    """The goal at the end and, with a deadline (seconds after the start), in the last block before it too."""
    kind: CheckKind = "probe" if isinstance(goal, Probe) else "goal"
    by = goal.by if goal.by is not None else deadline
    passed, actual = CHECKS[type(goal)](goal, Moment(desk, None))
    if passed and by is not None and desk.world.elapsed > by:
        passed, actual = _in_time(goal, desk, by)
    said = goal.read_aloud()
    return Check(kind=kind, name=said, passed=passed, expected=said, actual=actual)


def _in_time(goal: Goal, desk: Desk, by: int) -> Finding:
    if isinstance(goal, Answer) or (isinstance(goal, Probe) and goal.first):
        return False, f"only {desk.world.elapsed - by} seconds after the deadline"
    passed, actual = CHECKS[type(goal)](goal, Moment(desk, desk.world.block_at(by)))
    return passed, actual if passed else f"{actual} at the deadline; only later as asked"
