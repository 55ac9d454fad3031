"""Every token and permission is found, by whatever names it; and a long range of ids costs no more than a short one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.artifacts import load
from nftbench.chain.engine import Log, Receipt, Transaction
from nftbench.chain.revm import RevmEngine
from nftbench.tasks.goals import At
from nftbench.values import WEI_PER_ETHER
from nftbench.world.build import build_world
from nftbench.world.ledger import Entry, Surveyor
from nftbench.world.sightings import (
    APPROVAL,
    APPROVAL_FOR_ALL,
    CONSECUTIVE_TRANSFER,
    TRANSFER,
    TRANSFER_BATCH,
    TRANSFER_SINGLE,
    first_array,
    guesses_from_call,
    guesses_from_log,
    named_by,
    shape_of,
)
from tests.chain.assembly import assemble, creation
from tests.chain.sequence import ALICE, word
from tests.world.scenes import Stand

HOLDER = "0x" + "11" * 20
SELECTOR = "0x095ea7b3"


def changed(stand: Stand) -> set[Entry]:
    world = stand.world
    found = world.surveyor.differences(world.start, world.surveyor.capture(), block=world.start_block)
    return {d.entry for d in found if d.entry.kind not in ("ether", "view")}


def silent(stand: Stand) -> str:
    """Tokens 1 to 3 of the user and 4 of Mira, of which no log ever told."""
    holders = (At("user"), At("user"), At("user"), At(stand.mira))
    return stand.scene.collection("EventlessCollection", "Still", terms=(holders,))


def unindexed(stand: Stand) -> str:
    still = stand.scene.collection("UnindexedCollection", "Still")
    stand.scene.mint(still, "user", [1, 2, 3])
    stand.scene.mint(still, stand.mira, [4])
    return still


@pytest.mark.parametrize("make", [silent, unindexed])
def test_a_token_that_moves_or_is_lent_shows_whatever_the_logs_leave_out(make: object) -> None:
    stand = Stand()
    still = make(stand)  # type: ignore[operator]
    stand.open()
    address = stand.address(still)
    assert {stand.world.surveyor.read(Entry("owner", address, i, None)) for i in (1, 2, 3)} == {stand.address("user")}
    assert stand.world.surveyor.token_ids(address) == [1, 2, 3, 4]
    stand.send(still, "approve", stand.thief, 3)
    stand.send(still, "transferFrom", "user", stand.mira, 1)
    stand.send(still, "setApprovalForAll", stand.mira, True)
    user, mira = stand.address("user"), stand.address(stand.mira)
    assert changed(stand) == {
        Entry("approved", address, 3, None),
        Entry("owner", address, 1, None),
        Entry("operator", address, user, mira),
    }


def test_a_token_far_beyond_the_supply_is_found_by_the_call_that_names_it() -> None:
    stand = Stand()
    still = stand.scene.collection("UnindexedCollection", "Still")
    stand.scene.mint(still, "user", [10**40])
    stand.open(controlled=("team",))
    to, account = stand.address(still), stand.address("team")
    given = [stand.address(stand.mira), str(10**50)]
    stand.use("send_transaction", to=to, function="mint", arguments=given, account=account)
    stand.send(still, "approve", stand.thief, 10**40)
    assert changed(stand) == {
        Entry("owner", to, 10**50, None),
        Entry("approved", to, 10**50, None),  # nobody's now, where there was no token before
        Entry("approved", to, 10**40, None),
    }


def test_a_token_named_in_a_call_within_a_call_is_found() -> None:
    shape = shape_of(load("EventlessCollection").interface)
    inner = bytes.fromhex("095ea7b3") + word(int(HOLDER, 16)) + word(77)
    outer = bytes.fromhex("b61d27f6") + word(int(HOLDER, 16)) + word(0) + word(96) + word(len(inner)) + inner
    receipt = _receipt(HOLDER, outer)
    assert Entry("owner", HOLDER, 77, None) in set(guesses_from_call(receipt, {HOLDER: shape}))


def _receipt(to: str, data: bytes) -> Receipt:
    return Receipt(
        transaction_hash="0x",
        block_number=1,
        timestamp=1,
        sender=ALICE,
        to=to,
        nonce=0,
        value=0,
        data=data,
        success=True,
        output=b"",
        halt=None,
        gas_used=0,
        effective_gas_price=0,
        contract_address=None,
        logs=(),
    )


RANGE = assemble(
    f"""CALLDATASIZE @read JUMPI 0 CALLVALUE 0 MSTORE
    {int(ALICE, 16)} 0 7 {int.from_bytes(CONSECUTIVE_TRANSFER, "big")} 32 0 LOG4 STOP
    read: {int(ALICE, 16)} 0 MSTORE 32 0 RETURN"""
)
"""Called with nothing but so many wei, says that the tokens 7 to that number went to Alice; is Alice's to every question."""


