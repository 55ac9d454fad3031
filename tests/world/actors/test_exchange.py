"""The policies at an exchange as families set it up: conduits, fees, royalties, WETH and the order book."""

from __future__ import annotations

import pytest

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.policies import FloorBuyer, OfferBidder, Sniper
from nftbench.tasks.seaport import SeaportExchange
from tests.world.actors.markets import ETHER, Bazaar


def exchange() -> tuple[Bazaar, SeaportExchange]:
    bazaar = Bazaar()
    sea = SeaportExchange(bazaar.scene, fee=250)
    for who in ("user", bazaar.mira):
        sea.approve(who, bazaar.cats)
    return bazaar, sea


def test_a_floor_buyer_pays_fee_and_royalty_and_the_conduit_moves_the_token() -> None:
    bazaar, sea = exchange()
    ada = bazaar.scene.person("Ada")
    sea.list(bazaar.mira, bazaar.cats, 4, ETHER, royalty=(ada, 500))
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(sea.seaport, bazaar.cats, ETHER))
    bazaar.open()
    engine, start = bazaar.world.engine, bazaar.world.start_block
    bazaar.use("wait", seconds="10")
    assert bazaar.owner(4) == bazaar.bot
    got = [engine.balance(bazaar.address(n)) - engine.balance(bazaar.address(n), block=start) for n in (ada, "team")]
    assert got == [ETHER * 5 // 100, ETHER * 25 // 1000]


def test_an_order_of_a_retired_conduit_comes_alive_again_with_its_channel() -> None:
    bazaar, sea = exchange()
    sea.list("user", bazaar.cats, 2, ETHER // 2)
    sea.retire(sea.conduit)
    sniper = Sniper(sea.seaport, bazaar.cats, ETHER)
    bazaar.scene.counterparty("sniper", bazaar.bot, sniper, hostile=True)
    bazaar.open(controlled=("team",))
    bazaar.use("wait", seconds="60")
    assert bazaar.told() == []
    given = {"account": bazaar.address("team"), "to": bazaar.address(sea.controller), "function": "updateChannel"}
    arguments = [bazaar.address(sea.conduit), bazaar.address(sea.seaport), True]
    assert bazaar.use("send_transaction", **given, arguments=arguments)["status"] == "success"
    assert bazaar.owner(2) == bazaar.bot and "which has come alive again" in bazaar.told()[0][2]


@pytest.mark.parametrize("forged", [True, False])
def test_a_forged_order_is_no_offer_and_a_private_one_is_none_for_a_buyer(forged: bool) -> None:
    bazaar, sea = exchange()
    terms = {"signer": bazaar.mira} if forged else {"buyer": bazaar.mira}
    sea.list("user", bazaar.cats, 2, ETHER // 2, **terms)  # type: ignore[arg-type]
    bazaar.scene.counterparty("floor", bazaar.bot, FloorBuyer(sea.seaport, bazaar.cats, ETHER))
    bazaar.open()
    bazaar.use("wait", seconds="60")
    assert bazaar.told() == []


def test_an_offer_bidder_outbids_a_covered_bid_in_weth() -> None:
    bazaar, sea = exchange()
    eve = bazaar.scene.person("Eve", ether=20)
    for who, wei in ((bazaar.mira, 2 * ETHER), (eve, 9 * ETHER)):
        sea.wrap(who, wei)
    sea.approve(bazaar.mira, sea.weth)
    sea.bid(bazaar.mira, bazaar.cats, 1, ETHER)
    sea.bid(bazaar.bot, bazaar.cats, 1, 5 * ETHER)
    bidder = OfferBidder(sea.seaport, bazaar.cats, sea.weth, limit=2 * ETHER, step=ETHER // 10, token_id=1)
    bazaar.scene.counterparty("eve", eve, bidder)
    bazaar.open()
    bazaar.use("wait", seconds="10")
    (move,) = bazaar.desk.stage.moves
    (entry,) = move.posts
    assert entry.side == "bid" and entry.components[2][0][3] == 11 * ETHER // 10
    allowed = bazaar.world.read(Reading(sea.weth, "allowance", (At(eve), At(sea.seaport))))
    assert allowed == 11 * ETHER // 10
