"""Small contracts for the scripted sequence, in assembly. Each says what it does with its call data."""

from __future__ import annotations

from tests.chain.assembly import assemble

COUNTER = assemble("0 SLOAD 1 ADD 0 SSTORE")
"""Adds one to slot 0."""

WRITER = assemble("32 CALLDATALOAD 0 CALLDATALOAD SSTORE")
"""Stores the second word at the slot of the first."""

THRICE = assemble("1 0 SSTORE 2 0 SSTORE 0 0 SSTORE")
"""Writes slot 0 three times and leaves it empty."""

FILLER = assemble("0 CALLDATALOAD 0 loop: DUP1 1 ADD SWAP1 DUP3 SWAP1 SSTORE DUP1 20 GT @loop JUMPI")
"""Sets slots 0 to 19 to the first word: with zero it earns more refund than may be paid."""

ECHO_REVERT = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 REVERT")
"""Reverts with its call data."""

ECHO = assemble("CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN")
"""Returns its call data."""

LONG_REVERT = assemble("100000 0 REVERT")
"""Reverts with a hundred thousand zeros."""

ENDLESS = assemble("loop: @loop JUMP")
INVALID = assemble("INVALID")
UNKNOWN_OPCODE = bytes([0x0C])
UNDERFLOW = assemble("POP")
BAD_JUMP = assemble("3 JUMP")

FORWARD = assemble(
    """32 CALLDATASIZE SUB 32 0 CALLDATACOPY
    0 0 32 CALLDATASIZE SUB 0 CALLVALUE 0 CALLDATALOAD GAS CALL
    RETURNDATASIZE 0 0 RETURNDATACOPY @good JUMPI
    RETURNDATASIZE 0 REVERT
    good: RETURNDATASIZE 0 RETURN"""
)
"""Calls the address in the first word with the rest of its data and all of its value; passes on what comes back."""

DELEGATE = assemble(
    """32 CALLDATASIZE SUB 32 0 CALLDATACOPY
    0 0 32 CALLDATASIZE SUB 0 0 CALLDATALOAD GAS DELEGATECALL
    0 MSTORE 32 0 RETURN"""
)
"""Runs the code of the address in the first word as its own; returns whether that succeeded."""

STATIC = assemble("0 0 0 0 0 CALLDATALOAD GAS STATICCALL 0 MSTORE 32 0 RETURN")
"""Calls the address in the first word without leave to write; returns whether that succeeded."""

RECURSE = assemble("0 0 0 0 0 ADDRESS GAS CALL 0 SLOAD 1 ADD 0 SSTORE")
"""Calls itself until the gas runs out, then counts the levels that had enough left."""

MAKER = assemble(
    """CALLDATASIZE 0 0 CALLDATACOPY
    CALLDATASIZE 0 CALLVALUE CREATE DUP1 0 SSTORE 0 MSTORE 32 0 RETURN"""
)
"""Creates a contract from its call data; stores and returns the address, zero if that failed."""

MAKER2 = assemble(
    """CALLDATASIZE 0 0 CALLDATACOPY
    7 CALLDATASIZE 0 CALLVALUE CREATE2 DUP1 0 SSTORE 0 MSTORE 32 0 RETURN"""
)
"""As MAKER with CREATE2 and salt 7."""

MAKE_AND_CALL = assemble(
    """CALLDATASIZE 0 0 CALLDATACOPY
    7 CALLDATASIZE 0 CALLVALUE CREATE2 DUP1 0 SSTORE
    0 0 0 0 0 DUP6 GAS CALL 1 SSTORE"""
)
"""As MAKER2, then calls the new contract; slot 1 says whether that succeeded."""

DESTRUCT = assemble("CALLER SELFDESTRUCT")
"""Sends its balance to the caller and destroys itself where EIP-6780 still lets it."""

DESTRUCT_TO_SELF = assemble("ADDRESS SELFDESTRUCT")

TRANSIENT = assemble("0 TLOAD 0 SSTORE 5 0 TSTORE 0 TLOAD 1 SSTORE")
"""Slot 0 gets the transient slot as found, slot 1 as written."""

ENVIRONMENT = assemble(
    """NUMBER 0 MSTORE TIMESTAMP 32 MSTORE CHAINID 64 MSTORE GASPRICE 96 MSTORE COINBASE 128 MSTORE
    GASLIMIT 160 MSTORE ORIGIN 192 MSTORE CALLER 224 MSTORE SELFBALANCE 256 MSTORE ORIGIN BALANCE 288 MSTORE
    CALLVALUE 320 MSTORE ADDRESS 352 MSTORE BLOBBASEFEE 384 MSTORE GAS 416 MSTORE COINBASE BALANCE 448 MSTORE
    480 0 RETURN"""
)
"""Returns what it sees of block and transaction, without BASEFEE, BLOCKHASH and PREVRANDAO."""

LOGGER = assemble(
    """CALLDATASIZE 0 0 CALLDATACOPY
    CALLDATASIZE 0 LOG0 1 CALLDATASIZE 0 LOG1 2 1 CALLDATASIZE 0 LOG2 3 2 1 32 0 LOG3 4 3 2 1 0 0 LOG4"""
)
"""One log of each kind."""

INSPECTOR = assemble(
    """0 CALLDATALOAD EXTCODESIZE 0 MSTORE 0 CALLDATALOAD EXTCODEHASH 32 MSTORE 0 CALLDATALOAD BALANCE 64 MSTORE
    32 0 96 0 CALLDATALOAD EXTCODECOPY 128 0 RETURN"""
)
"""Returns code size, code hash, balance and the first word of code of the address in the first word."""

TIPPER = assemble("0 0 0 0 CALLVALUE COINBASE GAS CALL 0 MSTORE 32 0 RETURN")
"""Sends its value on to the block's coinbase."""

CANCUN = assemble("0xAABB 0 MSTORE 32 0 64 MCOPY PUSH0 CALLDATALOAD POP 64 MLOAD 0 SSTORE")
"""Uses instructions of the last two hard forks that this chain has."""


def precompile_call(address: int, gas: int = 100_000) -> bytes:
    """A contract that hands its call data to a precompiled contract and returns the first two words of the answer."""
    return assemble(
        f"CALLDATASIZE 0 0 CALLDATACOPY 64 1024 CALLDATASIZE 0 {address} {gas} STATICCALL POP 64 1024 RETURN"
    )
