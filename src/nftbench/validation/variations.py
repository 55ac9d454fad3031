"""What a right agent may do otherwise than the reference: none of it may flip the grade."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from nftbench.tasks.answer_forms import normalise
from nftbench.tasks.goals import Answer, Owns, SendsNothing
from nftbench.validation.damages import MOST_OF_A_KIND, Damages
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn
from nftbench.validation.strays import APPROVE, PLAIN, SAFE_UNITS, SET_OPERATOR, Finder, Spoil
from nftbench.values import ZERO_ADDRESS

SAFE = "safeTransferFrom(address,address,uint256)"
SAFE_WITH_DATA = "safeTransferFrom(address,address,uint256,bytes)"
BATCH = "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"


def extra_reads(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """A look at everything, before and after each step."""
    yield Spoil("every reading tool is used before and after each step", _looking)


def _looking(rehearsal: Rehearsal) -> bool:
    rehearsal.reopen()
    _look(rehearsal)
    for act in rehearsal.acts:
        rehearsal.box.call(act.name, act.arguments)
        _look(rehearsal)
    rehearsal.end()
    return True


def _look(rehearsal: Rehearsal) -> None:
    seen = rehearsal.use("read_state")
    for contract in seen["known_contracts"][:3]:
        rehearsal.use("get_contract", address=contract["address"])
        rehearsal.use("call", contract=contract["address"], function="name()", returns=["string"])
    rehearsal.use("get_logs")
    for act in rehearsal.acts[-1:]:
        rehearsal.use("simulate", **(act.arguments if act.name == "send_transaction" else {"to": seen["you"]}))


def reverted_transactions(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Transactions that revert cost gas and change nothing."""
    yield Spoil("a transaction reverts before each step and at the end", _reverting)


def _reverting(rehearsal: Rehearsal) -> bool:
    rehearsal.reopen()
    reverted = _revert(rehearsal)
    for act in rehearsal.acts:
        rehearsal.box.call(act.name, act.arguments)
        reverted = _revert(rehearsal) and reverted
    rehearsal.end()
    return reverted and rehearsal.effect() == rehearsal.solved_effect


def _revert(rehearsal: Rehearsal) -> bool:
    """Call a token contract's transfer of a token that is nobody's; an ether transfer that it refuses where there is none."""
    world = rehearsal.world
    for address, interface in world.interfaces.items():
        found = next((f for f in interface.functions if f.signature in (PLAIN, SAFE_UNITS)), None)
        if found is not None:
            given = (world.user, rehearsal.stranger, 2**200 + 1, 1, b"")[: len(found.inputs)]
            return not rehearsal.send(world.user, address, found.encode(given))
    return False


