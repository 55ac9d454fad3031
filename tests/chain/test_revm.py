"""What the embedded chain promises beyond single transactions: clock, history, marks, simulation, limits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from nftbench.chain.engine import Receipt, Refused, Transaction
from nftbench.chain.revm import BLOCK_SECONDS, COINBASE, GENESIS_BASE_FEE, GENESIS_TIMESTAMP, RevmEngine
from nftbench.values import UINT256_MAX, WEI_PER_ETHER, ZERO_ADDRESS, keccak256
from tests.chain import contracts as small
from tests.chain.assembly import assemble, creation
from tests.chain.sequence import ALICE, BOB, account, create_address, word

READER = assemble("0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN")
READ_OR_WRITE = assemble(
    "32 CALLDATASIZE EQ @read JUMPI 32 CALLDATALOAD 0 CALLDATALOAD SSTORE STOP"
    " read: 0 CALLDATALOAD SLOAD 0 MSTORE 32 0 RETURN"
)


@pytest.fixture
def engine() -> RevmEngine:
    engine = RevmEngine()
    engine.fund(ALICE, 100 * WEI_PER_ETHER)
    return engine


def mined(engine: RevmEngine, to: str | None, data: bytes = b"", **fields: Any) -> Receipt:
    outcome = engine.transact(Transaction(**({"sender": ALICE, "to": to, "data": data} | fields)))
    assert isinstance(outcome, Receipt), outcome
    return outcome


def refused(engine: RevmEngine, **fields: Any) -> Refused:
    outcome = engine.transact(Transaction(**({"sender": ALICE, "to": BOB} | fields)))
    assert isinstance(outcome, Refused), outcome
    return outcome


def deployed(engine: RevmEngine, runtime: bytes) -> str:
    address = mined(engine, None, creation(runtime)).contract_address
    assert address is not None
    return address


def records(engine: RevmEngine) -> list[Any]:
    clock = [engine.block, engine.pending_timestamp, engine.pending_base_fee]
    return [*clock, list(engine.logs), list(engine.receipts())]


def number(engine: RevmEngine, contract: str, data: bytes = b"", **options: Any) -> int:
    return int.from_bytes(engine.call(contract, data, **options).output, "big")


def test_a_new_chain_is_at_block_zero(engine: RevmEngine) -> None:
    assert (engine.block.number, engine.block.timestamp) == (0, GENESIS_TIMESTAMP)
    assert engine.block.base_fee == GENESIS_BASE_FEE
    assert engine.pending_timestamp == GENESIS_TIMESTAMP + BLOCK_SECONDS
    assert engine.chain_id == 31337
    assert not engine.logs
    assert not engine.receipts()


def test_every_transaction_gets_a_block_of_its_own_twelve_seconds_on(engine: RevmEngine) -> None:
    receipts = [mined(engine, BOB), mined(engine, BOB)]
    assert [receipt.block_number for receipt in receipts] == [1, 2]
    assert [receipt.timestamp - GENESIS_TIMESTAMP for receipt in receipts] == [12, 24]
    assert engine.block_at(1).timestamp == receipts[0].timestamp
    assert engine.receipts() == receipts
    assert engine.receipt(receipts[0].transaction_hash) == receipts[0]
    assert engine.receipt("0x00") is None


def test_the_base_fee_falls_by_an_eighth_over_an_empty_block(engine: RevmEngine) -> None:
    """EIP-1559: an empty block is as far under its target as can be."""
    first, second = engine.advance_time(1), engine.advance_time(1)
    assert first.base_fee == GENESIS_BASE_FEE * 7 // 8
    assert second.base_fee == first.base_fee - first.base_fee // 8
    assert engine.pending_base_fee < second.base_fee


def test_fees_go_to_the_coinbase_and_the_base_fee_is_burned(engine: RevmEngine) -> None:
    base_fee = engine.pending_base_fee
    fees: dict[str, Any] = {"max_fee_per_gas": 5 * 10**9, "max_priority_fee_per_gas": 10**9}
    receipt = mined(engine, BOB, value=7, **fees)
    assert receipt.gas_used == 21_000
    assert receipt.effective_gas_price == base_fee + 10**9
    assert engine.balance(COINBASE) == 21_000 * 10**9
    assert engine.balance(BOB) == 7
    assert engine.balance(ALICE) == 100 * WEI_PER_ETHER - 7 - 21_000 * (base_fee + 10**9)


def test_defaults_are_twice_the_base_fee_and_what_the_sender_can_afford(engine: RevmEngine) -> None:
    base_fee = engine.pending_base_fee
    engine.fund(BOB, 100_000 * (2 * base_fee + 10**9))
    endless = deployed(engine, small.ENDLESS)
    engine.advance_time(0)
    price = 2 * engine.pending_base_fee + 10**9
    receipt = mined(engine, endless, sender=BOB)
    assert receipt.halt == "OutOfGas"
    assert receipt.gas_used == 100_000 * (2 * base_fee + 10**9) // price
    assert mined(engine, endless).gas_used == 15_000_000


def test_who_can_not_afford_the_cheapest_call_lacks_funds_not_gas(engine: RevmEngine) -> None:
    engine.fund(BOB, 20_000 * 10**9)
    assert refused(engine, sender=BOB, to=ALICE).reason == "insufficient_funds"


def test_a_refused_transaction_changes_nothing(engine: RevmEngine) -> None:
    before = (engine.block, engine.nonce(ALICE), engine.balance(ALICE), engine.pending_timestamp)
    assert refused(engine, nonce=5).reason == "nonce_too_high"
    assert refused(engine, chain_id=1).reason == "wrong_chain_id"
    assert (engine.block, engine.nonce(ALICE), engine.balance(ALICE), engine.pending_timestamp) == before


def test_gas_that_does_not_pay_for_the_data_is_refused(engine: RevmEngine) -> None:
    """21000, and 4 for a zero byte, 16 for another; a creation pays 32000 more and 2 for each word of its code."""
    assert refused(engine, data=b"\0\x01", gas_limit=21_019).reason == "intrinsic_gas_too_low"
    assert mined(engine, BOB, b"\0\x01", gas_limit=21_020).gas_used == 21_020
    needed = 21_000 + 32_000 + 4 * 33 + 2 * 2
    assert refused(engine, to=None, data=bytes(33), gas_limit=needed - 1).reason == "intrinsic_gas_too_low"
    assert mined(engine, None, bytes(33), gas_limit=needed).gas_used == needed


def test_a_contract_can_not_send_a_transaction(engine: RevmEngine) -> None:
    """EIP-3607."""
    contract = deployed(engine, small.COUNTER)
    engine.fund(contract, WEI_PER_ETHER)
    assert refused(engine, sender=contract).reason == "sender_has_code"


def test_faults_are_found_in_the_order_of_a_node(engine: RevmEngine) -> None:
    """With every fault at once the first check of a node names it; each one mended shows the next."""
    faults: dict[str, Any] = {
        "chain_id": 5,
        "nonce": 9,
        "max_fee_per_gas": 1,
        "max_priority_fee_per_gas": 2,
        "gas_limit": 99_000_000,
        "value": UINT256_MAX,
    }
    mended = {
        "chain_id": "wrong_chain_id",
        "nonce": "nonce_too_high",
        "max_priority_fee_per_gas": "priority_fee_above_fee_cap",
        "max_fee_per_gas": "fee_cap_below_base_fee",
        "gas_limit": "gas_limit_above_block_limit",
        "value": "insufficient_funds",
    }
    for field, reason in mended.items():
        assert refused(engine, **faults).reason == reason
        faults[field] = 0 if field in ("value", "max_priority_fee_per_gas") else None


def test_waiting_mines_an_empty_block_at_the_new_time(engine: RevmEngine) -> None:
    pending = engine.pending_timestamp
    block = engine.advance_time(3600)
    assert (block.number, block.timestamp) == (1, GENESIS_TIMESTAMP + 3600)
    assert engine.pending_timestamp == pending + 3600
    assert engine.advance_time(0).timestamp == block.timestamp + 1
    with pytest.raises(ValueError, match="back"):
        engine.advance_time(-1)


def test_reads_run_at_the_time_of_the_next_block(engine: RevmEngine) -> None:
    clock = deployed(engine, assemble("TIMESTAMP 0 MSTORE NUMBER 32 MSTORE 64 0 RETURN"))
    expected = (engine.block.number + 1).to_bytes(32, "big")
    assert engine.call(clock, b"").output == engine.pending_timestamp.to_bytes(32, "big") + expected
    engine.advance_time(1000)
    assert int.from_bytes(engine.call(clock, b"").output[:32], "big") == engine.pending_timestamp
    past = engine.block_at(1)
    assert engine.call(clock, b"", block=1).output == word(past.timestamp) + word(1)


def test_transactions_at_one_time_have_a_timestamp_in_common_and_a_block_each(engine: RevmEngine) -> None:
    """What contracts see of the time is the same in each, and the state between them can be read; then the clock goes on."""
    clock = deployed(engine, assemble("TIMESTAMP NUMBER SSTORE"))
    first, moment = engine.block.number + 1, engine.pending_timestamp
    with engine.at_one_time():
        receipts = [engine.transact(Transaction(sender=ALICE, to=clock)) for _ in range(3)]
        assert engine.pending_timestamp == moment
        with pytest.raises(AssertionError):
            engine.advance_time(1)
        with pytest.raises(AssertionError), engine.at_one_time():
            pass
    assert [r.block_number for r in receipts if isinstance(r, Receipt)] == [first, first + 1, first + 2]
    assert [r.timestamp for r in receipts if isinstance(r, Receipt)] == [moment] * 3
    assert [engine.storage(clock, first + i) for i in range(3)] == [moment] * 3
    assert [engine.block_at(first + i).timestamp for i in range(3)] == [moment] * 3
    assert engine.pending_timestamp == moment + BLOCK_SECONDS


def test_a_contract_sees_the_hashes_of_past_blocks_and_no_base_fee(engine: RevmEngine) -> None:
    code = "1 NUMBER SUB BLOCKHASH 0 MSTORE BASEFEE 32 MSTORE PREVRANDAO 64 MSTORE 96 0 RETURN"
    sees = deployed(engine, assemble(code))
    seen = mined(engine, sees)
    assert engine.block_at(seen.block_number).hash != engine.block_at(seen.block_number - 1).hash
    again = engine.call(sees, b"").output
    assert "0x" + again[:32].hex() == engine.block.hash
    assert again[32:64] == bytes(32)
    assert again[64:] != engine.call(sees, b"", block=1).output[64:]


def test_a_past_block_is_read_as_it_was(engine: RevmEngine) -> None:
    contract = deployed(engine, READ_OR_WRITE)
    history = {}
    for value in (7, 0, 9, 9):
        receipt = mined(engine, contract, word(1) + word(value))
        history[receipt.block_number] = (value, engine.balance(ALICE))
    engine.fund(ALICE, 1)
    for block, (value, balance) in history.items():
        assert number(engine, contract, word(1), block=block) == value
        assert engine.balance(ALICE, block=block) == (1 if block == engine.block.number else balance)
    assert number(engine, contract, word(1)) == 9
    assert engine.call(contract, word(1), block=0).output == b""
    with pytest.raises(IndexError):
        engine.call(contract, word(1), block=engine.block.number + 1)
    with pytest.raises(IndexError):
        engine.balance(ALICE, block=-1)


def test_reading_the_past_leaves_the_present_alone(engine: RevmEngine) -> None:
    contract = deployed(engine, small.COUNTER)
    first = mined(engine, contract)
    mined(engine, contract)
    engine.call(contract, b"", block=first.block_number - 1)
    assert mined(engine, contract).gas_used == mined(engine, contract).gas_used
    assert engine.storage(contract, 0) == 4


def test_a_read_takes_any_sender_and_any_value_and_keeps_nothing(engine: RevmEngine) -> None:
    """From an empty account with value, from a contract, from nobody; the sender's code stays visible."""
    seen = deployed(engine, small.ENVIRONMENT)
    nobody = account("nobody")
    output = engine.call(seen, b"", sender=nobody, value=5).output
    assert output[7 * 32 : 8 * 32] == word(nobody)
    assert output[10 * 32 : 11 * 32] == word(5)
    assert engine.balance(nobody) == engine.balance(seen) == 0
    assert engine.call(seen, b"").output[7 * 32 : 8 * 32] == word(ZERO_ADDRESS)
    inspector = deployed(engine, assemble("CALLER EXTCODESIZE 0 MSTORE CALLER 32 MSTORE 64 0 RETURN"))
    output = engine.call(inspector, b"", sender=seen, value=9).output
    assert output == word(len(small.ENVIRONMENT)) + word(seen)


