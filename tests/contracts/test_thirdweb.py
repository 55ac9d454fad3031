"""What comes from thirdweb's package: drops, signed mints, encrypted reveals, staking, auctions and bundles."""

from __future__ import annotations

import pytest
from eth_abi import encode
from eth_abi.packed import encode_packed
from eth_account import Account
from eth_hash.auto import keccak

ZERO = "0x" + "00" * 20
ETHER = "0x" + "ee" * 20
HOUR = 3_600
START = 1_700_000_000
PRICE = 10**16
NO_PROOF = ([], 0, 2**256 - 1, ZERO)
SAFE_TRANSFER = "safeTransferFrom(address,address,uint256)"
MINT_REQUEST = [
    ("to", "address"),
    ("royaltyRecipient", "address"),
    ("royaltyBps", "uint256"),
    ("primarySaleRecipient", "address"),
    ("uri", "string"),
    ("quantity", "uint256"),
    ("pricePerToken", "uint256"),
    ("currency", "address"),
    ("validityStartTimestamp", "uint128"),
    ("validityEndTimestamp", "uint128"),
    ("uid", "bytes32"),
]


@pytest.fixture
def larks(bench):
    """A collection in which accounts[1] holds tokens 1 to 3."""
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("OpenZeppelinCollection", "Larks", "LRK", owner, "")
    tokens.send(owner, "mintBatch", holder, [1, 2, 3])
    return tokens


def test_drop_is_claimed_under_its_condition(bench):
    owner, buyer, payee, *_ = bench.accounts
    tokens = bench.deploy("ERC721Drop", owner, "Larks", "LRK", owner, 500, payee)
    tokens.send(owner, "lazyMint", 10, "ipfs://larks/", b"")
    tokens.send(owner, "setClaimConditions", (START, 5, 0, 2, bytes(32), PRICE, ETHER, ""), False)
    before = bench.balance(payee)
    tokens.send(buyer, "claim", buyer, 2, ETHER, PRICE, NO_PROOF, b"", value=2 * PRICE)
    assert (tokens.call("balanceOf", buyer), bench.balance(payee) - before) == (2, 2 * PRICE)
    assert tokens.call("tokenURI", 0) == "ipfs://larks/0"
    with bench.reverts("DropClaimExceedLimit", 2, 3):
        tokens.send(buyer, "claim", buyer, 1, ETHER, PRICE, NO_PROOF, b"", value=PRICE)
    with bench.reverts("DropClaimInvalidTokenPrice", ETHER, 1, ETHER, PRICE):
        tokens.send(buyer, "claim", buyer, 1, ETHER, 1, NO_PROOF, b"", value=1)


def test_drop_of_editions_is_claimed_by_id(bench):
    owner, buyer, *_ = bench.accounts
    tokens = bench.deploy("ERC1155Drop", owner, "Potions", "PTN", owner, 500, owner)
    tokens.send(owner, "lazyMint", 2, "ipfs://potions/", b"")
    tokens.send(owner, "setClaimConditions", 1, (START, 100, 0, 5, bytes(32), 0, ETHER, ""), False)
    tokens.send(buyer, "claim", buyer, 1, 5, ETHER, 0, NO_PROOF, b"")
    assert tokens.call("balanceOf", buyer, 1) == 5
    with bench.reverts("Error", "!Qty"):
        tokens.send(buyer, "claim", buyer, 1, 1, ETHER, 0, NO_PROOF, b"")


def test_signed_mint_request_of_the_owner_is_good_once(bench):
    _, buyer, *_ = bench.accounts
    signer = Account.from_key(b"\x03" * 32)
    tokens = bench.deploy("ERC721SignatureMint", signer.address, "Larks", "LRK", buyer, 0, signer.address)
    uid = b"\x01" * 32
    request = (buyer, buyer, 0, signer.address, "ipfs://one", 1, PRICE, ETHER, START, START + HOUR, uid)
    domain = {
        "name": "SignatureMintERC721",
        "version": "1",
        "chainId": 1,
        "verifyingContract": tokens.address,
    }
    types = {"MintRequest": [{"name": name, "type": kind} for name, kind in MINT_REQUEST]}
    message = {name: value for (name, _), value in zip(MINT_REQUEST, request, strict=True)}
    signature = bytes(signer.sign_typed_data(domain, types, message).signature)
    tokens.send(buyer, "mintWithSignature", request, signature, value=PRICE)
    assert (tokens.call("ownerOf", 0), tokens.call("tokenURI", 0)) == (buyer, "ipfs://one")
    with bench.reverts("SignatureMintInvalidSigner"):
        tokens.send(buyer, "mintWithSignature", request, signature, value=PRICE)


