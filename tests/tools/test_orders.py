"""The order book as an agent has it: pages, filters, whole orders that can be filled as they are, and what may be posted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.chain import seaport
from nftbench.chain.signing import to_compact
from nftbench.tasks.goals import At
from nftbench.tasks.model import Step
from nftbench.tasks.orders import OrderOf
from nftbench.tasks.scene import ETHER
from nftbench.tools.standard import STANDARD, standard_toolbox, tools_for
from nftbench.tools.toolbox import Desk, Toolbox
from tests.tasks.exchange import Stand

DAY = 86_400


class Counter(Stand):
    """The user has cats 21 to 23 and lets the conduit move them."""

    def __init__(self) -> None:
        super().__init__()
        self.scene.mint(self.cats, "user", [21, 22, 23])
        self.sea.approve("user", self.cats)

    def open(self) -> Counter:
        self.built = self.world()
        self.box: Toolbox = standard_toolbox(Desk(self.built))
        return self

    def ask(self, tool: str, **given: Any) -> Any:
        result = self.box.call(tool, given)
        assert not result.error, result.text
        return json.loads(result.text)

    def refused(self, tool: str, **given: Any) -> str:
        result = self.box.call(tool, given)
        assert result.error
        return str(json.loads(result.text)["error"])

    def components(self, **changes: Any) -> dict[str, Any]:
        """An order of the user's for cat 21, as a model writes it: one ether, on the conduit."""
        world, start = self.built, self.scene.start
        order: dict[str, Any] = {
            "offerer": world.user,
            "zone": "0x" + "00" * 20,
            "offer": [
                {"itemType": 2, "token": world.address(self.cats), "identifierOrCriteria": "21"}
                | {"startAmount": "1", "endAmount": "1"}
            ],
            "consideration": [
                {"itemType": 0, "token": "0x" + "00" * 20, "identifierOrCriteria": "0"}
                | {"startAmount": str(ETHER), "endAmount": str(ETHER), "recipient": world.user}
            ],
            "orderType": 0,
            "startTime": str(start),
            "endTime": str(start + DAY),
            "zoneHash": "0x" + "00" * 32,
            "salt": "7",
            "conduitKey": "0x" + self.sea.key(self.sea.conduit).hex(),
            "counter": "0",
        }
        return order | changes

    def signed(self, order: dict[str, Any], **domain: Any) -> str:
        typed = seaport.typed_data(
            self.built.engine.chain_id, self.built.address(self.sea.seaport), seaport.EMPTY_ORDER
        )
        typed |= {"message": order, "domain": typed["domain"] | domain}
        return str(self.ask("sign_typed_data", typed_data=json.dumps(typed))["signature"])


def test_only_a_world_with_a_book_has_its_tools() -> None:
    stand = Counter()
    fixture = stand.scene.fixture()
    assert [tool.name for tool in tools_for(fixture)][-2:] == ["list_orders", "post_order"]
    stand.scene.order_book = None
    assert tools_for(stand.scene.fixture()) == STANDARD


def test_pages_have_every_order_once_in_the_order_of_posting() -> None:
    stand = Counter()
    for i in range(120):
        stand.sea.list(stand.mira, stand.cats, 1 + i % 9, ETHER + i)
    stand.open()
    seen, cursor, pages = [], None, 0
    while True:
        page = stand.ask("list_orders", **({"cursor": cursor} if cursor else {}))
        seen += [row["order_hash"] for row in page["orders"]]
        pages += 1
        assert page["count"] == 120
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert seen == ["0x" + entry.hash.hex() for entry in stand.built.order_book.entries]
    assert 1 < pages < 20
    assert "120" in stand.refused("list_orders", cursor="121")
    assert stand.ask("list_orders", cursor="120")["orders"] == []


