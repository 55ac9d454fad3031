"""An account that can sign: a key with its address, the same for the same seed and name."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from nftbench.chain.signing import address_of, private_key, sign_digest


class Key(Struct, frozen=True):
    """A secp256k1 private key (32 bytes) and the EIP-55 address that belongs to it."""

    secret: bytes
    address: str

    def __repr__(self) -> str:
        return f"Key({self.address})"

    @staticmethod
    @lru_cache(maxsize=4096)
    def derive(seed: str, name: str) -> Key:
        """The key of an account by name in a world of this seed."""
        secret = private_key(seed, name)
        return Key(secret, address_of(secret))

    def sign_digest(self, digest: bytes) -> bytes:
        """The signature of a 32-byte digest: 65 bytes r, s, v."""
        return sign_digest(self.secret, digest)
