"""Keys and signatures on secp256k1, as Ethereum uses them.

A signature is 65 bytes: r, s and v (27 or 28), with s in the lower half of the curve's order (EIP-2). A compact one is
the 64 bytes of EIP-2098.
"""

from __future__ import annotations

from functools import lru_cache

from coincurve import PrivateKey, PublicKey

from nftbench.values import address_from_bytes, keccak256

SIGNATURE_SIZE = 65
COMPACT_SIZE = 64
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_V_OFFSET = 27
_TOP_BIT = 1 << 255


@lru_cache(maxsize=4096)
def private_key(seed: str, label: str) -> bytes:
    """The 32-byte key that belongs to a label under a seed, always the same one. For worlds of play money only."""
    preimage = f"nftbench key\0{seed}\0{label}".encode()
    while True:
        preimage = keccak256(preimage)
        if 0 < int.from_bytes(preimage, "big") < _ORDER:
            return preimage


@lru_cache(maxsize=4096)
def address_of(key: bytes) -> str:
    """The account that a private key controls."""
    return _address(PrivateKey(key).public_key)


def sign_digest(key: bytes, digest: bytes) -> bytes:
    """The signature over a 32-byte digest; deterministic (RFC 6979). ValueError for a digest of another size."""
    signature = PrivateKey(key).sign_recoverable(_checked(digest), hasher=None)
    return signature[:64] + bytes([signature[64] + _V_OFFSET])


def recover(digest: bytes, signature: bytes) -> str:
    """Who signed the digest; takes full and compact signatures.

    ValueError where no account can have made it: a wrong size, a v other than 27 or 28, or s in the upper half (EIP-2).
    """
    full = from_compact(signature) if len(signature) == COMPACT_SIZE else signature
    if len(full) != SIGNATURE_SIZE:
        raise ValueError(f"a signature has 65 bytes, or 64 in compact form, and this one has {len(signature)}")
    if full[64] not in (27, 28):
        raise ValueError(f"the last byte of a signature is 27 or 28, and this one's is {full[64]}")
    if int.from_bytes(full[32:64], "big") > _ORDER // 2:
        raise ValueError("the signature's s is in the upper half of the curve's order, which Ethereum refuses")
    _checked(digest)
    recoverable = full[:64] + bytes([full[64] - _V_OFFSET])
    try:
        return _address(PublicKey.from_signature_and_message(recoverable, digest, hasher=None))
    except Exception as error:  # coincurve raises bare exceptions for numbers that are on no curve
        raise ValueError("this is no signature of anyone's") from error


def personal_digest(message: bytes) -> bytes:
    """What a wallet signs for a plain message: EIP-191, version 0x45."""
    return keccak256(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message)


def to_compact(signature: bytes) -> bytes:
    """The 64-byte form of a 65-byte signature (EIP-2098); ValueError for anything else."""
    if len(signature) != SIGNATURE_SIZE or signature[64] not in (27, 28):
        raise ValueError("only a 65-byte signature that ends in 27 or 28 has a compact form")
    s = int.from_bytes(signature[32:64], "big")
    if s >= _TOP_BIT:
        raise ValueError("the signature's s is too large for the compact form")
    if signature[64] == 28:
        s |= _TOP_BIT
    return signature[:32] + s.to_bytes(32, "big")


def from_compact(signature: bytes) -> bytes:
    """The 65-byte form of a 64-byte signature (EIP-2098); ValueError for anything else."""
    if len(signature) != COMPACT_SIZE:
        raise ValueError(f"a compact signature has 64 bytes, and this one has {len(signature)}")
    s = int.from_bytes(signature[32:], "big")
    v = _V_OFFSET + (s >> 255)
    return signature[:32] + (s & ~_TOP_BIT).to_bytes(32, "big") + bytes([v])


def _address(key: PublicKey) -> str:
    return address_from_bytes(keccak256(key.format(compressed=False)[1:]))


def _checked(digest: bytes) -> bytes:
    if len(digest) != 32:
        raise ValueError(f"a digest has 32 bytes, and this one has {len(digest)}")
    return digest
