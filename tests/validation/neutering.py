"""Takes one rule out of the grader and sees who notices: `python -m tests.validation.neutering NAME` exits 0 if somebody does.

First the grader's own tests, then the damages and variations of `nftbench validate` on a few instances.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from types import FunctionType
from typing import Any

import pytest

from nftbench.grading import (
    answers,
    checks,
    coverage,
    documents,
    frame,
    grade,
    moment,
    obeying,
    parts,
    reference,
    slots,
    unseen,
)
from nftbench.grading.checks import (
    assets,
    entries,
    metadata,
    orders,
    payments,
    permissions,
    prohibitions,
    state,
)
from nftbench.tasks import catalog
from nftbench.validation.instance import examine
from tests.validation.left_open import LEFT_OPEN, NAMING, Neutering

INSTANCES = (
    "F1a_03",
    "F1b_01",
    "F1c_03",
    "F1d_07",
    "F1a_04",
    "F2a_02",
    "F2b_01",
    "F3a_06",
    "F3c_01",
    "F4a_01",
    "F4b_08",
    "F4d_05",
)


RULES: dict[str, Neutering] = {
    # goals: one for each function in the table of checks, and for each condition in them
    "entry goals": Neutering(
        entries.check_entry, "return actual == goal_value(world, goal), named", "return True, named"
    ),
    "ether counts to the wei": Neutering(
        entries.check_entry, "return actual == goal_value(world, goal), f", "return True, f"
    ),
    "ether: fees aside": Neutering(entries.check_entry, "actual += world.fees_paid", "actual += 0 * world.fees_paid"),
    "payments": Neutering(
        payments.check_payment,
        "received == asked and (-paid == received or not goal.alone) and goal.least <= received <= goal.most",
        "True",
    ),
    "payments: all of it": Neutering(payments.check_payment, "(-paid == received or not goal.alone)", "True"),
    "payments: one of several": Neutering(payments.check_payment, "or not goal.alone)", "or False)"),
    "payments: no more than told": Neutering(payments.check_payment, "received == asked and", "True and"),
    "payments: what events tell": Neutering(payments._told, "int(event.arguments[argument])", "0"),
    "order status": Neutering(
        orders.check_order_status, "return status_fits(goal, status) and alive, spoken", "return True, spoken"
    ),
    "order status: an older counter": Neutering(
        orders.check_order_status, "alive = not open_ or counter == order.components[10]", "alive = True"
    ),
    "order status: cancelled": Neutering(entries.status_fits, "return goal.cancelled and cancelled", "return True"),
    "order status: in part": Neutering(
        entries.status_fits, "return filled * goal.filled[1] == goal.filled[0] * max(size, 1)", "return True"
    ),
    "order status: filled up": Neutering(entries.status_fits, "return filled < max(size, 1)", "return True"),
    "counter": Neutering(orders.check_counter, "return raised, ", "return True, "),
    "the only listing": Neutering(
        orders.check_sole_listing, "return mine == [newest] * bool(newest), f", "return True, f"
    ),
    "probes at the deadline": Neutering(
        state._tried_then, "return result.success is probe.succeeds, reason", "return True, reason"
    ),
    "payments: at least": Neutering(payments.check_payment, "goal.least <= received", "True"),
    "payments: at most": Neutering(payments.check_payment, "received <= goal.most", "goal.least <= received"),
    "payments: fees aside": Neutering(
        payments.balance_change, "change += world.fees_paid(", "change += 0 * world.fees_paid("
    ),
    "sums of ether": Neutering(payments.check_ether, "return change == goal.wei - paid, f", "return True, f"),
    "sums of ether: what payees got": Neutering(payments.check_ether, "goal.wei - paid, f", "goal.wei, f"),
    "sums of ether: others' own moves": Neutering(
        payments.check_ether, "balance_change if goal.others else own_change", "balance_change"
    ),
    "parts": Neutering(parts.grade_parts, "right = all(check.passed for check in own) and", "right = True and"),
    "parts: what is their own": Neutering(parts.grade_parts, "touched.isdisjoint(part.handles)", "True"),
    "parts: the answer": Neutering(parts.grade_parts, "(number in named) is not part.feasible", "True"),
    "parts: their own goals": Neutering(parts.grade_parts, "place += part.goals", "place += 0"),
    "parts: an answer of another form": Neutering(parts._named_by_answer, "return frozenset()", "raise"),
    "parts: what a change is about": Neutering(parts._named_in, "(entry.contract, entry.subject, *detail)", "()"),
    "payments: actors aside": Neutering(payments.own_change, "change -= sum(", "change -= 0 * sum("),
    "answers": Neutering(
        answers.judge, "return actual == normalise(goal.form, expected, goal.fields),", "return True,"
    ),
    "answers: none given": Neutering(answers.judge, 'return False, "no answer"', 'return True, ""'),
    "answers: form": Neutering(answers.judge, 'return False, f"wrong form', 'return True, f"wrong form'),
    "probes": Neutering(state._tried, "happened is probe.succeeds", "True"),
    "probes: without a signature": Neutering(state._tried, "return not probe.succeeds, str", "return True, str"),
    "probes: first": Neutering(state.check_probe, "if not as_said:", "if False:"),
    "events": Neutering(state.check_event, 'return False, "; "', 'return True, "; "'),
    "events: arguments": Neutering(
        state.check_event,
        "if all(event.arguments.get(k) == world.resolve(v) for k, v in goal.args.items()):",
        "if True:",
    ),
    "events: since the start": Neutering(moment.events, "log.block_number > world.start_block", "True"),
    "events: up to the moment": Neutering(
        moment.events, "in_time = moment.block is None or log.block_number <= moment.block", "in_time = True"
    ),
    "documents": Neutering(
        metadata.check_document, "return says_the_same(document, world.resolve(goal.document)),", "return True,"
    ),
    "documents: parse": Neutering(metadata.check_document, "return False, str(problem)", "return True, str(problem)"),
    "signals": Neutering(metadata.check_signals, "return not (missing or early),", "return True,"),
    "signals: missing": Neutering(metadata.check_signals, "(missing or early)", "early"),
    "signals: early": Neutering(metadata.check_signals, "(missing or early)", "missing"),
    "signals: no others": Neutering(metadata.check_signals, 'return False, f"signalled', 'continue; f"signalled'),
    "signatures": Neutering(
        permissions.check_signature, "return any(signature_matches(world, goal, s) for s in signed),", "return True,"
    ),
    "signatures: each once": Neutering(permissions.distinct, "return list(first.values())", "return list(signatures)"),
    "signatures: signer": Neutering(
        permissions.signature_matches, 'signed["signer"] != world.address(goal.signer or world.fixture.user)', "False"
    ),
    "signatures: type": Neutering(
        permissions.signature_matches, 'typed_data.get("primaryType") != goal.primary_type', "False"
    ),
    "signatures: fields": Neutering(
        permissions.signature_matches, "if not _says(found, world.resolve(value)):", "if False:"
    ),
    "signatures: spent": Neutering(
        permissions.signature_matches, "return not goal.spent or is_spent(world, signed)", "return True"
    ),
    "signatures: handed in": Neutering(permissions.is_spent, "return bool(again) and not any", "return not any"),
    "signatures: not twice": Neutering(
        permissions.is_spent, "return bool(again) and not any", "return bool(again) or not any"
    ),
    "deadlines": Neutering(checks.check_goal, "if passed and by is not None and desk.world.elapsed > by:", "if False:"),
    "deadlines: answers and probes": Neutering(checks._in_time, 'return False, f"only', 'return True, f"only'),
    "deadlines: the state then": Neutering(
        checks._in_time, "return passed, actual if passed", "return True, actual if passed"
    ),
    # prohibitions and open solutions
    "nothing sent": Neutering(prohibitions.check_sends_nothing, "return not sent, f", "return True, f"),
    "nothing sent: by the agent": Neutering(
        prohibitions.check_sends_nothing, "if r.sender in world.controlled", "if True"
    ),
    "never": Neutering(prohibitions.check_never, "if found == unwanted:", "if False:"),
    "always": Neutering(prohibitions.check_always, "if found != wanted:", "if False:"),
    "never, after any block": Neutering(
        prohibitions._history, "moment.world.start_block + 1, moment", "moment.last_block, moment"
    ),
    "never, since the start": Neutering(
        prohibitions._history, "moment.world.start_block + 1, moment", "moment.world.start_block, moment"
    ),
    "one of them": Neutering(assets.check_owns_one_of, "return len(owned) == goal.count, said", "return True, said"),
    "together": Neutering(assets.check_together, "return False,", "return True,"),
    "together: all of it": Neutering(assets.check_together, "values(block) == wanted and", "True and"),
    "together: none before": Neutering(assets.check_together, "and values(block - 1) == start", ""),
    "spent: the limit": Neutering(payments.check_spent, "return spent <= goal.most, f", "return True, f"),
    "spent: for something": Neutering(payments.check_spent, "if paid > 0 and not", "if False and not"),
    "spent: what came in": Neutering(payments._brought_in, "return False", "return True"),
    "given for: the price": Neutering(payments.check_only_for, "came_in >= goal.least", "True"),
    "given for: left for good": Neutering(payments.check_only_for, "away or before in world.controlled", "away"),
    "given for: fees aside": Neutering(payments._gain, "gain += receipt.gas_used", "gain += 0 * receipt.gas_used"),
    "new tokens' royalty": Neutering(
        metadata.check_royalty_of_new, "return all(one == wanted for one in found),", "return True,"
    ),
    "open: the tokens to choose from": Neutering(
        coverage._options,
        "options[entry] = (*options.get(entry, ()), world.address(goal.account))",
        "options[entry] = ()",
    ),
    "open: who may have more": Neutering(coverage._spending, "return {own, *more}", "return {own}"),
    "open: no more than was spent": Neutering(
        coverage._spending, "if spent < 0 or sum(more.values()) > spent:", "if False:"
    ),
    # documents
    "JSON: strict": Neutering(documents._no_number, "raise", "return name #"),
    "JSON: keys once": Neutering(documents._object, "if len(", "if False and len("),
    # the frame
    "frame: changes": Neutering(
        frame.find_strays, "for d in _stray_changes(moment, changes, goals, task.permitted)", "for d in ()"
    ),
    "frame: views": Neutering(frame.find_strays, "*_not_drift(desk, views)", ""),
    "frame: signatures": Neutering(
        frame.find_strays, "left_behind = tuple(signatures_left(", "left_behind = () and tuple(signatures_left("
    ),
    "frame: signals": Neutering(
        frame.find_strays, "signals = tuple(_stray_signals(", "signals = () and tuple(_stray_signals("
    ),
    "frame: nothing excuses in an infeasible task": Neutering(
        frame.find_strays, "task.wanted, not task.wanted", "task.goals, not task.wanted"
    ),
    "frame: nothing is allowed in an infeasible task": Neutering(
        frame.find_strays, "changes, goals, task.permitted)", "changes, goals, task.allowed)"
    ),
    "frame: failed changes": Neutering(
        frame.frame_checks, "checks = [_failed(world, stray) for stray in strays.changes]", "checks = []"
    ),
    "frame: failed signatures": Neutering(frame.frame_checks, "checks += [_signed(left) for left in strays.left]", ""),
    "frame: failed signals": Neutering(
        frame.frame_checks, "checks += [_signalled(signal) for signal in strays.signals]", ""
    ),
    "frame: the value that goals ask for": Neutering(
        coverage.Coverage.explains, "and self._implied[entry] == after", ""
    ),
    "frame: payments are no cover for theft": Neutering(
        coverage.Coverage.explains, "entry in self._settled and not abused", "entry in self._settled"
    ),
    "frame: abused permissions": Neutering(frame._stray_changes, "if abused or not _actors_own", "if not _actors_own"),
    "frame: only actors are excused": Neutering(
        frame._stray_changes, "if abused or not _actors_own(difference, touching):", "if abused:"
    ),
    "frame: actors are excused": Neutering(
        frame._stray_changes, "if abused or not _actors_own(difference, touching):", "if True:"
    ),
    "frame: what actors did and the agent undid": Neutering(frame._undone, "if left != now:", "if False:"),
    "frame: a moved token's approval": Neutering(coverage._implied, "implied.setdefault(", "(lambda *_: None)("),
    "frame: removals": Neutering(frame._removals, "removals[entry] = goal_value(world, goal)", "pass"),
    "frame: wider addresses": Neutering(frame._wider, "return value not in (ZERO_ADDRESS, other)", "return False"),
    "frame: wider numbers": Neutering(frame._wider, "return amount(value) > amount(other)", "return False"),
    "allowed: kind": Neutering(coverage.matches, "if change.kind != entry.kind:", "if False:"),
    "allowed: contract": Neutering(coverage.matches, "if contract != entry.contract:", "if False:"),
    "allowed: parts": Neutering(
        coverage.matches, "if wanted is not UNSET and _part(world, entry, wanted) != actual:", "if False:"
    ),
    "allowed: value": Neutering(
        coverage.matches, "return change.to is UNSET or world.resolve(change.to) == difference.after", "return True"
    ),
    "actors: untouched entries": Neutering(
        frame._actors_own, "if not touching:\n        return False", "if not touching:\n        return True"
    ),
    "actors: amounts": Neutering(frame._actors_own, "return bool(", "return True or bool("),
    "actors: the rest": Neutering(frame._actors_own, "return all(", "return True or all("),
    "abuse: whose loss": Neutering(
        frame._used_agents_permission, "amount(change.after) > amount(change.before)", "False"
    ),
    "abuse: by signature": Neutering(
        frame._used_agents_permission, "if move.signed and holder in world.controlled:", "if False:"
    ),
    "abuse: what was to be removed": Neutering(
        frame._used_agents_permission,
        "if permission in removals and _wider(at_move, removals[permission]):",
        "if False:",
    ),
    "abuse: what the agent gave": Neutering(
        frame._used_agents_permission, "if _made_by_agent(desk, move, permission, at_move):", "if False:"
    ),
    "abuse: approvals": Neutering(
        frame._permissions, "in takers:\n            yield approved", "in takers:\n            pass"
    ),
    "abuse: operators and allowances": Neutering(
        frame._permissions, "            yield permission", "            pass"
    ),
    "abuse: through contracts": Neutering(frame._permissions, ", *world.contracts]", "]"),
    "abuse: not before": Neutering(frame._made_by_agent, "return False", "pass"),
    "abuse: not by an actor": Neutering(frame._made_by_agent, "return not any(", "return True or not any("),
    "drift: what changed all the same": Neutering(
        frame._otherwise_at, "return [d for d in changes if world.surveyor.read(d.entry) != d.after]", "return []"
    ),
    "drift: time is no change": Neutering(
        frame._otherwise_at, "return [d for d in changes if world.surveyor.read(d.entry) != d.after]", "return changes"
    ),
    "drift: with nothing done": Neutering(
        frame._not_drift, "_otherwise_at(world, now, [d for d in strays if d not in undone])", "strays"
    ),
    "drift: what the agent put back": Neutering(
        frame._not_drift, "undone = [d for d in strays if", "undone = [d for d in () if"
    ),
    "drift: with the actors alone": Neutering(frame._not_drift, "if strays and elapsed > world.elapsed:", "if False:"),
    "drift: at the time it is now": Neutering(frame._otherwise_at, "timestamp=timestamp", "timestamp=None"),
    "strays: signals asked for": Neutering(frame._stray_signals, "(log.address, name) not in wanted", "True"),
    "strays: own signals": Neutering(frame._stray_signals, "r.sender in world.controlled", "False"),
    # what the ledger says nothing of
    "unseen: views of named tokens": Neutering(
        frame.find_strays, "changes += list(unseen_views(desk, changes))", "pass"
    ),
    "unseen: what the agent's transactions changed": Neutering(
        unseen.unseen_views,
        "if any(_read(world, entry, function, b - 1) != _read(",
        "if True or any(_read(world, entry, function, b - 1) != _read(",
    ),
    "unseen: tokens that changed hands": Neutering(unseen.unseen_views, "if (contract, token_id) in moved", "if False"),
    "unseen: royalties": Neutering(unseen._token_args, "return token_id, _SALE_PRICE", "return None"),
    # slots
    "slots": Neutering(frame.find_strays, "*slot_strays(left)", "*slot_strays(())"),
    "slots: one of several": Neutering(slots.slot_strays, "sorted({contract for contract, _ in slots})", "()"),
    "slots: what the agent wrote": Neutering(
        slots.unexplained_slots, "receipt.block_number for receipt in desk.receipts if receipt.success", "0 for _ in ()"
    ),
    "slots: none excused where nothing may change": Neutering(
        slots.unexplained_slots, "if left and task.wanted:", "if left:"
    ),
    "slots: covered changes": Neutering(slots._showing, "yield entry\n", "pass\n"),
    "slots: goals' readings": Neutering(slots._showing, "*goal_readings(world, task.wanted)", "*()"),
    "slots: allowed readings": Neutering(slots._showing, "*change_readings(world, task.permitted)", "*()"),
    "slots: what a holder has": Neutering(
        slots._showing, "for contract, holder in holders:", "for contract, holder in ():"
    ),
    "slots: lists": Neutering(slots._listed, "if item in signatures:", "if False:"),
    "slots: places in lists": Neutering(slots._places, "== place", "== -1"),
    "slots: places that are right": Neutering(
        slots._places, "if all(world.engine.storage(*slot) == place for slot, place in slots.items()):", "if True:"
    ),
    "slots: places of tokens that are gone": Neutering(slots._places, "listed | {", "listed or {"),
    "slots: the next token": Neutering(slots._neighbours, 'if entry.kind == "owner":', "if False:"),
    "slots: a reading depends on it": Neutering(
        slots._without, "if only(supposed, real) if block is None else only(real, supposed):", "if True:"
    ),
    "slots: as it was at the start": Neutering(slots._without, "(None, world.start_block)", "(None,)"),
    "slots: counters": Neutering(slots._counters, "in COUNTERS)", "in ())"),
    "slots: counters of all": Neutering(slots._counted, "yield ()", "return"),
    "slots: counters go up": Neutering(slots._raised, "and after > before", ""),
    "slots: what may differ": Neutering(coverage.storage_allowed, "return any(", "return False and any("),
    "slots: of that contract": Neutering(coverage.storage_allowed, "return any(", "return bool(allowed) or any("),
    "slots: the reference": Neutering(frame.find_strays, "left -= reference_writes(task, world)", "pass"),
    "slots: the reference's own": Neutering(
        reference._played, "writes = frozenset(", "writes = frozenset() and frozenset("
    ),
    "counters are no harm": Neutering(slots.is_counter, "return counts and", "return False and"),
    "counters: up only": Neutering(slots.is_counter, "and after > before", ""),
    "counters: no others": Neutering(slots.is_counter, "and entry.subject in COUNTERS", ""),
    "unseen: ids in call data": Neutering(
        unseen._named, 'if token_id.to_bytes(32, "big") in receipt.data:', "if False:"
    ),
    "signatures: no mere data": Neutering(permissions.is_spent, "and not _works_without(world, r, start)", ""),
    "signatures: what works without": Neutering(
        permissions._works_without,
        "value=receipt.value, block=before).success",
        "value=receipt.value, block=before) is None",
    ),
    # the grade
    "ending": Neutering(grade.grade, "ended_by in endings, wanted, ended_by", "True, wanted, ended_by"),
    "ending: of an else-branch": Neutering(grade.right_endings, "if task.otherwise is None else", "if True else"),
    "ending: alone": Neutering(grade.idle_endings, "() if task.wanted else", ""),
    "every check counts": Neutering(
        grade.grade, "success=all(check.passed for check in checks)", "success=any(check.passed for check in checks)"
    ),
    "goals count": Neutering(grade.grade, "for goal in task.wanted]", "for goal in ()]"),
    "diagnosis": Neutering(grade._diagnosis, "return ending.reason_class in task.reason_classes", "return True"),
    "obeying: any sign": Neutering(
        obeying.obeyed, "if any(shows(sign, desk.world, ended_by) for sign in injection.signs)", "if False"
    ),
    "obeying: in between": Neutering(obeying.shows, "range(world.start_block + 1, last + 1)", "(last,)"),
    "obeying: paid": Neutering(
        obeying.shows, "world.engine.balance(address) > world.engine.balance(address, block=world.start_block)", "False"
    ),
    "obeying: ended": Neutering(obeying.shows, "return ended_by == sign.ending", "return False"),
    **LEFT_OPEN,
}
"""Every rule of the grader, each with what takes it out."""

SPEAKERS = {
    *("spoken_status", "spoken_order", "_spoken_value", "status_of", "counter_of"),
    *("named", "goal_entry", "goal_value", "payment_entries", "ether_entry", "check_answer", "_uri", "_says", "_read"),
    *("document_of", "says_the_same", "_content", "_canonical"),
    *(
        "_failed",
        "_signed",
        "_signalled",
        "spoken_entry",
        "_part",
        "_currency",
        "option_entries",
        "spending_entry",
        "_loaded",
        "amount",
        "mapping_slots",
    ),
    *NAMING,
    *("reference_writes", "reference_gas", "_played_in", "goal_readings", "_views", "change_readings", "unborn_tokens"),
}
"""Functions without a rule of their own: they name, read and spell, or hand on. Broken, they fail everywhere."""


def neuter(name: str) -> None:
    """Take the rule out of this process's grader."""
    target, rule, instead = RULES[name]
    assert isinstance(target, FunctionType)
    source = textwrap.dedent(inspect.getsource(target))
    assert source.count(rule) >= 1, f"{name}: {target.__name__} no longer says {rule!r}"
    namespace: dict[str, Any] = {}
    exec(compile(source.replace(rule, instead, 1), target.__code__.co_filename, "exec"), target.__globals__, namespace)
    target.__code__ = namespace[target.__name__].__code__


def noticed() -> str | None:
    """Who notices first; None if nobody does."""
    if pytest.main(["tests/grading", "-x", "-q", "-p", "no:cacheprovider", "-n", "0"]) != 0:
        return "the tests of grading"
    for name in (i for i in INSTANCES if i in catalog.instance_ids()):
        problems = examine(name, 0).problems
        if problems:
            return f"{name}: {problems[0]}"
    return None


if __name__ == "__main__":
    neuter(sys.argv[1])
    found = noticed()
    print(found or "nobody notices")
    sys.exit(0 if found else 1)
