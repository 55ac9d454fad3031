"""The policies on the real Seaport: what is filled, when, at which price, and what is cancelled in front of whom."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.tasks.goals import At, Reading
from nftbench.tasks.policies import FloorBuyer, OfferBidder, ShareOfMedian, ShySeller, Sniper
from nftbench.values import ZERO_ADDRESS
from nftbench.world.actors.acts import Memory
from nftbench.world.actors.markets import market_of
from nftbench.world.actors.seaport_orders import Item, Order
from nftbench.world.actors.sight import Sight
from tests.world.actors.seaport import DAY, ETHER, Harbour


def moved(harbour: Harbour) -> int:
    """How many seconds after the start the only move was mined."""
    (move,) = harbour.desk.stage.moves
    return move.receipts[-1].timestamp - harbour.world.fixture.start_time


def test_a_floor_buyer_fills_orders_with_fees_the_cheapest_first() -> None:
    harbour = Harbour()
    harbour.order(harbour.mira, 4, 3 * ETHER, fee=ETHER)
    harbour.order("user", 1, 2 * ETHER, fee=ETHER // 10)
    harbour.order("user", 2, 4 * ETHER)
    harbour.scene.counterparty("floor", harbour.bot, FloorBuyer(harbour.seaport, harbour.cats, limit=3 * ETHER))
    harbour.open()
    engine, start = harbour.world.engine, harbour.world.start_block
    harbour.use("wait", seconds="10")
    assert [harbour.owner(i) for i in (1, 2, 4)] == [harbour.bot, "user", harbour.bot]
    gains = [
        engine.balance(harbour.address(n)) - engine.balance(harbour.address(n), block=start) for n in ("user", "team")
    ]
    assert gains == [19 * ETHER // 10, 11 * ETHER // 10]
    told = [reason for _, _, reason in harbour.told()]
    assert told[0].startswith("filled order 0x") and told[0].endswith(
        ".. of user for test_cats #1 at 2 ether: at or below its limit of 3 ether"
    )


def test_it_pays_in_coins_through_seaport() -> None:
    harbour = Harbour()
    harbour.scene.step("team", harbour.gold, "mint", At(harbour.bot), 100)
    harbour.order(harbour.mira, 4, 70, coin=harbour.gold)
    floor = FloorBuyer(harbour.seaport, harbour.cats, 70, currency=harbour.gold)
    harbour.scene.counterparty("floor", harbour.bot, floor)
    harbour.open()
    harbour.use("wait", seconds="10")
    assert harbour.owner(4) == harbour.bot and len(harbour.desk.stage.moves[0].receipts) == 2


def test_it_takes_units_too() -> None:
    harbour = Harbour()
    harbour.order("user", 7, ETHER, amount=4)
    harbour.scene.counterparty("floor", harbour.bot, FloorBuyer(harbour.seaport, harbour.ore, ETHER))
    harbour.open()
    harbour.use("wait", seconds="10")
    assert (harbour.units("user"), harbour.units(harbour.bot)) == (6, 4)


@pytest.mark.parametrize("dead", ["cancelled", "counted out", "moved", "not allowed", "over", "filled"])
def test_a_dead_order_is_left_alone(dead: str) -> None:
    harbour = Harbour()
    scene, order = harbour.scene, harbour.parameters("user", 1, ETHER)
    harbour.order("user", 1, ETHER, **({"ends": -1} if dead == "over" else {}))
    match dead:
        case "cancelled":
            scene.step("user", harbour.seaport, "cancel", ((*order[:10], 0),))
        case "counted out":
            scene.step("user", harbour.seaport, "incrementCounter")
        case "moved":
            scene.step("user", harbour.cats, "transferFrom", At("user"), At(harbour.mira), 1)
        case "not allowed":
            scene.step("user", harbour.cats, "setApprovalForAll", At(harbour.seaport), False)
        case "filled":
            zero = b"\0" * 32
            args = ((order, 1, 1, b"", b""), (), zero, At(harbour.mira))
            scene.step(harbour.mira, harbour.seaport, "fulfillAdvancedOrder", *args, value=ETHER)
    scene.counterparty("floor", harbour.bot, FloorBuyer(harbour.seaport, harbour.cats, limit=2 * ETHER))
    harbour.open()
    harbour.use("wait", seconds="600")
    assert harbour.told() == []


def test_a_falling_price_is_taken_when_it_has_come_down_to_the_limit_while_the_agent_waits() -> None:
    """From 11 to 1 ether in ten days from the start: 6 ether are reached after five days, to the second."""
    harbour = Harbour()
    harbour.order(harbour.mira, 4, (11 * ETHER, ETHER), starts=0, ends=10 * DAY)
    harbour.scene.counterparty("floor", harbour.bot, FloorBuyer(harbour.seaport, harbour.cats, limit=6 * ETHER))
    harbour.open()
    harbour.use("wait", seconds=str(9 * DAY))
    assert moved(harbour) == 5 * DAY + 12 and harbour.owner(4) == harbour.bot


def test_an_order_that_begins_later_is_taken_when_it_begins_and_a_period_is_kept() -> None:
    for period, expected in ((None, DAY + 1 + 12), (7000, 91_000 + 12)):
        harbour = Harbour()
        harbour.order(harbour.mira, 4, ETHER, starts=DAY + 1)
        floor = FloorBuyer(harbour.seaport, harbour.cats, limit=ETHER)
        harbour.scene.counterparty("floor", harbour.bot, floor, period=period)
        harbour.open()
        harbour.use("wait", seconds=str(2 * DAY))
        assert moved(harbour) == expected


def test_a_sniper_takes_an_old_order_when_its_token_is_back() -> None:
    harbour = Harbour()
    harbour.order("user", 2, ETHER // 2)
    harbour.scene.step("user", harbour.cats, "transferFrom", At("user"), At(harbour.mira), 2)
    harbour.scene.counterparty("sniper", harbour.bot, Sniper(harbour.seaport, harbour.cats, ETHER), hostile=True)
    harbour.open(controlled=(harbour.mira,))
    harbour.use("wait", seconds="60")
    given = {"account": harbour.address(harbour.mira), "to": harbour.address(harbour.cats), "function": "transferFrom"}
    harbour.use("send_transaction", **given, arguments=[harbour.address(harbour.mira), harbour.address("user"), "2"])
    ((_, place, reason),) = harbour.told()
    assert harbour.owner(2) == harbour.bot and place == "after" and "which has come alive again" in reason


@pytest.mark.parametrize("alarm", ["cancel", "incrementCounter"])
def test_a_hoarder_gets_in_front_of_cancels_and_of_a_raised_counter(alarm: str) -> None:
    harbour = Harbour()
    order = harbour.parameters("user", 2, ETHER // 2)
    harbour.order("user", 2, ETHER // 2)
    harbour.order("user", 1, 2 * ETHER)
    hoarder = Sniper(harbour.seaport, harbour.cats, ETHER, only_alarmed=True)
    harbour.scene.counterparty("hoarder", harbour.bot, hoarder, hostile=True)
    harbour.open()
    components = (*harbour.world.resolve(order)[:10], 0)
    args = [[components]] if alarm == "cancel" else []
    answer = harbour.try_send(harbour.seaport, alarm, *[plain(a) for a in args])
    assert answer["status"] == "success", answer
    assert [harbour.owner(i) for i in (1, 2)] == ["user", harbour.bot]
    ((_, place, reason),) = harbour.told()
    assert place == "ahead" and f"in front of a {alarm} that would have ended it" in reason


def plain(value: object) -> object:
    """Arguments as a model writes them."""
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return "0x" + value.hex() if isinstance(value, bytes) else str(value)


def test_a_median_is_that_of_the_sales_in_one_currency() -> None:
    harbour = Harbour()
    scene, zero = harbour.scene, b"\0" * 32
    scene.mint(harbour.cats, harbour.mira, [50, 51])
    buyer = scene.person("Buyer", ether=50)
    for token_id, price in ((50, 2 * ETHER), (51, ETHER)):
        harbour.order(harbour.mira, token_id, price, fee=ETHER // 4)
        args = (
            (harbour.parameters(harbour.mira, token_id, price, fee=ETHER // 4), 1, 1, b"", b""),
            (),
            zero,
            At(buyer),
        )
        scene.step(buyer, harbour.seaport, "fulfillAdvancedOrder", *args, value=price)
    harbour.order("user", 1, 15 * ETHER // 10)
    harbour.order("user", 2, 15 * ETHER // 10 + 1)
    sniper = Sniper(harbour.seaport, harbour.cats, ShareOfMedian(10_000, sales=2))
    scene.counterparty("sniper", harbour.bot, sniper)
    harbour.open()
    harbour.use("wait", seconds="10")
    assert [harbour.owner(i) for i in (1, 2)] == [harbour.bot, "user"]


def test_a_shy_seller_cancels_in_front_of_the_fill_or_asks_more_by_a_new_order() -> None:
    for raised, told in (
        (None, "cancelled its order 0x"),
        (15_000, "asks 1.5 ether instead of 1 ether by its order 0x"),
    ):
        harbour = Harbour()
        order = harbour.parameters(harbour.mira, 4, ETHER, fee=ETHER // 10)
        harbour.order(harbour.mira, 4, ETHER, fee=ETHER // 10)
        shy = ShySeller(harbour.seaport, harbour.cats, raised=raised)
        harbour.scene.counterparty("shy", harbour.mira, shy, most=1)
        harbour.open()
        advanced = (harbour.world.resolve(order), 1, 1, b"", b"")
        fill = ("fulfillAdvancedOrder", plain(advanced), [], plain(b"\0" * 32), harbour.address("user"))
        answer = harbour.try_send(harbour.seaport, *fill, value=ETHER)
        assert answer["status"] == "reverted" and "OrderIsCancelled" in str(answer["reason"])
        ((_, place, reason),) = harbour.told()
        assert place == "ahead" and reason.startswith(told)
        if raised is not None:
            dearer = harbour.parameters(harbour.mira, 4, 15 * ETHER // 10, fee=15 * ETHER // 100, salt=5)
            again = ("fulfillAdvancedOrder", plain((harbour.world.resolve(dearer), 1, 1, b"", b"")), *fill[2:])
            assert harbour.try_send(harbour.seaport, *again, value=15 * ETHER // 10)["status"] == "success"
            assert harbour.owner(4) == "user"


def line(start: int, end: int, length: int, recipient: str | None) -> Order:
    item = Item(0, ZERO_ADDRESS, 0, start, end, recipient)
    items = ((item,), ()) if recipient is None else ((), (item,))
    return Order(ZERO_ADDRESS, ZERO_ADDRESS, *items, 0, 1000, 1000 + length, bytes(32), 0, bytes(32), 0)


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(0, 99), st.integers(1, 60), st.integers(0, 99), st.integers(900, 1070))
def test_the_moment_at_which_a_price_comes_down_is_the_first_one_by_trying_all(
    start: int, end: int, length: int, limit: int, after: int
) -> None:
    order = line(start, end, length, ZERO_ADDRESS)
    cheap = [
        t
        for t in range(max(1000, after + 1), 1000 + length)
        if -(-(start * (1000 + length - t) + end * (t - 1000)) // length) <= limit
    ]
    found = order.falls_to(limit, after)
    assert found == (cheap[0] if cheap else None)


def bid(harbour: Harbour, who: str, amount: int, token_id: int | None = None, salt: int = 900) -> None:
    """Coins of somebody's for a cat, or for any; validated before the start."""
    kind, identifier = (4, 0) if token_id is None else (2, token_id)
    start, zero = harbour.scene.start, b"\0" * 32
    offer, asked = (1, At(harbour.gold), 0, amount, amount), (kind, At(harbour.cats), identifier, 1, 1, At(who))
    times = (start - 40 * DAY, start + 30 * DAY)
    order = (At(who), At("nobody"), (offer,), (asked,), 0, *times, zero, salt, zero, 1)
    harbour.scene.step(who, harbour.seaport, "validate", ((order, b""),))


