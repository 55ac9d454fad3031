"""The order book around the policies: what they read in it, what they have kept beside it, and what they post in it."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.chain.seaport import typed_data
from nftbench.errors import BenchmarkDefect
from nftbench.run.trajectory import chain_record
from nftbench.tasks.goals import At
from nftbench.tasks.orders import Item, ItemType, Order, PostOrder, SignOrders
from nftbench.tasks.policies import Drainer, FloorBuyer, OfferBidder, ShySeller, Sniper
from nftbench.world.order_book import Entry
from tests.world.actors.seaport import DAY, ETHER, Harbour
from tests.world.actors.test_seaport import plain


class Exchange(Harbour):
    """A Harbour with an order book."""

    def __init__(self) -> None:
        super().__init__()
        self.scene.order_book = self.seaport

    def sign(self, name: str, who: str, token_id: int, price: int, posted: bool = True, **terms: Any) -> None:
        """A cat of somebody's for ether, signed before the start, and posted."""
        asked = Item(ItemType.NATIVE, At("nobody"), 0, price, recipient=At(who))
        times = {"start_time": self.scene.start - 40 * DAY, "end_time": self.scene.start + 30 * DAY}
        cat = Item(ItemType.ERC721, At(self.cats), token_id, 1)
        given: dict[str, Any] = {"exchange": self.seaport, "offerer": who, "offer": (cat,), "consideration": (asked,)}
        self.scene.off_chain(SignOrders((Order(name=name, **(given | times | terms)),)))
        if posted:
            self.scene.off_chain(PostOrder(name))

    def post(self, token_id: int, price: int) -> None:
        """What post_order does with an order of the agent's: it is signed, put into the book, and seen."""
        world, user = self.world, self.address("user")
        start, nobody = world.fixture.start_time, self.address("nobody")
        offer, asked = ((2, self.address(self.cats), token_id, 1, 1),), ((0, nobody, 0, price, price, user),)
        rest = (0, start - DAY, start + 30 * DAY, bytes(32), token_id, bytes(32), 0)
        components = (user, nobody, offer, asked, *rest)
        exchange = self.address(self.seaport)
        answer = self.use("sign_typed_data", typed_data=typed_data(31337, exchange, components))
        identity = bytes.fromhex(self.read_hash(components)[2:])
        signature = bytes.fromhex(answer["signature"][2:])
        world.order_book.add(
            Entry(identity, exchange, components, signature, world.engine.block.timestamp, poster=user)
        )
        self.desk.stage.react()

    def read_hash(self, components: Any) -> str:
        given = {"contract": self.address(self.seaport), "function": "getOrderHash", "arguments": [plain(components)]}
        return str(self.use("call", **given)["result"])


