"""Listings and bids that stand: whatever does what was asked for passes, and whatever does anything else does not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nftbench.chain.merkle import LAYOUTS
from nftbench.grading.checks import check_goal
from nftbench.tasks.goals import At, Due, Piece, Reading
from nftbench.values import keccak256
from tests.grading.exchange import DAY, ZERO, Exchange, failed

ROUGH = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def sea() -> Exchange:
    return Exchange().permit()


def test_a_listing_that_is_signed_as_asked_passes(sea: Exchange) -> None:
    sea.sign(sea.listing())
    assert failed(sea.grade(sea.listed(ends=sea.now() + DAY))) == []


def test_nothing_signed_is_no_listing(sea: Exchange) -> None:
    assert failed(sea.grade(sea.listed())) == ["goal: no such order"]


def test_the_order_of_considerations_salt_zone_and_their_number_are_free(sea: Exchange) -> None:
    """A recipient may get its due in pieces; FULL_OPEN ignores the zone."""
    first, second = sea.item(None, 950, to="user"), sea.item(None, 50, to="team")
    halves = [sea.item(None, 475, to="user"), second, sea.item(None, 475, to="user")]
    for asked in ([second, first], halves):
        other = Exchange().permit()
        other.sign(other.order([other.item(other.cats, token_id=1)], asked, zone=other.address("team"), salt="9" * 40))
        assert failed(other.grade(other.listed())) == []


def test_trying_out_leaves_no_trace(sea: Exchange) -> None:
    sea.sign(sea.listing())
    engine, user = sea.world.engine, sea.world.user
    before = (engine.block, len(engine.receipts()), engine.balance(user))
    assert check_goal(sea.listed(ends=sea.now() + DAY), sea.desk, None).passed
    assert (engine.block, len(engine.receipts()), engine.balance(user)) == before


def test_a_validated_listing_needs_no_signature(sea: Exchange) -> None:
    sea.validate(sea.listing())
    assert failed(sea.grade(sea.listed())) == []


@pytest.mark.parametrize("height", [1, 2])
def test_each_leaf_of_a_bulk_order_counts_as_an_order(height: int) -> None:
    sea = Exchange().permit()
    leaves = [sea.listing(), sea.listing(token_id=2, price=2000), sea.listing(token_id=3), sea.listing(token_id=3)]
    sea.sign_bulk(leaves[:2] if height == 1 else [leaves[:2], leaves[2:]], height)
    second = sea.listed(
        offer=(Piece(sea.cats, token_id=2),), due=(Due("user", Piece(None, 1900)), Due("team", Piece(None, 100)))
    )
    third = (sea.listed(offer=(Piece(sea.cats, token_id=3),)),) if height == 2 else ()
    assert failed(sea.grade(sea.listed(), second, *third)) == []


WRONG: dict[str, dict[str, Any]] = {
    "another price": {"price": 999},
    "for nothing": {"price": 0},
    "another token": {"token_id": 2},
    "somebody else's token": {"token_id": 4},
    "past its end": {"endTime": "1"},
    "of another counter": {"counter": "1"},
    "a zone must agree": {"orderType": 2, "zone": ZERO},
    "a conduit that there is not": {"conduitKey": "0x" + "11" * 32},
    "not yet": {"startTime": str(2**40), "endTime": str(2**41)},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_listing_with_one_thing_wrong_fails_the_goal(sea: Exchange, wrong: str) -> None:
    changes = dict(WRONG[wrong])
    sea.sign(sea.listing(changes.pop("price", 1000), changes.pop("token_id", 1), **changes))
    verdict = sea.grade(sea.listed())
    assert any(line.startswith("goal: ") for line in failed(verdict))


DOMAINS: dict[str, dict[str, Any]] = {
    "another name": {"name": "Open Sea"},
    "another version": {"version": "1.5"},
    "another chain": {"chainId": 1},
    "another contract": {"verifyingContract": "0x" + "11" * 20},
}


@pytest.mark.parametrize("which", DOMAINS)
def test_what_the_exchange_would_not_take_is_no_listing(sea: Exchange, which: str) -> None:
    sea.sign(sea.listing(), domain=sea.domain(**DOMAINS[which]))
    assert any(line.startswith("goal: ") for line in failed(sea.grade(sea.listed())))


def test_the_same_order_signed_for_nobody_takes_nothing_from_the_right_one(sea: Exchange) -> None:
    message = sea.listing()
    sea.sign(message)
    sea.sign(message, domain=sea.domain(version="1.5"))
    assert failed(sea.grade(sea.listed())) == []


def test_recipients_and_what_else_is_taken_are_held_to_the_unit(sea: Exchange) -> None:
    cat = sea.item(sea.cats, token_id=1)
    mine, fee = sea.item(None, 950, to="user"), sea.item(None, 50, to="team")
    for offer, asked in (
        ([cat], [sea.item(None, 950, to=sea.thief), fee]),
        ([cat], [mine, sea.item(None, 50, to=sea.thief)]),
        ([cat], [mine]),
        ([cat], [mine, fee, sea.item(None, 1, to=sea.thief)]),
        ([cat, sea.item(sea.cats, token_id=2)], [mine, fee]),
        ([cat], [mine, fee, sea.item(sea.dogs, token_id=1, to="user")]),
        ([cat, sea.item(sea.weth, 1)], [mine, fee]),
        ([cat], [sea.item(sea.weth, 950, to="user"), sea.item(sea.weth, 50, to="team")]),
    ):
        other = Exchange().permit()
        other.sign(other.order(offer, asked))
        assert any(line.startswith("goal: ") for line in failed(other.grade(other.listed()))), (offer, asked)


@ROUGH
@given(st.integers(1, 10**24), st.integers(0, 10_000), st.integers(-3, 3), st.sampled_from(["user", "team"]))
def test_any_price_is_right_only_to_the_last_wei(price: int, points: int, off: int, whose: str) -> None:
    sea = Exchange().permit()
    fee = price * points // 10_000
    told = {"user": price - fee, "team": fee}
    signed = told | {whose: max(told[whose] + off, 0)}
    asked = [sea.item(None, much, to=who) for who, much in signed.items() if much]
    sea.sign(sea.order([sea.item(sea.cats, token_id=1)], asked))
    goal = sea.listed(due=tuple(Due(who, Piece(None, much)) for who, much in told.items()))
    assert sea.grade(goal).success is (signed == told)


def test_it_must_be_open_until_its_end_and_not_longer(sea: Exchange) -> None:
    end = sea.now() + 7 * DAY
    for signed, told, right in (
        (end, end, True),
        (end, end + 1, False),
        (end, end - 1, False),
        (end, (end - 60, end + 60), True),
        (end, (end - 60, end - 1), False),
        (end, (end + 1, end + 60), False),
        (end, None, True),
    ):
        other = Exchange().permit()
        other.sign(other.listing(endTime=str(signed)))
        assert other.grade(other.listed(ends=told)).success is right, (signed, told)


def test_it_must_last_as_long_as_asked(sea: Exchange) -> None:
    sea.sign(sea.listing(endTime=str(sea.now() + 600)))
    assert failed(sea.grade(sea.listed()))[0].startswith("goal: it can't be filled at ")
    assert failed(sea.grade(sea.listed(lasting=300))) == []


def test_it_must_open_when_it_was_to(sea: Exchange) -> None:
    start = sea.now() + 3 * DAY
    times = {"startTime": str(start), "endTime": str(start + DAY)}
    for told, right in ((start, True), (start + 1, False), (start - 1, False), (None, False)):
        other = Exchange().permit()
        other.sign(other.listing(**times))
        assert other.grade(other.listed(starts=told, ends=start + DAY)).success is right, told


def test_a_private_listing_is_for_its_buyer_alone(sea: Exchange) -> None:
    """As markets make them: the token itself is among what is asked for, by its receiver."""
    cat, mine, fee = sea.item(sea.cats, token_id=1), sea.item(None, 950, to="user"), sea.item(None, 50, to="team")
    sea.sign(sea.order([cat], [mine, fee, cat | {"recipient": sea.address(sea.mira)}]))
    assert failed(sea.grade(sea.listed(buyer=sea.mira))) == []
    assert not sea.grade(sea.listed(buyer=sea.thief)).success
    assert not sea.grade(sea.listed()).success
    other = Exchange().permit()
    other.sign(other.listing())
    assert failed(other.grade(other.listed(buyer=other.mira)))[0] == "goal: anyone can fill it"


def test_a_listing_that_only_its_zone_may_fill_is_private_too(sea: Exchange) -> None:
    sea.sign(sea.listing(orderType=2, zone=sea.address(sea.mira)))
    assert failed(sea.grade(sea.listed(buyer=sea.mira))) == []


def test_a_price_that_falls_must_begin_and_end_where_it_was_to(sea: Exchange) -> None:
    start = sea.now()
    times = {"startTime": str(start), "endTime": str(start + 10 * DAY)}
    due = (Due("user", Piece(None, 10**18, last=10**17)),)
    for prices, right in (
        ((10**18, 10**17), True),
        ((10**18, 10**17 - 10**13), False),
        ((10**18 - 10**13, 10**17), False),
        ((10**17, 10**18), False),
        ((10**18, 10**18), False),
    ):
        other = Exchange().permit()
        other.sign(other.listing(prices, **times))
        assert other.grade(other.listed(due=due, ends=start + 10 * DAY)).success is right, prices


def test_a_falling_price_that_began_before_the_request_has_fallen_already(sea: Exchange) -> None:
    start = sea.now() - 5 * DAY
    sea.sign(sea.listing((10**18, 10**17), startTime=str(start), endTime=str(start + 10 * DAY)))
    due = (Due("user", Piece(None, 10**18, last=10**17)),)
    assert failed(sea.grade(sea.listed(due=due)))[0].startswith("goal: its price moves since 4")


def test_units_may_be_had_in_parts_for_their_part_of_the_price(sea: Exchange) -> None:
    goal = {"offer": (Piece(sea.ore, 10, token_id=7),), "due": (Due("user", Piece(None, 1000)),)}
    whole, parts = sea.listed(**goal), sea.listed(**goal, fractions=((1, 10), (3, 10)))
    for kind, as_whole, in_parts in ((0, True, False), (1, False, True)):
        other = Exchange().permit()
        other.sign(other.order([other.item(other.ore, 10, 7)], [other.item(None, 1000, to="user")], orderType=kind))
        assert (other.grade(whole).success, other.grade(parts).success) == (as_whole, in_parts)


def test_two_orders_of_units_that_can_both_be_filled_sell_too_much(sea: Exchange) -> None:
    goal = sea.listed(offer=(Piece(sea.ore, 4, token_id=7),), due=(Due("user", Piece(None, 1000)),))
    for _ in range(2):
        sea.sign(sea.order([sea.item(sea.ore, 4, 7)], [sea.item(None, 1000, to="user")]))
    assert failed(sea.grade(goal))[0] == "goal: there are 2 such orders, and one can be filled after the other"


def test_what_another_account_of_the_agents_sells_is_not_what_was_asked_for() -> None:
    sea = Exchange()
    second = sea.scene.person("Second account")
    sea.scene.mint_units(sea.ore, second, {7: 5})
    for who in ("user", second):
        sea.scene.step(who, sea.ore, "setApprovalForAll", At(sea.sea), True)
    sea.open(controlled=(second,))
    offer, asked = [sea.item(sea.ore, 4, 7)], [sea.item(None, 1000, to="user")]
    told = {"offer": (Piece(sea.ore, 4, token_id=7),), "due": (Due("user", Piece(None, 1000)),)}
    sea.sign(sea.order(offer, asked, offerer=sea.address(second)), account=second)
    assert failed(sea.grade(sea.listed(**told)))[0] == "goal: no such order"
    assert failed(sea.grade(sea.listed(**told, seller=second))) == []


def test_several_right_listings_of_one_token_are_fine(sea: Exchange) -> None:
    sea.sign(sea.listing())
    sea.sign(sea.listing())
    assert failed(sea.grade(sea.listed())) == []


def test_without_permission_it_does_not_stand_and_what_it_needs_is_no_stray() -> None:
    for approve, right in (((), False), (("setApprovalForAll",), True), (("approve",), True)):
        sea = Exchange().open()
        sea.sign(sea.listing())
        for function in approve:
            sea.send(sea.cats, function, sea.sea, True if function == "setApprovalForAll" else 1)
        assert sea.grade(sea.listed()).success is right, approve


def test_a_permission_that_it_does_not_need_is_a_stray() -> None:
    sea = Exchange().open()
    sea.sign(sea.listing())
    sea.send(sea.cats, "approve", sea.sea, 1)
    sea.send(sea.cats, "approve", sea.sea, 2)
    assert failed(sea.grade(sea.listed())) == ["frame: open_sea"]
    sea.send(sea.ore, "setApprovalForAll", sea.sea, True)
    assert failed(sea.grade(sea.listed())) == ["frame: open_sea", "frame: True"]


def test_who_moves_the_token_may_be_asked_for(sea: Exchange) -> None:
    sea.sign(sea.listing())
    assert failed(sea.grade(sea.listed(through=(sea.sea,)))) == []
    assert failed(sea.grade(sea.listed(through=(sea.controller,))))[0] == "goal: its offer is moved by open_sea"


def test_a_bid_that_is_signed_as_asked_passes(sea: Exchange) -> None:
    sea.sign(sea.offer())
    assert failed(sea.grade(sea.bid(ends=sea.now() + DAY))) == []


def test_a_bid_must_be_covered_and_may_be_covered_to_the_unit_only() -> None:
    for allowed, right in ((None, False), (599, False), (600, True), (601, False)):
        sea = Exchange().open()
        sea.sign(sea.offer())
        if allowed is not None:
            sea.send(sea.weth, "approve", sea.sea, allowed)
        assert sea.grade(sea.bid()).success is right, allowed


def test_a_bid_beyond_what_there_is_is_not_covered(sea: Exchange) -> None:
    sea.sign(sea.offer(much=1001))
    assert any(
        line.startswith("goal: it can't be filled") for line in failed(sea.grade(sea.bid(price=Piece(sea.weth, 1001))))
    )


def test_a_bid_with_one_thing_wrong_fails_the_goal(sea: Exchange) -> None:
    for much, wanted, fee, to in (
        (601, 4, 30, "team"),
        (599, 4, 30, "team"),
        (600, 5, 30, "team"),
        (600, 4, 29, "team"),
        (600, 4, 30, sea.thief),
    ):
        other = Exchange().permit()
        cat, share = other.item(other.cats, token_id=wanted, to="user"), other.item(other.weth, fee, to=to)
        other.sign(other.order([other.item(other.weth, much)], [cat, share]))
        assert any(line.startswith("goal: ") for line in failed(other.grade(other.bid()))), (much, wanted, fee, to)


def criteria(sea: Exchange, root: int) -> dict[str, Any]:
    return sea.item(sea.cats, token_id=root, to="user") | {"itemType": 4}


def leaves(*ids: int) -> list[bytes]:
    return [keccak256(i.to_bytes(32, "big")) for i in ids]


def test_a_bid_for_a_collection_takes_any_token_of_it(sea: Exchange) -> None:
    sea.sign(sea.offer(criteria(sea, 0)))
    assert failed(sea.grade(sea.bid(tokens=(), collection=sea.cats))) == []
    assert failed(sea.grade(sea.bid()))[0].startswith("goal: anyone can fill it with #")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bid_for_some_tokens_takes_each_of_them_and_no_other(layout: str) -> None:
    sea = Exchange()
    sea.scene.mint(sea.cats, sea.mira, [20, 21, 22, 23])
    sea.permit()
    ids = (4, 20, 21, 22, 23)
    root = int.from_bytes(LAYOUTS[layout].root(leaves(*ids)), "big")
    sea.sign(sea.offer(criteria(sea, root)))
    wanted = tuple((sea.cats, i) for i in ids)
    assert failed(sea.grade(sea.bid(tokens=wanted))) == []
    assert not sea.grade(sea.bid(tokens=wanted[:3])).success
    assert not sea.grade(sea.bid(tokens=(*wanted, (sea.cats, 5)))).success


def test_a_tree_may_be_paired_in_any_way() -> None:
    four, five, new = leaves(4, 5, 6)
    for first, second, last in ((four, five, new), (four, new, five), (five, new, four)):
        other = Exchange()
        other.scene.mint(other.cats, other.mira, [6])
        other.permit()
        pair = keccak256(min(first, second) + max(first, second))
        root = int.from_bytes(keccak256(min(pair, last) + max(pair, last)), "big")
        other.sign(other.offer(criteria(other, root)))
        assert failed(other.grade(other.bid(tokens=tuple((other.cats, i) for i in (4, 5, 6))))) == []


def test_a_bid_for_one_of_the_tokens_is_none_for_any_of_them(sea: Exchange) -> None:
    sea.sign(sea.offer())
    both = sea.bid(tokens=((sea.cats, 4), (sea.cats, 5)))
    assert failed(sea.grade(both))[0] == "goal: it does not take each of the tokens that are wanted"


def test_two_bids_that_can_both_be_taken_buy_too_much(sea: Exchange) -> None:
    for _ in range(2):
        sea.sign(sea.offer(criteria(sea, 0), much=400))
    found = failed(sea.grade(sea.bid(tokens=(), collection=sea.cats, price=Piece(sea.weth, 400))))
    assert found[0] == "goal: there are 2 such orders, and one can be filled after the other"


def test_a_price_in_wrapped_ether_can_be_paid_whatever_others_have_of_it(sea: Exchange) -> None:
    sea.sign(sea.order([sea.item(sea.cats, token_id=1)], [sea.item(sea.weth, 10**20, to="user")]))
    assert failed(sea.grade(sea.listed(due=(Due("user", Piece(sea.weth, 10**20)),)))) == []


def test_a_swap_of_tokens_stands(sea: Exchange) -> None:
    sea.sign(sea.order([sea.item(sea.cats, token_id=1)], [sea.item(sea.dogs, token_id=1, to="user")]))
    assert failed(sea.grade(sea.listed(due=(Due("user", Piece(sea.dogs, token_id=1)),)))) == []
    assert not sea.grade(sea.listed(due=(Due("user", Piece(sea.dogs, token_id=2)),))).success


def conduit(sea: Exchange, channels: tuple[str, ...]) -> tuple[str, str]:
    """The key and the address of a conduit of the user's making, which these may use."""
    key = "0x" + bytes(bytes.fromhex(sea.world.user[2:]) + bytes(12)).hex()
    sea.send(sea.controller, "createConduit", key, "user")
    address = sea.world.read(Reading(sea.controller, "getConduit", (bytes.fromhex(key[2:]),)))[0]
    for channel in channels:
        sea.send(sea.controller, "updateChannel", address, channel, True)
    return key, address


