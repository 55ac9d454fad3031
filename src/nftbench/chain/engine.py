"""What an embedded chain promises: the Engine protocol and the values that cross it.

An engine is one private EVM chain. Every transaction is mined at once in a block of its own; several may be mined at one time,
as those of one block are elsewhere (at_one_time). Amounts are wei, times are Unix seconds, addresses are EIP-55 strings, call
data and outputs are bytes. An engine is used from one thread at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from msgspec import Struct

RefusalReason = Literal[
    "nonce_too_low",
    "nonce_too_high",
    "wrong_chain_id",
    "insufficient_funds",
    "intrinsic_gas_too_low",
    "fee_cap_below_base_fee",
    "priority_fee_above_fee_cap",
    "gas_limit_above_block_limit",
    "init_code_too_large",
    "sender_has_code",
]


class Block(Struct, frozen=True):
    """A mined block. `base_fee` is in wei per gas (EIP-1559)."""

    number: int
    timestamp: int
    base_fee: int
    hash: str


class Log(Struct, frozen=True):
    """One event as the EVM emitted it; `topics` are 32 bytes each, `index` counts within the block."""

    address: str
    topics: tuple[bytes, ...]
    data: bytes
    block_number: int
    transaction_hash: str
    index: int


class Transaction(Struct, frozen=True, kw_only=True):
    """An EIP-1559 transaction to send. `to` None creates a contract from `data`.

    None elsewhere lets the engine choose: `gas_limit` what the sender can afford up to the engine's default limit, fees
    the current base fee twice over with the engine's default tip, `nonce` the sender's next one, `chain_id` the
    engine's own.
    """

    sender: str
    to: str | None
    data: bytes = b""
    value: int = 0
    gas_limit: int | None = None
    max_fee_per_gas: int | None = None
    max_priority_fee_per_gas: int | None = None
    nonce: int | None = None
    chain_id: int | None = None


class Receipt(Struct, frozen=True, kw_only=True):
    """What a mined transaction did.

    `success` False means it reverted or halted: `output` is then the revert data, and `halt` names an exceptional halt
    such as OutOfGas (None for a plain revert). The output of a creation is the new contract's code.
    """

    transaction_hash: str
    block_number: int
    timestamp: int
    sender: str
    to: str | None
    nonce: int
    value: int
    data: bytes
    success: bool
    output: bytes
    halt: str | None
    gas_used: int
    effective_gas_price: int
    contract_address: str | None
    logs: tuple[Log, ...]


class Refused(Struct, frozen=True):
    """A transaction that never got into a block: nothing changed, no fee was paid."""

    reason: RefusalReason
    message: str


class CallResult(Struct, frozen=True):
    """A read-only execution; `output` is the return data or, when `success` is False, the revert data."""

    success: bool
    output: bytes
    gas_used: int
    halt: str | None = None


Slot = tuple[str, int]
"""A contract's address and the number of one of its storage slots."""


class Engine(Protocol):
    """One embedded chain. Implementations pass tests/chain/test_conformance.py."""

    @property
    def chain_id(self) -> int: ...

    @property
    def block(self) -> Block:
        """The newest mined block."""
        ...

    @property
    def pending_timestamp(self) -> int:
        """The timestamp the next transaction's block will carry; reads run at this time too."""
        ...

    @property
    def logs(self) -> Sequence[Log]:
        """Every log of the chain, oldest first."""
        ...

    def at_one_time(self) -> AbstractContextManager[None]:
        """Within it every transaction carries the timestamp that the first one would have had, as those of one block do, and
        still has a block number of its own, so that the state before and after each can be read. The clock can't be moved
        within it, and it does not nest.
        """
        ...

    def fund(self, address: str, wei: int) -> None:
        """Set an account's balance out of nothing (genesis allocation); mines no block."""
        ...

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        """Mine one transaction in a block of its own."""
        ...

    def simulate(self, transaction: Transaction) -> Receipt | Refused:
        """What transact would return now, leaving no trace; the receipt's block is the one it would have had."""
        ...

    def call(
        self,
        to: str,
        data: bytes,
        *,
        sender: str | None = None,
        value: int = 0,
        gas: int | None = None,
        block: int | None = None,
    ) -> CallResult:
        """Execute a read against the newest state, or against the state as it stood after block `block`.

        Costs nobody anything, needs no funds, keeps no change. IndexError for a block that does not exist yet.
        """
        ...

    def read_many(self, reads: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        """What `call` gives for each (contract, call data): the return data, None where it fails. Far cheaper than so many
        calls. For reads that write nothing, not even for the moment, and don't look at the gas that is left.
        """
        ...

    def balance(self, address: str, *, block: int | None = None) -> int: ...

    def nonce(self, address: str) -> int: ...

    def code(self, address: str) -> bytes: ...

    def storage(self, address: str, slot: int) -> int: ...

    def supposing(
        self, *, block: int | None = None, timestamp: int | None = None, storage: Mapping[Slot, int] | None = None
    ) -> AbstractContextManager[None]:
        """Within it, calls and balances that name no block see the state after block `block`, at this time, with these
        slots holding these values. Many reads of one past block cost little in this way. It does not nest, and nothing
        may be sent within it.
        """
        ...

    def loaded(self, to: str, data: bytes) -> set[Slot]:
        """The storage slots that a read looks at, in any contract; none if it fails."""
        ...

    def rewritten(self, blocks: Collection[int], *, since: int) -> dict[Slot, int]:
        """The slots that these blocks were the last to write and that are not what they were after `since`, with what they
        held then."""
        ...

    def advance_time(self, seconds: int) -> Block:
        """Move the clock forward (ValueError if negative) and mine an empty block at the new time."""
        ...

    def block_at(self, number: int) -> Block:
        """The mined block of that number; IndexError if there is none."""
        ...

    def receipt(self, transaction_hash: str) -> Receipt | None: ...

    def receipts(self) -> Sequence[Receipt]:
        """Every mined transaction, oldest first."""
        ...

    def snapshot(self) -> Any:
        """A mark to restore to; stays valid until an older mark is restored."""
        ...

    def restore(self, mark: Any) -> None:
        """Put everything back as it was at the mark: state, blocks, logs, receipts and clock."""
        ...