def bidders(*terms: tuple[str, int, int], token_id: int | None = 4, opening: int = 0) -> Harbour:
    """A harbour with people who have 500 coins each and bid up to a limit, with a step."""
    harbour = Harbour()
    scene = harbour.scene
    scene.step(harbour.mira, harbour.gold, "approve", At(harbour.seaport), 1000)
    scene.step("team", harbour.gold, "mint", At(harbour.mira), 100)
    for name, limit, step in terms:
        handle = scene.person(name)
        scene.step("team", harbour.gold, "mint", At(handle), 500)
        policy = OfferBidder(harbour.seaport, harbour.cats, harbour.gold, limit, step, token_id, opening)
        scene.counterparty(name, handle, policy)
    return harbour


def best(harbour: Harbour) -> list[tuple[str, int]]:
    """The bids that stand and are covered, by who made them, the highest first."""
    party = harbour.world.fixture.counterparties[0]
    sight = Sight(harbour.world, party, Memory())
    market = market_of("Seaport")
    found = market.bids(sight, harbour.address(harbour.seaport), harbour.address(harbour.cats))
    return sorted(((harbour.world.names[b.bidder], b.amount) for b in found if b.covered), key=lambda row: -row[1])


def test_an_offer_bidder_outbids_what_is_covered_and_the_agent_can_sell_to_it() -> None:
    """Mira bids 90, which she has; another bid of 300 is not covered. The agent's #1 goes to the best, any token being wanted."""
    harbour = bidders(("Ann", 200, 10), token_id=None)
    bid(harbour, harbour.mira, 90)
    bid(harbour, harbour.mira, 300, salt=901)
    harbour.open()
    harbour.use("wait", seconds="10")
    assert best(harbour) == [("ann", 100), ("mira", 90)]
    assert harbour.told() == [("Ann", "after", "bid 100 units of test_gold over 90 of mira: within its limit of 200")]
    (log,) = [log for r in harbour.desk.stage.moves[0].receipts for log in r.logs if len(log.topics) == 1]
    event = harbour.world.interfaces[log.address].decode_log(log)
    assert event is not None
    advanced = (event.arguments["orderParameters"], 1, 1, b"", b"")
    args = [plain(advanced), plain(((0, 1, 0, 1, ()),)), plain(b"\0" * 32), harbour.address("user")]
    assert harbour.try_send(harbour.seaport, "fulfillAdvancedOrder", *args)["status"] == "success"
    assert harbour.owner(1) == "ann" and harbour.world.read(Reading(harbour.gold, "balanceOf", (At("user"),))) == 1100


