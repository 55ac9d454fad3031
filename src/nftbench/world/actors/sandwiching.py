"""A sandwicher: moves in front of the agent's transaction and behind it, at its time."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.tasks.policies import Sandwicher
from nftbench.world.actors.acts import Act
from nftbench.world.actors.sight import Sight
from nftbench.world.world import World


def watches(policy: Sandwicher, world: World) -> Iterator[str]:
    """Nothing that has been mined."""
    return iter(())


def waits(policy: Sandwicher, sight: Sight) -> Iterator[Act]:
    """Do nothing of itself."""
    return iter(())


def moves_ahead(policy: Sandwicher, sight: Sight) -> Iterator[Act]:
    """The calls in front, once for each transaction that it is after."""
    pending = sight.pending
    if pending is None or pending.to != sight.address(policy.contract) or pending.value < policy.least:
        return
    function = sight.world.interfaces[pending.to].function_of_selector(pending.data[:4])
    if function is None or policy.function not in (function.name, function.signature):
        return
    victim = (pending.sender, sight.engine.nonce(pending.sender))
    if sight.memory.notes == ("open", *victim) or not sight.is_coming:
        return
    calls = tuple(sight.sending(call) for call in policy.before)
    if policy.spares and not sight.works((*calls, pending)):
        return
    called = f"{function.name} of {sight.named(pending.sender)}"
    yield Act(calls, f"moved in front of a {called} that sends {pending.value} wei", notes=("open", *victim))


def moves_behind(policy: Sandwicher, sight: Sight) -> Iterator[Act]:
    """The calls behind, once."""
    if sight.memory.notes and sight.memory.notes[0] == "open" and policy.after:
        _, sender, nonce = sight.memory.notes
        calls = tuple(sight.sending(call) for call in policy.after)
        yield Act(calls, f"moved behind the transaction of {sight.named(sender)}", notes=("done", sender, nonce))