def test_a_read_ends_by_gas(engine: RevmEngine) -> None:
    endless = deployed(engine, small.ENDLESS)
    result = engine.call(endless, b"", gas=50_000)
    assert (result.success, result.halt, result.gas_used) == (False, "OutOfGas", 50_000)
    assert engine.call(endless, b"").gas_used == 30_000_000
    assert engine.call(endless, b"", gas=10).halt == "OutOfGas"


def test_a_failed_read_has_its_revert_data_uncut(engine: RevmEngine) -> None:
    echo = deployed(engine, small.ECHO_REVERT)
    data = bytes(range(256)) * 300
    assert engine.call(echo, data).output == data
    assert engine.call(echo, b"").output == b""
    assert mined(engine, echo, data).output == data


def test_simulating_tells_what_would_happen_and_leaves_no_trace(engine: RevmEngine) -> None:
    contract = deployed(engine, small.LOGGER)
    for to, data in ((contract, b"hi"), (None, creation(small.COUNTER)), (COINBASE, b""), (BOB, b"")):
        transaction = Transaction(sender=ALICE, to=to, data=data, value=3 if to == COINBASE else 0)
        before = (engine.block, engine.nonce(ALICE), engine.balance(ALICE), engine.balance(COINBASE), len(engine.logs))
        simulated = engine.simulate(transaction)
        assert engine.simulate(transaction) == simulated
        after = (engine.block, engine.nonce(ALICE), engine.balance(ALICE), engine.balance(COINBASE), len(engine.logs))
        assert after == before
        assert engine.transact(transaction) == simulated
    assert isinstance(engine.simulate(Transaction(sender=BOB, to=ALICE)), Refused)


