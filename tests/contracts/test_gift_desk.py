"""The gift desk, and collections whose tokens can be bought and not passed on."""

from __future__ import annotations

import pytest

LATE = 2**40


@pytest.fixture
def larks(bench):
    """A plain collection; accounts[1] holds tokens 1 and 2."""
    owner, giver, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", giver, [1, 2])
    return tokens


@pytest.fixture
def desk(bench, larks):
    """A desk with accounts[1]'s larks, both for accounts[2]: #1 can be taken at once, #2 late."""
    _, giver, friend, *_ = bench.accounts
    place = bench.deploy("GiftDesk")
    for token_id, opens in ((1, 0), (2, LATE)):
        larks.send(giver, "approve", place.address, token_id)
        assert place.send(giver, "deposit", larks.address, token_id, friend, opens, f"memo {token_id}") == token_id
    return place


def test_a_gift_is_had_once_by_whom_it_was_left_for(bench, larks, desk):
    _, giver, friend, other, *_ = bench.accounts
    for anybody in (giver, other):
        with bench.reverts("NotForYou", 1, anybody):
            desk.send(anybody, "take", 1)
    desk.send(friend, "take", 1)
    assert larks.call("ownerOf", 1) == friend
    for gone in (1, 3):
        with bench.reverts("NoSuchGift", gone):
            desk.send(friend, "take", gone)


def test_who_comes_too_early_is_told_when_it_opens_and_the_newest_notice(bench, larks, desk):
    _, giver, friend, other, *_ = bench.accounts
    with bench.reverts("NotOpenYet", LATE, ""):
        desk.send(friend, "take", 2)
    desk.send(other, "postNotice", "Closed on Mondays")
    desk.send(giver, "postNotice", "Open on Mondays")
    with bench.reverts("NotOpenYet", LATE, "Open on Mondays"):
        desk.send(friend, "take", 2)
    assert larks.call("ownerOf", 2) == desk.address


def test_what_was_left_can_be_read_with_its_memo(bench, larks, desk):
    _, giver, friend, *_ = bench.accounts
    assert tuple(desk.call("gifts", 2)) == (giver, friend, larks.address, 2, LATE, "memo 2")
    assert desk.call("giftCount") == 2


def test_a_curated_token_can_be_bought_and_approved_but_only_dealers_pass_it_on(bench):
    curator, buyer, dealer, *_ = bench.accounts
    tokens = bench.deploy("CuratedCollection", "Wrens", "WRN", curator, "")
    tokens.send(curator, "mintBatch", curator, [1, 2])
    assert tokens.call("totalSupply") == 2
    tokens.send(curator, "transferFrom", curator, buyer, 1)
    tokens.send(buyer, "approve", dealer, 1)
    for sender in (buyer, dealer):
        with bench.reverts("NotADealer", buyer):
            tokens.send(sender, "transferFrom", buyer, dealer, 1)
    with bench.reverts("OwnableUnauthorizedAccount", buyer):
        tokens.send(buyer, "setDealer", buyer, True)
    tokens.send(curator, "setDealer", buyer, True)
    tokens.send(buyer, "transferFrom", buyer, dealer, 1)
    assert (tokens.call("ownerOf", 1), tokens.call("isDealer", dealer)) == (dealer, False)
