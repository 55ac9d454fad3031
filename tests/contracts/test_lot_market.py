"""A market that sells lots for a price and a fee on top, and a register of traits."""

from __future__ import annotations

import pytest


@pytest.fixture
def place(bench):
    """Tokens 1 to 3 of a seller: lot 1 is the first for 1,000 wei, lot 2 the others for 2,001; the fee is a twentieth."""
    team, seller, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", team, "")
    tokens.send(team, "mintBatch", seller, [1, 2, 3])
    market = bench.deploy("LotMarket", tokens.address, team, 500)
    tokens.send(seller, "setApprovalForAll", market.address, True)
    market.send(seller, "list", [[1], [2, 3]], [1_000, 2_001])
    return tokens, market


def test_a_lot_is_sold_whole_for_price_and_fee_rounded_down(bench, place):
    """A twentieth of 2,001 is 100."""
    tokens, market = place
    team, seller, buyer, *_ = bench.accounts
    before = [bench.balance(who) for who in (team, seller, buyer)]
    with bench.reverts("WrongPayment", 2_001, 2_101):
        market.send(buyer, "buy", 2, value=2_001)
    market.send(buyer, "buy", 2, value=2_101)
    after = [bench.balance(who) for who in (team, seller, buyer)]
    assert [b - a for a, b in zip(before, after, strict=True)] == [100, 2_001, -2_101]
    assert [tokens.call("ownerOf", token) for token in (1, 2, 3)] == [seller, buyer, buyer]
    with bench.reverts("NoSuchLot", 2):
        market.send(buyer, "buy", 2, value=2_101)


def test_only_holders_list_and_only_sellers_cancel(bench, place):
    _, market = place
    _, seller, buyer, *_ = bench.accounts
    with bench.reverts("NotTheHolder", 1, buyer):
        market.send(buyer, "list", [[1]], [5])
    with bench.reverts("NotTheSeller", 1, buyer):
        market.send(buyer, "cancel", [1])
    market.send(seller, "cancel", [1])
    with bench.reverts("NoSuchLot", 1):
        market.send(buyer, "buy", 1, value=1_050)


def test_a_register_names_the_traits_of_its_bits(bench):
    """Ten is the second bit and the fourth."""
    team, other, *_ = bench.accounts
    register = bench.deploy("TraitRegister", other, team, ["Dawn", "Tabby", "Crown", "Scroll"])
    register.send(team, "register", [7], [10])
    assert list(register.call("traitsOf", 7)) == ["Tabby", "Scroll"]
    with bench.reverts("NotRegistered", 8):
        register.send(other, "traitsOf", 8)