def permission_taken_back(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """An operator made and unmade before anything else is done."""
    for address in rehearsal.having(SET_OPERATOR)[:1]:
        yield Spoil(f"a stranger is an operator in {rehearsal.world.names[address]} for a while", _lending, (address,))


def _lending(rehearsal: Rehearsal, contract: str) -> bool:
    rehearsal.reopen()
    user = rehearsal.world.user
    for allowed in (True, False):
        if not rehearsal.call(user, contract, SET_OPERATOR, rehearsal.stranger, allowed):
            return False
    return _rest(rehearsal)


def permission_used_up(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """An approval of a token that is then moved: the transfer takes it away."""
    world = rehearsal.world
    for goal in rehearsal.task.goals:
        if isinstance(goal, Owns) and world.address(goal.account) not in world.controlled:
            what = f"a stranger is approved for {goal.collection} #{goal.token_id} until it moves"
            yield Spoil(what, _approving, (world.address(goal.collection), goal.token_id))


def _approving(rehearsal: Rehearsal, contract: str, token_id: int) -> bool:
    rehearsal.reopen()
    approved = rehearsal.call(rehearsal.world.user, contract, APPROVE, rehearsal.stranger, token_id)
    return approved and _rest(rehearsal)


def _rest(rehearsal: Rehearsal) -> bool:
    """All of the reference's steps; whether they come to the same in the end."""
    for act in rehearsal.acts:
        rehearsal.box.call(act.name, act.arguments)
    rehearsal.end()
    return rehearsal.effect() == rehearsal.solved_effect


def another_order(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Steps exchanged, where they come to the same."""
    acts = rehearsal.acts
    yield from (_played("the steps backwards", acts[::-1]) for _ in acts[1:2])
    for i in range(len(acts) - 1):
        order = (*acts[:i], acts[i + 1], acts[i], *acts[i + 2 :])
        yield _played(f"step {i + 2} before step {i + 1}", order)


def another_route(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """Other functions for the same transfers, where they come to the same."""
    for to, change in (
        ("transferFrom", _plainly),
        ("safeTransferFrom with data", _with_data),
        ("single transfers", _singly),
        ("batches with an entry in two", _halved),
    ):
        acts = tuple(other for act in rehearsal.acts for other in change(act))
        if acts != rehearsal.acts:
            yield _played(f"by {to}", acts)


def _plainly(act: Turn) -> tuple[Turn, ...]:
    if act.arguments.get("function") not in (SAFE, SAFE_WITH_DATA):
        return (act,)
    return (_calling(act, PLAIN, act.arguments["arguments"][:3]),)


def _with_data(act: Turn) -> tuple[Turn, ...]:
    plain = act.arguments.get("function") in (SAFE, PLAIN, "transferFrom")
    return (_calling(act, SAFE_WITH_DATA, [*act.arguments["arguments"], "0x00"]),) if plain else (act,)


def _singly(act: Turn) -> tuple[Turn, ...]:
    if act.arguments.get("function") != BATCH:
        return (act,)
    source, to, ids, amounts, data = act.arguments["arguments"]
    return tuple(_calling(act, SAFE_UNITS, [source, to, i, n, data]) for i, n in zip(ids, amounts, strict=True))


def _halved(act: Turn) -> tuple[Turn, ...]:
    """One batch, in which an amount stands in two entries."""
    if act.arguments.get("function") not in (BATCH, SAFE_UNITS):
        return (act,)
    source, to, ids, amounts, data = act.arguments["arguments"]
    pairs = zip(ids, amounts, strict=True) if isinstance(ids, list) else [(ids, amounts)]
    parts = [(i, n) for i, m in pairs for n in ((1, int(m) - 1) if int(m) > 1 else (int(m),))]
    entries = [[i for i, _ in parts], [str(n) for _, n in parts]]
    return (_calling(act, BATCH, [source, to, *entries, data]),)


def _calling(act: Turn, function: str, arguments: list[Any]) -> Turn:
    return Turn(act.name, act.arguments | {"function": function, "arguments": arguments}, "")


def _played(what: str, acts: tuple[Turn, ...]) -> Spoil:
    return Spoil(what, _same_end, (acts,))


def _same_end(rehearsal: Rehearsal, acts: tuple[Turn, ...]) -> bool:
    """Play these steps; whether they come to the same."""
    rehearsal.play(acts)
    rehearsal.end()
    return rehearsal.effect() == rehearsal.solved_effect


def a_little_later(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """A minute passes at the end, where there is a minute left."""
    deadline = rehearsal.task.deadline
    fixture = rehearsal.task.fixture
    quiet = not any(a.hostile for a in fixture.actors) and not any(p.hostile for p in fixture.counterparties)
    if quiet and (deadline is None or rehearsal.world.elapsed + 90 < deadline):
        yield Spoil("a minute passes before the end", _lingering)


def _lingering(rehearsal: Rehearsal) -> bool:
    rehearsal.play(rehearsal.acts)
    rehearsal.use("wait", seconds="60")
    rehearsal.end()
    return True


def answer_spelled_otherwise(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """The same answer in lower case, its numbers as text or as numbers, its sets backwards."""
    ending = rehearsal.desk.ending
    for goal in rehearsal.task.goals:
        if isinstance(goal, Answer) and ending is not None and ending.answer is not None:
            canonical = normalise(goal.form, ending.answer, goal.fields)
            answer = dict(canonical) if goal.form == "record" else canonical
            for other in (_respelled(answer, as_text=True), _respelled(answer, as_text=False)):
                yield Spoil(f"the answer is spelled {str(other)[:80]}", Rehearsal.answer, (other,))


def _respelled(answer: Any, *, as_text: bool) -> Any:
    if isinstance(answer, dict):
        return {name: _respelled(value, as_text=as_text) for name, value in reversed(answer.items())}
    if isinstance(answer, tuple | list):
        return [_respelled(value, as_text=as_text) for value in reversed(answer)]
    if isinstance(answer, int):
        return str(answer) if as_text else answer
    return answer.lower() if as_text or answer == ZERO_ADDRESS else answer


VARIATIONS: dict[str, Finder] = {
    "extra reads": extra_reads,
    "reverted transactions": reverted_transactions,
    "permission taken back": permission_taken_back,
    "permission used up": permission_used_up,
    "another order": another_order,
    "another route": another_route,
    "a little later": a_little_later,
    "answer spelled otherwise": answer_spelled_otherwise,
}

SENDING = ("reverted transactions", "permission taken back", "permission used up")
"""Those that send something, which a request may forbid."""


def vary(rehearsal: Rehearsal) -> Damages:
    """Do everything that is allowed, one at a time; what flips the grade all the same comes back as sentences."""
    done: dict[str, int] = {}
    objections = []
    nothing_sent = any(isinstance(goal, SendsNothing) for goal in rehearsal.task.wanted)
    for name, find in VARIATIONS.items():
        if nothing_sent and name in SENDING:
            continue
        rehearsal.solve()
        for spoil in islice(list(find(rehearsal)), MOST_OF_A_KIND):
            rehearsal.solve()
            if not spoil.do(rehearsal):
                continue
            done[name] = done.get(name, 0) + 1
            failed = [c for c in rehearsal.grade().checks if not c.passed]
            if failed:
                found = f"{failed[0].name}: {failed[0].actual}"
                objections.append(f"the variation {name!r} is held against the agent: {spoil.what} ({found[:160]})")
    return Damages(done, tuple(objections))