def test_encrypted_batch_is_revealed_with_its_key(bench):
    owner, holder, *_ = bench.accounts
    tokens = bench.deploy("ERC721DelayedReveal", owner, "Larks", "LRK", owner, 0)
    key = b"a key of the creator"
    sealed = tokens.call("encryptDecrypt", b"ipfs://open/", key)
    provenance = keccak(encode_packed(["bytes", "bytes", "uint256"], [b"ipfs://open/", key, 1]))
    tokens.send(owner, "lazyMint", 3, "ipfs://veil/", encode(["bytes", "bytes32"], [sealed, provenance]))
    tokens.send(holder, "claim", holder, 1)
    assert tokens.call("tokenURI", 0) == "ipfs://veil/0"
    with bench.reverts("Error", "Not authorized"):
        tokens.send(holder, "reveal", 0, key)
    with bench.reverts("DelayedRevealIncorrectResultHash"):
        tokens.send(owner, "reveal", 0, b"another key")
    tokens.send(owner, "reveal", 0, key)
    assert tokens.call("tokenURI", 0) == "ipfs://open/0"


def test_staked_token_earns_by_the_hour_and_comes_back(bench, larks):
    owner, holder, other, *_ = bench.accounts
    coins = bench.deploy("PaymentToken", "Seed", "SEED", owner, 18)
    weth = bench.deploy("WrappedEther")
    pool = bench.deploy("Staking721Base", owner, HOUR, 5, larks.address, coins.address, weth.address)
    coins.send(owner, "mint", owner, 1_000)
    coins.send(owner, "approve", pool.address, 1_000)
    pool.send(owner, "depositRewardTokens", 1_000)
    larks.send(holder, "setApprovalForAll", pool.address, True)
    pool.send(holder, "stake", [1, 2])
    bench.set_time(START + 3 * HOUR)
    assert pool.call("getStakeInfo", holder) == ((1, 2), 2 * 3 * 5)
    with bench.reverts("Error", "Withdrawing more than staked"):
        pool.send(other, "withdraw", [1])
    pool.send(holder, "withdraw", [1])
    pool.send(holder, "claimRewards")
    assert (larks.call("ownerOf", 1), coins.call("balanceOf", holder)) == (holder, 30)


def test_auction_goes_to_the_highest_bid_and_pays_on_closing(bench, larks):
    """The bids are in wrapped ether; the market keeps no fee here. Winner and seller close it, in different seconds."""
    owner, seller, low, high, _ = bench.accounts
    weth = bench.deploy("WrappedEther")
    market = bench.behind_proxy("Marketplace", (weth.address,), owner, "", [], owner, 0)
    larks.send(seller, "approve", market.address, 1)
    auction = (larks.address, 1, START, HOUR, 1, weth.address, 100, 0, 1)
    market.send(seller, "createListing", auction)
    bench.set_time(START + 1)
    for bidder, amount in ((low, 100), (high, 200)):
        weth.send(bidder, "deposit", value=amount)
        weth.send(bidder, "approve", market.address, amount)
        market.send(bidder, "offer", 0, 1, weth.address, amount, START + HOUR)
    with bench.reverts("Error", "cannot close auction before it has ended."):
        market.send(high, "closeAuction", 0, high)
    bench.set_time(START + HOUR + 1)
    market.send(high, "closeAuction", 0, high)
    bench.set_time(START + HOUR + 2)
    market.send(seller, "closeAuction", 0, seller)
    assert larks.call("ownerOf", 1) == high
    assert [weth.call("balanceOf", each) for each in (seller, low, high)] == [200, 100, 0]


def test_bundle_holds_several_tokens_until_it_is_unwrapped(bench, larks):
    owner, holder, other, *_ = bench.accounts
    weth = bench.deploy("WrappedEther")
    bundles = bench.behind_proxy("Multiwrap", (weth.address,), owner, "Bundles", "BND", "", [], owner, 0)
    bundles.send(owner, "grantRole", keccak(b"MINTER_ROLE"), holder)
    larks.send(holder, "setApprovalForAll", bundles.address, True)
    bundles.send(holder, "wrap", [(larks.address, 1, 1, 1), (larks.address, 1, 2, 1)], "ipfs://bundle", holder)
    assert (bundles.call("ownerOf", 0), larks.call("ownerOf", 2)) == (holder, bundles.address)
    bundles.send(holder, SAFE_TRANSFER, holder, other, 0)
    bundles.send(other, "unwrap", 0, other)
    assert [larks.call("ownerOf", token) for token in (1, 2)] == [other, other]
