"""A shy seller: what it can see, and what it does about it."""

from __future__ import annotations

from nftbench.tasks.goals import At
from nftbench.tasks.policies import ShySeller
from tests.world.actors.markets import ETHER, Bazaar


def shy(**terms: object) -> Bazaar:
    bazaar = Bazaar()
    scene = bazaar.scene
    scene.step(bazaar.mira, bazaar.market, "list", At(bazaar.cats), 4, At(bazaar.gold), 70)
    most = terms.pop("most", None)
    scene.counterparty("shy", bazaar.mira, ShySeller(bazaar.market, bazaar.cats, **terms), most=most)  # type: ignore[arg-type]
    return bazaar.open()  # type: ignore[return-value]


def test_it_cancels_in_front_of_the_purchase() -> None:
    bazaar = shy()
    answer = bazaar.try_send(bazaar.market, "buy", 2, value=ETHER)
    assert answer["status"] == "reverted" and "NoSuchListing" in str(answer["reason"])
    assert bazaar.told() == [
        (
            "shy",
            "ahead",
            "cancelled its listing 2 for test_cats #5: a transaction of user in the mempool would have filled it",
        )
    ]


def test_it_asks_more_so_often_and_then_sells() -> None:
    """Shy twice: 1 ether becomes 1.2 and then 1.44, at which it lets itself be bought."""
    bazaar = shy(raised=12_000, most=2)
    for price, status in ((100, "reverted"), (120, "reverted"), (144, "success")):
        assert bazaar.try_send(bazaar.market, "buy", 2, value=price * ETHER // 100)["status"] == status
    assert bazaar.owner(5) == "user" and len(bazaar.told()) == 2
    assert bazaar.told()[0][2].startswith("asks 1.2 ether instead of 1 ether by its listing 2 for test_cats #5")


def test_looks_and_what_would_fail_are_nothing_that_it_sees() -> None:
    bazaar = shy()
    given = {"to": bazaar.address(bazaar.market), "function": "buy", "arguments": ["2"], "value_wei": str(ETHER)}
    assert bazaar.use("simulate", **given)["status"] == "success"
    bazaar.use("call", contract=bazaar.address(bazaar.market), function="getListing", arguments=["2"])
    assert bazaar.try_send(bazaar.market, "buy", 2, value=ETHER - 1)["status"] == "reverted"
    assert bazaar.told() == []


def test_it_minds_only_its_own_orders() -> None:
    bazaar = shy()
    bazaar.send(bazaar.market, "cancel", 3)
    bazaar.send(bazaar.cats, "transferFrom", "user", bazaar.mira, 3)
    assert bazaar.told() == []


def test_an_allowance_for_the_market_in_its_currency_is_a_sign_if_it_takes_it_for_one() -> None:
    for signs, told in ((("pending",), 0), (("allowance",), 1)):
        bazaar = shy(signs=signs)
        bazaar.send(bazaar.gold, "approve", bazaar.mira, 70)
        assert bazaar.told() == []
        bazaar.send(bazaar.gold, "approve", bazaar.market, 70)
        assert len(bazaar.told()) == told
        if told:
            assert (
                bazaar.told()[0][2] == "cancelled its listing 5 for test_cats #4: user let test_market take test_gold"
            )
