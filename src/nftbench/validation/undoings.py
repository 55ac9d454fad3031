"""Damages to the goal itself: undone after it was reached, reached too late, by somebody else, or said in the wrong words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.grading.grade import right_endings
from nftbench.tasks.answer_forms import normalise
from nftbench.tasks.goals import Allowance, Answer, Approval, EtherChange, Goal, HoldsCoins, HoldsUnits, Operator, Owns
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.strays import APPROVE, SAFE_UNITS, SET_OPERATOR, Spoil, sent_away
from nftbench.values import ZERO_ADDRESS
from nftbench.world.ledger import Entry

LATE = 61


def moved_on(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The token that should stay with somebody goes on to a stranger."""
    world = rehearsal.world
    for goal in rehearsal.task.goals:
        if isinstance(goal, Owns) and rehearsal.signed_with(holder := world.address(goal.account)):
            what = f"{goal.collection} #{goal.token_id} goes on to a stranger"
            yield Spoil(what, sent_away, (holder, world.address(goal.collection), goal.token_id))


def one_too_few(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Whoever should have an amount loses one of it."""
    for what, entry, holder in _amounts(rehearsal):
        yield Spoil(f"{what} loses one", _pay, (entry, holder, rehearsal.stranger, 1))


def one_too_many(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Whoever should have an amount gets one more, from somebody else who has some."""
    for what, entry, holder in _amounts(rehearsal):
        donor = _donor(rehearsal, entry, holder, 1)
        if donor is not None:
            yield Spoil(f"{what} gets one more", _pay, (entry, donor, holder, 1))


def paid_by_another(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """In a world where nothing was done, somebody else gives what the agent was to give."""
    for what, entry, holder in _amounts(rehearsal):
        missing = _missing(rehearsal, entry)
        if missing <= 0 or holder in rehearsal.world.controlled:
            continue
        donor = _donor(rehearsal, entry, holder, missing)
        if donor is not None:
            yield Spoil(f"{what} is paid by another", _instead, (entry, donor, holder, missing))


def _instead(rehearsal: Rehearsal, entry: Entry, donor: str, holder: str, amount: int) -> bool:
    rehearsal.reopen()
    paid = _pay(rehearsal, entry, donor, holder, amount)
    rehearsal.end()
    return paid


def _amounts(rehearsal: Rehearsal) -> Iterator[tuple[str, Entry, str]]:
    """The amounts that goals are about, with their holders."""
    world = rehearsal.world
    for goal in rehearsal.task.goals:
        match goal:
            case HoldsUnits():
                holder = world.address(goal.account)
                yield goal.read_aloud(), Entry("units", world.address(goal.collection), holder, goal.token_id), holder
            case HoldsCoins():
                holder = world.address(goal.account)
                yield goal.read_aloud(), Entry("coins", world.address(goal.token), holder, None), holder
            case EtherChange():
                holder = world.address(goal.account)
                yield goal.read_aloud(), Entry("ether", None, holder, None), holder


def _missing(rehearsal: Rehearsal, entry: Entry) -> int:
    read = rehearsal.world.surveyor.read
    return int(read(entry) or 0) - int(read(entry, block=rehearsal.world.start_block) or 0)


def _donor(rehearsal: Rehearsal, entry: Entry, holder: str, amount: int) -> str | None:
    """Somebody with a key, not the agent, who has as much of the same thing."""
    others = [
        (e.subject, held)
        for e, held in rehearsal.entries(entry.kind)
        if e.contract == entry.contract and e.detail == entry.detail and e.subject != holder
    ]
    mine = rehearsal.world.controlled
    able = (who for who, held in others if held >= amount and who not in mine and rehearsal.signed_with(who))
    return next(able, None)


def _pay(rehearsal: Rehearsal, entry: Entry, payer: str, to: str, amount: int) -> bool:
    if not rehearsal.signed_with(payer):
        return False
    contract = entry.contract or ""
    if entry.kind == "units":
        return rehearsal.call(payer, contract, SAFE_UNITS, payer, to, entry.detail, amount, b"")
    if entry.kind == "coins":
        return rehearsal.call(payer, contract, "transfer(address,uint256)", to, amount)
    return rehearsal.send(payer, to, value=amount)


def permission_reset(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """A permission that a goal settles is settled otherwise in the end."""
    world = rehearsal.world
    for goal in rehearsal.task.wanted:
        match goal:
            case Operator():
                contract, owner = world.address(goal.collection), world.address(goal.owner)
                yield _reset(goal, owner, contract, SET_OPERATOR, world.address(goal.operator), not goal.allowed)
            case Allowance():
                contract, owner = world.address(goal.token), world.address(goal.owner)
                yield _reset(goal, owner, contract, APPROVE, world.address(goal.spender), goal.amount + 1)
            case Approval():
                contract = world.address(goal.collection)
                owner = world.surveyor.read(Entry("owner", contract, goal.token_id, None)) or ZERO_ADDRESS
                yield _reset(goal, owner, contract, APPROVE, rehearsal.stranger, goal.token_id)


def _reset(goal: Goal, owner: str, contract: str, function: str, *args: Any) -> Spoil:
    return Spoil(f"no longer: {goal.read_aloud()}", _resetting, (owner, contract, function, *args))


def _resetting(rehearsal: Rehearsal, owner: str, *given: Any) -> bool:
    return rehearsal.signed_with(owner) and rehearsal.call(owner, *given)


def too_late(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The same steps, a minute after the deadline."""
    deadline = rehearsal.task.deadline
    if deadline is not None and rehearsal.task.feasible:
        yield Spoil("everything is done a minute after the deadline", _late, (deadline,))


def _late(rehearsal: Rehearsal, deadline: int) -> bool:
    rehearsal.reopen()
    rehearsal.use("wait", seconds=str(deadline + LATE))
    for turn in rehearsal.acts:
        rehearsal.box.call(turn.name, turn.arguments)
    rehearsal.end()
    return True


def wrong_ending(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """All is as it should be, and the agent says the opposite of what holds."""
    right = right_endings(rehearsal.task)
    for tool, given in (("declare_infeasible", {"reason": "no"}), ("finish_task", {"summary": "done"})):
        if tool not in right:
            yield Spoil(f"the agent ends with {tool}", _ended, (tool, given))


def _ended(rehearsal: Rehearsal, tool: str, given: dict[str, Any]) -> bool:
    return "error" not in rehearsal.use(tool, **given)


def wrong_answer(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The right answer with one thing in it changed."""
    ending = rehearsal.desk.ending
    for goal in rehearsal.task.goals:
        if isinstance(goal, Answer) and ending is not None and ending.answer is not None:
            canonical = normalise(goal.form, ending.answer, goal.fields)
            answer = dict(canonical) if goal.form == "record" else canonical
            for wrong in _altered(answer, rehearsal.stranger):
                yield Spoil(f"the answer is {str(wrong)[:80]}", Rehearsal.answer, (wrong,))


def _altered(answer: Any, stranger: str) -> Iterator[Any]:
    if isinstance(answer, dict):
        for name, value in answer.items():
            for wrong in _altered(value, stranger):
                yield answer | {name: wrong}
    elif isinstance(answer, tuple | list):
        yield from ([*answer[:i], *answer[i + 1 :]] for i in range(min(len(answer), 3)))
        yield [*answer, stranger if answer and isinstance(answer[0], str) else max([*answer, 0]) + 1]
    elif isinstance(answer, int):
        yield from (answer + 1, answer - 1)
    elif answer.startswith("0x"):
        yield from (stranger, ZERO_ADDRESS)
    else:
        yield answer + " too"
