"""Buyers of what is cheap: what they fill, in which order, and what wakes them."""

from __future__ import annotations

import pytest

from nftbench.tasks.goals import At
from nftbench.tasks.policies import FloorBuyer, ShareOfMedian, Sniper
from tests.world.actors.markets import ETHER, Bazaar


def test_a_floor_buyer_fills_what_is_at_or_below_its_limit_the_cheapest_first() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, limit=ETHER))
    bazaar.open()
    bazaar.use("wait", seconds="10")
    assert [bazaar.owner(i) for i in (1, 2, 4, 5)] == ["user", bazaar.bot, bazaar.mira, bazaar.bot]
    assert bazaar.told() == [
        ("floor", "after", "filled listing 4 of user for test_cats #2 at 0.5 ether: at or below its limit of 1 ether"),
        ("floor", "after", "filled listing 2 of mira for test_cats #5 at 1 ether: at or below its limit of 1 ether"),
    ]


def test_a_floor_buyer_takes_a_new_listing_of_the_agents_right_after_it() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty(
        "floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, limit=ETHER // 10), hostile=True
    )
    bazaar.open()
    bazaar.send(bazaar.market, "list", bazaar.cats, 3, "nobody", ETHER // 10 + 1)
    assert bazaar.told() == [] and bazaar.owner(3) == "user"
    bazaar.send(bazaar.market, "setPrice", 5, ETHER // 10)
    (move,) = bazaar.desk.stage.moves
    assert move.hostile and bazaar.owner(3) == bazaar.bot


def test_a_floor_buyer_passes_over_what_it_cant_fill_or_pay() -> None:
    bazaar = Bazaar()
    bazaar.scene.step("user", bazaar.cats, "setApprovalForAll", At(bazaar.market), False)
    poor = bazaar.scene.person("Poor", ether=1)
    bazaar.scene.counterparty("floor", poor, FloorBuyer(bazaar.market, bazaar.cats, limit=5 * ETHER))
    bazaar.open()
    bazaar.use("wait", seconds="10")
    assert bazaar.told() == []


def test_a_floor_buyer_pays_in_coins_and_lets_the_market_take_no_more() -> None:
    bazaar = Bazaar()
    scene = bazaar.scene
    scene.step("team", bazaar.gold, "mint", At(bazaar.bot), 100)
    scene.step(bazaar.mira, bazaar.market, "list", At(bazaar.cats), 4, At(bazaar.gold), 70)
    scene.counterparty("floor", bazaar.bot, FloorBuyer(bazaar.market, bazaar.cats, 70, currency=bazaar.gold))
    bazaar.open()
    bazaar.use("wait", seconds="10")
    (move,) = bazaar.desk.stage.moves
    assert len(move.receipts) == 2 and bazaar.owner(4) == bazaar.bot
    entry = bazaar.world.entry("allowance", bazaar.gold, At(bazaar.bot), At(bazaar.market))
    assert bazaar.world.surveyor.read(entry) == 0


@pytest.mark.parametrize(("basis_points", "taken"), [(10_000, True), (9_999, False)])
def test_a_limit_may_follow_the_median_of_the_last_sales(basis_points: int, taken: bool) -> None:
    """Sold at 4, 1 and 1 ether, the older ones at 9: of the last three the median is 1 ether."""
    bazaar = Bazaar()
    scene, others = bazaar.scene, [50, 51, 52, 53, 54]
    scene.mint(bazaar.cats, bazaar.mira, others)
    buyer = scene.person("Buyer", ether=50)
    for number, (token_id, price) in enumerate(zip(others, (9, 9, 4, 1, 1), strict=True), start=5):
        scene.step(bazaar.mira, bazaar.market, "list", At(bazaar.cats), token_id, At("nobody"), price * ETHER)
        scene.step(buyer, bazaar.market, "buy", number, value=price * ETHER)
    limit = ShareOfMedian(basis_points, sales=3)
    scene.counterparty("sniper", bazaar.bot, Sniper(bazaar.market, bazaar.cats, limit, sellers=(bazaar.mira,)))
    bazaar.open()
    bazaar.use("wait", seconds="10")
    assert (bazaar.owner(5) == bazaar.bot) is taken


def test_without_enough_sales_there_is_no_median_and_no_limit() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("sniper", bazaar.bot, Sniper(bazaar.market, bazaar.cats, ShareOfMedian(90_000, sales=1)))
    bazaar.open()
    bazaar.use("wait", seconds="10")
    assert bazaar.told() == []


def test_a_sniper_takes_an_order_that_comes_alive_again_when_its_token_is_back() -> None:
    bazaar = Bazaar()
    bazaar.scene.step("user", bazaar.cats, "transferFrom", At("user"), At(bazaar.mira), 2)
    sniper = Sniper(bazaar.market, bazaar.cats, limit=ETHER, sellers=("user",))
    bazaar.scene.counterparty("sniper", bazaar.bot, sniper, hostile=True)
    bazaar.open(controlled=(bazaar.mira,))
    bazaar.use("wait", seconds="60")
    assert bazaar.told() == []
    arguments = [bazaar.address(bazaar.mira), bazaar.address("user"), "2"]
    given = {"account": bazaar.address(bazaar.mira), "to": bazaar.address(bazaar.cats), "function": "transferFrom"}
    bazaar.use("send_transaction", **given, arguments=arguments)
    assert bazaar.told() == [
        (
            "sniper",
            "after",
            "filled listing 4 of user for test_cats #2 at 0.5 ether, which has come alive again: "
            "at or below its limit of 1 ether",
        )
    ]


def test_a_hoarder_fills_an_order_in_front_of_the_cancel_that_would_have_ended_it() -> None:
    bazaar = Bazaar()
    hoarder = Sniper(bazaar.market, bazaar.cats, limit=ETHER, only_alarmed=True)
    bazaar.scene.counterparty("hoarder", bazaar.bot, hoarder, hostile=True)
    bazaar.open()
    bazaar.use("wait", seconds="600")
    assert bazaar.told() == []
    answer = bazaar.try_send(bazaar.market, "cancel", 4)
    assert answer["status"] == "reverted" and "NoSuchListing" in str(answer["reason"])
    (move,) = bazaar.desk.stage.moves
    assert (move.place, bazaar.owner(2)) == ("ahead", bazaar.bot)
    assert move.reason == (
        "filled listing 4 of user for test_cats #2 at 0.5 ether, in front of a cancel that would have ended it: "
        "at or below its limit of 1 ether"
    )
    (row,) = answer["mined_ahead_of_it"]  # type: ignore[misc]
    assert row["from"] == bazaar.address(bazaar.bot) and row["hash"] == move.receipts[0].transaction_hash


def test_it_leaves_what_is_dear_and_there_is_a_way_past_its_alarms() -> None:
    """Taking back the market's permission is no function of the market; what can't be filled can be cancelled in peace."""
    bazaar = Bazaar()
    hoarder = Sniper(bazaar.market, bazaar.cats, limit=ETHER, only_alarmed=True)
    bazaar.scene.counterparty("hoarder", bazaar.bot, hoarder, hostile=True)
    bazaar.open()
    assert bazaar.try_send(bazaar.market, "cancel", 3)["status"] == "success"
    bazaar.send(bazaar.cats, "setApprovalForAll", bazaar.market, False)
    bazaar.send(bazaar.market, "cancel", 4)
    assert bazaar.told() == [] and bazaar.owner(2) == "user"


def test_a_dry_run_shows_the_cancel_without_who_would_get_in_front_of_it() -> None:
    bazaar = Bazaar()
    bazaar.scene.counterparty("hoarder", bazaar.bot, Sniper(bazaar.market, bazaar.cats, ETHER, only_alarmed=True))
    bazaar.open()
    given = {"to": bazaar.address(bazaar.market), "function": "cancel", "arguments": ["4"]}
    assert bazaar.use("simulate", **given)["status"] == "success" and bazaar.told() == []
