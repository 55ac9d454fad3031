"""Order hashes and digests against an independent EIP-712 implementation, and signatures as the contract's sources size them."""

from __future__ import annotations

from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain import seaport
from nftbench.chain.signing import private_key, recover, sign_digest

EXCHANGE = "0x0000000000000068F116a894984e2DB1123eB395"
ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
NUMBERS = st.integers(0, 2**256 - 1)
WORDS = st.binary(min_size=32, max_size=32)
OFFERED = st.tuples(st.integers(0, 5), ADDRESSES, NUMBERS, NUMBERS, NUMBERS)
ASKED = st.tuples(st.integers(0, 5), ADDRESSES, NUMBERS, NUMBERS, NUMBERS, ADDRESSES)
ORDERS = st.tuples(
    ADDRESSES,
    ADDRESSES,
    st.lists(OFFERED, max_size=3).map(tuple),
    st.lists(ASKED, max_size=4).map(tuple),
    st.integers(0, 4),
    NUMBERS,
    NUMBERS,
    WORDS,
    NUMBERS,
    WORDS,
    NUMBERS,
)


def _typed(kind: str, values: tuple[Any, ...]) -> dict[str, Any]:
    """The struct as eth-account wants it, built here without the code under test."""
    return {
        name: [_typed(type_[:-2], item) for item in value] if type_.endswith("[]") else value
        for (name, type_), value in zip(seaport.TYPES[kind], values, strict=True)
    }


def _document(primary: str, message: dict[str, Any], extra: dict[str, Any] | None = None) -> dict[str, Any]:
    types = {name: [{"name": n, "type": t} for n, t in fields] for name, fields in seaport.TYPES.items()}
    domain = [("name", "string"), ("version", "string"), ("chainId", "uint256"), ("verifyingContract", "address")]
    types["EIP712Domain"] = [{"name": n, "type": t} for n, t in domain]
    return {
        "types": types | (extra or {}),
        "primaryType": primary,
        "domain": {"name": "Seaport", "version": "1.6", "chainId": 31337, "verifyingContract": EXCHANGE},
        "message": message,
    }


def _eth_account_digest(document: dict[str, Any]) -> bytes:
    return bytes(Account.sign_message(encode_typed_data(full_message=document), private_key("a", "b")).message_hash)


@given(ORDERS)
def test_the_digest_of_any_order_is_that_of_eth_account(components: tuple[Any, ...]) -> None:
    document = _document("OrderComponents", _typed("OrderComponents", components))
    assert seaport.digest(31337, EXCHANGE, seaport.order_hash(components)) == _eth_account_digest(document)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_the_digest_of_a_bulk_order_is_that_of_eth_account(count: int) -> None:
    orders = [(EXCHANGE, EXCHANGE, (), (), 0, 0, i, bytes(32), i, bytes(32), 0) for i in range(count)]
    leaves = seaport.bulk_leaves([seaport.order_hash(order) for order in orders])
    height = {1: 1, 2: 1, 3: 2, 5: 3, 8: 3}[count]
    tree: list[Any] = [_typed("OrderComponents", order) for order in orders]
    tree += [_typed("OrderComponents", seaport.EMPTY_ORDER)] * (2**height - count)
    while len(tree) > 2:
        tree = [tree[i : i + 2] for i in range(0, len(tree), 2)]
    extra = {"BulkOrder": [{"name": "tree", "type": "OrderComponents" + "[2]" * height}]}
    document = _document("BulkOrder", {"tree": tree}, extra)
    assert seaport.digest(31337, EXCHANGE, seaport.bulk_hash(leaves)) == _eth_account_digest(document)


@given(st.integers(1, 40), st.data(), st.booleans())
def test_every_leaf_of_a_bulk_order_leads_back_to_what_was_signed(count: int, data: st.DataObject, short: bool) -> None:
    index = data.draw(st.integers(0, count - 1))
    hashes = [bytes([i]) * 32 for i in range(count)]
    leaves = seaport.bulk_leaves(hashes)
    own = b"\x01" * (64 if short else 65)
    told = seaport.bulk_signature(own, leaves, index)
    signature, place, proof = seaport.split_signature(told)
    assert (signature, place) == (own, index)
    assert seaport.bulk_struct_hash(hashes[index], place, proof) == seaport.bulk_hash(leaves)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 66, 67, 68, 98])
def test_what_is_too_short_for_a_bulk_signature_is_taken_as_it_is(size: int) -> None:
    """The contract takes 99 bytes and more as bulk: 64 of a compact signature, 3 of the place, 32 of one level."""
    assert seaport.split_signature(b"\x07" * size) == (b"\x07" * size, 0, [])


def test_what_a_wallet_is_shown_signs_as_the_order() -> None:
    order = (EXCHANGE, EXCHANGE, ((2, EXCHANGE, 5, 1, 1),), (), 0, 1, 2, bytes(32), 3, bytes(32), 4)
    shown = seaport.typed_data(31337, EXCHANGE, order)
    assert shown["domain"]["name"] == "Seaport"
    key = private_key("a", "b")
    signature = sign_digest(key, _eth_account_digest(_document("OrderComponents", _typed("OrderComponents", order))))
    assert (
        recover(seaport.digest(31337, EXCHANGE, seaport.order_hash(order)), signature) == Account.from_key(key).address
    )


@pytest.mark.parametrize("count", [0, 2**24 + 1])
def test_a_bulk_order_of_no_size_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=r"1 to 2\*\*24"):
        seaport.bulk_leaves(range(count))  # type: ignore[arg-type]