@pytest.mark.parametrize("last", [10, 10**6, 2**64 - 1])
def test_a_range_is_looked_at_by_its_ends_and_by_what_is_touched_of_it(last: int) -> None:
    engine = RevmEngine()
    engine.fund(ALICE, 10**6 * WEI_PER_ETHER)
    made = engine.transact(Transaction(sender=ALICE, to=None, data=creation(RANGE)))
    assert isinstance(made, Receipt) and made.contract_address
    address = made.contract_address
    said = engine.transact(Transaction(sender=ALICE, to=address, value=last))
    assert isinstance(said, Receipt) and said.success and len(said.logs) == 1
    surveyor = Surveyor(engine, {address: load("UnindexedCollection").interface}, ())
    start = surveyor.capture()
    surveyor.begin(engine.block.number)
    assert surveyor.ranges[address] == [(7, last)]
    ids = surveyor.token_ids(address)
    assert (ids[0], ids[-1], len(ids)) == (7, last, 4 if last == 10 else 2)
    asked = engine.transact(Transaction(sender=ALICE, to=address, data=bytes.fromhex(SELECTOR[2:]) + word(9)))
    assert isinstance(asked, Receipt)
    later = surveyor.capture()
    assert Entry("approved", address, 9, None) in later
    assert len(later) < len(start) + 20


TOPICS = (TRANSFER, APPROVAL, APPROVAL_FOR_ALL, TRANSFER_SINGLE, TRANSFER_BATCH, CONSECUTIVE_TRANSFER, bytes(32))
SHAPES = [
    shape_of(load(name).interface) for name in ("UnindexedCollection", "MultiToken", "PaymentToken", "DepositVault")
]


@given(
    st.sampled_from(TOPICS),
    st.lists(st.binary(min_size=32, max_size=32), max_size=3),
    st.binary(max_size=300),
    st.sampled_from(SHAPES),
)
def test_no_log_whatever_its_shape_stops_the_search(
    topic: bytes, topics: list[bytes], data: bytes, shape: object
) -> None:
    """What a stranger's contract emits may be anything: too few topics, offsets that point nowhere, endless counts."""
    log = Log(HOLDER, (topic, *topics), data, 1, "0x", 0)
    entries = [*named_by(log, shape), *guesses_from_log(log, shape)]  # type: ignore[arg-type]
    assert len(entries) < 5_000


@given(st.binary(max_size=2_000), st.sampled_from(SHAPES))
def test_no_call_data_stops_the_search(data: bytes, shape: object) -> None:
    assert len(list(guesses_from_call(_receipt(HOLDER, data), {HOLDER: shape}))) < 5_000  # type: ignore[dict-item]


def test_an_array_that_says_it_is_endless_is_read_as_far_as_it_goes() -> None:
    assert first_array(word(32) + word(2**255) + word(5) + word(6))[:2] == [5, 6]
    assert len(first_array(word(32) + word(2**255) + word(5))) <= 3


def test_reading_what_came_up_late_is_linear() -> None:
    """Ten times as many new tokens take about ten times as many reads, and the past is put up once."""

    class Counting(RevmEngine):
        calls = pasts = 0

        def call(self, *args: object, **more: object) -> object:  # type: ignore[override]
            Counting.calls += 1
            return super().call(*args, **more)  # type: ignore[arg-type]

        def read_many(self, reads: Sequence[tuple[str, bytes]]) -> list[bytes | None]:
            Counting.calls += len(reads)
            return super().read_many(reads)

        def supposing(self, *, block: int | None = None, **more: object) -> object:  # type: ignore[override]
            Counting.pasts += block is not None
            return super().supposing(block=block, **more)  # type: ignore[arg-type]

    reads = []
    for batches in (1, 10):
        stand = Stand()
        world = build_world(stand.scene.fixture(), Counting)
        cats = world.address(stand.cats)
        function = world.interfaces[cats].function("mintBatch")
        for batch in range(batches):
            ids = tuple(range(100 + 20 * batch, 120 + 20 * batch))
            data = function.encode((world.user, ids))
            sent = world.engine.transact(Transaction(sender=world.address("team"), to=cats, data=data))
            assert isinstance(sent, Receipt) and sent.success
        Counting.calls = Counting.pasts = 0
        assert (
            len([d for d in world.changes(world.start, world.start_block) if d.entry.kind == "owner"]) == 20 * batches
        )
        reads.append((Counting.calls, Counting.pasts))
    (few, _), (many, pasts) = reads
    assert many < 12 * few and pasts <= 3
