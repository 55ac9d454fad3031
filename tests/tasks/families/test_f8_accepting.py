"""F8b: an oracle that fills every bid of the book finds the best one, and what the book shows as the highest is not it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.families.f8_offers.accepting import F8B
from tests.tasks.families.f8_books import bids, holdings
from tests.tasks.sittings import Sitting, careless, enlisted, failed, is_trap, reference


@pytest.mark.parametrize("name", enlisted(F8B))
def test_the_reference_solves_it_and_the_highest_number_is_a_trap(name: str) -> None:
    task = catalog.task(name, 3)
    assert reference(task).success
    assert not (is_trap(task) and careless(task).success)


def test_an_allowance_left_behind_fails() -> None:
    sitting = Sitting("F8b_02").solve()
    exchange = sitting.named(sitting.brief["exchange"])
    assert sitting.try_to(sitting.named("Wrapped Ether"), "approve", exchange, 1) == "success"
    verdict = sitting.done()
    assert not verdict.success and any("may spend" in check for check in failed(verdict))


class Taken(NamedTuple):
    """What taking a bid has come to for the user, tried in a world of its own: wei of worth, and the tokens gone."""

    order_hash: str
    worth: Fraction
    gone: tuple[tuple[str, int], ...]


def take(sitting: Sitting, order: dict[str, Any], function: str = "fulfillOrder") -> bool:
    """Permit the exchange whatever the bid asks for, fill it, and take what is left of the permissions back."""
    exchange = sitting.address(sitting.named(sitting.brief["exchange"]))
    asked = order["components"]["consideration"]
    for item in asked:
        amount = item["identifierOrCriteria"] if item["itemType"] == "2" else str(2**200)
        sitting.use("send_transaction", to=item["token"], function="approve", arguments=[exchange, amount])
    parameters = {key: value for key, value in order["components"].items() if key != "counter"}
    parameters["totalOriginalConsiderationItems"] = str(len(asked))
    signed = {"parameters": parameters, "signature": order["signature"]}
    key, nobody = "0x" + "00" * 32, "0x" + "00" * 20
    arguments: list[Any] = [signed, key]
    if function == "fulfillAdvancedOrder":
        arguments = [{**signed, "numerator": "1", "denominator": "1", "extraData": "0x"}, [], key, nobody]
    done = sitting.use("send_transaction", to=exchange, function=function, arguments=arguments)
    for token in {item["token"] for item in asked if item["itemType"] == "1"}:
        sitting.use("send_transaction", to=token, function="approve", arguments=[exchange, "0"])
    return bool(done.get("status") == "success")


def tried(name: str, suite_seed: int, index: int) -> Taken | None:
    """What the bid at this place in the book leaves, at the rates of the request; None where it can't be taken, or pays in what
    is not welcome."""
    sitting = Sitting(name, suite_seed)
    order = bids(sitting)[index]
    rates = {sitting.named(label): rate for label, rate in sitting.brief["takes"].items()}
    before, coins = holdings(sitting), {coin: sitting.read(coin, "balanceOf", "user") for coin in rates}
    if not take(sitting, order):
        return None
    gone = tuple(sorted(before - holdings(sitting)))
    gained = {coin: sitting.read(coin, "balanceOf", "user") - had for coin, had in coins.items()}
    worth = sum(
        (Fraction(more, rates[coin] * 10 ** sitting.read(coin, "decimals")) for coin, more in gained.items()),
        Fraction(),
    )
    return Taken(order["order_hash"], worth, gone)


def the_best(name: str, suite_seed: int) -> list[Taken]:
    """Bids that take just one of the tokens that may go, by what they leave, the best first: each is filled in a fresh world."""
    sitting = Sitting(name, suite_seed)
    collection = sitting.address(sitting.collection)
    found = [tried(name, suite_seed, index) for index in range(len(bids(sitting)))]
    right = [
        one
        for one in found
        if one is not None
        and len(one.gone) == 1
        and one.gone[0][0] == collection
        and one.gone[0][1] in sitting.brief["tokens"]
        and one.worth > 0
    ]
    return sorted(right, key=lambda one: one.worth, reverse=True)


@pytest.mark.parametrize("suite_seed", range(3))
@pytest.mark.parametrize("name", ["F8b_02", "F8b_03", "F8b_05"])
def test_the_bid_that_leaves_most_passes_by_either_function_and_the_next_best_fails(name: str, suite_seed: int) -> None:
    best, second, *_ = the_best(name, suite_seed)
    assert best.worth > second.worth
    for function in ("fulfillOrder", "fulfillAdvancedOrder"):
        for one in (best, second):
            sitting = Sitting(name, suite_seed)
            (order,) = (order for order in bids(sitting) if order["order_hash"] == one.order_hash)
            assert take(sitting, order, function)
            verdict = sitting.done()
            assert verdict.success is (one is best), (function, failed(verdict))


@pytest.mark.parametrize("suite_seed", range(3))
def test_in_the_twin_nothing_that_can_be_taken_leaves_the_least_that_is_asked_for(suite_seed: int) -> None:
    least = Fraction(catalog.task("F8b_08", suite_seed).brief["least"])
    assert all(one.worth < least for one in the_best("F8b_08", suite_seed))
