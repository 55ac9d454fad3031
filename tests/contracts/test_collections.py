"""The ERC-721 collections: who may mint, what moves, and what each refuses."""

from __future__ import annotations

import pytest
from eth_account import Account

ZERO = "0x" + "00" * 20
DAY = 86_400
PLAIN = ["OpenZeppelinCollection", "SoladyCollection", "BlocklistCollection", "PausableCollection", "PermitCollection"]
ERC721, ERC5192, ERC4907 = bytes.fromhex("80ac58cd"), bytes.fromhex("b45a3c0e"), bytes.fromhex("ad092b5c")


@pytest.mark.parametrize("name", PLAIN)
def test_collection_is_an_erc721_whose_owner_mints(bench, name):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy(name, "Larks", "LRK", owner, "ipfs://larks/")
    tokens.send(owner, "mintBatch", holder, [7, 9])
    tokens.send(holder, "safeTransferFrom(address,address,uint256)", holder, other, 7)
    tokens.send(holder, "approve", other, 9)
    tokens.send(other, "transferFrom", holder, other, 9)
    assert [tokens.call("ownerOf", 7), tokens.call("ownerOf", 9)] == [other, other]
    assert (tokens.call("name"), tokens.call("symbol"), tokens.call("tokenURI", 7)) == (
        "Larks",
        "LRK",
        "ipfs://larks/7",
    )
    assert tokens.call("supportsInterface", ERC721)
    with pytest.raises(Exception, match="Unauthorized"):
        tokens.send(holder, "mint", holder, 10)
    with pytest.raises(Exception, match=r"ERC721InsufficientApproval|NotOwnerNorApproved"):
        tokens.send(holder, "transferFrom", other, holder, 7)


def test_openzeppelin_collection_lists_and_burns_tokens(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [4, 5, 6])
    tokens.send(holder, "burn", 5)
    assert tokens.call("totalSupply") == 2
    assert sorted(tokens.call("tokenOfOwnerByIndex", holder, index) for index in range(2)) == [4, 6]