def test_filters_are_by_what_an_order_holds() -> None:
    stand = Counter()
    sea = stand.sea
    asks = [sea.list(stand.mira, stand.cats, 1, ETHER), sea.list(stand.mira, stand.cats, 2, 5, currency=stand.dollars)]
    units = sea.list(stand.ivo, stand.ore, 7, ETHER, amount=3)
    bids = [sea.bid(stand.vera, stand.cats, 1, ETHER), sea.bid(stand.vera, stand.cats, None, ETHER // 2)]
    trade = sea.order(stand.mira, (sea.token(stand.cats, 3),), (sea.token(stand.ore, 7, to=stand.mira),))
    world = stand.open().built
    hashes = {"0x" + order.hash.hex(): name for name, order in world.orders.items()}

    def found(**given: Any) -> list[str]:
        return [hashes[row["order_hash"]] for row in stand.ask("list_orders", **given)["orders"]]

    cats, zero = world.address(stand.cats), "0x" + "00" * 20
    assert found(collection=cats) == [*asks, *bids, trade]
    assert found(collection=cats, token_id="1") == [asks[0], *bids], "a bid for any token is one for this"
    assert found(side="ask") == [*asks, units]
    assert found(side="bid", collection=world.address(stand.ore)) == []
    assert found(side="trade") == [trade]
    assert found(offerer=world.address(stand.vera)) == bids
    assert found(currency=zero) == [asks[0], units]
    assert found(currency=world.address(stand.dollars)) == [asks[1]]
    assert "ask, bid, trade" in stand.refused("list_orders", side="sell")


def test_a_whole_order_can_be_filled_as_it_is() -> None:
    stand = Counter()
    name = stand.sea.list(stand.mira, stand.cats, 1, ETHER, royalty=(stand.ada, 500))
    world = stand.open().built
    order = stand.ask("list_orders", order_hash="0x" + world.order(name).hash.hex())
    parameters = {key: value for key, value in order["components"].items() if key != "counter"}
    parameters["totalOriginalConsiderationItems"] = order["total_original_consideration_items"]
    whole = {"parameters": parameters, "signature": order["signature"]}
    sent = stand.ask(
        "send_transaction",
        to=order["exchange"],
        function="fulfillOrder",
        arguments=[whole, "0x" + "00" * 32],
        value_wei=str(ETHER),
    )
    assert sent["status"] == "success"
    told = stand.ask("call", contract=order["exchange"], function="getOrderHash", arguments=[order["components"]])
    assert told["result"] == order["order_hash"]
    assert stand.ask("list_orders")["orders"][0]["status"] == "filled", "the book follows events from the start on"
    assert "0x1111" in stand.refused("list_orders", order_hash="0x" + "11" * 32)


def test_the_book_is_stale_from_before_and_follows_what_happens_after() -> None:
    stand = Counter()
    sea = stand.sea
    dead, alive = (
        sea.list(stand.mira, stand.cats, 1, ETHER),
        sea.list(stand.ivo, stand.ore, 7, 9 * ETHER // 10, amount=3, partial=True),
    )
    sea.cancel(dead)
    mine = [sea.list("user", stand.cats, i, ETHER) for i in (21, 22)]
    told = sea.list(stand.ada, stand.cats, 4, ETHER, status="cancelled")
    world = stand.open().built

    def statuses() -> dict[str, str]:
        rows = {row["order_hash"]: row["status"] for row in stand.ask("list_orders")["orders"]}
        return {name: rows["0x" + world.order(name).hash.hex()] for name in (dead, alive, *mine, told)}

    before = statuses()
    assert before == {dead: "active", alive: "active", mine[0]: "active", mine[1]: "active", told: "cancelled"}
    cancel = Step(sender="user", target=sea.seaport, function="cancel", args=((OrderOf(mine[0]),),))
    part = (OrderOf(alive, "advanced", part=(1, 3)), (), bytes(32), At("user"))
    world.send(cancel)
    world.send(Step(sender="user", target=sea.seaport, function="fulfillAdvancedOrder", args=part, value=ETHER))
    assert statuses() == before | {mine[0]: "cancelled", alive: "active, 1/3 filled"}
    world.send(Step(sender="user", target=sea.seaport, function="incrementCounter"))
    assert statuses()[mine[1]] == "cancelled"


def test_a_signed_order_can_be_posted_and_filled_by_others() -> None:
    stand = Counter().open()
    order = stand.components()
    answer = stand.ask("post_order", order=json.dumps(order), signature=stand.signed(order))
    assert answer["status"] == "active" and answer["side"] == "ask"
    (entry,) = stand.built.order_book.posted
    exchange = stand.built.address(stand.sea.seaport)
    by_contract = stand.ask("call", contract=exchange, function="getOrderHash", arguments=[order])["result"]
    assert by_contract == answer["order_hash"] == "0x" + entry.hash.hex()
    assert stand.ask("list_orders", offerer=stand.built.user)["count"] == 1
    assert stand.built.order_book.at_start().entries == ()


@pytest.mark.parametrize("form", ["full", "compact", "bulk"])
def test_every_form_of_a_signature_is_taken(form: str) -> None:
    stand = Counter().open()
    order = stand.components()
    signature = bytes.fromhex(stand.signed(order)[2:])
    if form == "compact":
        signature = to_compact(signature)
    if form == "bulk":
        world = stand.built
        exchange = world.interfaces[world.address(stand.sea.seaport)].function("getOrderHash")
        told = stand.ask("call", contract=world.address(stand.sea.seaport), function=exchange.name, arguments=[order])[
            "result"
        ]
        leaves = seaport.bulk_leaves([b"\x05" * 32, bytes.fromhex(told[2:]), b"\x06" * 32])
        digest = seaport.digest(world.engine.chain_id, world.address(stand.sea.seaport), seaport.bulk_hash(leaves))
        signature = seaport.bulk_signature(world.controlled[world.user].sign_digest(digest), leaves, 1)
    answer = stand.ask("post_order", order=json.dumps(order), signature="0x" + signature.hex())
    assert answer["status"] == "active", answer


def test_an_order_that_the_contract_has_validated_needs_no_signature() -> None:
    stand = Counter().open()
    order = stand.components()
    unsigned = stand.ask("post_order", order=json.dumps(order))
    assert unsigned["status"] == "refused" and "Invalid" in unsigned["reason"]
    parameters = {k: v for k, v in order.items() if k != "counter"} | {"totalOriginalConsiderationItems": "1"}
    whole = [{"parameters": parameters, "signature": "0x"}]
    exchange = stand.built.address(stand.sea.seaport)
    assert stand.ask("send_transaction", to=exchange, function="validate", arguments=[whole])["status"] == "success"
    assert stand.ask("post_order", order=json.dumps(order))["status"] == "active"


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "another chain's signature": ({}, {"chainId": 1}, "InvalidSigner"),
    "another exchange's signature": ({}, {"verifyingContract": "0x" + "11" * 20}, "InvalidSigner"),
    "another name": ({}, {"name": "Harbour"}, "InvalidSigner"),
    "somebody else's order": ({"offerer": "0x52908400098527886E0F7030069857D2E4169EE7"}, {}, "InvalidSigner"),
    "another counter": ({"counter": "1"}, {}, "counter is 0, and the order has 1"),
    "an end in the past": ({"endTime": "1000000000", "startTime": "0"}, {}, "InvalidTime"),
    "an end before the start": ({"startTime": str(2**40), "endTime": str(2**40)}, {}, "InvalidTime"),
    "no such conduit": ({"conduitKey": "0x" + "01" * 32}, {}, "InvalidConduit"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_the_exchange_would_refuse_is_refused_in_its_terms(kind: str) -> None:
    changes, domain, reason = REFUSED[kind]
    stand = Counter().open()
    order = stand.components(**changes)
    answer = stand.ask("post_order", order=json.dumps(order), signature=stand.signed(order, **domain))
    assert answer["status"] == "refused" and reason in answer["reason"]
    assert stand.built.order_book.posted == ()
    assert len(stand.built.signatures) == 1, "what was signed is kept, whatever becomes of it"


def test_a_retired_conduit_a_cancelled_and_a_filled_order_are_refused() -> None:
    stand = Counter()
    stand.sea.retire(stand.other)
    stand.open()
    order = stand.components(conduitKey="0x" + stand.sea.key(stand.other).hex())
    assert "ChannelClosed" in _refusal(stand, order)
    order = stand.components()
    exchange = stand.built.address(stand.sea.seaport)
    assert stand.ask("send_transaction", to=exchange, function="cancel", arguments=[[order]])["status"] == "success"
    assert "OrderIsCancelled" in _refusal(stand, order)


def _refusal(stand: Counter, order: dict[str, Any]) -> str:
    answer = stand.ask("post_order", order=json.dumps(order), signature=stand.signed(order))
    assert answer["status"] == "refused"
    return str(answer["reason"])


@pytest.mark.parametrize(
    "signature", ["0x", "0x00", "0x" + "00" * 64, "0x" + "00" * 65, "0x" + "ff" * 99, "0x" + "ab" * 900]
)
def test_nonsense_for_a_signature_is_refused_in_the_exchanges_terms(signature: str) -> None:
    stand = Counter().open()
    answer = stand.ask("post_order", order=json.dumps(stand.components()), signature=signature)
    assert answer["status"] == "refused" and answer["reason"]


@pytest.mark.parametrize(
    "order",
    ["{}", "[]", "7", '"x"', "{", '{"offerer": 5}', '{"offer": [[[[]]]]}', json.dumps({"offerer": "0x" + "00" * 20})],
)
def test_what_is_no_order_is_a_tool_result(order: str) -> None:
    stand = Counter().open()
    assert stand.refused("post_order", order=order)


@pytest.mark.parametrize(
    ("changes", "said"), [({"orderType": 4}, "FULL_OPEN"), ({"orderType": 9}, "order types"), ({"offer": []}, "empty")]
)
def test_what_no_order_has_is_named(changes: dict[str, Any], said: str) -> None:
    stand = Counter().open()
    assert said in stand.refused("post_order", order=json.dumps(stand.components(**changes)))


def test_typed_data_that_is_malformed_is_a_tool_result() -> None:
    stand = Counter().open()
    order = stand.components(offerer="0x12")
    typed = seaport.typed_data(31337, stand.built.user, seaport.EMPTY_ORDER) | {"message": order}
    assert "message.offerer" in stand.refused("sign_typed_data", typed_data=json.dumps(typed))
