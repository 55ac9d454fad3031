"""Many reads in one execution: a small program calls one contract after the other, so that each costs little beyond its own work.

The program stands at the zero address, from which reads without a sender come, so contracts see the sender that they see in a
read of its own. What a read costs in gas may differ (accounts and slots that another read looked at are warm), and nothing can
be written, not even for the moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Literal

import pyrevm

from nftbench.chain.state import EMPTY_CODE_HASH, account_info
from nftbench.values import ZERO_ADDRESS

MOST_AT_ONCE = 150
"""Reads of one execution."""
_OWN_FAILURE = 500_000
"""A read that fails with less gas than this, of the million that it is given, has failed for a reason of its own: running out
of gas, or a write where none is allowed, burns almost all of it."""

_WORDS = Struct(">28xI28xI").unpack_from
"""The last four bytes of each of two words: neither number is larger."""

Answer = bytes | Literal[False] | None
"""The return data, None for a read that failed, False for one that has to be made alone to know."""

# Takes (20 bytes of address, 4 bytes of length, call data) again and again; gives for each a word that holds twice the gas and
# whether the call succeeded, a word with the length of what it returned, and that.
_PROGRAM = bytes.fromhex(
    "5f5f"  #                          PUSH0 PUSH0: the place in the call data, the place in memory
    "5b36821015604e57"  #        loop: CALLDATASIZE DUP3 LT ISZERO @end JUMPI
    "816014013560e01c"  #              DUP2 20 ADD CALLDATALOAD 224 SHR
    "80836018018337"  #                DUP1 DUP4 24 ADD DUP4 CALLDATACOPY
    "5a5f5f8385873560601c"  #          GAS PUSH0 PUSH0 DUP4 DUP6 DUP8 CALLDATALOAD 96 SHR
    "620f4240fa905a9003"  #            1000000 STATICCALL SWAP1 GAS SWAP1 SUB
    "8001018252"  #                    DUP1 ADD ADD DUP3 MSTORE
    "3d8260200152"  #                  RETURNDATASIZE DUP3 32 ADD MSTORE
    "3d5f836040013e"  #                RETURNDATASIZE PUSH0 DUP4 64 ADD RETURNDATACOPY
    "60180191903d0160400191019060"  #  24 ADD SWAP2 SWAP1 RETURNDATASIZE ADD 64 ADD SWAP2 ADD SWAP1
    "0256"  #                          @loop JUMP
    "5b5ff3"  #                   end: PUSH0 RETURN
)
_READER = account_info(0, 0, EMPTY_CODE_HASH, _PROGRAM)
"""Its code hash is that of no code, or it would be refused as a sender (EIP-3607)."""


def read_many(evm: pyrevm.EVM, reads: Sequence[tuple[str, bytes]], gas_limit: int) -> list[Answer]:
    """What calls of contracts with these call data give, in pyrevm's present state, which is left as it is."""
    answers: list[Answer] = []
    for start in range(0, len(reads), MOST_AT_ONCE):
        answers += _read_some(evm, reads[start : start + MOST_AT_ONCE], gas_limit)
    return answers


def _read_some(evm: pyrevm.EVM, reads: Sequence[tuple[str, bytes]], gas_limit: int) -> list[Answer]:
    asked = b"".join([part for to, data in reads for part in (_head(to, len(data)), data)])
    checkpoint = evm.snapshot()
    try:
        evm.basic(ZERO_ADDRESS)  # loads the account, so that the program comes into the journal alone
        evm.insert_account_info(ZERO_ADDRESS, _READER)
        told = evm.message_call(ZERO_ADDRESS, ZERO_ADDRESS, asked, None, gas_limit)
    except RuntimeError:
        return [False] * len(reads)
    finally:
        evm.revert(checkpoint)
    return list(_answers(bytes(told)))


@lru_cache(maxsize=16_384)
def _head(to: str, length: int) -> bytes:
    return bytes.fromhex(to[2:]) + length.to_bytes(4, "big")


def _answers(told: bytes) -> Iterator[Answer]:
    at = 0
    while at < len(told):
        outcome, length = _WORDS(told, at)
        end = at + 64 + length
        yield told[at + 64 : end] if outcome & 1 else None if outcome >> 1 < _OWN_FAILURE else False
        at = end