def test_restoring_brings_back_state_blocks_logs_receipts_and_clock(engine: RevmEngine) -> None:
    contract = deployed(engine, small.LOGGER)
    counter = deployed(engine, small.COUNTER)
    mined(engine, counter)
    mark = engine.snapshot()
    before = records(engine)
    simulated = engine.simulate(Transaction(sender=ALICE, to=counter))
    for _ in range(2):
        lost = mined(engine, contract, b"x")
        new = deployed(engine, small.COUNTER)
        mined(engine, counter)
        engine.advance_time(500)
        engine.fund(BOB, 5)
        engine.restore(mark)
        assert records(engine) == before
        assert engine.receipt(lost.transaction_hash) is None
        assert engine.code(new) == b""
        assert engine.balance(BOB) == 0
        assert engine.storage(counter, 0) == 1
        assert engine.simulate(Transaction(sender=ALICE, to=counter)) == simulated


def test_the_past_of_a_chain_that_was_restored_is_its_own(engine: RevmEngine) -> None:
    contract = deployed(engine, READ_OR_WRITE)
    mined(engine, contract, word(1) + word(5))
    mark = engine.snapshot()
    for value in (6, 7, 8):
        mined(engine, contract, word(1) + word(value) + word(0) * value)
    engine.restore(mark)
    assert number(engine, contract, word(1)) == 5
    engine.fund(BOB, 1)
    engine.fund(BOB, 2)
    blocks = [mined(engine, contract, word(1) + word(value)).block_number for value in (9, 10, 11)]
    assert [number(engine, contract, word(1), block=block) for block in blocks] == [9, 10, 11]
    assert number(engine, contract, word(1), block=blocks[0] - 1) == 5


