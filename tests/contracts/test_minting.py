"""Drops, allowlists, vouchers and minters: prices, limits, proofs and signatures."""

from __future__ import annotations

import pytest
from eth_abi import encode
from eth_abi.packed import encode_packed
from eth_account import Account
from eth_hash.auto import keccak

DAY = 86_400
START = 1_700_000_000
PRICE = 10**16


def drop(bench, *, supply=100, limit=3):
    owner = bench.accounts[0]
    phases = [(START, START + DAY, PRICE, limit), (START + 2 * DAY, START + 3 * DAY, 2 * PRICE, 0)]
    return bench.deploy("DropCollection", "Larks", "LRK", owner, supply, phases, "")


def test_drop_sells_in_its_phases_at_their_price(bench):
    _, buyer, *_ = bench.accounts
    tokens = drop(bench)
    tokens.send(buyer, "mint", 2, value=2 * PRICE)
    with bench.reverts("WrongPayment", PRICE - 1, PRICE):
        tokens.send(buyer, "mint", 1, value=PRICE - 1)
    bench.set_time(START + DAY)
    with bench.reverts("NoActivePhase", START + DAY):
        tokens.send(buyer, "mint", 1, value=PRICE)
    bench.set_time(START + 2 * DAY)
    tokens.send(buyer, "mint", 5, value=10 * PRICE)
    assert (tokens.call("balanceOf", buyer), tokens.call("activePhase")) == (7, 1)


def test_drop_limit_counts_claims_and_not_holdings(bench):
    _, buyer, other, *_ = bench.accounts
    tokens = drop(bench, limit=3)
    tokens.send(buyer, "mint", 3, value=3 * PRICE)
    tokens.send(buyer, "transferFrom", buyer, other, 1)
    with bench.reverts("WalletLimitExceeded", 3, 3, 1):
        tokens.send(buyer, "mint", 1, value=PRICE)
    assert tokens.call("claimedBy", buyer, 0) == 3
    tokens.send(other, "mint", 3, value=3 * PRICE)
    assert tokens.call("balanceOf", other) == 4


def test_drop_sells_out_pauses_and_pays_its_owner(bench):
    owner, buyer, payee, *_ = bench.accounts
    tokens = drop(bench, supply=4)
    tokens.send(owner, "airdrop", payee, 2)
    with bench.reverts("SoldOut", 2, 3):
        tokens.send(buyer, "mint", 3, value=3 * PRICE)
    tokens.send(owner, "pause")
    with bench.reverts("EnforcedPause"):
        tokens.send(buyer, "mint", 1, value=PRICE)
    tokens.send(owner, "unpause")
    tokens.send(buyer, "mint", 2, value=2 * PRICE)
    before = bench.balance(payee)
    tokens.send(owner, "withdraw", payee)
    assert bench.balance(payee) - before == 2 * PRICE
    with bench.reverts("OwnableUnauthorizedAccount", buyer):
        tokens.send(buyer, "setPhases", [])


def pair(left, right):
    return keccak(b"".join(sorted((left, right))))


def quantity_leaf(account, allowance):
    return keccak(keccak(encode(["address", "uint256"], [account, allowance])))


def test_allowlist_mints_up_to_the_allowance_on_the_list(bench):
    """The tree of three leaves is built here by hand: ((a, b), c)."""
    owner, first, second, third, *_ = bench.accounts
    leaves = [quantity_leaf(first, 2), quantity_leaf(second, 1), quantity_leaf(third, 5)]
    root = pair(pair(leaves[0], leaves[1]), leaves[2])
    tokens = bench.deploy("AllowlistCollection", "Larks", "LRK", owner, root, PRICE, 100, "")
    assert tokens.call("leafOf", first, 2) == leaves[0]
    proof = [leaves[1], leaves[2]]
    tokens.send(first, "allowlistMint", 1, 2, proof, value=PRICE)
    with bench.reverts("InvalidProof", first):
        tokens.send(first, "allowlistMint", 1, 3, proof, value=PRICE)
    with bench.reverts("AllowanceExceeded", 2, 1, 2):
        tokens.send(first, "allowlistMint", 2, 2, proof, value=2 * PRICE)
    with bench.reverts("WrongPayment", 0, PRICE):
        tokens.send(first, "allowlistMint", 1, 2, proof)
    tokens.send(first, "allowlistMint", 1, 2, proof, value=PRICE)
    assert (tokens.call("balanceOf", first), tokens.call("claimed", first)) == (2, 2)