def test_sequential_collection_counts_from_one(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("SequentialCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mint", holder, 3)
    tokens.send(holder, "transferFrom", holder, other, 2)
    tokens.send(holder, "burn", 1)
    assert tokens.call("tokensOfOwner", holder) == (3,)
    assert (tokens.call("totalSupply"), tokens.call("totalMinted"), tokens.call("numberMinted", holder)) == (2, 3, 3)
    with bench.reverts("OwnerQueryForNonexistentToken"):
        tokens.call("ownerOf", 1)
    with bench.reverts("OwnableUnauthorizedAccount", holder):
        tokens.send(holder, "mint", holder, 1)


def test_solady_collection_counts_its_tokens(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("SoladyCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [1, 2, 3])
    tokens.send(holder, "burn", 2)
    assert tokens.call("totalSupply") == 2
    with bench.reverts("TokenDoesNotExist"):
        tokens.call("tokenURI", 2)


def test_legacy_collection_moves_only_by_transfer_or_take_ownership(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("LegacyCollection", "Old Larks", "OLRK", owner)
    tokens.send(owner, "mint", holder, 7)
    tokens.send(holder, "transfer", other, 7)
    assert bench.events(tokens) == [("Transfer", holder, other, 7)]
    tokens.send(other, "approve", holder, 7)
    tokens.send(holder, "takeOwnership", 7)
    assert (tokens.call("ownerOf", 7), tokens.call("approvedFor", 7)) == (holder, ZERO)
    assert [tokens.call("balanceOf", each) for each in (holder, other)] == [1, 0]
    with bench.reverts("Error", "Sender does not own this token"):
        tokens.send(other, "transfer", other, 7)
    with bench.reverts("Error", "Sender is not approved for this token"):
        tokens.send(other, "takeOwnership", 7)
    with bench.reverts("Error", "Recipient can not hold tokens"):
        tokens.send(holder, "transfer", ZERO, 7)
    names = {entry.get("name") for entry in tokens.abi}
    assert not names & {"transferFrom", "safeTransferFrom", "setApprovalForAll", "supportsInterface"}
    assert not any(part["indexed"] for entry in tokens.abi if entry["type"] == "event" for part in entry["inputs"])


def test_lockable_collection_obeys_whoever_locked(bench):
    """A holder lifts only a lock of their own, the issuer only the issuer's; a locked token stays."""
    issuer, holder, other, *_ = bench.accounts
    tokens = bench.deploy("LockableCollection", "Larks", "LRK", issuer, "")
    tokens.send(issuer, "mintBatch", holder, [1, 2])
    tokens.send(holder, "lock", 1)
    tokens.send(issuer, "lockByIssuer", 2)
    assert [tokens.call("lockedBy", token) for token in (1, 2)] == [holder, issuer]
    for token in (1, 2):
        with bench.reverts("TokenLocked", token):
            tokens.send(holder, "transferFrom", holder, other, token)
    with bench.reverts("NotTheLocker", 2, holder):
        tokens.send(holder, "unlock", 2)
    with bench.reverts("NotTheLocker", 1, issuer):
        tokens.send(issuer, "unlock", 1)
    tokens.send(holder, "unlock", 1)
    assert bench.events(tokens) == [("Unlocked", 1)]
    tokens.send(holder, "transferFrom", holder, other, 1)
    assert (tokens.call("locked", 1), tokens.call("locked", 2)) == (False, True)
    assert tokens.call("supportsInterface", ERC5192)


def test_soulbound_token_can_be_burned_and_not_moved(bench):
    issuer, holder, other, *_ = bench.accounts
    tokens = bench.deploy("SoulboundCollection", "Badges", "BDG", issuer, "")
    tokens.send(issuer, "mint", holder, 1)
    assert tokens.call("locked", 1)
    with bench.reverts("TokenIsSoulbound", 1):
        tokens.send(holder, "transferFrom", holder, other, 1)
    with bench.reverts("NotTheHolder", 1, issuer):
        tokens.send(issuer, "burn", 1)
    tokens.send(holder, "burn", 1)
    assert tokens.call("balanceOf", holder) == 0


def test_paused_collection_stands_still_until_a_pauser_lifts_it(bench):
    admin, holder, other, *_ = bench.accounts
    tokens = bench.deploy("PausableCollection", "Larks", "LRK", admin, "")
    tokens.send(admin, "mint", holder, 1)
    tokens.send(admin, "pause")
    with bench.reverts("EnforcedPause"):
        tokens.send(holder, "transferFrom", holder, other, 1)
    with bench.reverts("AccessControlUnauthorizedAccount", holder, tokens.call("PAUSER_ROLE")):
        tokens.send(holder, "unpause")
    tokens.send(admin, "grantRole", tokens.call("PAUSER_ROLE"), holder)
    tokens.send(holder, "unpause")
    tokens.send(holder, "transferFrom", holder, other, 1)


@pytest.mark.parametrize("name", ["RentableCollection", "RentalLockedCollection"])
def test_rented_token_moves_only_where_renters_got_no_promise(bench, name):
    owner, holder, renter, *_ = bench.accounts
    tokens = bench.deploy(name, "Larks", "LRK", owner, "")
    tokens.send(owner, "mint", holder, 1)
    until = 1_700_000_000 + DAY
    tokens.send(holder, "setUser", 1, renter, until)
    assert (tokens.call("userOf", 1), tokens.call("userExpires", 1)) == (renter, until)
    assert tokens.call("supportsInterface", ERC4907)
    if name == "RentalLockedCollection":
        with bench.reverts("RentedOut", 1, until):
            tokens.send(holder, "transferFrom", holder, owner, 1)
        with bench.reverts("RentedOut", 1, until):
            tokens.send(holder, "setUser", 1, owner, until)
        bench.set_time(until + 1)
    tokens.send(holder, "transferFrom", holder, owner, 1)
    assert tokens.call("ownerOf", 1) == owner


def test_blocked_account_neither_sends_nor_receives(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("BlocklistCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [1])
    tokens.send(owner, "setBlocked", other, True)
    with bench.reverts("AccountBlocked", other):
        tokens.send(holder, "transferFrom", holder, other, 1)
    tokens.send(owner, "setBlocked", other, False)
    tokens.send(holder, "transferFrom", holder, other, 1)
    tokens.send(owner, "setBlocked", other, True)
    with bench.reverts("AccountBlocked", other):
        tokens.send(other, "transferFrom", other, holder, 1)


@pytest.mark.parametrize("name", ["MultiToken", "SoladyMultiToken"])
def test_multi_token_moves_batches_and_never_a_unit_too_many(bench, name):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy(name, "Potions", "PTN", owner, "ipfs://potions/{id}.json")
    tokens.send(owner, "mintBatch", holder, [1, 2], [10, 5], b"")
    tokens.send(owner, "mint", holder, 1, 1, b"")
    tokens.send(holder, "safeBatchTransferFrom", holder, other, [1, 2], [4, 5], b"")
    assert tokens.call("balanceOfBatch", [holder, other, holder, other], [1, 1, 2, 2]) == (7, 4, 0, 5)
    with bench.reverts("ERC1155InsufficientBalance" if name == "MultiToken" else "InsufficientBalance"):
        tokens.send(holder, "safeTransferFrom", holder, other, 1, 8, b"")
    with bench.reverts("OwnableUnauthorizedAccount" if name == "MultiToken" else "Unauthorized"):
        tokens.send(holder, "mint", holder, 1, 1, b"")
    assert tokens.call("uri", 1) == "ipfs://potions/{id}.json"


def test_multi_token_counts_supplies_and_can_be_paused(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("MultiToken", "Potions", "PTN", owner, "")
    tokens.send(owner, "mint", holder, 1, 10, b"")
    tokens.send(holder, "burn", holder, 1, 4)
    assert tokens.call("totalSupply(uint256)", 1) == 6
    tokens.send(owner, "pause")
    with bench.reverts("EnforcedPause"):
        tokens.send(holder, "safeTransferFrom", holder, other, 1, 1, b"")


def test_permit_approves_one_token_until_it_moves(bench):
    """ERC-4494: signed by hand with the domain and struct hashes of EIP-712."""
    owner, spender, other, *_ = bench.accounts
    signer = Account.from_key(b"\x01" * 32)
    holder = signer.address.lower()
    tokens = bench.deploy("PermitCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [1])
    deadline = 1_700_000_000 + DAY
    domain = {"name": "Larks", "version": "1", "chainId": 1, "verifyingContract": tokens.address}
    fields = [("spender", "address"), ("tokenId", "uint256"), ("nonce", "uint256"), ("deadline", "uint256")]
    types = {"Permit": [{"name": name, "type": kind} for name, kind in fields]}
    message = {"spender": spender, "tokenId": 1, "nonce": 0, "deadline": deadline}
    signature = bytes(signer.sign_typed_data(domain, types, message).signature)
    with bench.reverts("InvalidPermit", 1):
        tokens.send(other, "permit", other, 1, deadline, signature)
    tokens.send(other, "permit", spender, 1, deadline, signature)
    assert tokens.call("getApproved", 1) == spender
    tokens.send(spender, "transferFrom", holder, spender, 1)
    assert tokens.call("nonces", 1) == 1
    with bench.reverts("InvalidPermit", 1):
        tokens.send(other, "permit", other, 1, deadline, signature)
    bench.set_time(deadline + 1)
    with bench.reverts("PermitExpired", deadline):
        tokens.send(other, "permit", spender, 1, deadline, signature)
    assert tokens.call("supportsInterface", bytes.fromhex("5604e225"))


def test_permit_of_the_older_kind_is_all_or_nothing_and_may_never_expire(bench):
    """As DAI has it, older than ERC-2612: signed by hand by eth-account, in order of nonces."""
    owner, spender, other, *_ = bench.accounts
    signer = Account.from_key(b"\x01" * 32)
    coins = bench.deploy("AllOrNothingPermitToken", "Old Coin", "OLD", owner)
    coins.send(owner, "mint", signer.address.lower(), 10)
    domain = {"name": "Old Coin", "version": "1", "chainId": 1, "verifyingContract": coins.address}
    fields = [("holder", "address"), ("spender", "address"), ("nonce", "uint256"), ("expiry", "uint256")]
    types = {"Permit": [{"name": name, "type": kind} for name, kind in (*fields, ("allowed", "bool"))]}

    def handed_in(*values):
        message = {"holder": signer.address, "spender": spender} | dict(
            zip(("nonce", "expiry", "allowed"), values, strict=True)
        )
        signed = signer.sign_typed_data(domain, types, message)
        words = (signed.r.to_bytes(32, "big"), signed.s.to_bytes(32, "big"))
        coins.send(other, "permit", signer.address.lower(), spender, *values, signed.v, *words)

    with bench.reverts("InvalidPermit", signer.address.lower()):
        handed_in(1, 0, True)
    handed_in(0, 0, True)
    assert coins.call("allowance", signer.address.lower(), spender) == 2**256 - 1
    handed_in(1, 0, False)
    assert coins.call("allowance", signer.address.lower(), spender) == 0
    bench.set_time(1_700_000_000 + DAY)
    with bench.reverts("PermitExpired", 1_700_000_000):
        handed_in(2, 1_700_000_000, True)


def test_owner_of_a_forced_transfer_collection_moves_anybodys_tokens(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("ForcedTransferCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mint", holder, 1)
    with bench.reverts("ERC721InsufficientApproval", other, 1):
        tokens.send(other, "transferFrom", holder, other, 1)
    tokens.send(owner, "transferFrom", holder, other, 1)
    assert bench.events(tokens) == [("Transfer", holder, other, 1)]


def test_numbered_collection_mints_chosen_numbers_and_reads_them_by_range(bench):
    owner, holder, other, *_ = bench.accounts
    tokens = bench.deploy("NumberedCollection", "Larks", "LRK", owner, "", 5_000)
    tokens.send(owner, "mintBatch", holder, [3, 4_000])
    tokens.send(owner, "mintBatch", other, [7])
    tokens.send(holder, "burn", 3)
    assert (tokens.call("tokensOfOwner", holder), tokens.call("tokensOfOwnerIn", other, 1, 100)) == ((4_000,), (7,))
    with bench.reverts("NoSuchNumber", 5_001, 5_000):
        tokens.send(owner, "mintBatch", holder, [5_001])
