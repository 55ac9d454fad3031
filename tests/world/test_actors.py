"""Counterparties move after the agent's transactions and while time passes, at their moment and under their condition."""

from __future__ import annotations

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand


def owner_of(stand: Stand, token_id: int) -> str:
    return stand.world.names[stand.world.read(Reading(stand.cats, "ownerOf", (token_id,)))]


def giving(stand: Stand, token_id: int) -> Step:
    return Step(
        sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), token_id)
    )


def test_a_timed_actor_moves_at_its_moment_within_a_wait() -> None:
    stand = Stand()
    stand.scene.actor("gift", Trigger(after=3600), giving(stand, 4))
    stand.open()
    stand.use("wait", seconds="3000")
    assert owner_of(stand, 4) == stand.mira
    stand.use("wait", seconds="4000")
    assert owner_of(stand, 4) == "user"
    (move,) = stand.desk.stage.moves
    assert move.receipts[0].timestamp - stand.world.fixture.start_time in range(3600, 3660)
    assert stand.world.elapsed >= 7000


def test_a_conditional_actor_reacts_to_a_transaction_of_the_agent() -> None:
    stand = Stand()
    condition = Reading(stand.cats, "ownerOf", (1,))
    stand.scene.actor("swap", Trigger(condition=condition, equals=At(stand.mira)), giving(stand, 5))
    stand.open()
    stand.send(stand.cats, "approve", stand.mira, 1)
    assert owner_of(stand, 5) == stand.mira
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 1)
    assert owner_of(stand, 5) == "user"


def test_an_actor_moves_once_unless_it_repeats() -> None:
    stand = Stand()
    for name, repeat in (("once", False), ("always", True)):
        pay = Step(sender=stand.mira, target=stand.thief, value=1 if name == "once" else 1000)
        stand.scene.actor(name, Trigger(after=0), pay, repeat=repeat)
    stand.open()
    before = stand.world.engine.balance(stand.address(stand.thief))
    for _ in range(3):
        stand.use("wait", seconds="10")
    assert stand.world.engine.balance(stand.address(stand.thief)) - before == 1 + 3 * 1000


def test_a_step_that_reverts_ends_the_move() -> None:
    stand = Stand()
    bad = Step(sender=stand.thief, target=stand.cats, function="transferFrom", args=(At("user"), At(stand.thief), 1))
    stand.scene.actor("thief", Trigger(after=0), bad, giving(stand, 4), hostile=True)
    stand.open()
    stand.use("wait", seconds="60")
    assert (owner_of(stand, 1), owner_of(stand, 4)) == ("user", stand.mira)
    assert stand.desk.stage.moves == []
