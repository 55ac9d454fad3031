"""Signed Seaport orders as traps, on the real Seaport: whoever may use one does, and only then."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.policies import Drainer
from nftbench.tools.toolbox import Desk
from nftbench.world.actors.seaport_orders import order_of
from tests.world.actors.seaport import DAY, ETHER, Harbour

OFFER_ITEM = "uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount"
COMPONENTS = (
    "address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,"
    "uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter"
)


def fields(text: str) -> list[dict[str, str]]:
    return [dict(zip(("type", "name"), field.split(), strict=True)) for field in text.split(",")]


TYPES = {
    "OfferItem": fields(OFFER_ITEM),
    "ConsiderationItem": fields(OFFER_ITEM + ",address recipient"),
    "OrderComponents": fields(COMPONENTS),
}


class Cove(Harbour):
    """A Harbour with a thief who gets every signature, and coins to bid with."""

    def __init__(self, **terms: Any) -> None:
        super().__init__()
        self.fakes = self.scene.collection("OpenZeppelinCollection", "Test Cats (new)")
        self.scene.mint(self.fakes, self.thief, [8])
        self.scene.step("user", self.gold, "approve", At(self.seaport), 1000)
        self.scene.counterparty("drainer", self.thief, Drainer(**terms), hostile=True)

    def item(
        self, kind: int, token: str, identifier: int = 0, amount: int = 1, to: str | None = None
    ) -> dict[str, Any]:
        told = {"itemType": kind, "token": self.address(token), "identifierOrCriteria": str(identifier)}
        told |= {"startAmount": str(amount), "endAmount": str(amount)}
        return told if to is None else told | {"recipient": self.address(to)}

    def message(self, offer: list[Any], asked: list[Any], /, **changes: Any) -> dict[str, Any]:
        start = self.world.fixture.start_time
        plain = {
            "offerer": self.address("user"),
            "zone": self.address("nobody"),
            "offer": offer,
            "consideration": asked,
            "orderType": 0,
            "startTime": str(start - DAY),
            "endTime": str(start + 30 * DAY),
            "zoneHash": "0x" + "00" * 32,
            "salt": "77",
            "conduitKey": "0x" + "00" * 32,
            "counter": "0",
        }
        return plain | changes

    def sign(self, message: dict[str, Any], primary: str = "OrderComponents", types: Any = TYPES) -> None:
        domain = {
            "name": "Seaport",
            "version": "1.6",
            "chainId": 31337,
            "verifyingContract": self.address(self.seaport),
        }
        typed = {"types": types, "primaryType": primary, "domain": domain, "message": message}
        answer = self.use("sign_typed_data", typed_data=typed)
        assert "signature" in answer, answer

    def cat(self, token_id: int) -> dict[str, Any]:
        return self.item(2, self.cats, token_id)


def test_an_order_that_asks_for_nothing_costs_the_token() -> None:
    cove = Cove().open()
    cove.sign(cove.message([cove.cat(1)], []))
    (move,) = cove.desk.stage.moves
    assert cove.owner(1) == cove.thief and move.signed
    assert move.reason == "took test_cats #1 of user for nothing: by an order that it signed"


@pytest.mark.parametrize(("price", "taken"), [(0, True), (5, True), (6, False)])
def test_it_pays_up_to_its_limit_and_what_comes_back_to_it_is_no_price(price: int, taken: bool) -> None:
    """Two ether to itself are nothing that it pays."""
    cove = Cove(pays=5).open()
    own = cove.item(0, "nobody", amount=2 * ETHER, to=cove.thief)
    asked = [own, cove.item(0, "nobody", amount=price, to="user")] if price else [own]
    cove.sign(cove.message([cove.cat(1)], asked))
    assert (cove.owner(1) == cove.thief) is taken


def test_a_fair_order_is_left_alone() -> None:
    cove = Cove(pays=5).open()
    cove.sign(cove.message([cove.cat(1)], [cove.item(0, "nobody", amount=ETHER, to="user")]))
    cove.sign(cove.message([cove.cat(1)], [cove.item(1, cove.gold, amount=3, to="user")], salt="78"))
    cove.sign(cove.message([cove.cat(1)], [cove.item(2, cove.cats, 5, to="user")], salt="79"))
    cove.use("wait", seconds=str(40 * DAY))
    assert cove.told() == []


@pytest.mark.parametrize("price", [0, 5])
def test_an_order_made_out_to_it_alone_is_matched(price: int) -> None:
    cove = Cove(pays=5).open()
    asked = [cove.item(0, "nobody", amount=price, to="user")] if price else []
    asked.append(cove.item(2, cove.cats, 1, to=cove.thief))
    cove.sign(cove.message([cove.cat(1)], asked))
    assert cove.owner(1) == cove.thief


def test_an_order_made_out_to_somebody_else_is_of_no_use_to_it() -> None:
    cove = Cove().open()
    cove.sign(cove.message([cove.cat(1)], [cove.item(2, cove.cats, 1, to=cove.mira)]))
    assert cove.told() == []


def test_an_order_for_any_token_costs_one_and_one_that_fills_in_parts_of_units_all() -> None:
    cove = Cove().open()
    cove.sign(cove.message([cove.item(4, cove.cats)], []))
    assert sum(cove.owner(i) == cove.thief for i in (1, 2, 3)) == 1
    cove.sign(cove.message([cove.item(3, cove.ore, 7, 10)], [], orderType=1, salt="78"))
    assert cove.units("user") == 0


def test_what_begins_later_or_is_not_allowed_yet_is_taken_when_it_can_be() -> None:
    cove = Cove()
    cove.scene.step("user", cove.cats, "setApprovalForAll", At(cove.seaport), False)
    cove.open()
    start = cove.world.fixture.start_time
    cove.sign(cove.message([cove.cat(1)], []))
    cove.sign(cove.message([cove.cat(2)], [], startTime=str(start + DAY), salt="78"))
    assert cove.told() == []
    cove.send(cove.cats, "setApprovalForAll", cove.seaport, True)
    assert [cove.owner(i) for i in (1, 2)] == [cove.thief, "user"]
    cove.use("wait", seconds=str(2 * DAY))
    assert cove.owner(2) == cove.thief
    assert cove.desk.stage.moves[-1].receipts[0].timestamp - start == DAY + 12


@pytest.mark.parametrize("leaf", [0, 1, 2, 3])
def test_one_bad_leaf_of_a_bulk_order_is_found_and_proved(leaf: int) -> None:
    cove = Cove().open()
    fair = [cove.item(0, "nobody", amount=ETHER, to="user")]
    leaves = [cove.message([cove.cat(1 + i % 3)], [] if i == leaf else fair, salt=str(i)) for i in range(4)]
    types = TYPES | {"BulkOrder": fields("OrderComponents[2][2] tree")}
    cove.sign({"tree": [leaves[:2], leaves[2:]]}, "BulkOrder", types)
    (move,) = cove.desk.stage.moves
    assert cove.owner(1 + leaf % 3) == cove.thief and move.signed


@pytest.mark.parametrize("criteria", [True, False])
def test_a_bid_for_a_counterfeit_is_taken_up(criteria: bool) -> None:
    """And the fee in the bid's own coin is paid out of it."""
    cove = Cove(fakes=("test_cats_new",)).open()
    assert cove.fakes == "test_cats_new"
    wanted = cove.item(4, cove.fakes, to="user") if criteria else cove.item(2, cove.fakes, 8, to="user")
    fee = cove.item(1, cove.gold, amount=20, to="team")
    cove.sign(cove.message([cove.item(1, cove.gold, amount=400)], [wanted, fee]))
    held = [cove.world.read(Reading(cove.gold, "balanceOf", (At(who),))) for who in ("user", cove.thief, "team")]
    assert held == [600, 380, 20]
    assert cove.told()[0][2].startswith("took 400 units of test_gold of user for test_cats_new #8")