def test_simulating_a_call_has_no_part_in_what_the_sender_does_next(engine: RevmEngine) -> None:
    seen = deployed(engine, assemble("CALLER BALANCE 0 MSTORE 32 0 RETURN"))
    engine.simulate(Transaction(sender=ALICE, to=seen, value=5))
    assert number(engine, seen, sender=ALICE) == engine.balance(ALICE)
    engine.simulate(Transaction(sender=ALICE, to=seen))
    assert mined(engine, None, creation(small.ECHO)).contract_address == create_address(ALICE, 1)


def test_a_mark_is_gone_once_an_older_one_was_restored(engine: RevmEngine) -> None:
    old, new = engine.snapshot(), engine.snapshot()
    engine.restore(new)
    engine.restore(old)
    engine.restore(old)
    with pytest.raises(ValueError, match="gone"):
        engine.restore(new)
    with pytest.raises(ValueError, match="gone"):
        engine.restore(RevmEngine().snapshot())


def test_destroyed_contracts_are_gone_for_good(engine: RevmEngine) -> None:
    """EIP-6780: only a contract of the same transaction is deleted."""
    maker = deployed(engine, small.MAKE_AND_CALL)
    mined(engine, maker, creation(small.DESTRUCT), value=11)
    child = "0x" + engine.storage(maker, 0).to_bytes(20, "big").hex()
    assert (engine.code(child), engine.balance(child), engine.nonce(child)) == (b"", 0, 0)
    assert engine.balance(maker) == 11
    old = deployed(engine, small.DESTRUCT)
    mined(engine, old, value=5)
    assert engine.code(old) == small.DESTRUCT
    assert engine.balance(old) == 0