@pytest.mark.parametrize(("limit", "told"), [(100, 1), (99, 0)])
def test_an_offer_bidders_limit_is_inclusive(limit: int, told: int) -> None:
    harbour = bidders(("Ann", limit, 10))
    bid(harbour, harbour.mira, 90, token_id=4)
    bid(harbour, harbour.mira, 95, token_id=5, salt=901)
    harbour.open()
    harbour.use("wait", seconds="10")
    assert len(harbour.told()) == told


def test_two_offer_bidders_go_up_in_turn_and_take_their_old_bids_back() -> None:
    """Both open with 50, Ann first; by tens Bea reaches 120 where Ann, at 110, could bid 130 no more."""
    harbour = bidders(("Ann", 125, 10), ("Bea", 300, 10), opening=50)
    harbour.open()
    harbour.use("wait", seconds="3600")
    assert best(harbour) == [("bea", 120), ("ann", 110)]
    assert [amount.split()[1] for _, _, amount in harbour.told()] == [str(n) for n in range(50, 121, 10)]


def test_a_shy_seller_minds_a_bid_for_its_token_once() -> None:
    for token_id, told in ((4, 1), (None, 1), (5, 0)):
        harbour = bidders(("Ann", 125, 10))
        harbour.order(harbour.mira, 4, ETHER)
        bid(harbour, "ann", 50, token_id=token_id)
        shy = ShySeller(harbour.seaport, harbour.cats, signs=("bid",), raised=20_000)
        harbour.scene.counterparty("shy", harbour.mira, shy)
        harbour.open()
        for _ in range(3):
            harbour.use("wait", seconds="600")
        told_by_shy = [reason for actor, _, reason in harbour.told() if actor == "shy"]
        assert len(told_by_shy) == told
        if told:
            assert (
                "asks 2 ether instead of 1 ether" in told_by_shy[0]
                and "ann bids 50 units of test_gold" in told_by_shy[0]
            )
