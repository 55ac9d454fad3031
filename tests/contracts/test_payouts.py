"""Paying many at once, buying for others, links between wallets, and badges of evenings."""

from __future__ import annotations

import pytest

ETHER = 10**18
NOBODY = "0x" + "00" * 20


def test_bulk_payments_pay_everybody_the_exact_sums_and_keep_nothing(bench):
    payer, one, two, *_ = bench.accounts
    bulk = bench.deploy("BulkPayments")
    before = [bench.balance(who) for who in (payer, one, two)]
    bulk.send(payer, "pay", [one, two, one], [5, 7, 11], value=23)
    after = [bench.balance(who) for who in (payer, one, two)]
    assert [b - a for a, b in zip(before, after, strict=True)] == [-23, 16, 7]
    assert bench.balance(bulk.address) == 0


def test_bulk_payments_pay_nobody_where_the_total_or_the_lists_differ_or_one_refuses(bench):
    payer, one, two, *_ = bench.accounts
    bulk, refusing = bench.deploy("BulkPayments"), bench.deploy("RefusingReceiver", "no")
    before = bench.balance(one)
    for value in (11, 13):
        with bench.reverts("WrongTotal", value, 12):
            bulk.send(payer, "pay", [one, two], [5, 7], value=value)
    with bench.reverts("LengthsDiffer", 2, 1):
        bulk.send(payer, "pay", [one, two], [5], value=5)
    with bench.reverts("FailedCall"):
        bulk.send(payer, "pay", [one, refusing.address], [5, 7], value=12)
    assert bench.balance(one) == before


@pytest.fixture
def shop(bench):
    """Tokens 10 to 14 of a collection, at a price that fell to 2 ether long ago."""
    owner, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", owner, "")
    place = bench.deploy("DecayingPriceMinter", tokens.address, owner, 10, 5, (3 * ETHER, 2 * ETHER, 1, 2))
    tokens.send(owner, "transferOwnership", place.address)
    return tokens, place


def test_the_buying_desk_hands_on_the_tokens_and_the_change(bench, shop):
    """The shop sees the desk; four ether change of eight."""
    tokens, place = shop
    _, customer, other, *_ = bench.accounts
    desk = bench.deploy("BuyingDesk")
    place.send(other, "buy", 1, value=2 * ETHER)
    before = bench.balance(customer)
    desk.send(customer, "buy", place.address, 2, value=8 * ETHER)
    assert bench.events(desk)[0] == ("BoughtFor", customer, place.address, 2, 4 * ETHER)
    assert bench.balance(customer) == before - 4 * ETHER and bench.balance(desk.address) == 0
    assert [tokens.call("ownerOf", token_id) for token_id in (10, 11, 12)] == [other, customer, customer]


def test_a_wallet_is_linked_once_the_main_one_confirms_what_it_claims(bench):
    _, wallet, main, other, *_ = bench.accounts
    links = bench.deploy("WalletLinks")
    with bench.reverts("NothingClaimed", wallet, main):
        links.send(main, "confirm", wallet)
    links.send(wallet, "claim", main)
    assert links.call("mainOf", wallet) == NOBODY
    with bench.reverts("NothingClaimed", wallet, other):
        links.send(other, "confirm", wallet)
    links.send(main, "confirm", wallet)
    assert links.call("mainOf", wallet) == main
    links.send(wallet, "claim", other)
    assert links.call("mainOf", wallet) == main, "a claim alone replaces nothing"
    links.send(other, "confirm", wallet)
    assert links.call("mainOf", wallet) == other
    links.send(wallet, "release")
    assert links.call("mainOf", wallet) == NOBODY
    with bench.reverts("NotLinked", wallet):
        links.send(wallet, "release")


def test_links_make_no_circle(bench):
    _, one, two, three, *_ = bench.accounts
    links = bench.deploy("WalletLinks")
    for wallet, main in ((one, two), (two, three)):
        links.send(wallet, "claim", main)
        links.send(main, "confirm", wallet)
    for wallet, main in ((three, one), (three, two), (two, two)):
        links.send(wallet, "claim", main)
        with bench.reverts("Circle", wallet, main):
            links.send(main, "confirm", wallet)


def test_badges_are_given_in_turn_by_the_owner_alone(bench):
    owner, one, two, *_ = bench.accounts
    badges = bench.deploy("AttendanceCollection", "Herons", "HRN", owner, "ipfs://x/")
    badges.send(owner, "award", 1, [one, two])
    badges.send(owner, "award", 2, [one])
    assert [badges.call("ownerOf", token_id) for token_id in (1, 2, 3)] == [one, two, one]
    assert badges.call("totalAwarded") == 3 and badges.call("tokenURI", 3) == "ipfs://x/3"
    with bench.reverts("OwnableUnauthorizedAccount", one):
        badges.send(one, "award", 3, [one])