def test_addresses_in_any_spelling_mean_the_same_account(engine: RevmEngine) -> None:
    receipt = mined(engine, BOB.lower(), sender=ALICE.lower(), value=2)
    assert (receipt.sender, receipt.to) == (ALICE, BOB)
    assert engine.balance(BOB.lower()) == engine.balance(BOB) == 2
    assert engine.nonce(ALICE) == 1


def test_a_new_contract_has_the_address_and_nonce_of_the_rules(engine: RevmEngine) -> None:
    mined(engine, BOB)
    receipt = mined(engine, None, creation(small.ECHO))
    assert receipt.contract_address == create_address(ALICE, 1)
    assert receipt.output == engine.code(create_address(ALICE, 1)) == small.ECHO
    assert engine.nonce(create_address(ALICE, 1)) == 1
    assert mined(engine, None, assemble("0 0 REVERT")).contract_address is None


def test_amounts_that_do_not_exist_are_turned_away(engine: RevmEngine) -> None:
    with pytest.raises(ValueError, match="balance"):
        engine.fund(ALICE, -1)
    with pytest.raises(ValueError, match="balance"):
        engine.fund(ALICE, UINT256_MAX + 1)
    for field in ("value", "gas_limit", "max_fee_per_gas", "max_priority_fee_per_gas", "nonce"):
        with pytest.raises(ValueError, match="below zero"):
            engine.transact(Transaction(**{"sender": ALICE, "to": BOB, field: -1}))
    with pytest.raises(ValueError, match="sent"):
        engine.call(BOB, b"", value=-1)
    assert refused(engine, value=UINT256_MAX + 1).reason == "insufficient_funds"


def test_what_is_no_address_is_turned_away_before_anything_happens(engine: RevmEngine) -> None:
    seen = deployed(engine, assemble("CALLER BALANCE 0 MSTORE 32 0 RETURN"))
    for transaction in (Transaction(sender=ALICE, to="0x12"), Transaction(sender="alice", to=BOB)):
        for method in (engine.transact, engine.simulate):
            with pytest.raises(ValueError, match="no address"):
                method(transaction)
    for to, sender in (("0x12", None), (BOB, "bob")):
        with pytest.raises(ValueError, match="no address"):
            engine.call(to, b"", sender=sender)
    assert number(engine, seen, sender=ALICE) == engine.balance(ALICE)


def test_two_chains_with_one_history_are_the_same_to_the_last_byte() -> None:
    def history(engine: RevmEngine) -> list[Any]:
        engine.fund(ALICE, WEI_PER_ETHER)
        contract = deployed(engine, small.LOGGER)
        mined(engine, contract, b"abc")
        engine.advance_time(5)
        return [list(engine.receipts()), list(engine.logs), engine.block, engine.balance(COINBASE)]

    assert history(RevmEngine()) == history(RevmEngine())
    assert history(RevmEngine(chain_id=5)) != history(RevmEngine())


def test_hashes_of_transactions_are_never_the_same(engine: RevmEngine) -> None:
    hashes = [mined(engine, BOB).transaction_hash for _ in range(5)]
    engine.fund(BOB, WEI_PER_ETHER)
    hashes.append(mined(engine, BOB, sender=BOB).transaction_hash)
    assert len(set(hashes)) == 6
    assert all(len(found) == 66 for found in hashes)


def test_the_chain_id_is_the_one_asked_for() -> None:
    engine = RevmEngine(chain_id=8453)
    engine.fund(ALICE, WEI_PER_ETHER)
    assert number(engine, deployed(engine, assemble("CHAINID 0 MSTORE 32 0 RETURN"))) == 8453


def test_an_engine_may_move_to_another_thread(engine: RevmEngine) -> None:
    contract = deployed(engine, small.COUNTER)
    worker = threading.Thread(target=mined, args=(engine, contract))
    worker.start()
    worker.join()
    assert engine.storage(contract, 0) == 1


def test_the_coinbase_is_nobodys_account() -> None:
    assert COINBASE[2:].lower() == keccak256(b"nftbench coinbase")[-20:].hex()
