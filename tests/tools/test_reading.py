"""What the reading tools say of what is not there, and of structs."""

from __future__ import annotations

import pytest

from nftbench.tasks.goals import At
from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def test_a_filter_by_an_argument_that_no_event_has_is_told_with_those_there_are(stand: Stand) -> None:
    """An empty list alone would read as "it never moved"."""
    answer = stand.use("get_logs", contract=stand.address(stand.cats), event="Transfer", where={"token_id": "4"})
    assert answer["total"] == "0"
    assert "Transfer(from, to, tokenId)" in answer["note"]


def test_a_filter_by_an_event_that_did_not_happen_is_told_with_those_that_did(stand: Stand) -> None:
    answer = stand.use("get_logs", contract=stand.address(stand.ore), event="Transfer")
    assert answer["total"] == "0"
    assert "TransferBatch(operator, from, to, ids, values)" in answer["note"]


def test_a_filter_that_fits_and_finds_nothing_has_no_note(stand: Stand) -> None:
    answer = stand.use("get_logs", contract=stand.address(stand.cats), event="Transfer", where={"tokenId": "99"})
    assert answer == {"logs": [], "total": "0"}


def test_a_struct_is_shown_with_the_names_of_its_fields() -> None:
    """They are what an object argument and EIP-712 types must spell."""
    stand = Stand()
    drop = stand.scene.contract("VoucherCollection", ("Vouched", "V", At("team"), At("team"), ""), label="Vouched")
    stand.open()
    functions = stand.use("get_contract", address=stand.address(drop))["functions"]
    fields = "address recipient, uint256 tokenId, uint256 price, uint256 nonce, uint256 deadline"
    assert f"redeem(({fields}) voucher, bytes signature) payable" in functions


def test_the_errors_of_a_contract_without_verified_source_stay_raw() -> None:
    stand = Stand()
    hidden = stand.scene.contract("LendingDesk", ("IOUs", "IOU"), label="Hidden", verified=False)
    stand.open()
    given = {"function": "recall(address,uint256)", "arguments": [stand.address(stand.cats), "1"]}
    reason = stand.use("simulate", to=stand.address(hidden), **given)["reason"]
    assert "NoSuchLoan" not in reason and "0x" in reason
