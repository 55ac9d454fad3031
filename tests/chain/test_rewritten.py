"""Which slots some blocks left other than they were: a matter of the storage in the end, not of every write on the way."""

from __future__ import annotations

import pytest

from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.revm import RevmEngine
from nftbench.values import WEI_PER_ETHER
from tests.chain import contracts as small
from tests.chain.assembly import creation
from tests.chain.sequence import ALICE, word


@pytest.fixture
def engine() -> RevmEngine:
    engine = RevmEngine()
    engine.fund(ALICE, 100 * WEI_PER_ETHER)
    return engine


def sent(engine: RevmEngine, to: str | None, data: bytes) -> Receipt:
    receipt = engine.transact(Transaction(sender=ALICE, to=to, data=data))
    assert isinstance(receipt, Receipt) and receipt.success
    return receipt


def test_what_the_blocks_wrote_and_what_stayed_written_counts(engine: RevmEngine) -> None:
    first, second = (sent(engine, None, creation(small.WRITER)).contract_address for _ in range(2))
    assert first and second
    sent(engine, first, word(1) + word(5))
    start = engine.block.number
    assert engine.rewritten([], since=start) == {}
    one = sent(engine, first, word(1) + word(6)).block_number
    two = sent(engine, second, word(9) + word(9)).block_number
    assert engine.rewritten([one, two], since=start) == {(first, 1): 5, (second, 9): 0}
    assert engine.rewritten([one], since=start) == {(first, 1): 5}
    assert engine.rewritten([one, two], since=two) == {}
    back = sent(engine, first, word(1) + word(5)).block_number
    assert engine.rewritten([one, two, back], since=start) == {(second, 9): 0}


def test_transfers_of_ether_and_reverted_writes_do_not_count(engine: RevmEngine) -> None:
    echo = sent(engine, None, creation(small.ECHO_REVERT)).contract_address
    start = engine.block.number
    reverted = engine.transact(Transaction(sender=ALICE, to=echo, data=b"\1"))
    paid = engine.transact(Transaction(sender=ALICE, to="0x" + "11" * 20, value=1))
    assert isinstance(reverted, Receipt) and isinstance(paid, Receipt) and not reverted.success
    assert engine.rewritten([reverted.block_number, paid.block_number], since=start) == {}
