"""The hashes of the embedded chain: deterministic, unique, and none of a real chain's, since nothing here is signed."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from nftbench.chain.engine import Transaction
from nftbench.chain.rules import Terms
from nftbench.values import keccak256


@lru_cache(maxsize=4096)
def block_hash(number: int) -> str:
    """keccak256 of the number in decimal digits, which is what revm's BLOCKHASH gives without a chain behind it."""
    return "0x" + keccak256(str(number).encode()).hex()


@lru_cache(maxsize=4096)
def randomness(genesis_timestamp: int, number: int) -> bytes:
    """What PREVRANDAO gives in a block."""
    return keccak256(f"PREVRANDAO {genesis_timestamp} {number}".encode())


def transaction_hash(chain_id: int, transaction: Transaction, agreed: Terms) -> str:
    """Unique because no sender uses a nonce twice on one chain."""
    head = (
        f"{chain_id} {transaction.sender} {agreed.nonce} {transaction.to} {transaction.value}"
        f" {agreed.gas_limit} {agreed.max_fee} {agreed.max_tip} "
    )
    return "0x" + hashlib.sha3_256(head.encode() + transaction.data).hexdigest()
