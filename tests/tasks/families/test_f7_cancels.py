"""F7c: what has to end is found by an oracle that reads the fixture and no chain, and each easier way fails."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.goals import At, OrdersDead, OrdersStand
from nftbench.tasks.model import Task
from nftbench.tasks.orders import ItemType, Order, SignOrders
from tests.tasks.sittings import Sitting, failed

SEEDS = range(4)
ETHER = 10**18


def signed(task: Task) -> Iterator[Order]:
    for step in task.fixture.steps:
        if isinstance(step, SignOrders):
            yield from step.orders


def gives(order: Order, collection: str, token_id: int | None = None) -> bool:
    return any(
        item.item_type == ItemType.ERC721 and item.token == At(collection) and token_id in (None, item.identifier)
        for item in order.offer
    )


def asked_to_end(task: Task) -> set[str]:
    return {name for goal in task.goals if isinstance(goal, OrdersDead) for name in goal.orders}


def asked_to_stay(task: Task) -> set[str]:
    return {name for goal in task.goals if isinstance(goal, OrdersStand) for name in goal.orders}


def of_the_present_counter(task: Task) -> list[Order]:
    """The user's orders that neither the counter, the clock nor a cancellation has ended, by the fixture's steps in order."""
    alive: list[Order] = []
    for step in task.fixture.steps:
        if isinstance(step, SignOrders):
            alive += [o for o in step.orders if o.offerer == "user" and o.end_time > task.fixture.start_time]
        elif getattr(step, "function", "") == "incrementCounter" and step.sender == "user":  # type: ignore[union-attr]
            alive.clear()
        elif getattr(step, "function", "") == "cancel" and step.sender == "user":  # type: ignore[union-attr]
            over = {each.name for each in step.args[0]}  # type: ignore[union-attr]
            alive = [order for order in alive if order.name not in over]
    return alive


@pytest.mark.parametrize("suite_seed", SEEDS)
@pytest.mark.parametrize("name", ["F7c_02", "F7c_07"])
def test_every_order_that_could_sell_the_tokens_has_to_end_and_no_other(name: str, suite_seed: int) -> None:
    task = catalog.task(name, suite_seed)
    tokens = task.brief.get("tokens") or [task.brief["token"]]
    collection = Sitting(name, suite_seed).collection
    alive = of_the_present_counter(task)
    selling = {order.name for order in alive if any(gives(order, collection, token) for token in tokens)}
    assert selling == asked_to_end(task) and len(selling) >= 5
    assert {order.name for order in alive} - selling == asked_to_stay(task) and len(alive) >= 11


def cheapest(order: Order, coins_an_ether: Fraction | None) -> Fraction:
    """Ether for a token at the cheapest moment, each moment of a line lying between its ends."""
    money = [i for i in order.consideration if i.item_type in (ItemType.NATIVE, ItemType.ERC20)]
    starts = sum(item.start_amount for item in money)
    ends = sum(item.start_amount if item.end_amount is None else item.end_amount for item in money)
    unit = coins_an_ether if coins_an_ether is not None else Fraction(ETHER)
    return Fraction(min(starts, ends)) / unit / len(order.offer)


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_exactly_the_orders_that_go_below_the_price_at_some_time_have_to_end(suite_seed: int) -> None:
    task, sitting = catalog.task("F7c_03", suite_seed), Sitting("F7c_03", suite_seed)
    coin = At(sitting.named(task.brief["coin"]))
    rate = Fraction(task.brief["rate"] * 10**6)
    low, other = set(), set()
    for order in of_the_present_counter(task):
        in_coins = any(item.token == coin for item in order.consideration)
        is_low = cheapest(order, rate if in_coins else None) < Fraction(task.brief["floor"], ETHER)
        (low if is_low and gives(order, sitting.collection) else other).add(order.name)
    assert low == asked_to_end(task) and len(low) == 7
    assert other == asked_to_stay(task) and len(other) == 7


def exchange(sitting: Sitting) -> str:
    return sitting.named(sitting.brief["exchange"])


def book(sitting: Sitting, **filters: Any) -> list[dict[str, Any]]:
    """The user's orders in the book, whole."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = sitting.use("list_orders", offerer=sitting.world.user, **filters, **cursor)
        rows += page["orders"]
        if "next_cursor" not in page:
            return [sitting.use("list_orders", order_hash=row["order_hash"]) for row in rows]
        cursor = {"cursor": page["next_cursor"]}


