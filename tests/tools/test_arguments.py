"""A refused argument leads to the right one: units, empty bytes, and moments that no calendar has."""

from __future__ import annotations

import pytest

from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


@pytest.mark.parametrize("value", ["0.5", "1 ether", 1.5, "0x10"])
def test_an_amount_that_is_no_wei_is_told_the_unit(stand: Stand, value: object) -> None:
    answer = stand.use("send_transaction", to=stand.address(stand.mira), value_wei=value)
    assert '"500000000000000000" for half an ether' in answer["error"]


def test_empty_bytes_are_told_apart_from_no_bytes(stand: Stand) -> None:
    given = [stand.address("user"), stand.address(stand.mira), "7", "1", ""]
    answer = stand.use("send_transaction", to=stand.address(stand.ore), function="safeTransferFrom", arguments=given)
    assert "argument 'data'" in answer["error"] and '"0x" for none' in answer["error"]


def test_the_clock_ends_with_the_last_year_that_can_be_written(stand: Stand) -> None:
    """Year 9999: what lies behind it has no ISO 8601 spelling."""
    stand.world.engine.advance_time(253_402_300_799 - stand.world.engine.block.timestamp - 100)
    assert "9999" in stand.use("wait", seconds="200")["error"]
    assert stand.use("wait", seconds="50")["utc"].startswith("9999-12-31")