def test_allowlist_root_is_the_owners_and_a_single_leaf_needs_no_proof(bench):
    owner, first, second, *_ = bench.accounts
    leaf = keccak(encode_packed(["address"], [first]))
    tokens = bench.deploy("AddressAllowlistCollection", "Larks", "LRK", owner, leaf, 0, 3, 2, "")
    tokens.send(first, "allowlistMint", 2, [])
    with bench.reverts("InvalidProof", second):
        tokens.send(second, "allowlistMint", 1, [])
    with bench.reverts("OwnableUnauthorizedAccount", second):
        tokens.send(second, "setMerkleRoot", leaf)
    tokens.send(owner, "setMerkleRoot", keccak(encode_packed(["address"], [second])))
    with bench.reverts("SoldOut", 1, 2):
        tokens.send(second, "allowlistMint", 2, [])
    tokens.send(second, "allowlistMint", 1, [])
    assert tokens.call("totalMinted") == 3


def sign(signer, tokens, fields, values, *, chain_id=1):
    """The EIP-712 signature of a voucher, by eth-account."""
    domain = {"name": "Larks", "version": "1", "chainId": chain_id, "verifyingContract": tokens.address}
    types = {"Voucher": [{"name": name, "type": kind} for name, kind in fields]}
    message = {name: value for (name, _), value in zip(fields, values, strict=True)}
    return bytes(signer.sign_typed_data(domain, types, message).signature)


VOUCHER = [
    ("recipient", "address"),
    ("tokenId", "uint256"),
    ("price", "uint256"),
    ("nonce", "uint256"),
    ("deadline", "uint256"),
]


def test_voucher_is_good_once_for_the_chain_and_contract_it_names(bench):
    owner, buyer, *_ = bench.accounts
    signer = Account.from_key(b"\x02" * 32)
    tokens = bench.deploy("VoucherCollection", "Larks", "LRK", owner, signer.address, "")
    voucher = (buyer, 42, PRICE, 1, START + DAY)
    with pytest.raises(Exception, match="WrongSigner"):
        tokens.send(buyer, "redeem", voucher, sign(signer, tokens, VOUCHER, voucher, chain_id=2), value=PRICE)
    signature = sign(signer, tokens, VOUCHER, voucher)
    with bench.reverts("WrongPayment", 0, PRICE):
        tokens.send(buyer, "redeem", voucher, signature)
    tokens.send(buyer, "redeem", voucher, signature, value=PRICE)
    assert (tokens.call("ownerOf", 42), tokens.call("nonceUsed", 1)) == (buyer, True)
    with bench.reverts("VoucherUsed", 1):
        tokens.send(buyer, "redeem", voucher, signature, value=PRICE)
    late = (buyer, 43, PRICE, 2, START - 1)
    with bench.reverts("VoucherExpired", START - 1):
        tokens.send(buyer, "redeem", late, sign(signer, tokens, VOUCHER, late), value=PRICE)
    tokens.send(owner, "voidVoucher", 3)
    void = (buyer, 44, PRICE, 3, START)
    with bench.reverts("VoucherUsed", 3):
        tokens.send(buyer, "redeem", void, sign(signer, tokens, VOUCHER, void), value=PRICE)


def test_open_voucher_can_be_sent_in_again(bench):
    owner, buyer, *_ = bench.accounts
    signer = Account.from_key(b"\x02" * 32)
    tokens = bench.deploy("OpenVoucherCollection", "Larks", "LRK", owner, signer.address, "")
    fields = [VOUCHER[0], VOUCHER[2], VOUCHER[4]]
    voucher = (buyer, 0, START + DAY)
    signature = sign(signer, tokens, fields, voucher)
    assert [tokens.send(buyer, "redeem", voucher, signature) for _ in range(2)] == [1, 2]


def minted_by(bench, name, *arguments):
    """A minter of that kind with tokens 10 to 12 to sell, which it mints by its role."""
    owner = bench.accounts[0]
    tokens = bench.deploy("PausableCollection", "Larks", "LRK", owner, "")
    minter = bench.deploy(name, tokens.address, owner, 10, 3, *arguments)
    tokens.send(owner, "grantRole", tokens.call("MINTER_ROLE"), minter.address)
    return tokens, minter


SALE = (1_000_000, 400_000, START, START + 600)


def test_price_falls_by_the_second_and_then_stays(bench):
    """1,000,000 to 400,000 wei over 600 s is 1,000 wei a second."""
    _, minter = minted_by(bench, "DecayingPriceMinter", SALE)
    seconds = (0, 1, 250, 599, 600, 10_000)
    prices = [minter.call("priceAt", START + second) for second in seconds]
    assert prices == [1_000_000, 999_000, 750_000, 401_000, 400_000, 400_000]
    with bench.reverts("NotStarted", START):
        minter.call("priceAt", START - 1)


