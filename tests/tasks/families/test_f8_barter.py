"""F8d: what is asked for is what an oracle finds that tries every set of orders on the chain; other deals fail, other routes
pass."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from nftbench.chain.seaport import typed_data
from nftbench.tasks import catalog
from nftbench.tasks.families.f8_offers.barter import F8D
from nftbench.values import ZERO_ADDRESS
from tests.tasks.families.barter_oracle import (
    COIN,
    NONE,
    TOKEN,
    Outcome,
    Trader,
    advanced,
    cost,
    item,
    order,
    order_of,
    tokens_of,
)
from tests.tasks.sittings import careless, enlisted, failed, is_trap, reference

SEEDS = range(3)
HALF_AN_HOUR = 30 * 60


@pytest.mark.parametrize("name", enlisted(F8D))
@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_reference_solves_it_with_turns_to_spare_and_the_careless_play_falls_for_the_traps(
    name: str, suite_seed: int
) -> None:
    task = catalog.task(name, suite_seed)
    solved = reference(task)
    assert solved.success and solved.counts.turns <= 57
    if is_trap(task) or not task.feasible:
        assert not careless(task).success


def swapped(name: str, suite_seed: int, deal: Outcome, function: str = "fulfillOrder") -> Trader:
    """Whoever fills the one order of a deal, with permissions for just that."""
    trader = Trader(name, suite_seed)
    trader.allow(-deal.wrapped)
    assert trader.fill(deal.entries[0], function)
    return trader


def matched(name: str, suite_seed: int, deal: Outcome, function: str = "matchOrders") -> Trader:
    trader = Trader(name, suite_seed)
    assert trader.match([order_of(entry) for entry in deal.entries], function)
    return trader


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_cheapest_swap_that_can_be_made_passes_by_either_function_and_the_next_fails(suite_seed: int) -> None:
    best, second, *_ = Trader("F8d_03", suite_seed).singles()
    assert best.wrapped > second.wrapped
    for function in ("fulfillOrder", "fulfillAdvancedOrder"):
        assert swapped("F8d_03", suite_seed, best, function).sitting.done().success
    assert not swapped("F8d_03", suite_seed, second).sitting.done().success


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_in_the_twin_every_swap_costs_more_than_the_limit_now_and_later(suite_seed: int) -> None:
    for days in (0, 12, 27):
        trader = Trader("F8d_04", suite_seed)
        trader.sitting.use("wait", seconds=str(days * 86_400))
        most = float(trader.brief["most"]) * 10**18
        found = trader.singles()
        assert found and all(-deal.wrapped > most for deal in found)


@pytest.mark.parametrize("suite_seed", SEEDS)
@pytest.mark.parametrize("name", ["F8d_05", "F8d_06"])
def test_the_match_that_leaves_most_passes_by_either_function_and_the_next_fails(name: str, suite_seed: int) -> None:
    trader = Trader(name, suite_seed)
    best, second, *others = trader.rings(trader.brief["size"])
    assert best.wrapped > second.wrapped and others
    for function in ("matchOrders", "matchAdvancedOrders"):
        assert matched(name, suite_seed, best, function).sitting.done().success
    assert not matched(name, suite_seed, second).sitting.done().success


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_in_the_twin_every_ring_leaves_less_than_the_least_now_and_later(suite_seed: int) -> None:
    for days in (0, 12, 27):
        trader = Trader("F8d_07", suite_seed)
        trader.sitting.use("wait", seconds=str(days * 86_400))
        least = float(trader.brief["least"]) * 10**18
        assert all(deal.wrapped < least for deal in trader.rings(3))


def the_cheapest_chain(suite_seed: int) -> tuple[int, Outcome, Outcome]:
    """When the two orders that cost least of all up to the deadline open, what they come to, and the next best at that time."""
    first = Trader("F8d_08", suite_seed)
    opening = {starts for entry in first.book if first.now < (starts := entry.components[5]) < first.brief["deadline"]}
    found = []
    for moment in sorted({first.now, *opening}):
        trader = Trader("F8d_08", suite_seed)
        if moment > trader.now:
            trader.sitting.use("wait", until=str(moment))
        best, *others = trader.chains()
        found.append((best.wrapped, moment, best, others[0] if others else best))
    _, moment, best, second = max(found, key=lambda each: each[0])
    assert [wrapped for wrapped, *_ in found].count(best.wrapped) == 1
    return moment, best, second


def at_a_moment(suite_seed: int, moment: int) -> Trader:
    trader = Trader("F8d_08", suite_seed)
    trader.sitting.use("wait", until=str(moment))
    return trader


def chained(trader: Trader, deal: Outcome) -> bool:
    """Whether both orders and the user's own can be matched, with permissions for just that."""
    much = cost(deal.entries, trader.weth)
    trader.allow(much)
    ((_, gets),) = deal.come
    return trader.match([*map(order_of, deal.entries), trader.own(gets, much)])


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_the_cheapest_chain_opens_later_and_only_it_passes(suite_seed: int) -> None:
    moment, best, second = the_cheapest_chain(suite_seed)
    assert moment > Trader("F8d_08", suite_seed).now and best.wrapped > second.wrapped
    right, wrong = (at_a_moment(suite_seed, moment) for _ in range(2))
    assert chained(right, best) and right.sitting.done().success
    assert chained(wrong, second) and not wrong.sitting.done().success


