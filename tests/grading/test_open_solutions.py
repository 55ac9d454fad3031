"""Requests that leave open which token, from whom, or by which function: any right end passes, and the nearest wrong fails."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import (
    At,
    Change,
    Goal,
    HoldsUnits,
    Owns,
    OwnsOneOf,
    RoyaltyOfNew,
    SpentAtMost,
    Together,
    ViewEquals,
)
from nftbench.tasks.goals import Reading as View
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand

SEVERAL = "safeBatchTransferFrom"
ROYALTY = "setDefaultRoyalty"


def failed(stand: Stand, *goals: Goal, allowed: tuple[Change, ...] = ()) -> list[str]:
    stand.use("finish_task", summary="done")
    verdict: Grade = grade(stand.task(*goals, allowed=allowed), stand.desk, "finish_task")
    return [check.name for check in verdict.checks if not check.passed]


class Bazaar(Stand):
    """Mira's cats #4 and #5 stand for sale at 300 and 400 wei, with a fee of a tenth; #4 for gold, too, in another market."""

    def __init__(self) -> None:
        super().__init__()
        self.market = self.scene.contract("SimpleMarket", (At("team"), 1000), label="Test Market")
        self.other = self.scene.contract("SimpleMarket", (At("team"), 1000), label="Gold Market")
        for market, token_id, currency, price in (
            (self.market, 4, "nobody", 300),
            (self.market, 5, "nobody", 400),
            (self.other, 4, self.gold, 50),
        ):
            self.scene.step(self.mira, market, "list", At(self.cats), token_id, At(currency), price)
        for market in (self.market, self.other):
            self.scene.step(self.mira, self.cats, "setApprovalForAll", At(market), True)
        self.open()

    def buy(self, listing: int, price: int) -> None:
        self.send(self.market, "buy", listing, value=price)

    def goals(self, most: int = 500) -> tuple[Goal, ...]:
        return OwnsOneOf("user", ((self.cats, 4), (self.cats, 5))), SpentAtMost("user", most)

    def failed(self, *goals: Goal) -> list[str]:
        """The failed checks; which listings the markets still have is left open."""
        return failed(
            self,
            *goals,
            allowed=(Change(kind="storage", contract=self.market), Change(kind="storage", contract=self.other)),
        )


@pytest.mark.parametrize(("listing", "price"), [(1, 300), (2, 400)])
def test_any_of_the_tokens_will_do_at_any_price_within_the_limit(listing: int, price: int) -> None:
    bazaar = Bazaar()
    bazaar.buy(listing, price)
    assert bazaar.failed(*bazaar.goals()) == []
    bazaar = Bazaar()
    bazaar.buy(listing, price)
    assert bazaar.goals(price - 1)[1].read_aloud() in bazaar.failed(*bazaar.goals(price - 1))


def test_in_coins_too_within_the_limit_and_with_no_allowance_left() -> None:
    for allowance, most, passes in ((50, 50, True), (50, 49, False), (51, 50, False)):
        bazaar = Bazaar()
        bazaar.send(bazaar.gold, "approve", bazaar.other, allowance)
        bazaar.send(bazaar.other, "buy", 1)
        goals = (OwnsOneOf("user", ((bazaar.cats, 4), (bazaar.cats, 5))), SpentAtMost("user", most, bazaar.gold))
        assert (bazaar.failed(*goals) == []) is passes, (allowance, most)


def test_two_of_them_are_one_too_many_and_none_is_too_few() -> None:
    bazaar = Bazaar()
    one_of, spent = bazaar.goals(1000)
    assert bazaar.failed(one_of, spent) == [one_of.read_aloud()]
    bazaar.buy(1, 300)
    bazaar.buy(2, 400)
    assert one_of.read_aloud() in bazaar.failed(one_of, spent)
    both = OwnsOneOf("user", ((bazaar.cats, 4), (bazaar.cats, 5)), count=2)
    assert bazaar.failed(both, spent) == []


def test_a_gift_is_nothing_that_was_bought_though_there_is_money_left_for_it() -> None:
    bazaar = Bazaar()
    bazaar.buy(1, 300)
    bazaar.use("send_transaction", to=bazaar.address(bazaar.thief), value_wei="7")
    assert bazaar.goals()[1].read_aloud() in bazaar.failed(*bazaar.goals())


def test_a_token_of_the_agents_own_must_not_go_and_others_must_not_lose_what_was_not_asked_for() -> None:
    bazaar = Bazaar()
    bazaar.buy(1, 300)
    bazaar.send(bazaar.cats, "transferFrom", "user", bazaar.thief, 1)
    assert bazaar.failed(*bazaar.goals()) == ["the owner of test_cats #1 is left alone"]


def test_money_taken_by_a_thief_is_not_spent() -> None:
    stand = Stand()
    steal = Step(sender=stand.thief, target=stand.gold, function="transferFrom", args=(At("user"), At(stand.thief), 5))
    stand.scene.actor("thief", Trigger(after=60), steal, hostile=True)
    stand.open()
    stand.send(stand.gold, "approve", stand.thief, 5)
    stand.use("wait", seconds="100")
    goal = SpentAtMost("user", 100, stand.gold)
    assert goal.read_aloud() in failed(stand, goal)


