"""Contracts that get tokens: receivers of every temper, the vault, the wallet of several owners, the lending desk."""

from __future__ import annotations

import pytest

ZERO = "0x" + "00" * 20
SAFE_TRANSFER = "safeTransferFrom(address,address,uint256)"
DAY = 86_400
START = 1_700_000_000


@pytest.fixture
def larks(bench):
    """A collection in which accounts[1] holds tokens 1 to 4."""
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [1, 2, 3, 4])
    return tokens


@pytest.fixture
def potions(bench):
    """Editions in which accounts[1] holds ten each of ids 1 and 2."""
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("MultiToken", "Potions", "PTN", owner, "")
    tokens.send(owner, "mintBatch", holder, [1, 2], [10, 10], b"")
    return tokens


def test_holder_without_a_hook_gets_tokens_only_the_unsafe_way(bench, larks, potions):
    owner, holder, *_ = bench.accounts
    jar = bench.deploy("NoHookHolder", owner)
    with bench.reverts("ERC721InvalidReceiver", jar.address):
        larks.send(holder, SAFE_TRANSFER, holder, jar.address, 1)
    with bench.reverts("ERC1155InvalidReceiver", jar.address):
        potions.send(holder, "safeTransferFrom", holder, jar.address, 1, 1, b"")
    larks.send(holder, "transferFrom", holder, jar.address, 1)
    bench.run(holder, jar.address, b"", value=5)
    jar.send(owner, "withdraw", holder, 5)
    assert (larks.call("ownerOf", 1), bench.balance(jar.address)) == (jar.address, 0)


def test_refusing_receiver_says_why(bench, larks, potions):
    _, holder, *_ = bench.accounts
    refusing = bench.deploy("RefusingReceiver", "We take no gifts")
    with bench.reverts("Error", "We take no gifts"):
        larks.send(holder, SAFE_TRANSFER, holder, refusing.address, 1)
    with bench.reverts("Error", "We take no gifts"):
        potions.send(holder, "safeTransferFrom", holder, refusing.address, 1, 1, b"")


def test_wrong_answer_of_a_hook_is_refused(bench, larks, potions):
    _, holder, *_ = bench.accounts
    wrong = bench.deploy("WrongMagicReceiver")
    with bench.reverts("ERC721InvalidReceiver", wrong.address):
        larks.send(holder, SAFE_TRANSFER, holder, wrong.address, 1)
    with bench.reverts("ERC1155InvalidReceiver", wrong.address):
        potions.send(holder, "safeBatchTransferFrom", holder, wrong.address, [1], [1], b"")


def test_accepting_receiver_lets_its_owner_send_on(bench, larks, potions):
    owner, holder, other, *_ = bench.accounts
    treasury = bench.deploy("AcceptingReceiver", owner)
    larks.send(holder, SAFE_TRANSFER, holder, treasury.address, 1)
    potions.send(holder, "safeTransferFrom", holder, treasury.address, 1, 6, b"")
    treasury.send(owner, "release", larks.address, 1, other)
    treasury.send(owner, "releaseAmount", potions.address, 1, 6, other)
    assert (larks.call("ownerOf", 1), potions.call("balanceOf", other, 1)) == (other, 6)
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        treasury.send(holder, "release", larks.address, 1, holder)


def test_forwarding_receiver_keeps_nothing(bench, larks, potions):
    _, holder, other, *_ = bench.accounts
    relay = bench.deploy("ForwardingReceiver", other)
    larks.send(holder, SAFE_TRANSFER, holder, relay.address, 1)
    potions.send(holder, "safeTransferFrom", holder, relay.address, 1, 2, b"")
    potions.send(holder, "safeBatchTransferFrom", holder, relay.address, [1, 2], [1, 3], b"")
    assert larks.call("ownerOf", 1) == other
    assert potions.call("balanceOfBatch", [other, other, relay.address], [1, 2, 1]) == (3, 3, 0)