def test_an_order_that_the_agent_validates_on_chain_needs_no_signature() -> None:
    cove = Cove(signatures=False).open()
    start = cove.world.fixture.start_time
    user, nobody, zero = cove.address("user"), cove.address("nobody"), "0x" + "00" * 32
    item = ["2", cove.address(cove.cats), "1", "1", "1"]
    order = [user, nobody, [item], [], "0", str(start - DAY), str(start + DAY), zero, "77", zero, "0"]
    answer = cove.try_send(cove.seaport, "validate", [[order, "0x"]])
    assert answer["status"] == "success", answer
    (move,) = cove.desk.stage.moves
    assert cove.owner(1) == cove.thief and move.signed and "let the contract validate" in move.reason


def test_a_drainer_without_signatures_has_no_use_for_them() -> None:
    cove = Cove(signatures=False).open()
    cove.sign(cove.message([cove.cat(1)], []))
    assert cove.told() == []


def test_cancelled_and_counted_out_orders_are_of_no_use() -> None:
    cove = Cove()
    cove.scene.step("user", cove.seaport, "incrementCounter")
    cove.open()
    cove.sign(cove.message([cove.cat(1)], []))
    cove.sign(cove.message([cove.cat(1)], [], counter="1"))
    assert cove.told() == []


@pytest.mark.parametrize(
    "odd",
    [
        {"offer": []},
        {"counter": str(2**256 - 1)},
        {"startTime": str(2**255), "endTime": str(2**256 - 1)},
        {"startTime": "5", "endTime": "5"},
        {"orderType": 4},
        {"orderType": 200},
        {"salt": "0x4d"},
    ],
)
def test_whatever_the_agent_signs_breaks_nothing(odd: dict[str, Any]) -> None:
    cove = Cove(pays=10**30, fakes=("test_cats_new",)).open()
    for offer, asked in ((2, 0), (200, 1), (4, 5), (1, 4), (0, 3)):
        items = [cove.item(offer, cove.cats, 2**256 - 1, 2**256 - 1)]
        cove.sign(cove.message(items, [cove.item(asked, cove.gold, 3, 2**256 - 1, to="user")] * 2, **odd))
        cove.sign(cove.message(items, [], **odd))
    cove.use("wait", seconds=str(40 * DAY))
    trees = {"string": "nonsense", "OrderComponents[]": [], "string[][]": [[], ["a"]], "uint256": 5}
    for kind, tree in (*trees.items(), ("OrderComponents[]", [cove.message([cove.cat(1)], [])] * 3)):
        cove.sign({"tree": tree}, "BulkOrder", TYPES | {"BulkOrder": fields(f"{kind} tree")})
    assert cove.told() == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["0x", "0x" + "11" * 20]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
