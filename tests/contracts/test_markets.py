"""Markets, royalties, splits, transfer policies, and the ones who abuse an approval."""

from __future__ import annotations

import pytest

ZERO = "0x" + "00" * 20
PRICE = 10**18


@pytest.fixture
def larks(bench):
    """A collection with 5 % royalty to accounts[3]; accounts[1] holds tokens 1 to 3."""
    owner, holder, _, artist, *_ = bench.accounts
    tokens = bench.deploy("RoyaltyCollection", "Larks", "LRK", owner, artist, 500, "")
    tokens.send(owner, "mintBatch", holder, [1, 2, 3])
    return tokens


def test_royalty_is_the_tokens_own_before_the_default(bench, larks):
    owner, holder, other, artist, *_ = bench.accounts
    larks.send(owner, "setTokenRoyalty", 2, other, 1000)
    assert larks.call("royaltyInfo", 1, PRICE) == (artist, PRICE // 20)
    assert larks.call("royaltyInfo", 2, PRICE) == (other, PRICE // 10)
    larks.send(owner, "resetTokenRoyalty", 2)
    larks.send(owner, "setDefaultRoyalty", other, 100)
    assert larks.call("royaltyInfo", 2, PRICE) == (other, PRICE // 100)
    larks.send(owner, "deleteDefaultRoyalty")
    assert larks.call("royaltyInfo", 1, PRICE) == (ZERO, 0)
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        larks.send(holder, "setDefaultRoyalty", holder, 0)


def test_market_pays_seller_artist_and_fee_to_the_wei(bench, larks):
    owner, seller, buyer, artist, *_ = bench.accounts
    market = bench.deploy("SimpleMarket", owner, 250)
    listing = market.send(seller, "list", larks.address, 1, ZERO, PRICE)
    with bench.reverts("ERC721InsufficientApproval", market.address, 1):
        market.send(buyer, "buy", listing, value=PRICE)
    larks.send(seller, "approve", market.address, 1)
    with bench.reverts("WrongPayment", PRICE - 1, PRICE):
        market.send(buyer, "buy", listing, value=PRICE - 1)
    before = [bench.balance(each) for each in (owner, seller, artist)]
    market.send(buyer, "buy", listing, value=PRICE)
    gained = [bench.balance(each) - was for each, was in zip((owner, seller, artist), before, strict=True)]
    assert gained == [PRICE * 25 // 1000, PRICE * 925 // 1000, PRICE * 5 // 100]
    assert larks.call("ownerOf", 1) == buyer
    with bench.reverts("NoSuchListing", listing):
        market.send(buyer, "buy", listing, value=PRICE)


def test_market_tells_the_newest_listing_of_a_token_while_it_stands(bench, larks):
    owner, seller, buyer, *_ = bench.accounts
    market = bench.deploy("SimpleMarket", owner, 250)
    assert not market.call("isListed", larks.address, 1)
    first = market.send(seller, "list", larks.address, 1, ZERO, PRICE)
    second = market.send(seller, "list", larks.address, 1, ZERO, PRICE // 2)
    assert [market.call("listingOf", larks.address, token) for token in (1, 2)] == [second, 0]
    market.send(seller, "cancel", second)
    assert not market.call("isListed", larks.address, 1)
    third = market.send(seller, "list", larks.address, 1, ZERO, PRICE)
    larks.send(seller, "approve", market.address, 1)
    market.send(buyer, "buy", third, value=PRICE)
    assert market.call("listingOf", larks.address, 1) == 0
    assert market.call("getListing", first)[0] == seller


def test_market_sells_for_a_currency_and_lists_only_the_holders_own(bench, larks):
    owner, seller, buyer, artist, *_ = bench.accounts
    market = bench.deploy("SimpleMarket", owner, 0)
    dollars = bench.deploy("PaymentToken", "Test Dollar", "TUSD", owner, 6)
    dollars.send(owner, "mint", buyer, 1_000)
    with bench.reverts("NotTheHolder", larks.address, 1, buyer):
        market.send(buyer, "list", larks.address, 1, ZERO, 1)
    listing = market.send(seller, "list", larks.address, 1, dollars.address, 900)
    with bench.reverts("NotTheSeller", listing, buyer):
        market.send(buyer, "setPrice", listing, 1)
    market.send(seller, "setPrice", listing, 1_000)
    assert market.call("payouts", listing) == (950, artist, 50, 0)
    larks.send(seller, "approve", market.address, 1)
    dollars.send(buyer, "approve", market.address, 1_000)
    market.send(buyer, "buy", listing)
    assert [dollars.call("balanceOf", each) for each in (seller, artist)] == [950, 50]
    other = market.send(seller, "list", larks.address, 2, ZERO, PRICE)
    market.send(seller, "cancel", other)
    with bench.reverts("NoSuchListing", other):
        market.call("getListing", other)


def test_market_refuses_a_sale_whose_deductions_exceed_the_price(bench, larks):
    owner, seller, buyer, artist, *_ = bench.accounts
    market = bench.deploy("SimpleMarket", owner, 250)
    larks.send(owner, "setTokenRoyalty", 1, artist, 10_000)
    listing = market.send(seller, "list", larks.address, 1, ZERO, PRICE)
    with bench.reverts("DeductionsExceedPrice", PRICE, PRICE, PRICE // 40):
        market.send(buyer, "buy", listing, value=PRICE)


def test_splitter_pays_out_by_shares_ether_and_currency(bench):
    """Ten wei over shares 3:1:1, and a thousand units over the same."""
    owner, first, second, third, payer = bench.accounts
    splitter = bench.deploy("PaymentSplitter", [first, second, third], [3, 1, 1])
    dollars = bench.deploy("PaymentToken", "Test Dollar", "TUSD", owner, 6)
    bench.run(payer, splitter.address, b"", value=10)
    before = bench.balance(first)
    splitter.send(payer, "release(address)", first)
    assert bench.balance(first) - before == 6
    assert splitter.call("releasable(address)", second) == 2
    dollars.send(owner, "mint", splitter.address, 1_000)
    splitter.send(payer, "release(address,address)", dollars.address, third)
    assert dollars.call("balanceOf", third) == 200
    with bench.reverts("Error", "PaymentSplitter: account is not due payment"):
        splitter.send(payer, "release(address)", first)
    with bench.reverts("Error", "PaymentSplitter: account has no shares"):
        splitter.send(payer, "release(address)", payer)


def test_filtered_operator_can_be_neither_approved_nor_used(bench):
    owner, holder, operator, market, *_ = bench.accounts
    registry = bench.deploy("OperatorFilterRegistry")
    tokens = bench.deploy("FilteredCollection", "Larks", "LRK", owner, registry.address, ZERO, "")
    tokens.send(owner, "mintBatch", holder, [1, 2])
    tokens.send(holder, "setApprovalForAll", operator, True)
    registry.send(owner, "updateOperator", tokens.address, operator, True)
    with bench.reverts("AddressFiltered", operator):
        tokens.send(operator, "transferFrom", holder, operator, 1)
    with bench.reverts("AddressFiltered", operator):
        tokens.send(holder, "approve", operator, 2)
    tokens.send(holder, "approve", market, 2)
    tokens.send(market, "transferFrom", holder, market, 2)
    tokens.send(holder, "transferFrom", holder, operator, 1)
    assert registry.call("isOperatorFiltered(address,address)", tokens.address, operator)
    assert tokens.call("ownerOf", 1) == operator


def test_creator_token_moves_as_its_validator_allows(bench):
    """Level 2 of the validator: only operators of the collection's whitelist move tokens, not even the holder.

    A whitelist with nobody on it restrains nobody.
    """
    owner, holder, market, other, *_ = bench.accounts
    validator = bench.deploy("CreatorTokenTransferValidator", owner)
    tokens = bench.deploy("CreatorTokenCollection", "Larks", "LRK", owner, owner, 500, "")
    tokens.send(owner, "mintBatch", holder, [1, 2])
    whitelist = validator.send(owner, "createOperatorWhitelist", "markets")
    tokens.send(owner, "setToCustomValidatorAndSecurityPolicy", validator.address, 2, whitelist, 0)
    tokens.send(holder, "transferFrom", holder, other, 2)
    validator.send(owner, "addOperatorToWhitelist", whitelist, owner)
    caller_refused = "CreatorTokenTransferValidator__CallerMustBeWhitelistedOperator"
    with bench.reverts(caller_refused):
        tokens.send(holder, "transferFrom", holder, other, 1)
    tokens.send(holder, "approve", market, 1)
    with bench.reverts(caller_refused):
        tokens.send(market, "transferFrom", holder, other, 1)
    validator.send(owner, "addOperatorToWhitelist", whitelist, market)
    tokens.send(market, "transferFrom", holder, other, 1)
    assert tokens.call("ownerOf", 1) == other
    assert tokens.call("royaltyInfo", 1, 1_000) == (owner, 50)


def test_swap_desk_needs_approval_of_the_one_token(bench, larks):
    owner, visitor, *_ = bench.accounts
    prizes = bench.deploy("OpenZeppelinCollection", "Prizes", "PRZ", owner, "")
    desk = bench.deploy("SwapDesk", owner, larks.address, prizes.address)
    prizes.send(owner, "mintBatch", owner, [50, 51])
    prizes.send(owner, "setApprovalForAll", desk.address, True)
    desk.send(owner, "restock", [50])
    with bench.reverts("NotInStock", 51):
        desk.send(visitor, "swap", 1, 51)
    with bench.reverts("ERC721InsufficientApproval", desk.address, 1):
        desk.send(visitor, "swap", 1, 50)
    larks.send(visitor, "approve", desk.address, 1)
    desk.send(visitor, "swap", 1, 50)
    assert (larks.call("ownerOf", 1), prizes.call("ownerOf", 50)) == (owner, visitor)
    assert larks.call("getApproved", 1) == ZERO


def test_legacy_swap_desk_lets_anyone_take_what_was_approved(bench, larks):
    _, maker, thief, *_ = bench.accounts
    desk = bench.deploy("LegacySwapDesk")
    larks.send(maker, "setApprovalForAll", desk.address, True)
    desk.send(thief, "closeSwap", (maker, larks.address, 1, thief))
    assert larks.call("ownerOf", 1) == thief
    larks.send(maker, "setApprovalForAll", desk.address, False)
    with bench.reverts("ERC721InsufficientApproval", desk.address, 2):
        desk.send(thief, "closeSwap", (maker, larks.address, 2, thief))


def test_drainer_takes_only_what_it_was_let(bench, larks):
    owner, victim, thief, *_ = bench.accounts
    drainer = bench.deploy("Drainer", thief)
    potions = bench.deploy("SoladyMultiToken", "Potions", "PTN", owner, "")
    dollars = bench.deploy("PaymentToken", "Test Dollar", "TUSD", owner, 6)
    potions.send(owner, "mint", victim, 1, 5, b"")
    dollars.send(owner, "mint", victim, 100)
    with bench.reverts("ERC721InsufficientApproval", drainer.address, 1):
        drainer.send(thief, "drain", larks.address, victim, 1, thief)
    larks.send(victim, "approve", drainer.address, 1)
    potions.send(victim, "setApprovalForAll", drainer.address, True)
    dollars.send(victim, "approve", drainer.address, 60)
    with bench.reverts("OwnableUnauthorizedAccount", victim):
        drainer.send(victim, "drain", larks.address, victim, 1, victim)
    drainer.send(thief, "drain", larks.address, victim, 1, thief)
    drainer.send(thief, "drainAmount", potions.address, victim, 1, 5, thief)
    drainer.send(thief, "drainCurrency", dollars.address, victim, 60, thief)
    assert larks.call("ownerOf", 1) == thief
    assert (potions.call("balanceOf", thief, 1), dollars.call("balanceOf", thief)) == (5, 60)


def test_registry_tells_genuine_collections(bench, larks):
    curator, creator, *_ = bench.accounts
    registry = bench.deploy("CollectionRegistry", curator)
    registry.send(curator, "register", larks.address, creator)
    assert (registry.call("isRegistered", larks.address), registry.call("creatorOf", larks.address)) == (True, creator)
    assert registry.call("collectionsOf", creator) == (larks.address,)
    with bench.reverts("AlreadyRegistered", larks.address):
        registry.send(curator, "register", larks.address, creator)
    with bench.reverts("OwnableUnauthorizedAccount", creator):
        registry.send(creator, "register", registry.address, creator)
    registry.send(curator, "remove", larks.address)
    assert (registry.call("isRegistered", larks.address), registry.call("collectionsOf", creator)) == (False, ())
