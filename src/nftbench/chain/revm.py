"""The default engine: revm in this process, through pyrevm, with the transaction semantics that pyrevm leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from nftbench.chain.platforms import obstacle_here

try:
    import pyrevm
except ImportError as problem:
    raise ImportError(f"pyrevm, the embedded EVM, can't be loaded ({problem}). {obstacle_here()}".rstrip()) from problem

from nftbench.chain.engine import Block, CallResult, Log, Receipt, Refused, Slot, Transaction
from nftbench.chain.execution import HARD_FORK, Message, Outcome, code_of, execute, read
from nftbench.chain.hashes import block_hash, randomness, transaction_hash
from nftbench.chain.moments import KeptChain, Mark
from nftbench.chain.reads import read_many
from nftbench.chain.rules import Chain, Terms, next_base_fee, terms
from nftbench.chain.state import Account, State
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, checksum, keccak256

GENESIS_TIMESTAMP = 1_735_689_600  # 2025-01-01 00:00:00 UTC
BLOCK_SECONDS = 12
BLOCK_GAS_LIMIT = 30_000_000
GENESIS_BASE_FEE = 10**9
DEFAULT_TIP = 10**9
DEFAULT_GAS = 15_000_000
COINBASE = checksum("0x" + keccak256(b"nftbench coinbase")[-20:].hex())


class _Supposed(Struct, frozen=True):
    """What reads see for a while: the state as it was at `mark` changes (None: as it is)."""

    mark: int | None


class RevmEngine:
    """An Engine over revm at the Cancun hard fork, the newest one that pyrevm 0.3.7 (revm 8) has.

    Gas, refunds, fees and results are those of a Cancun chain. Known differences from a real chain:

    - BASEFEE reads 0 in contracts: pyrevm forces it. The base fee is charged and burned all the same.
    - BALANCE of the sender, read during its own call, has the gas prepayment still in it if the sender could not pay
      that twice over.
    - A block's hash is keccak256 of its number in decimal digits, for that is what revm's BLOCKHASH gives without a
      chain behind it. BLOCKHASH and Block.hash agree.
    - Transaction hashes are deterministic and unique, and no hashes of signed RLP: nothing is signed.
    - The call depth limit is reached one call early (1023), which takes more gas than a block has.

    Every transaction is executed on an empty journal and read off, reverted, then written to pyrevm's database. Were it
    left in the journal, its accounts and slots would be warm, and original values wrong, for the next one.

    `block_seconds` is the time between two blocks. The coinbase is one that nobody has the key of.
    """

    def __init__(
        self,
        *,
        chain_id: int = 31337,
        genesis_timestamp: int = GENESIS_TIMESTAMP,
        block_seconds: int = BLOCK_SECONDS,
        block_gas_limit: int = BLOCK_GAS_LIMIT,
        base_fee: int = GENESIS_BASE_FEE,
    ) -> None:
        self._chain = Chain(chain_id, block_gas_limit, DEFAULT_TIP, min(DEFAULT_GAS, block_gas_limit))
        self._block_seconds = block_seconds
        self._evm = pyrevm.EVM(pyrevm.Env(pyrevm.CfgEnv(chain_id)), gas_limit=block_gas_limit, spec_id=HARD_FORK)
        self._state = State(self._evm)
        self._environment = (-1, -1)
        self._supposed: _Supposed | None = None
        self._moment: int | None = None
        self._blocks = [Block(0, genesis_timestamp, base_fee, block_hash(0))]
        self._starts = [0]
        self._pending_base_fee = next_base_fee(base_fee, 0, block_gas_limit)
        self._logs: list[Log] = []
        self._receipts: list[Receipt] = []
        self._by_hash: dict[str, Receipt] = {}
        self._marks: list[Mark] = []

    def keep(self) -> KeptChain:
        """What the chain is now; marks are not kept."""
        return KeptChain(
            terms=self._chain,
            block_seconds=self._block_seconds,
            state=self._state.keep(),
            blocks=tuple(self._blocks),
            starts=tuple(self._starts),
            pending_base_fee=self._pending_base_fee,
            logs=tuple(self._logs),
            receipts=tuple(self._receipts),
        )

    @classmethod
    def put_up(cls, kept: KeptChain) -> RevmEngine:
        """A chain of its own that is what another one was when it was kept."""
        limit = kept.terms.block_gas_limit
        engine = cls(chain_id=kept.terms.chain_id, block_seconds=kept.block_seconds, block_gas_limit=limit)
        engine._chain = kept.terms
        engine._state.take_over(kept.state)
        engine._blocks, engine._starts = list(kept.blocks), list(kept.starts)
        engine._pending_base_fee = kept.pending_base_fee
        engine._logs, engine._receipts = list(kept.logs), list(kept.receipts)
        engine._by_hash = {receipt.transaction_hash: receipt for receipt in kept.receipts}
        return engine

    @property
    def chain_id(self) -> int:
        return self._chain.chain_id

    @property
    def block(self) -> Block:
        return self._blocks[-1]

    @property
    def pending_timestamp(self) -> int:
        return self._blocks[-1].timestamp + self._block_seconds if self._moment is None else self._moment

    @contextmanager
    def at_one_time(self) -> Iterator[None]:
        assert self._moment is None, "it is one time already: this can't be nested"
        self._moment = self.pending_timestamp
        try:
            yield
        finally:
            self._moment = None

    @property
    def pending_base_fee(self) -> int:
        """The base fee that the next block will have, in wei per gas."""
        return self._pending_base_fee

    @property
    def logs(self) -> Sequence[Log]:
        return self._logs

    def fund(self, address: str, wei: int) -> None:
        if not 0 <= wei <= UINT256_MAX:
            raise ValueError(f"{wei} is no balance: it must lie between 0 and 2**256 - 1")
        address = checksum(address)
        old = self._state.account(address)
        self._state.set_account(address, Account(wei, old.nonce, old.code_hash))

    def transact(self, transaction: Transaction) -> Receipt | Refused:
        agreed = self._terms(transaction)
        if isinstance(agreed, Refused):
            return agreed
        mark = len(self._state)
        outcome = self._execute(transaction, agreed, changes=True)
        receipt = self._receipt(transaction, agreed, outcome)
        self._settle(transaction, agreed, outcome)
        self._mine(self.pending_timestamp, mark, outcome.gas_used)
        self._receipts.append(receipt)
        self._by_hash[receipt.transaction_hash] = receipt
        self._logs.extend(receipt.logs)
        return receipt

    def simulate(self, transaction: Transaction) -> Receipt | Refused:
        agreed = self._terms(transaction)
        if isinstance(agreed, Refused):
            return agreed
        outcome = self._execute(transaction, agreed, changes=False)
        for address in (checksum(transaction.sender), COINBASE):
            self._state.write_account(address, self._state.account(address))
        return self._receipt(transaction, agreed, outcome)

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
        if not 0 <= value <= UINT256_MAX:
            raise ValueError(f"{value} wei can't be sent: it must lie between 0 and 2**256 - 1")
        limit = self._chain.block_gas_limit
        caller = ZERO_ADDRESS if sender is None else checksum(sender)
        message = Message(caller, checksum(to), data, value, limit if gas is None else min(gas, limit), 0)
        if block is None:
            return self._read(message)
        with self.supposing(block=block):
            return self._read(message)

    def read_many(self, reads: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
        if self._supposed is None:
            self._enter_block(self._blocks[-1].number + 1, self.pending_timestamp)
        answers = read_many(self._evm, reads, self._chain.block_gas_limit)
        return [self._alone(*read) if answer is False else answer for read, answer in zip(reads, answers, strict=True)]

    def _alone(self, to: str, data: bytes) -> bytes | None:
        result = self.call(to, data)
        return result.output if result.success else None

    def loaded(self, to: str, data: bytes) -> set[Slot]:
        found: set[Slot] = set()
        self._read(Message(ZERO_ADDRESS, checksum(to), data, 0, self._chain.block_gas_limit, 0), found)
        return found

    def _read(self, message: Message, loaded: set[Slot] | None = None) -> CallResult:
        if self._supposed is None:
            self._enter_block(self._blocks[-1].number + 1, self.pending_timestamp)
        return read(self._evm, self._state, message, loaded)

    @contextmanager
    def supposing(
        self, *, block: int | None = None, timestamp: int | None = None, storage: Mapping[Slot, int] | None = None
    ) -> Iterator[None]:
        assert self._supposed is None, "reads that suppose something can't be nested"
        past = None if block is None else self.block_at(block)
        mark = None if block is None else self._end_of(block)
        then = self.pending_timestamp if past is None else past.timestamp
        self._enter_block(
            self._blocks[-1].number + 1 if past is None else past.number, then if timestamp is None else timestamp
        )
        displaced = self._state.show_past(mark) if mark is not None else []
        displaced += self._state.show_slots({(checksum(a), s): value for (a, s), value in (storage or {}).items()})
        self._supposed = _Supposed(mark)
        try:
            yield
        finally:
            self._supposed = None
            self._state.show_present(displaced)

    def balance(self, address: str, *, block: int | None = None) -> int:
        address = checksum(address)
        if block is None:
            return self._state.account(address, self._supposed.mark if self._supposed else None).balance
        self.block_at(block)
        return self._state.account(address, self._end_of(block)).balance

    def nonce(self, address: str) -> int:
        return self._state.account(checksum(address)).nonce

    def code(self, address: str) -> bytes:
        return self._state.code(checksum(address))

    def storage(self, address: str, slot: int) -> int:
        return self._state.storage(checksum(address), slot)

    def rewritten(self, blocks: Collection[int], *, since: int) -> dict[Slot, int]:
        spans = [(self._starts[block], self._end_of(block)) for block in blocks]
        return self._state.rewritten(spans, self._end_of(since))

    def advance_time(self, seconds: int) -> Block:
        if seconds < 0:
            raise ValueError(f"the clock can't go back by {-seconds} seconds")
        assert self._moment is None, "the clock can't be moved while all is to be at one time"
        self._mine(self.block.timestamp + max(seconds, 1), len(self._state), 0)
        return self.block

    def block_at(self, number: int) -> Block:
        if not 0 <= number < len(self._blocks):
            raise IndexError(f"there is no block {number}: the newest is {len(self._blocks) - 1}")
        return self._blocks[number]

    def receipt(self, transaction_hash: str) -> Receipt | None:
        return self._by_hash.get(transaction_hash)

    def receipts(self) -> Sequence[Receipt]:
        return self._receipts

    def snapshot(self) -> Mark:
        mark = Mark(len(self._state), len(self._blocks), len(self._logs), len(self._receipts), self._pending_base_fee)
        self._marks.append(mark)
        return mark

    def changed_since(self, mark: Mark) -> dict[tuple[str, int | None], Any]:
        """The accounts (slot None) and storage slots that were written since the mark, each with what it holds now."""
        return self._state.changed_since(mark.changes)

    def differing_since(self, mark: Mark) -> dict[tuple[str, int | None], tuple[Any, Any]]:
        """The accounts (slot None) and storage slots that are not what they were at the mark: what they held then and now."""
        return self._state.differing_since(mark.changes)

    def restore(self, mark: Mark) -> None:
        """ValueError for a mark of another engine, or one taken after a point that was restored since."""
        at = next((i for i, known in enumerate(self._marks) if known is mark), None)
        if at is None:
            raise ValueError("this mark is gone: an older one was restored, or it is another chain's")
        del self._marks[at + 1 :]
        self._state.rewind(mark.changes)
        for receipt in self._receipts[mark.receipts :]:
            del self._by_hash[receipt.transaction_hash]
        del self._blocks[mark.blocks :]
        del self._starts[mark.blocks :]
        del self._logs[mark.logs :]
        del self._receipts[mark.receipts :]
        self._pending_base_fee = mark.pending_base_fee

    def _terms(self, transaction: Transaction) -> Terms | Refused:
        if transaction.to is not None:
            checksum(transaction.to)
        sender = self._state.account(checksum(transaction.sender))
        return terms(transaction, self._chain, self._pending_base_fee, sender)

    def _execute(self, transaction: Transaction, agreed: Terms, *, changes: bool) -> Outcome:
        """Run it with the sender's nonce and gas paid, as far as pyrevm lets that be shown to contracts.

        pyrevm pays for the gas of creations itself. For calls it only checks that the sender could, so it must find the
        sum once more in an account that has paid already.
        """
        sender = checksum(transaction.sender)
        if transaction.to is not None:
            account = self._state.account(sender)
            prepaid = self._prepaid(transaction, agreed, account)
            self._state.write_account(sender, Account(account.balance - prepaid, account.nonce + 1))
        self._enter_block(self._blocks[-1].number + 1, self.pending_timestamp)
        message = Message(sender, transaction.to, transaction.data, transaction.value, agreed.gas_limit, agreed.price)
        return execute(self._evm, message, changes=changes)

    @staticmethod
    def _prepaid(transaction: Transaction, agreed: Terms, sender: Account) -> int:
        gas_cost = agreed.gas_limit * agreed.price
        return gas_cost if sender.balance >= 2 * gas_cost + transaction.value else 0

    def _settle(self, transaction: Transaction, agreed: Terms, outcome: Outcome) -> None:
        """Write everything the execution changed, then the sender's and the coinbase's share of the fee."""
        state = self._state
        sender = checksum(transaction.sender)
        creates = transaction.to is None
        before = state.account(sender)
        fee = outcome.gas_used * agreed.price
        tip = outcome.gas_used * (agreed.price - self._pending_base_fee)
        sender_balance = before.balance - fee
        coinbase_balance = state.account(COINBASE).balance + tip
        for account in outcome.touched:
            address = account.address
            if address == sender:
                if creates:
                    sender_balance = account.balance
                else:
                    sender_balance = account.balance + self._prepaid(transaction, agreed, before) - fee
            elif address == COINBASE:
                coinbase_balance = account.balance + tip - (fee if creates else 0)
            elif account.destroyed:
                state.set_account(address, Account())
                continue
            else:
                if account.created:
                    code = code_of(account, outcome.analysed)
                    state.add_code(address, account.code_hash, code, outcome.analysed[address])
                new = Account(account.balance, account.nonce, account.code_hash)
                if new != state.account(address):
                    state.set_account(address, new)
            for slot, value in account.slots:
                state.set_slot(address, slot, value)
        state.set_account(sender, Account(sender_balance, before.nonce + 1))
        state.set_account(COINBASE, Account(coinbase_balance, 0))

    def _mine(self, timestamp: int, mark: int, gas_used: int) -> None:
        number = len(self._blocks)
        self._blocks.append(Block(number, timestamp, self._pending_base_fee, block_hash(number)))
        self._starts.append(mark)
        self._pending_base_fee = next_base_fee(self._pending_base_fee, gas_used, self._chain.block_gas_limit)

    def _end_of(self, block: int) -> int | None:
        """How many changes the state had when the block after this one began; None if this is the newest."""
        return self._starts[block + 1] if block + 1 < len(self._starts) else None

    def _enter_block(self, number: int, timestamp: int) -> None:
        """Let executions run in this block from now on."""
        if self._environment != (number, timestamp):
            random = randomness(self._blocks[0].timestamp, number)
            limit = self._chain.block_gas_limit
            self._evm.set_block_env(pyrevm.BlockEnv(number, COINBASE, timestamp, 0, random, 0, limit))
            self._environment = (number, timestamp)

    def _receipt(self, transaction: Transaction, agreed: Terms, outcome: Outcome) -> Receipt:
        number = self._blocks[-1].number + 1
        identity = transaction_hash(self._chain.chain_id, transaction, agreed)
        logs = []
        for index, log in enumerate(outcome.logs):
            topics, data = log.data
            logs.append(Log(log.address, tuple(topics), data, number, identity, index))
        return Receipt(
            transaction_hash=identity,
            block_number=number,
            timestamp=self.pending_timestamp,
            sender=checksum(transaction.sender),
            to=None if transaction.to is None else checksum(transaction.to),
            nonce=agreed.nonce,
            value=transaction.value,
            data=transaction.data,
            success=outcome.success,
            output=outcome.output,
            halt=outcome.halt,
            gas_used=outcome.gas_used,
            effective_gas_price=agreed.price,
            contract_address=outcome.created,
            logs=tuple(logs),
        )