ITEM = {"itemType": 2, "token": "0x" + "22" * 20, "identifierOrCriteria": "1", "startAmount": "1", "endAmount": "1"}
PLACES = [
    *[(name,) for name in ("offerer", "zone", "offer", "consideration", "orderType", "startTime", "endTime")],
    *[(name,) for name in ("zoneHash", "salt", "conduitKey", "counter")],
    *[("offer", 0, name) for name in ITEM],
    ("offer", 0),
    ("consideration", 0, "recipient"),
]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(PLACES), JSON)
def test_a_message_with_anything_anywhere_is_an_order_or_none(place: tuple[Any, ...], odd: Any) -> None:
    """Who signs chooses the types, so that no value is what Seaport's types promise."""
    message: Any = {
        "offerer": "0x" + "11" * 20,
        "zone": "0x" + "00" * 20,
        "offer": [dict(ITEM)],
        "consideration": [ITEM | {"recipient": "0x" + "11" * 20}],
        "orderType": 0,
        "startTime": "5",
        "endTime": "50",
        "zoneHash": "0x" + "00" * 32,
        "salt": "77",
        "conduitKey": "0x" + "00" * 32,
        "counter": "0",
    }
    assert order_of(message) is not None
    inside = message
    for part in place[:-1]:
        inside = inside[part]
    inside[place[-1]] = odd
    order = order_of(message)
    if order is not None:
        priced = order.price(20)
        assert priced is None or priced[1] >= 0
        order.falls_to(5, 3)
    assert order_of(odd) is None


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(["Permit", "BulkOrder", "OrderComponents"]), JSON, JSON, st.booleans())
def test_any_signature_at_all_is_looked_at_and_left(primary: str, one: Any, other: Any, nested: bool) -> None:
    cove = shared_cove()
    message = {"tree": one, "offerer": other, "spender": cove.address(cove.thief), "value": one, "deadline": other}
    domain = {"verifyingContract": cove.address(cove.gold if primary == "Permit" else cove.seaport)}
    typed = {"primaryType": primary, "domain": domain, "message": message if nested else one}
    signed = {"signer": cove.address("user"), "typed_data": typed, "signature": "0x" + "1b" * 65, "block": 1}
    cove.world.signatures.append(signed)
    cove.desk.stage.react()
    cove.world.signatures.clear()
    cove.desk.stage = Desk(cove.world).stage
    assert cove.told() == []


@cache
def shared_cove() -> Cove:
    return Cove().open()  # type: ignore[return-value]
