"""Reads of a world that is supposed to be otherwise: a past block, another time, other storage; and what reads look at."""

from __future__ import annotations

import pytest

from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.revm import RevmEngine
from nftbench.values import WEI_PER_ETHER
from tests.chain import contracts as small
from tests.chain.assembly import assemble, creation
from tests.chain.sequence import ALICE, word

READER = assemble("0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN")
"""Gives what stands at the slot of the first word."""

CLOCK = assemble("TIMESTAMP 0 MSTORE NUMBER 32 MSTORE 64 0 RETURN")
"""Gives the time and the number of the block."""

BOTH = assemble(
    "CALLDATASIZE @write JUMPI 7 SLOAD 9 SLOAD ADD 0 MSTORE 32 0 RETURN write: 32 CALLDATALOAD 0 CALLDATALOAD SSTORE"
)
"""Without call data gives the sum of slots 7 and 9; otherwise stores the second word at the slot of the first."""


@pytest.fixture
def engine() -> RevmEngine:
    engine = RevmEngine()
    engine.fund(ALICE, 100 * WEI_PER_ETHER)
    return engine


def deployed(engine: RevmEngine, code: bytes) -> str:
    receipt = engine.transact(Transaction(sender=ALICE, to=None, data=creation(code)))
    assert isinstance(receipt, Receipt) and receipt.success and receipt.contract_address
    return receipt.contract_address


def store(engine: RevmEngine, contract: str, slot: int, value: int) -> int:
    receipt = engine.transact(Transaction(sender=ALICE, to=contract, data=word(slot) + word(value)))
    assert isinstance(receipt, Receipt) and receipt.success
    return receipt.block_number


def total(engine: RevmEngine, contract: str) -> int:
    return int.from_bytes(engine.call(contract, b"").output, "big")


def test_reads_see_the_past_and_the_storage_that_is_supposed_and_afterwards_the_present(engine: RevmEngine) -> None:
    both = deployed(engine, BOTH)
    first = store(engine, both, 7, 10)
    store(engine, both, 9, 5)
    store(engine, both, 7, 100)
    with engine.supposing(block=first):
        assert [total(engine, both), total(engine, both)] == [10, 10]
    with engine.supposing(storage={(both, 9): 1}):
        assert total(engine, both) == 101
    with engine.supposing(block=first, storage={(both, 9): 1, (both, 8): 3}):
        assert total(engine, both) == 11
    assert total(engine, both) == 105
    assert [engine.storage(both, slot) for slot in (7, 8, 9)] == [100, 0, 5]


def test_balances_are_of_the_block_that_is_supposed(engine: RevmEngine) -> None:
    other = "0x" + "11" * 20
    before = engine.block.number
    engine.transact(Transaction(sender=ALICE, to=other, value=5))
    with engine.supposing(block=before):
        assert (engine.balance(other), engine.balance(ALICE)) == (0, 100 * WEI_PER_ETHER)
    with engine.supposing(storage={}):
        assert engine.balance(other) == 5
    assert engine.balance(other) == 5


def test_the_clock_shows_the_time_that_is_supposed(engine: RevmEngine) -> None:
    clock = deployed(engine, CLOCK)
    engine.advance_time(1000)

    def told() -> tuple[int, int]:
        output = engine.call(clock, b"").output
        return int.from_bytes(output[:32], "big"), int.from_bytes(output[32:], "big")

    real = told()
    assert real == (engine.pending_timestamp, engine.block.number + 1)
    with engine.supposing(timestamp=real[0] + 77):
        assert told() == (real[0] + 77, real[1])
    with engine.supposing(block=1):
        assert told() == (engine.block_at(1).timestamp, 1)
    assert told() == real


def test_a_failure_within_leaves_the_present_in_place(engine: RevmEngine) -> None:
    both = deployed(engine, BOTH)
    store(engine, both, 7, 10)
    with pytest.raises(RuntimeError, match="mine"), engine.supposing(storage={(both, 7): 1}):
        raise RuntimeError("mine")
    assert total(engine, both) == 10


def test_a_reads_slots_are_those_that_it_looks_at_in_any_contract_and_none_if_it_fails(engine: RevmEngine) -> None:
    both, reader = deployed(engine, BOTH), deployed(engine, READER)
    forward, failing = deployed(engine, small.FORWARD), deployed(engine, assemble("3 SLOAD INVALID"))
    assert engine.loaded(both, b"") == {(both, 7), (both, 9)}
    assert engine.loaded(reader, word(12)) == {(reader, 12)}
    assert engine.loaded(forward, word(int(reader, 16)) + word(2**255)) == {(reader, 2**255)}
    assert engine.loaded(failing, b"") == set()
    assert engine.loaded(ALICE, b"") == set()