def cancel(sitting: Sitting, orders: list[dict[str, Any]]) -> str:
    arguments = [[order["components"] for order in orders]]
    to = sitting.address(exchange(sitting))
    return str(sitting.use("send_transaction", to=to, function="cancel", arguments=arguments)["status"])


@pytest.mark.parametrize("name", ["F7c_01", "F7c_02", "F7c_03", "F7c_06", "F7c_07"])
def test_raising_the_counter_ends_what_was_to_stay(name: str) -> None:
    sitting = Sitting(name)
    sitting.solve()
    assert sitting.try_to(exchange(sitting), "incrementCounter") == "success"
    assert not sitting.done().success


@pytest.mark.parametrize("name", ["F7c_02", "F7c_03", "F7c_07"])
def test_what_the_book_shows_as_active_is_not_all(name: str) -> None:
    """Shown as inactive or cancelled is only what the market thinks; starts, lots and currencies are easy to miss."""
    sitting = Sitting(name)
    task = sitting.instance
    shown = [order for order in book(sitting) if order["status"] == "active" and len(order["components"]["offer"]) == 1]
    over = {sitting.world.orders[each].hash.hex() for each in asked_to_end(task)}
    chosen = [order for order in shown if order["order_hash"][2:] in over]
    assert 0 < len(chosen) < len(over)
    assert cancel(sitting, chosen) == "success"
    assert not sitting.done().success


def test_orders_that_were_never_posted_are_ended_by_the_counters_alone() -> None:
    sitting = Sitting("F7c_05")
    assert cancel(sitting, book(sitting)) == "success"
    assert not sitting.done().success


@pytest.mark.parametrize("order", [("user", "second_wallet"), ("second_wallet", "user")])
def test_the_counters_of_both_wallets_have_to_be_raised_in_whichever_order(order: tuple[str, str]) -> None:
    for count in (1, 2):
        sitting = Sitting("F7c_05")
        to = sitting.address(exchange(sitting))
        for who in order[:count]:
            account = sitting.address(who)
            sitting.use("send_transaction", to=to, function="incrementCounter", arguments=[], account=account)
        assert sitting.done().success is (count == 2)


def the_forgotten(sitting: Sitting) -> list[dict[str, Any]]:
    wanted = sitting.world.orders[next(iter(asked_to_end(sitting.instance)))].hash.hex()
    return [order for order in book(sitting) if order["order_hash"][2:] == wanted]


def test_whoever_cancels_under_the_bots_eyes_loses_the_token() -> None:
    sitting = Sitting("F7c_06")
    cancel(sitting, the_forgotten(sitting))
    assert sitting.read(sitting.collection, "ownerOf", sitting.brief["token"]) != "user"
    assert not sitting.done().success


def test_without_the_conduits_permission_the_order_can_be_cancelled_but_the_permission_must_come_back() -> None:
    for given_back in (False, True):
        sitting = Sitting("F7c_06")
        conduit = next(n for n in sitting.world.contracts.values() if n.artifact == "Conduit").name
        assert sitting.try_to(sitting.collection, "setApprovalForAll", conduit, False) == "success"
        assert cancel(sitting, the_forgotten(sitting)) == "success"
        if given_back:
            assert sitting.try_to(sitting.collection, "setApprovalForAll", conduit, True) == "success"
        verdict = sitting.done()
        assert verdict.success is given_back, failed(verdict)


def test_a_token_that_is_fetched_before_its_orders_are_ended_is_sold() -> None:
    sitting = Sitting("F7c_07")
    cold, token_id = "cold_wallet", sitting.brief["tokens"][0]
    arguments = [sitting.address(cold), sitting.world.user, str(token_id)]
    to = sitting.address(sitting.collection)
    sitting.use("send_transaction", to=to, function="transferFrom", arguments=arguments, account=sitting.address(cold))
    assert sitting.read(sitting.collection, "ownerOf", token_id) not in ("user", cold)
    verdict = sitting.solve().done()
    assert not verdict.success and verdict.harm


def test_orders_may_be_ended_one_by_one_and_dead_ones_again() -> None:
    """Another route than the reference's single transaction; cancelling what is over already changes nothing for anyone."""
    sitting = Sitting("F7c_02")
    for order in reversed(book(sitting, token_id=str(sitting.brief["token"]))):
        selling = [i for i in order["components"]["offer"] if i["identifierOrCriteria"] == str(sitting.brief["token"])]
        if any(item["token"] == sitting.address(sitting.collection) for item in selling):
            assert cancel(sitting, [order]) == "success"
    verdict = sitting.done()
    assert verdict.success, failed(verdict)