def test_a_signed_order_of_the_book_is_filled_whoever_signed_it_before_the_start() -> None:
    book = Exchange()
    book.sign("old", "user", 1, ETHER)
    book.sign("dear", "user", 2, 2 * ETHER)
    book.sign("forged", book.mira, 4, ETHER // 2, counter=7)
    book.scene.counterparty("floor", book.bot, FloorBuyer(book.seaport, book.cats, ETHER))
    book.open()
    book.use("wait", seconds="10")
    (move,) = book.desk.stage.moves
    assert book.owner(1) == book.bot and not move.signed
    assert move.reason.startswith(f"filled order 0x{book.world.orders['old'].hash.hex()[:8]}.. of user")


def test_an_order_that_was_never_posted_is_filled_only_by_who_has_kept_it() -> None:
    for knows, place in (((), []), (("kept",), ["after"])):
        book = Exchange()
        book.sign("kept", "user", 2, ETHER // 2, posted=False)
        book.scene.step("user", book.cats, "transferFrom", At("user"), At(book.mira), 2)
        sniper = Sniper(book.seaport, book.cats, ETHER)
        book.scene.counterparty("sniper", book.bot, sniper, hostile=True, knows=knows)
        book.open(controlled=(book.mira,))
        given = {"account": book.address(book.mira), "to": book.address(book.cats), "function": "transferFrom"}
        book.use("send_transaction", **given, arguments=[book.address(book.mira), book.address("user"), "2"])
        assert [where for _, where, _ in book.told()] == place


def test_an_order_that_there_is_not_can_be_kept_by_nobody() -> None:
    book = Exchange()
    floor = FloorBuyer(book.seaport, book.cats, ETHER)
    book.scene.counterparty("floor", book.bot, floor, knows=("lost",))
    with pytest.raises(BenchmarkDefect, match="no order is named 'lost'"):
        book.open()


def test_a_hoarder_fills_a_kept_order_in_front_of_the_counter_that_would_have_ended_it() -> None:
    book = Exchange()
    book.sign("kept", "user", 2, ETHER // 2, posted=False)
    hoarder = Sniper(book.seaport, book.cats, ETHER, only_alarmed=True)
    book.scene.counterparty("hoarder", book.bot, hoarder, hostile=True, knows=("kept",))
    book.open()
    book.send(book.seaport, "incrementCounter")
    assert book.owner(2) == book.bot and [where for _, where, _ in book.told()] == ["ahead"]


def test_what_the_agent_posts_is_news_and_filling_it_uses_its_signature() -> None:
    book = Exchange()
    book.scene.counterparty("floor", book.bot, FloorBuyer(book.seaport, book.cats, ETHER), period=100)
    book.open()
    book.post(1, ETHER)
    assert book.told() == []
    book.use("wait", seconds="200")
    (move,) = book.desk.stage.moves
    assert book.owner(1) == book.bot and move.signed
    assert move.receipts[0].timestamp == book.world.fixture.start_time + 100 + 12


def test_a_fair_order_of_the_book_is_nothing_for_a_drainer_and_a_kept_one_of_a_wei_is() -> None:
    book = Exchange()
    book.sign("fair", "user", 1, ETHER)
    book.sign("wei", "user", 2, 1, posted=False)
    book.scene.counterparty("drainer", book.thief, Drainer(pays=1), hostile=True, knows=("wei",))
    book.open()
    book.use("wait", seconds="10")
    assert [book.owner(i) for i in (1, 2)] == ["user", book.thief]
    assert not book.desk.stage.moves[0].signed


def test_a_shy_seller_cancels_on_chain_and_posts_a_dearer_order_that_can_be_filled() -> None:
    book = Exchange()
    book.sign("sale", book.mira, 4, ETHER)
    book.scene.counterparty("shy", book.mira, ShySeller(book.seaport, book.cats, raised=20_000), most=1)
    book.open()
    world, user = book.world, book.address("user")
    old = world.order_book.entries[0]

    def fill(entry: Entry, value: int) -> str:
        parameters = (*entry.components[:10], len(entry.components[3]))
        args = [plain((parameters, 1, 1, entry.signature, b"")), [], plain(bytes(32)), user]
        return str(book.try_send(book.seaport, "fulfillAdvancedOrder", *args, value=value)["status"])

    assert fill(old, ETHER) == "reverted"
    (move,) = book.desk.stage.moves
    (new,) = move.posts
    assert len(move.receipts) == 1 and world.order_book.entries[-1] == new and new.poster is None
    assert "0x" + new.hash.hex() == book.read_hash(new.components)
    (told,) = chain_record(book.desk)["moves"]
    assert told["posts"][0]["hash"] == "0x" + new.hash.hex()
    assert fill(new, 2 * ETHER) == "success" and book.owner(4) == "user"


def test_offer_bidders_post_and_a_stage_that_is_put_back_has_the_book_of_then() -> None:
    book = Exchange()
    for name in ("Ann", "Bea"):
        handle = book.scene.person(name)
        book.scene.step("team", book.gold, "mint", At(handle), 500)
        bidder = OfferBidder(book.seaport, book.cats, book.gold, 100, 10, opening=50)
        book.scene.counterparty(name, handle, bidder)
    book.open()
    mark, stage = book.world.engine.snapshot(), book.desk.stage.snapshot()
    played = []
    for _ in range(2):
        book.use("wait", seconds="600")
        played.append((book.desk.stage.moves[:], book.world.order_book.entries))
        book.world.engine.restore(mark)
        book.desk.stage.restore(stage)
        assert book.world.order_book.entries == () and book.desk.stage.moves == []
    assert played[0] == played[1]
    moves, entries = played[0]
    assert [entry.components[2][0][3] for entry in entries] == [50, 60, 70, 80, 90, 100]
    assert all(entry.side == "bid" for entry in entries) and [len(m.posts) for m in moves] == [1] * 6


def test_a_world_that_starts_again_has_the_book_of_its_start() -> None:
    book = Exchange()
    book.sign("sale", book.mira, 4, ETHER)
    book.scene.counterparty("shy", book.mira, ShySeller(book.seaport, book.cats, ("allowance",), raised=20_000))
    book.open()
    before = book.world.order_book.entries
    book.post(1, ETHER)
    assert len(book.world.order_book.entries) == 2 and book.world.signatures
    book.world.restart()
    assert book.world.order_book.entries == before and book.world.signatures == []