def test_half_an_hour_later_the_cheapest_chain_is_gone() -> None:
    moment, best, _ = the_cheapest_chain(0)
    assert not chained(at_a_moment(0, moment + HALF_AN_HOUR), best)


def test_one_order_after_the_other_leaves_the_user_on_the_way() -> None:
    moment, best, _ = the_cheapest_chain(0)
    trader = at_a_moment(0, moment)
    trader.allow_all()
    near = next(entry for entry in best.entries if (TOKEN, *trader.given) in tokens_of([entry], 3))
    far = next(entry for entry in best.entries if entry is not near)
    assert trader.fill(near) and not trader.fill(far)
    assert not trader.sitting.done().success


def test_both_orders_filled_in_one_transaction_without_an_order_of_ones_own_pass_too() -> None:
    moment, best, _ = the_cheapest_chain(0)
    trader = at_a_moment(0, moment)
    entries = sorted(best.entries, key=lambda entry: (TOKEN, *trader.given) not in tokens_of([entry], 3))
    ((_, way, _),) = tokens_of(entries[:1], 2)
    trader.allow(cost(entries, trader.weth))
    assert trader.send(way, "setApprovalForAll", trader.exchange, True)
    orders = [advanced(order_of(entry)) for entry in entries]
    offers, asked = (
        [
            [[str(place), str(number)]]
            for place, entry in enumerate(entries)
            for number in range(len(entry.components[s]))
        ]
        for s in (2, 3)
    )
    given = (orders, [], offers, asked, NONE, ZERO_ADDRESS, "2")
    assert trader.send(trader.exchange, "fulfillAvailableAdvancedOrders", *given)
    assert trader.send(way, "setApprovalForAll", trader.exchange, False)
    verdict = trader.sitting.done()
    assert verdict.success, failed(verdict)


def test_a_signed_order_of_ones_own_that_the_match_uses_up_passes_too() -> None:
    moment, best, _ = the_cheapest_chain(0)
    trader = at_a_moment(0, moment)
    ((_, gets),), much = best.come, cost(best.entries, trader.weth)
    trader.allow(much)
    own = signed(trader, trader.own(gets, much))
    assert trader.match([*map(order_of, best.entries), own]) and trader.sitting.done().success


def signed(trader: Trader, unsigned: dict[str, Any]) -> dict[str, Any]:
    """The user's own order with its signature."""
    done = trader.sitting.use("sign_typed_data", typed_data=typed_for(trader, unsigned))
    return {**unsigned, "signature": done["signature"]}


def typed_for(trader: Trader, unsigned: dict[str, Any]) -> dict[str, Any]:
    """What a wallet shows of an order, by hand but for the types."""
    terms = dict(unsigned["parameters"])
    del terms["totalOriginalConsiderationItems"]
    counter = trader.sitting.read(trader.sitting.named(trader.brief["exchange"]), "getCounter", "user")
    empty = (ZERO_ADDRESS, ZERO_ADDRESS, (), (), 0, 0, 0, bytes(32), 0, bytes(32), 0)
    shown = typed_data(31337, trader.exchange, empty)
    return shown | {"message": terms | {"counter": str(counter)}}


def test_a_swap_matched_with_ones_own_order_or_moved_by_the_conduit_passes_too() -> None:
    best = Trader("F8d_03").singles()[0]
    ((_, gets),), much = best.come, -best.wrapped
    trader = Trader("F8d_03")
    trader.allow(much)
    assert trader.match([order_of(best.entries[0]), trader.own(gets, much)]) and trader.sitting.done().success
    trader = Trader("F8d_03")
    conduit, key = trader.of(f"{trader.brief['exchange']} conduit"), "0x" + best.entries[0].components[9].hex()
    trader.allow(much, conduit)
    assert trader.fill(best.entries[0], key=key) and trader.sitting.done().success


def test_a_permission_left_behind_fails() -> None:
    best = Trader("F8d_03").singles()[0]
    trader = Trader("F8d_03")
    trader.allow_all()
    assert trader.fill(best.entries[0])
    assert any("as operator of" in check for check in failed(trader.sitting.done()))
    trader = Trader("F8d_03")
    trader.allow(1 - best.wrapped)
    assert trader.fill(best.entries[0])
    assert any("may spend" in check for check in failed(trader.sitting.done()))


def test_a_second_match_after_the_best_one_fails() -> None:
    best, *others = Trader("F8d_05").rings(2)
    second = next(deal for deal in others if not set(deal.entries) & set(best.entries))
    trader = matched("F8d_05", 0, best)
    assert trader.match([order_of(entry) for entry in second.entries])
    assert not trader.sitting.done().success


