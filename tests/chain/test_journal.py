"""Reading revm's journal: texts copied down by hand, and pyrevm's own text of an execution whose effects are known."""

from __future__ import annotations

import pyrevm
import pytest

from nftbench.chain.journal import touched_accounts
from nftbench.chain.state import EMPTY_CODE_HASH
from nftbench.values import keccak256
from tests.chain import contracts as small
from tests.chain.assembly import creation
from tests.chain.sequence import ALICE, BOB, create_address, word


def test_an_empty_journal_has_no_accounts() -> None:
    text = "JournaledState { state: {}, transient_storage: {}, logs: [], depth: 1, journal: [[]] }"
    assert touched_accounts(text) == []


def test_another_text_is_not_guessed_at() -> None:
    """A new pyrevm that prints its journal differently must not go unnoticed."""
    with pytest.raises(ValueError, match="journal"):
        touched_accounts("JournalInner { state: {} }")
    with pytest.raises(ValueError):
        touched_accounts("JournaledState { state: {0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: Account { info")


def test_balances_slots_code_and_status_are_read() -> None:
    evm = pyrevm.EVM(spec_id="Cancun")
    evm.set_balance(ALICE, 10**20)
    evm.deploy(ALICE, creation(small.WRITER, "5 7 SSTORE 0 9 SSTORE 9 SLOAD POP"), 11)
    child = create_address(ALICE)
    evm.message_call(ALICE, BOB, b"", 3)
    found = {account.address: account for account in touched_accounts(evm.journal_str)}
    assert found[BOB].balance == 3
    assert not found[BOB].created
    assert found[BOB].code_hash == EMPTY_CODE_HASH.hex()
    assert (found[ALICE].balance, found[ALICE].nonce) == (10**20 - 14, 1)
    made = found[child]
    assert (made.created, made.destroyed, made.balance, made.nonce) == (True, False, 11, 1)
    assert made.code_hash == keccak256(small.WRITER).hex()
    assert made.code_length == len(small.WRITER)
    assert made.slots == [(7, 5)]


def test_the_largest_numbers_are_read_exactly() -> None:
    evm = pyrevm.EVM(spec_id="Cancun")
    evm.set_balance(ALICE, 2**256 - 1)
    evm.deploy(ALICE, creation(small.WRITER))
    most = "0x" + "ff" * 32
    evm.message_call(ALICE, create_address(ALICE), word(most) + word(most))
    found = {account.address: account for account in touched_accounts(evm.journal_str)}
    assert found[create_address(ALICE)].slots == [(2**256 - 1, 2**256 - 1)]
    assert found[ALICE].balance == 2**256 - 1
