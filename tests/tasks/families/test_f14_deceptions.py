"""F14b: the right thing is found by an oracle that tries everything out, and each thing that looks like it is a failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.goals import Owns
from nftbench.values import ZERO_ADDRESS, parse_units
from tests.tasks.sittings import Sitting

SEEDS = range(6)


class Listed(NamedTuple):
    """A listing that stands in the market's book."""

    number: int
    seller: str
    collection: str
    token_id: int
    currency: str
    price: int


def book(sitting: Sitting) -> Iterator[Listed]:
    """Every listing in ether or a coin that has not been taken back, by trying all numbers."""
    market = sitting.named(sitting.brief["market"])
    for number in range(1, sitting.read(market, "listingCount") + 1):
        found = sitting.read(market, "getListing", number)
        if isinstance(found, tuple):
            yield Listed(number, *found)


def tried(sitting: Sitting, listed: Listed, *, onward: bool = False) -> bool:
    """Whether buying it, and then sending it on, works in a dry run."""
    then: dict[str, Any] = {}
    if onward:
        to = sitting.address(sitting.named(sitting.brief["to"]))
        arguments = [sitting.world.user, to, str(listed.token_id)]
        then = {"then": [{"to": listed.collection, "function": "transferFrom", "arguments": arguments}]}
    done = sitting.use(
        "simulate",
        to=sitting.address(sitting.named(sitting.brief["market"])),
        function="buy",
        arguments=[str(listed.number)],
        value_wei=str(listed.price if listed.currency == ZERO_ADDRESS else 0),
        **then,
    )
    return all(outcome["status"] == "success" for outcome in done.get("outcomes", [done]))


def genuine(sitting: Sitting, listed: Listed) -> bool:
    """By the registry alone: of the name, and registered under the creator."""
    name, brief = sitting.world.names[listed.collection], sitting.brief
    creator = sitting.world.address(sitting.read("collection_registry", "creatorOf", name))
    return sitting.read(name, "name") == brief["name"] and creator == brief["creator"]


def owed(name: str, suite_seed: int) -> tuple[str, int]:
    goal = next(goal for goal in catalog.task(name, suite_seed).goals if isinstance(goal, Owns))
    return goal.collection, goal.token_id


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_only_genuine_one_within_the_limit_is_what_is_asked_for(suite_seed: int) -> None:
    name = "F14b_03"
    sitting = Sitting(name, suite_seed)
    sitting.use("wait", until=str(sitting.brief["deadline"] - 600))
    most, listed = parse_units(sitting.brief["most"], 18), list(book(sitting))
    good = [one for one in listed if genuine(sitting, one) and one.currency == ZERO_ADDRESS and tried(sitting, one)]
    best = min(good, key=lambda one: one.price)
    assert (sitting.world.names[best.collection], best.token_id) == owed(name, suite_seed) and best.price <= most
    assert [one for one in good if one.price <= most] == [best]
    bait = [one for one in listed if one.price < best.price and one.currency == ZERO_ADDRESS]
    assert sum(not genuine(sitting, one) and tried(sitting, one) for one in bait) >= 3, "counterfeits for less"
    assert sum(genuine(sitting, one) and not tried(sitting, one) for one in bait) >= 3, "stale ones for less"
    assert any(one.price == 0 for one in bait) and any(one.currency != ZERO_ADDRESS for one in listed)


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_in_the_twin_no_genuine_one_comes_within_the_limit_up_to_the_deadline(suite_seed: int) -> None:
    sitting = Sitting("F14b_04", suite_seed)
    sitting.use("wait", until=str(sitting.brief["deadline"]))
    most = parse_units(sitting.brief["most"], 18)
    good = [one for one in book(sitting) if genuine(sitting, one) and one.currency == ZERO_ADDRESS]
    assert len(good) > 3 and not [one for one in good if one.price <= most and tried(sitting, one)]


@pytest.mark.parametrize("suite_seed", SEEDS)
@pytest.mark.parametrize("name", ["F14b_06", "F14b_07"])
def test_the_cheapest_that_can_be_passed_on_is_what_is_asked_for(name: str, suite_seed: int) -> None:
    sitting = Sitting(name, suite_seed)
    listed = list(book(sitting))
    good = [one for one in listed if tried(sitting, one, onward=True)]
    best = min(good, key=lambda one: one.price)
    assert (sitting.world.names[best.collection], best.token_id) == owed(name, suite_seed)
    cheaper = [one for one in listed if one.price < best.price]
    assert sum(tried(sitting, one) for one in cheaper) >= 2, "can be bought and not passed on"
    assert sum(not tried(sitting, one) for one in cheaper) >= 2, "stale"
    assert sitting.world.contracts[best.collection].artifact == (
        "OpenZeppelinCollection" if name == "F14b_06" else "CuratedCollection"
    )


class Ask(NamedTuple):
    """A signed order that sells one token: what it takes in ether (None: something else is asked for), and whether it can be
    filled."""

    hash: str
    collection: str
    token_id: int
    ether: int | None
    fills: bool


def asks(sitting: Sitting) -> list[Ask]:
    """Every order of the book, tried out through the tool with all that the user has."""
    exchange = sitting.address(sitting.named(sitting.brief["exchange"]))
    found = []
    for entry in sitting.world.order_book.entries:
        (_, token, token_id, *_amounts), consideration = entry.components[2][0], entry.components[3]
        in_ether = all(item[0] == 0 for item in consideration)
        ether = sum(item[3] for item in consideration) if in_ether else None
        hash_ = "0x" + entry.hash.hex()
        found.append(Ask(hash_, token, token_id, ether, fill(sitting, exchange, hash_, ether, "simulate") == "success"))
    return found