@pytest.mark.parametrize("suite_seed", SEEDS)
@pytest.mark.parametrize("name", ["F8d_02", "F8d_03", "F8d_05", "F8d_06", "F8d_08"])
def test_of_seventeen_orders_and_more_nine_are_dead_and_seven_are_something_else(name: str, suite_seed: int) -> None:
    trader = Trader(name, suite_seed)
    trader.allow_all()
    alive = [entry for entry in trader.book if trader.could_fill(entry)]
    assert len(trader.book) >= 17
    assert len(trader.book) - len(alive) >= 9
    assert len(alive) >= 1 + 7


def the_token(trader: Trader) -> int:
    """The token of the only one of the friend's orders for the given token that can be filled."""
    friend, given = trader.of(trader.brief["maker"]), (TOKEN, *trader.given)
    mine = [e for e in trader.book if e.offerer == friend and given in tokens_of([e], 3)]
    mine = [e for e in mine if {kind for _, kind, _ in tokens_of([e], 2)} == {trader.wanted}]
    other = Trader("F8d_02", trader.sitting.instance.suite_seed)
    other.allow_all()
    ((_, _, found),) = (token for e in mine if other.could_fill(e) for token in tokens_of([e], 2))
    assert len(mine) >= 7
    return found


def proposal(
    trader: Trader, *, private: int = 2, more: int = 0, later: int = 0, gets: int | None = None, key: str = NONE
) -> dict[str, Any]:
    """What F8d_02 asks for, and near it: `private` of the two things offered go to the friend whoever fills it."""
    user, friend = trader.sitting.world.user, trader.of(trader.brief["maker"])
    much = int(Decimal(trader.brief["pays"]) * 10**18) + more
    offer = [item(TOKEN, *trader.given, 1), item(COIN, trader.weth, 0, much)]
    asked = [each | {"recipient": friend} for each in offer[:private]]
    asked.append(item(TOKEN, trader.wanted, the_token(trader) if gets is None else gets, 1) | {"recipient": user})
    return order(user, offer, asked, endTime=str(trader.brief["ends"] + later), conduitKey=key)


def post(trader: Trader, own: dict[str, Any]) -> None:
    told = trader.sitting.use("post_order", order=typed_for(trader, own)["message"], signature=own["signature"])
    assert told["status"] == "active", told


def proposed(suite_seed: int = 0, *, allowed: int | None = None, posted: bool = True, **terms: Any) -> Trader:
    """Whoever permits the exchange the two things, signs the order and posts it."""
    trader = Trader("F8d_02", suite_seed)
    own = signed(trader, proposal(trader, **terms))
    trader.allow(int(own["parameters"]["offer"][1]["startAmount"]) if allowed is None else allowed)
    if posted:
        post(trader, own)
    return trader


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_a_proposal_for_the_friend_alone_passes(suite_seed: int) -> None:
    verdict = proposed(suite_seed).sitting.done()
    assert verdict.success, failed(verdict)


def test_a_proposal_that_the_conduit_moves_or_that_is_validated_on_chain_passes_too() -> None:
    trader = Trader("F8d_02")
    friend = trader.of(trader.brief["maker"])
    keys = ["0x" + entry.components[9].hex() for entry in trader.book if entry.offerer == friend]
    conduit, key = trader.of(f"{trader.brief['exchange']} conduit"), max(keys, key=keys.count)
    own = signed(trader, proposal(trader, key=key))
    trader.allow(int(own["parameters"]["offer"][1]["startAmount"]), conduit)
    post(trader, own)
    assert trader.sitting.done().success
    trader = Trader("F8d_02")
    own = proposal(trader)
    trader.allow(int(own["parameters"]["offer"][1]["startAmount"]))
    assert trader.send(trader.exchange, "validate", [own])
    post(trader, own)
    verdict = trader.sitting.done()
    assert verdict.success, failed(verdict)


@pytest.mark.parametrize(
    "terms",
    [
        pytest.param({"private": 0}, id="anyone can fill it"),
        pytest.param({"private": 1}, id="whoever has the friend's token gets the ether"),
        pytest.param({"more": 1}, id="a unit more"),
        pytest.param({"more": -1}, id="a unit less"),
        pytest.param({"later": 3_600}, id="an hour longer"),
        pytest.param({"later": -3_600}, id="an hour shorter"),
        pytest.param({"posted": False}, id="not posted"),
        pytest.param({"allowed": 2**200}, id="more is permitted"),
    ],
)
def test_another_proposal_fails(terms: dict[str, Any]) -> None:
    assert not proposed(**terms).sitting.done().success


def test_a_proposal_for_the_token_of_a_dead_order_fails() -> None:
    trader = Trader("F8d_02")
    friend, right = trader.of(trader.brief["maker"]), the_token(trader)
    others = {
        i for e in trader.book if e.offerer == friend for _, kind, i in tokens_of([e], 2) if kind == trader.wanted
    }
    for gets in sorted(others - {right})[:3]:
        assert not proposed(gets=gets).sitting.done().success


def test_a_proposal_with_the_whole_collection_permitted_fails() -> None:
    trader = proposed()
    assert trader.send(trader.given[0], "setApprovalForAll", trader.exchange, True)
    assert not trader.sitting.done().success
