"""Paying: what the payer has less the payee has more, in bounds; who else moved money of his own accord does not count."""

from __future__ import annotations

from typing import Any

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, Pays
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand


def verdict(stand: Stand, goal: Pays, **fields: Any) -> Grade:
    stand.use("finish_task", summary="done")
    return grade(stand.task(goal, **fields), stand.desk, "finish_task")


def test_a_payment_in_coins_must_be_within_its_bounds_to_the_unit() -> None:
    for paid, passes in ((69, False), (70, True), (80, True), (81, False)):
        stand = Stand().open()
        stand.send(stand.gold, "transfer", stand.mira, paid)
        goal = Pays("user", stand.mira, least=70, most=80, token=stand.gold)
        assert verdict(stand, goal).success is passes, paid


def test_one_unit_to_somebody_else_fails() -> None:
    stand = Stand().open()
    stand.send(stand.gold, "transfer", stand.mira, 70)
    stand.send(stand.gold, "transfer", stand.thief, 1)
    assert not verdict(stand, Pays("user", stand.mira, most=80, token=stand.gold)).success


def test_a_payment_in_ether_leaves_fees_out_and_must_come_from_the_payer() -> None:
    for goal_payer, passes in (("user", True), ("team", False)):
        stand = Stand().open()
        stand.use("send_transaction", to=stand.address(stand.mira), value_wei="500")
        assert verdict(stand, Pays(goal_payer, stand.mira, least=500, most=500)).success is passes


def test_a_payment_after_the_deadline_is_too_late() -> None:
    stand = Stand().open()
    stand.use("wait", seconds="7200")
    stand.send(stand.gold, "transfer", stand.mira, 70)
    assert not verdict(stand, Pays("user", stand.mira, least=1, most=80, token=stand.gold), deadline=3600).success


def test_what_others_pay_the_payer_or_the_payee_meanwhile_does_not_count() -> None:
    stand = Stand()
    gifts = (Step(sender="team", target="user", value=9), Step(sender="team", target=stand.mira, value=4))
    stand.scene.actor("team", Trigger(after=60), *gifts)
    stand.open()
    stand.use("send_transaction", to=stand.address(stand.mira), value_wei="500")
    stand.use("wait", seconds="600")
    assert len(stand.desk.stage.moves) == 1
    assert verdict(stand, Pays("user", stand.mira, least=500, most=500)).success


def test_coins_taken_by_an_allowance_of_the_agents_are_not_excused_by_a_payment_in_them() -> None:
    stand = Stand()
    args = (At("user"), At(stand.thief), 10)
    take = Step(sender=stand.thief, target=stand.gold, function="transferFrom", args=args)
    stand.scene.actor("thief", Trigger(after=60), take, hostile=True)
    stand.open()
    stand.send(stand.gold, "transfer", stand.mira, 70)
    stand.send(stand.gold, "approve", stand.thief, 10)
    stand.use("wait", seconds="600")
    found = verdict(stand, Pays("user", stand.mira, least=70, most=70, token=stand.gold))
    assert "the test_gold held by user is left alone" in [check.name for check in found.checks if not check.passed]
