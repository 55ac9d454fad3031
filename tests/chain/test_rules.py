"""Fees and intrinsic gas, against numbers worked out from the EIPs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.chain.rules import intrinsic_gas, next_base_fee

LIMIT = 30_000_000


@pytest.mark.parametrize(
    ("base_fee", "gas_used", "following"),
    [
        (10**9, LIMIT // 2, 10**9),  # on target: unchanged
        (10**9, LIMIT, 1_125_000_000),  # full: an eighth up
        (10**9, 0, 875_000_000),  # empty: an eighth down
        (10**9, 21_000, 875_175_000),
        (7, 0, 7),  # 7 // 8 is nothing to take away
        (1, LIMIT, 2),  # up by at least one
        (0, LIMIT, 1),
    ],
)
def test_base_fee_follows_eip_1559(base_fee: int, gas_used: int, following: int) -> None:
    assert next_base_fee(base_fee, gas_used, LIMIT) == following


@given(st.integers(0, 10**12), st.integers(0, LIMIT))
def test_base_fee_never_moves_by_more_than_an_eighth(base_fee: int, gas_used: int) -> None:
    following = next_base_fee(base_fee, gas_used, LIMIT)
    assert abs(following - base_fee) <= max(base_fee // 8, 1)
    assert following >= 0


@pytest.mark.parametrize(
    ("data", "creates", "gas"),
    [
        (b"", False, 21_000),
        (b"\0", False, 21_004),
        (b"\x01", False, 21_016),
        (b"", True, 53_000),
        (b"\x01" * 32, True, 53_000 + 512 + 2),
        (b"\x01" * 33, True, 53_000 + 528 + 4),
    ],
)
def test_intrinsic_gas_is_that_of_eip_2028_and_eip_3860(data: bytes, creates: bool, gas: int) -> None:
    assert intrinsic_gas(data, creates) == gas
