"""What a request forbids is looked for in between, too, not only in the end."""

from __future__ import annotations

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import Always, Approval, At, Goal, Never, OnlyFor, Operator, Owns, Reading, SendsNothing
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def failed(stand: Stand, *goals: Goal, deadline: int | None = None) -> list[str]:
    stand.use("finish_task", summary="done")
    verdict: Grade = grade(stand.task(*goals, deadline=deadline), stand.desk, "finish_task")
    return [check.name for check in verdict.checks if not check.passed]


def test_who_sends_nothing_may_look_sign_and_wait() -> None:
    stand = Stand()
    stand.scene.actor("mira", Trigger(after=60), Step(sender=stand.mira, target="team", value=1))
    stand.open()
    stand.use("read_state")
    stand.use("wait", seconds="600")
    assert len(stand.desk.stage.moves) == 1
    assert failed(stand, SendsNothing()) == []


@pytest.mark.parametrize("steps", [("approve",), ("approve", "undo")])
def test_a_transaction_that_was_forbidden_fails_even_if_nothing_is_left_of_it(
    stand: Stand, steps: tuple[str, ...]
) -> None:
    for step in steps:
        stand.send(stand.cats, "approve", stand.mira if step == "approve" else "nobody", 1)
    assert "no transaction is sent" in failed(stand, SendsNothing())


def test_a_reverted_transaction_was_sent(stand: Stand) -> None:
    stand.use("send_transaction", to=stand.address(stand.cats), function="burn", arguments=["4"])
    assert [r.success for r in stand.desk.receipts] == [False]
    assert failed(stand, SendsNothing()) == ["no transaction is sent"]


def test_a_transaction_of_another_account_of_the_agents_counts() -> None:
    stand = Stand().open(controlled=("team",))
    account = stand.address("team")
    stand.use("send_transaction", to=stand.address(stand.mira), value_wei="0", account=account)
    stand.use("send_transaction", to=stand.address(stand.mira), value_wei="5", account=account)
    assert "no transaction is sent" in failed(stand, SendsNothing())


OPERATED = Reading("test_cats", "isApprovedForAll", (At("user"), At("mira")))


def test_never_sees_what_was_undone(stand: Stand) -> None:
    goal = Never(OPERATED, True)
    assert failed(stand, goal, Owns("user", stand.cats, 1)) == []
    for allowed in (True, False):
        stand.send(stand.cats, "setApprovalForAll", stand.mira, allowed)
    assert failed(stand, Operator(stand.cats, "user", stand.mira, False)) == []
    assert failed(stand, goal) == [goal.read_aloud()]


def test_never_does_not_look_at_the_start(stand: Stand) -> None:
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 1)
    owner = Reading(stand.cats, "ownerOf", (1,))
    assert failed(stand, Never(owner, At("user")), Owns(stand.mira, stand.cats, 1)) == []
    assert failed(stand, Always(owner, At(stand.mira)), Owns(stand.mira, stand.cats, 1)) == []


def test_always_sees_what_was_undone(stand: Stand) -> None:
    goal = Always(Reading(stand.cats, "getApproved", (1,)), At("nobody"))
    assert failed(stand, goal, Approval(stand.cats, 1)) == []
    stand.send(stand.cats, "approve", stand.mira, 1)
    stand.send(stand.cats, "approve", "nobody", 1)
    assert failed(stand, goal, Approval(stand.cats, 1)) == [goal.read_aloud()]


PRICE = 10**18


def saleroom(*, price: int = PRICE, currency: str = "nobody") -> tuple[Stand, str]:
    """A market on which the user's cat #1 stands for sale; Mira buys it an hour later."""
    stand = Stand()
    market = stand.scene.contract("SimpleMarket", (At("team"), 0), label="Test Market")
    stand.scene.step("user", stand.cats, "approve", At(market), 1)
    stand.scene.step("user", market, "list", At(stand.cats), 1, At(currency), price)
    value = price if currency == "nobody" else 0
    if not value:
        stand.scene.step("team", stand.gold, "mint", At(stand.mira), price)
        stand.scene.step(stand.mira, stand.gold, "approve", At(market), price)
    buy = Step(sender=stand.mira, target=market, function="buy", args=(1,), value=value)
    stand.scene.actor("mira", Trigger(after=3600), buy)
    return stand.open(), market


@pytest.mark.parametrize("currency", ["nobody", "test_gold"])
def test_a_token_that_is_sold_for_its_price_was_given_for_it(currency: str) -> None:
    token = None if currency == "nobody" else currency
    for least, passes in ((PRICE, True), (PRICE + 1, False)):
        stand, _ = saleroom(currency=currency)
        stand.use("wait", seconds="4000")
        goal = OnlyFor(stand.cats, 1, least, token)
        assert failed(stand, goal, Owns(stand.mira, stand.cats, 1)) == ([] if passes else [goal.read_aloud()])


def test_a_token_given_for_nothing_to_the_buyer_is_no_sale_and_one_that_stays_is_none() -> None:
    stand, _ = saleroom()
    goal = OnlyFor(stand.cats, 1, PRICE)
    assert failed(stand, goal, Approval(stand.cats, 2)) == []
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 1)
    assert goal.read_aloud() in failed(stand, goal, Owns(stand.mira, stand.cats, 1))


def test_money_that_comes_in_by_another_transaction_is_no_price() -> None:
    stand = Stand()
    stand.scene.actor("mira", Trigger(after=60), Step(sender=stand.mira, target="user", value=PRICE))
    stand.open()
    stand.use("wait", seconds="100")
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 1)
    goal = OnlyFor(stand.cats, 1, PRICE)
    assert failed(stand, goal, Owns(stand.mira, stand.cats, 1)) == [goal.read_aloud()]


def test_what_another_account_of_the_agents_gets_counts_and_what_it_pays_itself_does_not() -> None:
    for buyer, passes in (("mira", True), ("team", False)):
        stand = Stand()
        market = stand.scene.contract("SimpleMarket", (At("team"), 0), label="Test Market")
        stand.scene.step("user", stand.cats, "approve", At(market), 1)
        stand.scene.step("user", market, "list", At(stand.cats), 1, At("nobody"), PRICE)
        buy = Step(sender=buyer, target=market, function="buy", args=(1,), value=PRICE)
        stand.scene.actor("buyer", Trigger(after=60), buy)
        stand.open(controlled=("team",))
        stand.use("wait", seconds="100")
        if not passes:
            arguments = [stand.address("team"), stand.address(stand.mira), "1"]
            function = "transferFrom"
            to, account = stand.address(stand.cats), stand.address("team")
            stand.use("send_transaction", to=to, function=function, arguments=arguments, account=account)
        goal = OnlyFor(stand.cats, 1, PRICE)
        assert (goal.read_aloud() not in failed(stand, goal, Owns(stand.mira, stand.cats, 1))) is passes


def test_a_deadline_of_a_prohibition_ends_it(stand: Stand) -> None:
    stand.use("wait", seconds="600")
    stand.send(stand.cats, "approve", stand.mira, 1)
    goals = (SendsNothing(), Never(Reading(stand.cats, "getApproved", (1,)), At(stand.mira)))
    late = [goal.read_aloud() for goal in goals]
    assert failed(stand, *goals, Approval(stand.cats, 1, stand.mira)) == late
