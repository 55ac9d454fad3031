"""Goals about the state of contracts that no other kind knows."""

from __future__ import annotations

from collections.abc import Callable

from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.grading.moment import Finding, Moment, events, named
from nftbench.tasks.goals import EventEmitted, Goal, Probe
from nftbench.tasks.model import Step
from nftbench.world.world import NotSigned, World


def check_probe(goal: Goal, moment: Moment) -> Finding:
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


def check_event(goal: Goal, moment: Moment) -> Finding:
    assert isinstance(goal, EventEmitted)
    world = moment.world
    seen = []
    for _, event in events(goal.contract, moment):
        if event.name == goal.event:
            seen.append(named(world, tuple(event.arguments.values())))
            if all(event.arguments.get(k) == world.resolve(v) for k, v in goal.args.items()):
                return True, seen[-1]
    return False, "; ".join(seen)[:500] or "no such event"
