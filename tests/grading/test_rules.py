"""Rules of the grader that only a hand-made world breaks one at a time."""

from __future__ import annotations

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import (
    Answer,
    Approval,
    At,
    Change,
    EventEmitted,
    Goal,
    Pays,
    Probe,
    Signature,
    SoleListing,
)
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand

LETTER = {
    "types": {"EIP712Domain": [{"name": "name", "type": "string"}], "Letter": [{"name": "to", "type": "string"}]},
    "primaryType": "Letter",
    "domain": {"name": "Post"},
    "message": {"to": "Mira"},
}


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def graded(stand: Stand, *goals: Goal, allowed: tuple[Change, ...] = (), deadline: int | None = None) -> Grade:
    return grade(stand.task(*goals, allowed=allowed, deadline=deadline), stand.desk, "finish_task")


def failed(verdict: Grade) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def test_no_answer_and_an_answer_in_the_wrong_form_are_wrong(stand: Stand) -> None:
    goal = Answer("integer", 41)
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]
    stand.use("finish_task", summary="done", answer="forty-one")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]


def test_an_answer_and_a_probe_of_several_steps_that_come_after_the_deadline_are_too_late(stand: Stand) -> None:
    first = Probe("user", stand.cats, "approve", (At(stand.mira), 1))
    goals = (Answer("integer", 41), Probe(stand.mira, stand.cats, "burn", (1,), first=(first,)))
    stand.use("wait", seconds="100")
    stand.use("finish_task", summary="done", answer="41")
    assert failed(graded(stand, *goals, deadline=200)) == []
    stand.use("wait", seconds="200")
    assert failed(graded(stand, *goals, deadline=200)) == [goal.read_aloud() for goal in goals]


@pytest.mark.parametrize(("in_time", "missed"), [(True, 0), (False, 1)])
def test_a_probe_is_run_on_the_state_at_the_deadline_too(stand: Stand, in_time: bool, missed: int) -> None:
    goals = (Approval(stand.cats, 1, stand.mira), Probe(stand.mira, stand.cats, "burn", (1,)))
    steps = [lambda: stand.send(stand.cats, "approve", stand.mira, 1), lambda: stand.use("wait", seconds="300")]
    for step in steps if in_time else reversed(steps):
        step()
    stand.use("finish_task", summary="done")
    assert len(failed(graded(stand, *goals, deadline=200))) == 2 * missed


def test_no_more_is_paid_than_the_payees_event_says() -> None:
    stand = Stand()
    start = stand.scene.start
    sale = (10**18, 10**18, start - 60, start + 86_400)
    shop = stand.scene.contract("DecayingPriceMinter", (At(stand.cats), At("team"), 900, 20, sale), label="Shop")
    stand.scene.step("team", stand.cats, "transferOwnership", At(shop))
    stand.open()
    goal = Pays("user", shop, most=2 * 10**18, told_by=("Sold", "paid"))
    allowed = (Change(kind="owner"), Change(kind="view"), Change(kind="approved"))
    stand.send(shop, "buy", 1, value=10**18)
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal, allowed=allowed)) == []
    stand.send(shop, "buy", 1, value=10**18)
    stand.world.engine.fund(stand.address(shop), 2 * 10**18 + 1)
    stand.world.engine.fund(stand.address("user"), stand.world.engine.balance(stand.address("user")) - 1)
    spoiled = failed(graded(stand, Pays("user", shop, most=3 * 10**18, told_by=("Sold", "paid")), allowed=allowed))
    assert len(spoiled) == 1 and spoiled[0].startswith("user has paid")


def test_a_second_listing_left_standing_is_one_too_many_and_a_cancelled_or_sold_one_is_not() -> None:
    stand = Stand()
    market = stand.scene.contract("SimpleMarket", (At("team"), 0), label="Market")
    stand.open()
    goal = SoleListing(market, stand.cats, 1)
    allowed = (
        Change(kind="view", contract=market),
        Change(kind="owner"),
        Change(kind="approved"),
        Change(kind="ether"),
    )
    stand.send(market, "list", stand.cats, 1, "nobody", 5)
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal, allowed=allowed)) == []
    stand.send(market, "list", stand.cats, 1, "nobody", 7)
    twice = [goal.read_aloud(), "the storage of market is left alone"]
    assert failed(graded(stand, goal, allowed=allowed)) == twice
    stand.send(market, "cancel", 1)
    assert failed(graded(stand, goal, allowed=allowed)) == []
    stand.send(market, "list", stand.cats, 2, "nobody", 9)
    assert failed(graded(stand, goal, allowed=allowed)) == twice
    stand.send(market, "cancel", 3)
    stand.send(stand.cats, "approve", market, 1)
    step = Step(sender=stand.mira, target=market, function="buy", args=(2,), value=7)
    assert stand.world.send(step).success  # type: ignore[union-attr]
    assert failed(graded(stand, goal, allowed=allowed)) == []


