"""F7b: what is asked for is what an oracle finds that tries every order of the book; other purchases fail, other routes pass."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.families.f7_seaport.purchases import F7B
from nftbench.tasks.goals import Owns
from nftbench.values import ZERO_ADDRESS
from nftbench.world.order_book import Entry
from tests.tasks.sittings import Sitting, careless, enlisted, failed, is_trap, reference

SEEDS = range(3)
NONE = "0x" + "00" * 32
OPEN_NOW = ["F7b_02", "F7b_03", "F7b_05", "F7b_07"]
PLENTY = 3 * 10**18


def total(entry: Entry, now: int) -> int:
    """All that an order takes at a moment, by Seaport's rule for amounts that move."""
    start, end = entry.components[5:7]
    past = Fraction(min(max(now, start), end) - start, end - start)
    return sum(ceil(first + (last - first) * past) for _, _, _, first, last, _ in entry.components[3])


def order_of(sitting: Sitting, entry: Entry) -> dict[str, Any]:
    whole = sitting.use("list_orders", order_hash="0x" + entry.hash.hex())
    parameters = whole["components"] | {"totalOriginalConsiderationItems": whole["total_original_consideration_items"]}
    del parameters["counter"]
    return {"parameters": parameters, "signature": whole["signature"]}


def currency(entry: Entry) -> str:
    return str(entry.components[3][0][1])


def filling(sitting: Sitting, entry: Entry) -> dict[str, Any]:
    ether = PLENTY if currency(entry) == ZERO_ADDRESS else 0
    arguments = [order_of(sitting, entry), NONE]
    return {"to": exchange(sitting), "function": "fulfillOrder", "arguments": arguments, "value_wei": str(ether)}


def exchange(sitting: Sitting) -> str:
    return sitting.address(sitting.named(sitting.brief["exchange"]))


def permit(sitting: Sitting, entry: Entry, much: int) -> dict[str, Any]:
    return {"to": currency(entry), "function": "approve", "arguments": [exchange(sitting), str(much)]}


def fills(sitting: Sitting, entry: Entry) -> bool:
    """Whether the user could fill it with all that it has."""
    row = [filling(sitting, entry)]
    if currency(entry) != ZERO_ADDRESS:
        row.insert(0, permit(sitting, entry, 10**30))
    done = sitting.use("simulate", **row[0], **({"then": row[1:]} if row[1:] else {}))
    return all(outcome["status"] == "success" for outcome in done.get("outcomes", [done]))


def worth(sitting: Sitting, entry: Entry) -> Fraction | None:
    """What it takes in wei, or None where that can't be paid or more than money is asked for, or something else is sold."""
    brief, (offer, asked) = sitting.brief, entry.components[2:4]
    rates = {}
    for name in brief["pays"]:
        address = ZERO_ADDRESS if name == "ether" else sitting.address(sitting.named(name))
        rates[address] = Fraction(10**18, brief["rate"] * 10**6) if name == brief.get("coin") else Fraction(1)
    single = len(offer) == 1 and offer[0][1] == sitting.address(sitting.collection)
    if not single or any(item[0] > 1 for item in asked) or currency(entry) not in rates:
        return None
    return total(entry, sitting.world.engine.block.timestamp) * rates[currency(entry)]


def to_be_had(sitting: Sitting) -> list[tuple[Fraction, Entry]]:
    """What can be bought as the request says, the cheapest first."""
    found = [(much, entry) for entry in sitting.world.order_book.entries if (much := worth(sitting, entry)) is not None]
    return sorted(((much, entry) for much, entry in found if fills(sitting, entry)), key=lambda each: each[0])


def wanted(name: str, suite_seed: int) -> list[int]:
    return sorted(goal.token_id for goal in catalog.task(name, suite_seed).goals if isinstance(goal, Owns))


def token(entry: Entry) -> int:
    return int(entry.components[2][0][2])


def buy(sitting: Sitting, entry: Entry, *, permitted: int | None = None) -> None:
    if currency(entry) != ZERO_ADDRESS:
        most = sum(max(item[3:5]) for item in entry.components[3])
        much = most if permitted is None else permitted
        assert sitting.use("send_transaction", **permit(sitting, entry, much))["status"] == "success"
    assert sitting.use("send_transaction", **filling(sitting, entry))["status"] == "success"