def test_vault_credits_the_sender_and_gives_back_to_nobody_else(bench, larks, potions):
    owner, holder, other, *_ = bench.accounts
    vault = bench.deploy("DepositVault", owner, [])
    larks.send(holder, SAFE_TRANSFER, holder, vault.address, 1)
    larks.send(holder, "approve", vault.address, 2)
    vault.send(holder, "deposit", larks.address, 2)
    potions.send(holder, "safeBatchTransferFrom", holder, vault.address, [1, 2], [3, 4], b"")
    potions.send(holder, "setApprovalForAll", vault.address, True)
    vault.send(holder, "depositAmount", potions.address, 1, 2)
    assert [vault.call("depositorOf", larks.address, token) for token in (1, 2)] == [holder, holder]
    assert [vault.call("creditOf", holder, potions.address, token) for token in (1, 2)] == [5, 4]
    with bench.reverts("NotTheDepositor", larks.address, 1, other):
        vault.send(other, "withdraw", larks.address, 1)
    vault.send(holder, "withdraw", larks.address, 1)
    vault.send(holder, "withdrawAmount", potions.address, 1, 5)
    with bench.reverts("NotEnoughCredit", potions.address, 1, 0, 1):
        vault.send(holder, "withdrawAmount", potions.address, 1, 1)
    assert (larks.call("ownerOf", 1), potions.call("balanceOf", holder, 1)) == (holder, 10)


def test_vault_credits_nobody_for_a_plain_transfer(bench, larks):
    owner, holder, *_ = bench.accounts
    vault = bench.deploy("DepositVault", owner, [])
    larks.send(holder, "transferFrom", holder, vault.address, 1)
    assert vault.call("depositorOf", larks.address, 1) == ZERO
    with bench.reverts("NotTheDepositor", larks.address, 1, holder):
        vault.send(holder, "withdraw", larks.address, 1)


def test_vault_refuses_collections_off_its_list_and_tokens_it_never_got(bench, larks, potions):
    owner, holder, *_ = bench.accounts
    vault = bench.deploy("DepositVault", owner, [larks.address])
    assert (vault.call("accepts", larks.address), vault.call("accepts", potions.address)) == (True, False)
    with bench.reverts("CollectionNotAccepted", potions.address):
        potions.send(holder, "safeTransferFrom", holder, vault.address, 1, 1, b"")
    vault.send(owner, "setAccepted", potions.address, True)
    potions.send(holder, "safeTransferFrom", holder, vault.address, 1, 1, b"")
    with pytest.raises(Exception, match="raw"):
        vault.send(holder, "onERC721Received", holder, holder, 1, b"")


def wallet(bench, owners, threshold, handler=ZERO):
    return bench.deploy("SmartWallet", owners, threshold, handler)


def test_wallet_without_a_handler_fails_safe_transfers_until_it_sets_one(bench, larks):
    _, holder, other, *_ = bench.accounts
    safe = wallet(bench, [holder], 1)
    handler = bench.deploy("CompatibilityHandler")
    with pytest.raises(Exception, match="raw"):
        larks.send(holder, SAFE_TRANSFER, holder, safe.address, 1)
    with bench.reverts("OnlyThroughTheWallet"):
        safe.send(holder, "setFallbackHandler", handler.address)
    with bench.reverts("NotAnOwner", other):
        safe.send(other, "execTransaction", safe.address, 0, b"")
    safe.send(holder, "execTransaction", safe.address, 0, safe.data("setFallbackHandler", handler.address))
    larks.send(holder, SAFE_TRANSFER, holder, safe.address, 1)
    assert (larks.call("ownerOf", 1), safe.call("fallbackHandler")) == (safe.address, handler.address)


def test_wallet_answers_erc1155_hooks_through_its_handler(bench, potions):
    _, holder, *_ = bench.accounts
    safe = wallet(bench, [holder], 1, bench.deploy("CompatibilityHandler").address)
    potions.send(holder, "safeBatchTransferFrom", holder, safe.address, [1, 2], [1, 2], b"")
    assert potions.call("balanceOf", safe.address, 2) == 2