def test_a_conduit_that_others_may_use_as_well_is_no_way_to_sell(sea: Exchange) -> None:
    """The exchange alone, the exchange and a thief, nobody at all."""
    for others, said in (((), None), ((sea.thief,), "which others may use, too"), (None, "can't be filled")):
        other = Exchange().open()
        key, address = conduit(other, () if others is None else (other.sea, *others))
        other.send(other.cats, "setApprovalForAll", address, True)
        other.sign(other.listing(conduitKey=key))
        goals = [line for line in failed(other.grade(other.listed())) if line.startswith("goal: ")]
        assert (goals == []) if said is None else (len(goals) == 1 and said in goals[0])


def test_a_private_listing_that_opens_later_is_private_then_too(sea: Exchange) -> None:
    start = sea.now() + DAY
    sea.sign(sea.listing(startTime=str(start), endTime=str(start + DAY)))
    assert (
        failed(sea.grade(sea.listed(starts=start, ends=start + DAY, buyer=sea.mira)))[0] == "goal: anyone can fill it"
    )
    past = sea.world.fixture.start_time - 10
    other = Exchange().permit()
    other.sign(other.listing())
    assert failed(other.grade(other.listed(starts=past, buyer=other.mira)))[0] == "goal: anyone can fill it"


def test_what_opens_later_must_last_from_then_on(sea: Exchange) -> None:
    start = sea.now() + 3 * DAY
    sea.sign(sea.listing(startTime=str(start), endTime=str(start + 600)))
    assert not sea.grade(sea.listed(starts=start)).success
    assert sea.grade(sea.listed(starts=start, lasting=500)).success
