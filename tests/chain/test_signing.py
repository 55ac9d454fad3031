"""Keys, signatures and their forms, against eth-account, another implementation."""

from __future__ import annotations

import contextlib

import pytest
from eth_account import Account
from eth_account.messages import _hash_eip191_message, encode_defunct
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.signing import (
    address_of,
    from_compact,
    personal_digest,
    private_key,
    recover,
    sign_digest,
    to_compact,
)
from nftbench.values import keccak256

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
KEY = private_key("0", "alice")
DIGEST = keccak256(b"something")
digests = st.binary(min_size=32, max_size=32)
keys = st.integers(1, ORDER - 1).map(lambda number: number.to_bytes(32, "big"))


def test_a_label_has_one_key_for_each_seed() -> None:
    assert private_key("0", "alice") == KEY
    assert len({private_key(seed, label) for seed in ("0", "1", "01") for label in ("", "alice", "bob")}) == 9


def test_the_address_of_the_key_one_is_the_generators() -> None:
    """The best-known address there is: that of private key 1."""
    assert address_of((1).to_bytes(32, "big")) == "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"


@given(keys, digests)
def test_signatures_are_those_of_eth_account(key: bytes, digest: bytes) -> None:
    theirs = Account.unsafe_sign_hash(digest, key)
    assert sign_digest(key, digest) == theirs.signature
    assert address_of(key) == Account.from_key(key).address


@given(keys, digests)
def test_the_signer_is_recovered_from_both_forms(key: bytes, digest: bytes) -> None:
    signature = sign_digest(key, digest)
    assert recover(digest, signature) == recover(digest, to_compact(signature)) == address_of(key)
    assert from_compact(to_compact(signature)) == signature
    assert len(to_compact(signature)) == 64


@given(digests, st.binary(min_size=64, max_size=65))
def test_any_bytes_recover_to_someone_or_are_refused(digest: bytes, signature: bytes) -> None:
    with contextlib.suppress(ValueError):
        recover(digest, signature)


def test_the_examples_of_eip_2098_hold() -> None:
    """Both test cases of the EIP: one of each parity, 'Hello World' and "It's a small(er) world"."""
    key = bytes.fromhex("1234567890" * 6 + "1234")
    first = sign_digest(key, personal_digest(b"Hello World"))
    second = sign_digest(key, personal_digest(b"It's a small(er) world"))
    assert to_compact(first).hex() == (
        "68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90"
        "7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064"
    )
    assert to_compact(second).hex() == (
        "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76"
        "939c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793"
    )


@given(st.binary(max_size=200))
def test_personal_messages_hash_as_in_eip_191(message: bytes) -> None:
    assert personal_digest(message) == _hash_eip191_message(encode_defunct(message))


def test_signatures_in_the_upper_half_are_refused() -> None:
    """EIP-2: the mirror image of a signature is no second signature."""
    signature = sign_digest(KEY, DIGEST)
    s = int.from_bytes(signature[32:64], "big")
    assert s <= ORDER // 2
    mirrored = signature[:32] + (ORDER - s).to_bytes(32, "big") + bytes([55 - signature[64]])
    with pytest.raises(ValueError, match="upper half"):
        recover(DIGEST, mirrored)


@pytest.mark.parametrize("signature", [b"", bytes(63), bytes(66), bytes(65), bytes(64), b"\xff" * 64 + b"\x1b"])
def test_what_is_no_signature_is_refused(signature: bytes) -> None:
    with pytest.raises(ValueError, match="signature"):
        recover(DIGEST, signature)


def test_digests_have_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        sign_digest(KEY, b"short")
    with pytest.raises(ValueError, match="32 bytes"):
        recover(b"short", sign_digest(KEY, DIGEST))


@pytest.mark.parametrize("signature", [bytes(64), bytes(65), bytes(32) + b"\xff" * 32 + b"\x1b"])
def test_only_full_signatures_have_a_compact_form(signature: bytes) -> None:
    with pytest.raises(ValueError):
        to_compact(signature)
    with pytest.raises(ValueError):
        from_compact(signature[:63])