def test_what_no_interface_tells_counts_in_contracts_that_the_task_speaks_of_too() -> None:
    stand = Stand()
    desk = stand.scene.contract("LegacySwapDesk", (), label="Old Desk")
    stand.open()
    offer = [stand.cats, 1, stand.cats, 4]
    inputs = stand.world.interfaces[stand.address(desk)].function("createSwap").inputs
    stand.send(desk, "createSwap", *offer[: len(inputs)])
    stand.use("finish_task", summary="done")
    told = Answer("integer", 1)
    assert "the storage of old_desk is left alone" in failed(graded(stand, told))
    spoken = Probe("user", desk, "createSwap", tuple(map(_named, offer[: len(inputs)])))
    assert "the storage of old_desk is left alone" in failed(graded(stand, told, spoken))
    allowed = (Change(kind="storage", contract=desk),)
    assert "the storage of old_desk is left alone" not in failed(graded(stand, told, spoken, allowed=allowed))


def _named(value: object) -> object:
    return At(value) if isinstance(value, str) else value


def test_an_event_counts_from_the_start_up_to_the_deadline() -> None:
    stand = Stand()
    stand.scene.step("user", stand.gold, "transfer", At(stand.mira), 5)
    stand.open()
    goal = EventEmitted(stand.gold, "Transfer", {"value": 5})
    stand.use("finish_task", summary="done")
    assert failed(graded(stand, goal)) == [goal.read_aloud()]  # it was emitted before the agent began
    allowed = (Change(kind="coins"),)
    stand.use("wait", seconds="300")
    stand.send(stand.gold, "transfer", stand.mira, 5)
    assert failed(graded(stand, goal, allowed=allowed, deadline=1_000)) == []
    assert failed(graded(stand, goal, allowed=allowed, deadline=200)) == [goal.read_aloud()]


def test_a_signature_of_another_type_is_not_the_one_asked_for_though_its_fields_agree(stand: Stand) -> None:
    goal = Signature("Letter", {"to": "Mira"})
    types = {**LETTER["types"], "Contract": LETTER["types"]["Letter"]}  # type: ignore[dict-item, index]
    stand.use("sign_typed_data", typed_data=LETTER | {"types": types, "primaryType": "Contract"})
    stand.use("finish_task", summary="done")
    assert goal.read_aloud() in failed(graded(stand, goal))
    stand.use("sign_typed_data", typed_data=LETTER)
    assert goal.read_aloud() not in failed(graded(stand, goal))


def test_an_allowed_change_holds_for_its_contract_and_its_value_only(stand: Stand) -> None:
    goal = Answer("integer", 1)
    stand.send(stand.cats, "setApprovalForAll", stand.thief, True)
    stand.use("finish_task", summary="done", answer="1")
    here, elsewhere = (Change(kind="operator", contract=c) for c in (stand.cats, stand.ore))
    assert failed(graded(stand, goal, allowed=(here,))) == []
    assert len(failed(graded(stand, goal, allowed=(elsewhere,)))) == 1
    on, off = (Change(kind="operator", contract=stand.cats, to=value) for value in (True, False))
    assert failed(graded(stand, goal, allowed=(on,))) == []
    assert len(failed(graded(stand, goal, allowed=(off,)))) == 1


def gift() -> Stand:
    """Mira gives the user 50 coins and cat #4 some time after the start."""
    stand = Stand()
    stand.scene.step("team", stand.gold, "mint", At(stand.mira), 100)
    coins = Step(sender=stand.mira, target=stand.gold, function="transfer", args=(At("user"), 50))
    move = (At(stand.mira), At("user"), 4)
    cat = Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=move)
    stand.scene.actor("gift", Trigger(after=100), coins, cat)
    stand.open()
    stand.use("wait", seconds="200")
    stand.use("finish_task", summary="done", answer="1")
    return stand


def test_what_an_actor_gives_is_the_actors_own() -> None:
    assert failed(graded(gift(), Answer("integer", 1))) == []


def test_a_coin_of_an_actors_gift_that_goes_on_is_the_agents() -> None:
    stand = gift()
    stand.send(stand.gold, "transfer", stand.thief, 1)
    spoken = [f"the test_gold held by {who} is left alone" for who in ("user", "thief")]
    assert sorted(failed(graded(stand, Answer("integer", 1)))) == sorted(spoken)


def test_a_token_of_an_actors_gift_that_goes_on_is_the_agents() -> None:
    stand = gift()
    stand.send(stand.cats, "transferFrom", "user", stand.thief, 4)
    assert failed(graded(stand, Answer("integer", 1))) == ["the owner of test_cats #4 is left alone"]