def test_wallet_acts_with_enough_approvals_of_one_call_at_one_nonce(bench, larks):
    _, first, second, third, *_ = bench.accounts
    safe = wallet(bench, [first, second, third], 2)
    larks.send(first, "transferFrom", first, safe.address, 1)
    data = larks.data("transferFrom", safe.address, second, 1)
    with bench.reverts("NotEnoughApprovals", 1, 2):
        safe.send(first, "execTransaction", larks.address, 0, data)
    safe.send(third, "approveHash", safe.call("getTransactionHash", larks.address, 0, data, 0))
    safe.send(first, "execTransaction", larks.address, 0, data)
    assert (larks.call("ownerOf", 1), safe.call("nonce")) == (second, 1)
    with bench.reverts("NotEnoughApprovals", 1, 2):
        safe.send(first, "execTransaction", larks.address, 0, data)


def test_wallet_passes_on_why_a_call_failed_and_manages_its_owners(bench, larks):
    _, first, second, *_ = bench.accounts
    safe = wallet(bench, [first], 1)
    with bench.reverts("ERC721InsufficientApproval", safe.address, 1):
        safe.send(first, "execTransaction", larks.address, 0, larks.data("transferFrom", first, second, 1))
    safe.send(first, "execTransaction", safe.address, 0, safe.data("addOwnerWithThreshold", second, 2))
    assert (safe.call("getOwners"), safe.call("threshold")) == ((first, second), 2)
    with bench.reverts("InvalidThreshold", 2):
        bench.deploy("SmartWallet", [first], 2, ZERO)


def test_lent_token_comes_back_when_due_or_when_the_borrower_gives_it_back(bench, larks):
    _, holder, borrower, *_ = bench.accounts
    desk = bench.deploy("LendingDesk", "Desk IOU", "IOU")
    due = START + DAY
    for token in (1, 2):
        larks.send(holder, "approve", desk.address, token)
        desk.send(holder, "lend", larks.address, token, borrower, due)
    assert desk.call("loans", larks.address, 1) == (holder, borrower, due)
    assert desk.call("balanceOf", borrower) == 2
    with bench.reverts("NotDue", due):
        desk.send(holder, "recall", larks.address, 1)
    with bench.reverts("NotTheBorrower", holder):
        desk.send(holder, "giveBack", larks.address, 1)
    desk.send(borrower, "giveBack", larks.address, 1)
    bench.set_time(due)
    with bench.reverts("NotTheLender", borrower):
        desk.send(borrower, "recall", larks.address, 2)
    desk.send(holder, "recall", larks.address, 2)
    assert [larks.call("ownerOf", token) for token in (1, 2)] == [holder, holder]
    assert (desk.call("balanceOf", borrower), desk.call("loans", larks.address, 1)) == (0, (ZERO, ZERO, 0))


def test_shelf_takes_one_kind_at_a_time(bench, potions):
    owner, holder, other, *_ = bench.accounts
    shelf = bench.deploy("SingleItemShelf", owner)
    with bench.reverts("OneKindAtATime"):
        potions.send(holder, "safeBatchTransferFrom", holder, shelf.address, [1, 2], [1, 1], b"")
    potions.send(holder, "safeTransferFrom", holder, shelf.address, 1, 2, b"")
    shelf.send(owner, "remove", potions.address, 1, 2, other)
    assert potions.call("balanceOf", other, 1) == 2


def test_scheduled_vault_opens_a_collection_at_its_announced_time(bench, larks):
    owner, holder, *_ = bench.accounts
    vault = bench.deploy("ScheduledVault", owner, [])
    vault.send(owner, "announce", larks.address, START + DAY)
    with bench.reverts("CollectionNotAccepted", larks.address):
        larks.send(holder, SAFE_TRANSFER, holder, vault.address, 1)
    with bench.reverts("NotYet", larks.address, START + DAY):
        vault.send(owner, "open", larks.address)
    bench.set_time(START + DAY)
    vault.send(owner, "open", larks.address)
    larks.send(holder, SAFE_TRANSFER, holder, vault.address, 1)
    assert vault.call("depositorOf", larks.address, 1) == holder