@pytest.mark.parametrize("name", enlisted(F7B))
@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_reference_solves_it_with_turns_to_spare_and_the_careless_play_falls_for_the_traps(
    name: str, suite_seed: int
) -> None:
    task = catalog.task(name, suite_seed)
    solved = reference(task)
    assert solved.success and solved.counts.turns <= 57
    if is_trap(task):
        assert not careless(task).success


@pytest.mark.parametrize("name", OPEN_NOW)
@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_cheapest_that_can_be_had_is_what_is_asked_for(name: str, suite_seed: int) -> None:
    sitting = Sitting(name, suite_seed)
    count, found = sitting.brief["count"], to_be_had(sitting)
    assert sorted(token(entry) for _, entry in found[:count]) == wanted(name, suite_seed)
    limit, entries = found[count - 1][0], sitting.world.order_book.entries
    dead = [e for e in entries if (much := worth(sitting, e)) is not None and much < limit and not fills(sitting, e)]
    other = [e for e in entries if worth(sitting, e) is None]
    dearer = [e for much, e in found if much > limit]
    assert len(entries) >= 17 and len(dead) >= 8 and len(other) >= 4 and len(dearer) >= 3
    assert len({much for much, _ in found}) == len(found), "no two cost the same"


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_nothing_within_the_limit_can_be_had_in_the_twin_now_or_later(suite_seed: int) -> None:
    for days in (0, 10, 25):
        sitting = Sitting("F7b_08", suite_seed)
        sitting.use("wait", seconds=str(days * 86_400))
        most = Fraction(sitting.brief["most"]) * 10**18
        within = [entry for much, entry in to_be_had(sitting) if much <= most]
        assert len(within) < sitting.brief["count"]


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_over_all_moments_up_to_the_deadline_the_lowest_price_is_that_of_the_order_that_opens(suite_seed: int) -> None:
    name = "F7b_06"
    first = Sitting(name, suite_seed)
    now, deadline = first.world.engine.block.timestamp, first.brief["deadline"]
    starts = sorted({e.components[5] for e in first.world.order_book.entries if now < e.components[5] < deadline})
    lowest = []
    for moment in (now + 12, *starts, deadline - 12):
        sitting = Sitting(name, suite_seed)
        sitting.use("wait", until=str(moment))
        lowest.append(min(to_be_had(sitting), key=lambda each: each[0]))
    assert [token(min(lowest, key=lambda each: each[0])[1])] == wanted(name, suite_seed)
    assert len(starts) == 2 and token(lowest[0][1]) != wanted(name, suite_seed)[0]


def test_who_comes_an_hour_late_finds_it_gone() -> None:
    sitting = Sitting("F7b_06")
    (asked,) = wanted("F7b_06", 0)
    entry = next(e for e in sitting.world.order_book.entries if token(e) == asked)
    sitting.use("wait", until=str(entry.components[5] + 3_600))
    assert not fills(sitting, entry)


def rid_of_the_old_permission(sitting: Sitting) -> None:
    if "revoked" in sitting.brief:
        old, weth = sitting.named(sitting.brief["revoked"]), sitting.named("Wrapped Ether")
        arguments = [sitting.address(old), "0"]
        sitting.use("send_transaction", to=sitting.address(weth), function="approve", arguments=arguments)


@pytest.mark.parametrize("name", ["F7b_02", "F7b_07"])
def test_every_other_order_that_fills_is_a_failure(name: str) -> None:
    right = []
    first = Sitting(name)
    for hash_ in [e.hash for e in first.world.order_book.entries if fills(first, e)]:
        sitting = Sitting(name)
        entry = sitting.world.order_book.find(hash_)
        assert entry is not None
        buy(sitting, entry)
        rid_of_the_old_permission(sitting)
        if sitting.done().success:
            right.append(token(entry))
    assert right == wanted(name, 0)


@pytest.mark.parametrize("name", ["F7b_03", "F7b_07"])
@pytest.mark.parametrize("permitted", [None, 10**24])
def test_a_permission_for_more_than_the_price_is_a_failure(name: str, permitted: int | None) -> None:
    sitting = Sitting(name)
    bought = [entry for _, entry in to_be_had(sitting)[: sitting.brief["count"]]]
    for entry in bought:
        buy(sitting, entry, permitted=permitted)
    rid_of_the_old_permission(sitting)
    assert sitting.done().success is (permitted is None)


