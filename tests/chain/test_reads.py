"""Many reads in one execution give what each gives alone, whatever the contracts do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.chain import reads as many
from nftbench.chain.engine import Receipt, Transaction
from nftbench.chain.revm import RevmEngine
from nftbench.values import WEI_PER_ETHER, ZERO_ADDRESS
from tests.chain.assembly import assemble, creation
from tests.chain.sequence import ALICE, BOB, account, word

DEPLOYER = account("deployer of readers")
CODES = {
    "echoes its call data": "CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 RETURN",
    "says who asks": "CALLER 0 MSTORE ORIGIN 32 MSTORE CALLVALUE 64 MSTORE GASPRICE 96 MSTORE 128 0 RETURN",
    "says where it is": "ADDRESS 0 MSTORE TIMESTAMP 32 MSTORE NUMBER 64 MSTORE CHAINID 96 MSTORE 128 0 RETURN",
    "looks at a slot": "0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN",
    "looks at a balance": "0 CALLDATALOAD BALANCE 0 MSTORE SELFBALANCE 32 MSTORE 64 0 RETURN",
    "reverts with its call data": "CALLDATASIZE 0 0 CALLDATACOPY CALLDATASIZE 0 REVERT",
    "halts": "INVALID",
    "returns nothing": "STOP",
    "runs for ever": "again: @again JUMP",
    "runs long and returns": "0 more: 1 ADD DUP1 100000 GT @more JUMPI 0 MSTORE 32 0 RETURN",
    "writes and returns": "7 0 SSTORE 0 SLOAD 0 MSTORE 32 0 RETURN",
    "writes for the moment": "7 0 TSTORE 0 TLOAD 0 MSTORE 32 0 RETURN",
    "logs and returns": "0 0 LOG0 5 0 MSTORE 32 0 RETURN",
    "returns very much": "40000 0 RETURN",
    "destroys itself": "0 SELFDESTRUCT",
}
"""`writes for the moment` and those like it fail where nothing may be written, and are made alone."""


class Readers:
    """A chain with a contract of each kind, a slot of one of which is written."""

    def __init__(self) -> None:
        self.engine = RevmEngine()
        self.engine.fund(DEPLOYER, 100 * WEI_PER_ETHER)
        self.engine.fund(BOB, 5)
        self.at = {name: self._deployed(assemble(code)) for name, code in CODES.items()}
        self.at |= {"nobody": BOB, "nothing": account("nothing there"), "zero": ZERO_ADDRESS}
        self.at |= {f"precompile {number}": "0x" + f"{number:040x}" for number in (1, 2, 4)}

    def _deployed(self, code: bytes) -> str:
        receipt = self.engine.transact(Transaction(sender=DEPLOYER, to=None, data=creation(code)))
        assert isinstance(receipt, Receipt) and receipt.contract_address
        return receipt.contract_address

    def alone(self, read: tuple[str, bytes]) -> bytes | None:
        result = self.engine.call(*read)
        return result.output if result.success else None


@pytest.fixture(scope="module")
def readers() -> Readers:
    return Readers()


DATA = st.binary(max_size=70) | st.sampled_from([b"", word(0), word(ALICE), word(BOB), bytes(4000)])


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_reads_in_a_row_give_what_each_gives_alone(readers: Readers, data: st.DataObject) -> None:
    """But for the zero address, where the program itself stands: to read it is to find nobody there."""
    names = st.sampled_from([name for name in readers.at if name != "zero"])
    asked = data.draw(st.lists(st.tuples(names, DATA), max_size=12))
    reads = [(readers.at[name], given_data) for name, given_data in asked]
    before = (readers.engine.block, readers.engine.balance(ZERO_ADDRESS), readers.engine.nonce(ZERO_ADDRESS))
    assert readers.engine.read_many(reads) == [readers.alone(read) for read in reads]
    assert (readers.engine.block, readers.engine.balance(ZERO_ADDRESS), readers.engine.nonce(ZERO_ADDRESS)) == before


@pytest.mark.parametrize("name", CODES)
def test_each_kind_of_contract_alone_and_among_others(readers: Readers, name: str) -> None:
    plain = (readers.at["echoes its call data"], b"hello")
    reads = [plain, (readers.at[name], word(0)), plain]
    assert readers.engine.read_many(reads) == [b"hello", readers.alone(reads[1]), b"hello"]


def test_more_reads_than_one_execution_takes(readers: Readers) -> None:
    reads = [(readers.at["echoes its call data"], word(number)) for number in range(2 * many.MOST_AT_ONCE + 1)]
    assert readers.engine.read_many(reads) == [data for _, data in reads]
    assert readers.engine.read_many([]) == []


def test_what_burns_the_gas_of_all_costs_the_others_nothing(readers: Readers) -> None:
    reads = [(readers.at["runs for ever"], b"")] * 40 + [(readers.at["echoes its call data"], b"x")]
    assert readers.engine.read_many(reads) == [None] * 40 + [b"x"]


def test_the_past_and_what_is_supposed_are_read_too() -> None:
    readers = Readers()
    engine, slots = readers.engine, readers.at["looks at a slot"]
    writer = readers.at["writes and returns"]
    block = engine.block.number
    receipt = engine.transact(Transaction(sender=DEPLOYER, to=writer))
    assert isinstance(receipt, Receipt) and receipt.success and engine.storage(writer, 0) == 7
    where = (readers.at["says where it is"], b"")
    with engine.supposing(block=block, storage={(slots, 3): 11}):
        past = engine.read_many([(slots, word(3)), where, (slots, word(0))])
        assert past == [readers.alone((slots, word(3))), readers.alone(where), word(0)]
        assert past[0] == word(11)
    assert engine.read_many([(slots, word(3)), where]) == [word(0), readers.alone(where)]