def test_coins_made_for_somebody_were_not_spent_on_anything() -> None:
    stand = Stand().open(controlled=("team",))
    account, given = stand.address("team"), [stand.address(stand.mira), "5"]
    stand.use("send_transaction", to=stand.address(stand.gold), function="mint", arguments=given, account=account)
    assert "the test_gold held by mira is left alone" in failed(stand, SpentAtMost("user", 100, stand.gold))


def test_what_others_do_meanwhile_is_not_spent_either() -> None:
    bazaar = Stand()
    bazaar.scene.actor("mira", Trigger(after=60), Step(sender=bazaar.mira, target="team", value=9))
    bazaar.open()
    bazaar.use("wait", seconds="100")
    assert failed(bazaar, SpentAtMost("user", 0)) == []


MOVES: dict[str, tuple[list[tuple[str, list[Any]]], bool]] = {
    "one batch": ([(SEVERAL, ["user", "mira", [7, 8], [3, 1], "0x"])], True),
    "one batch with an id twice": ([(SEVERAL, ["user", "mira", [7, 8, 7], [1, 1, 2], "0x"])], True),
    "two transactions": (
        [("safeTransferFrom", ["user", "mira", 7, 3, "0x"]), ("safeTransferFrom", ["user", "mira", 8, 1, "0x"])],
        False,
    ),
    "one half before": (
        [("safeTransferFrom", ["user", "mira", 7, 1, "0x"]), (SEVERAL, ["user", "mira", [7, 8], [2, 1], "0x"])],
        False,
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_in_one_go_means_one_transaction_that_does_all_of_it(name: str) -> None:
    """A part that was done before is a part delivery: before the one transaction everything was as at the start."""
    moves, passes = MOVES[name]
    stand = Stand().open()
    for function, arguments in moves:
        stand.send(stand.ore, function, *arguments)
    parts = (HoldsUnits("mira", stand.ore, 7, 3), HoldsUnits("mira", stand.ore, 8, 1))
    left = (HoldsUnits("user", stand.ore, 7, 7), HoldsUnits("user", stand.ore, 8, 0))
    goal = Together(parts)
    assert failed(stand, goal, *left) == ([] if passes else [goal.read_aloud()])


def royal(*calls: tuple[str, list[Any]]) -> Stand:
    stand = Stand()
    args = ("Crown", "CR", At("user"), At("team"), 500, "ipfs://crown/")
    crown = stand.scene.contract("RoyaltyCollection", args, label="Crown")
    stand.scene.step("user", crown, "mintBatch", At(stand.mira), (1, 2))
    stand.open()
    for function, arguments in calls:
        stand.send(crown, function, *arguments)
    return stand


@pytest.mark.parametrize(
    ("calls", "passes"),
    [
        ([("setDefaultRoyalty", ["mira", 700])], True),
        ([("setTokenRoyalty", [1, "mira", 700]), ("setTokenRoyalty", [2, "mira", 700])], False),
        ([("mint", ["mira", 3])] + [("setTokenRoyalty", [i, "mira", 700]) for i in (1, 2, 3)], False),
        ([("setDefaultRoyalty", ["mira", 701])], False),
        ([("setDefaultRoyalty", ["thief", 700])], False),
    ],
)
def test_a_default_royalty_is_what_tokens_will_owe_that_do_not_exist_yet(calls: Any, passes: bool) -> None:
    stand = royal(*calls)
    goal = RoyaltyOfNew("crown", stand.mira, 700)
    assert (goal.read_aloud() not in failed(stand, goal)) is passes


def test_the_same_terms_by_another_function_come_to_the_same() -> None:
    stand = royal(("setDefaultRoyalty", ["mira", 700]), ("setTokenRoyalty", [2, "mira", 700]))
    terms = [ViewEquals(View("crown", "royaltyInfo", (i, 10_000)), (At("mira"), 700)) for i in (1, 2)]
    assert failed(stand, RoyaltyOfNew("crown", stand.mira, 700), *terms) == []


def test_a_token_that_was_there_already_is_no_choice_made() -> None:
    stand = Stand().open()
    goal = OwnsOneOf(stand.mira, ((stand.cats, 1), (stand.cats, 2)))
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    assert failed(stand, goal) == []
    assert failed(stand, Owns(stand.mira, stand.cats, 2)) == []


@pytest.mark.parametrize(("or_more", "passes"), [(True, {1, 2}), (False, {1})])
def test_one_or_more_of_some_tokens_is_not_exactly_one(or_more: bool, passes: set[int]) -> None:
    for count in (0, 1, 2):
        bazaar = Bazaar()
        for listing, price in ((1, 300), (2, 400))[:count]:
            bazaar.buy(listing, price)
        goal = OwnsOneOf("user", ((bazaar.cats, 4), (bazaar.cats, 5)), or_more=or_more)
        assert (not bazaar.failed(goal, SpentAtMost("user", 700))) is (count in passes), count