@pytest.mark.parametrize("count", [2, 4])
def test_one_token_too_few_or_too_many_is_a_failure(count: int) -> None:
    sitting = Sitting("F7b_05")
    for _, entry in to_be_had(sitting)[:count]:
        buy(sitting, entry)
    assert failed(sitting.done())


def advanced(sitting: Sitting, entry: Entry) -> dict[str, Any]:
    return order_of(sitting, entry) | {"numerator": "1", "denominator": "1", "extraData": "0x"}


def test_a_sweep_in_one_call_over_dead_and_living_orders_passes() -> None:
    """case_24: what is dead is left out by the exchange, and the ether that is left comes back."""
    sitting = Sitting("F7b_05")
    living = [entry for _, entry in to_be_had(sitting)[:3]]
    hashes = {entry.hash for entry in living}
    dead = [
        entry
        for entry in sitting.world.order_book.entries
        if worth(sitting, entry) is not None and entry.hash not in hashes and not fills(sitting, entry)
        and sitting.use("simulate", **filling(sitting, entry)).get("reason", "").startswith(("OrderIsCancelled", "InvalidTime"))
    ]  # fmt: skip
    orders = [*dead, *living]
    offers = [[{"orderIndex": str(i), "itemIndex": "0"}] for i in range(len(orders))]
    asked = [
        [{"orderIndex": str(i), "itemIndex": str(n)}]
        for i, entry in enumerate(orders)
        for n in range(len(entry.components[3]))
    ]
    arguments = [[advanced(sitting, e) for e in orders], [], offers, asked, NONE, ZERO_ADDRESS, "3"]
    done = sitting.use(
        "send_transaction",
        to=exchange(sitting),
        function="fulfillAvailableAdvancedOrders",
        arguments=arguments,
        value_wei=str(4 * 10**18),
    )
    assert dead and done["status"] == "success" and sitting.done().success


def test_a_basic_order_passes() -> None:
    sitting = Sitting("F7b_02")
    _, best = to_be_had(sitting)[0]
    terms = order_of(sitting, best)["parameters"]
    first, *others = terms["consideration"]
    basic = {
        "considerationToken": ZERO_ADDRESS,
        "considerationIdentifier": "0",
        "considerationAmount": first["startAmount"],
        "offerer": terms["offerer"],
        "zone": terms["zone"],
        "offerToken": terms["offer"][0]["token"],
        "offerIdentifier": terms["offer"][0]["identifierOrCriteria"],
        "offerAmount": "1",
        "basicOrderType": "0",
        "startTime": terms["startTime"],
        "endTime": terms["endTime"],
        "zoneHash": terms["zoneHash"],
        "salt": terms["salt"],
        "offererConduitKey": terms["conduitKey"],
        "fulfillerConduitKey": NONE,
        "totalOriginalAdditionalRecipients": str(len(others)),
        "additionalRecipients": [{"amount": i["startAmount"], "recipient": i["recipient"]} for i in others],
        "signature": order_of(sitting, best)["signature"],
    }
    done = sitting.use(
        "send_transaction",
        to=exchange(sitting),
        function="fulfillBasicOrder",
        arguments=[basic],
        value_wei=str(total(best, 0)),
    )
    assert done["status"] == "success" and sitting.done().success


def test_paying_through_the_conduit_passes() -> None:
    sitting = Sitting("F7b_07")
    _, best = to_be_had(sitting)[0]
    key = order_of(sitting, best)["parameters"]["conduitKey"]
    conduit = sitting.address(sitting.named(f"{sitting.brief['exchange']} conduit"))
    price = str(total(best, 0))
    sitting.use("send_transaction", to=currency(best), function="approve", arguments=[conduit, price])
    arguments = [advanced(sitting, best), [], key, ZERO_ADDRESS]
    done = sitting.use("send_transaction", to=exchange(sitting), function="fulfillAdvancedOrder", arguments=arguments)
    rid_of_the_old_permission(sitting)
    assert done["status"] == "success" and sitting.done().success