def test_overpaid_ether_comes_back_or_is_refused(bench):
    owner, buyer, *_ = bench.accounts
    tokens, minter = minted_by(bench, "DecayingPriceMinter", SALE)
    bench.set_time(START + 100)
    before = bench.balance(buyer)
    minter.send(buyer, "buy", 2, value=2_000_000)
    assert before - bench.balance(buyer) == 1_800_000
    assert [tokens.call("ownerOf", token) for token in (10, 11)] == [buyer, buyer]
    with bench.reverts("SoldOut", 1, 2):
        minter.send(buyer, "buy", 2, value=2_000_000)
    minter.send(owner, "withdraw", buyer)
    assert bench.balance(buyer) == before

    _, exact = minted_by(bench, "ExactDecayingPriceMinter", SALE)
    with bench.reverts("WrongPayment", 900_001, 900_000):
        exact.send(buyer, "buy", 1, value=900_001)
    exact.send(buyer, "buy", 1, value=900_000)


def test_a_shop_without_change_keeps_what_it_gets_above_the_price_of_the_block(bench):
    """100 s in, two tokens cost 1,800,000 wei; its event says so, whatever was paid."""
    owner, buyer, payee, *_ = bench.accounts
    tokens, keeping = minted_by(bench, "KeepingDecayingPriceMinter", SALE)
    bench.set_time(START + 100)
    with bench.reverts("WrongPayment", 1_799_999, 1_800_000):
        keeping.send(buyer, "buy", 2, value=1_799_999)
    before = bench.balance(buyer)
    keeping.send(buyer, "buy", 2, value=2_000_000)
    assert before - bench.balance(buyer) == 2_000_000 == bench.balance(keeping.address)
    assert [tokens.call("ownerOf", token) for token in (10, 11)] == [buyer, buyer]
    held = bench.balance(payee)
    keeping.send(owner, "withdraw", payee)
    assert bench.balance(payee) - held == 2_000_000


def test_token_priced_sale_takes_exactly_the_price_from_the_allowance(bench):
    owner, buyer, payee, *_ = bench.accounts
    dollars = bench.deploy("PaymentToken", "Test Dollar", "TUSD", owner, 6)
    dollars.send(owner, "mint", buyer, 100_000_000)
    tokens, minter = minted_by(bench, "TokenPriceMinter", dollars.address, 25_000_000)
    with bench.reverts("ERC20InsufficientAllowance", minter.address, 0, 25_000_000):
        minter.send(buyer, "buy", 1)
    dollars.send(buyer, "approve", minter.address, 50_000_000)
    minter.send(buyer, "buy", 2)
    minter.send(owner, "withdraw", payee)
    assert [dollars.call("balanceOf", each) for each in (buyer, payee)] == [50_000_000, 50_000_000]
    assert (tokens.call("ownerOf", 11), dollars.call("decimals")) == (buyer, 6)
    with bench.reverts("OwnableUnauthorizedAccount", buyer):
        dollars.send(buyer, "mint", buyer, 1)


def test_falling_price_in_a_token_is_taken_from_the_allowance_to_the_unit(bench):
    """100 s in, a token costs 900,000; two of them leave 200,000 of an allowance of 2,000,000."""
    owner, buyer, payee, *_ = bench.accounts
    dollars = bench.deploy("PaymentToken", "Test Dollar", "TUSD", owner, 6)
    dollars.send(owner, "mint", buyer, 2_000_000)
    tokens, minter = minted_by(bench, "DecayingTokenPriceMinter", dollars.address, SALE)
    with bench.reverts("ERC20InsufficientAllowance", minter.address, 0, 1_000_000):
        minter.send(buyer, "buy", 1)
    dollars.send(buyer, "approve", minter.address, 2_000_000)
    bench.set_time(START + 100)
    minter.send(buyer, "buy", 2)
    assert (tokens.call("ownerOf", 11), dollars.call("allowance", buyer, minter.address)) == (buyer, 200_000)
    with bench.reverts("SoldOut", 1, 2):
        minter.send(buyer, "buy", 2)
    minter.send(owner, "withdraw", payee)
    assert [dollars.call("balanceOf", each) for each in (buyer, payee)] == [200_000, 1_800_000]
    with bench.reverts("InvalidSale"):
        bench.deploy("DecayingTokenPriceMinter", tokens.address, owner, 1, 1, dollars.address, (1, 2, START, START + 1))


def test_wrapped_ether_goes_in_and_out(bench):
    _, holder, *_ = bench.accounts
    weth = bench.deploy("WrappedEther")
    weth.send(holder, "deposit", value=7)
    weth.send(holder, "withdraw", 3)
    assert (weth.call("balanceOf", holder), bench.balance(weth.address), weth.call("symbol")) == (4, 4, "WETH")