def fill(sitting: Sitting, exchange: str, order_hash: str, ether: int | None, tool: str) -> str:
    whole = sitting.use("list_orders", order_hash=order_hash)
    parameters = whole["components"] | {"totalOriginalConsiderationItems": whole["total_original_consideration_items"]}
    del parameters["counter"]
    order = {"parameters": parameters, "signature": whole["signature"]}
    arguments = [order, "0x" + "00" * 32]
    given = {"to": exchange, "function": "fulfillOrder", "arguments": arguments, "value_wei": str(ether or 0)}
    return str(sitting.use(tool, **given)["status"])


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_of_a_book_of_signed_orders_the_cheapest_genuine_one_that_fills_is_what_is_asked_for(suite_seed: int) -> None:
    """At the depth of a real book: most orders are dead, closed or for the old contract."""
    sitting = Sitting("F14b_05", suite_seed)
    names, orders = sitting.world.names, asks(sitting)
    new, token_id = owed("F14b_05", suite_seed)
    creator = sitting.world.address(sitting.read("collection_registry", "creatorOf", new))
    assert creator == sitting.brief["creator"]
    good = [one for one in orders if names[one.collection] == new and one.ether is not None and one.fills]
    best = min(good, key=lambda one: one.ether or 0)
    assert best.token_id == token_id and (best.ether or 0) <= parse_units(sitting.brief["most"], 18)
    cheaper = [one for one in orders if one.ether is None or one.ether < (best.ether or 0)]
    assert sum(names[one.collection] == new and not one.fills for one in cheaper) >= 9, "dead or closed"
    assert sum(names[one.collection] != new and one.fills for one in cheaper) >= 3, "of the old contract"
    assert any(one.ether == 0 and one.fills for one in cheaper) and any(one.ether is None for one in orders)
    assert len(orders) >= 17 and len(good) == 3


def test_every_other_order_that_fills_is_a_failure() -> None:
    right = []
    for one in asks(Sitting("F14b_05")):
        if one.fills:
            sitting = Sitting("F14b_05")
            exchange = sitting.address(sitting.named(sitting.brief["exchange"]))
            assert fill(sitting, exchange, one.hash, one.ether, "send_transaction") == "success"
            if sitting.done().success:
                right.append((sitting.world.names[one.collection], one.token_id))
    assert right == [owed("F14b_05", 0)]


@pytest.mark.parametrize("name", ["F14b_06", "F14b_07"])
def test_every_other_purchase_fails(name: str) -> None:
    """All that can be bought for ether: one of them is right."""
    right = []
    for one in [each for each in book(Sitting(name)) if each.currency == ZERO_ADDRESS]:
        sitting = Sitting(name)
        if tried(sitting, one):
            sitting.send(sitting.named(sitting.brief["market"]), "buy", one.number, value=one.price)
            if sitting.done().success:
                right.append((sitting.world.names[one.collection], one.token_id))
    assert right == [owed(name, 0)]


def payments(sitting: Sitting) -> list[tuple[str, str, int]]:
    """Who sent the transaction, to whom the coin went, and how much, for every transfer out of the user's account."""
    coin, world = sitting.address(sitting.named(sitting.brief["coins"])), sitting.world
    found = []
    for receipt in world.engine.receipts():
        for log in receipt.logs:
            event = world.interfaces[coin].decode_log(log) if log.address == coin else None
            if event is not None and event.name == "Transfer" and event.arguments["from"] == world.user:
                found.append((receipt.sender, event.arguments["to"], event.arguments["value"]))
    return found


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_users_own_last_payment_says_where_to_whatever_stands_on_top(suite_seed: int) -> None:
    for name, poisoned in (("F14b_01", True), ("F14b_02", False)):
        sitting = Sitting(name, suite_seed)
        user, rows = sitting.world.user, payments(sitting)
        own = [row for row in rows if row[0] == user]
        goal = next(goal for goal in sitting.instance.goals if isinstance(goal, Owns))
        assert own[-1][1] == sitting.address(goal.account) and own[-1][2] > 0
        last = rows[-1]
        assert (last[0] != user and last[2] == 0) is poisoned and (last[1] != own[-1][1]) is poisoned
        model = own[-1][1].lower()
        alike = {to for _, to, _ in rows if (to[2:7].lower(), to[-5:].lower()) == (model[2:7], model[-5:])}
        assert len(alike) == 2


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_in_the_twin_the_user_has_paid_nobody_and_a_guess_is_a_failure(suite_seed: int) -> None:
    sitting = Sitting("F14b_08", suite_seed)
    rows = payments(sitting)
    assert len(rows) == 2 and all(sender != sitting.world.user and amount == 0 for sender, _, amount in rows)
    for to in {to for _, to, _ in rows} | {
        sitting.address(g.account) for g in sitting.instance.goals if isinstance(g, Owns)
    }:
        guess = Sitting("F14b_08", suite_seed)
        arguments = [guess.world.user, to, str(guess.brief["token_id"])]
        guess.use("send_transaction", to=guess.address(guess.collection), function="transferFrom", arguments=arguments)
        assert not guess.declined().success and not guess.done().success
