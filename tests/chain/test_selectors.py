"""Signatures as people write them; text that is none is left alone, however it is nested."""

from __future__ import annotations

import pytest

from nftbench.chain.selectors import normalise_signature


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("f(uint id)", "f(uint256)"),
        ("function f( address to, uint[] calldata ids ) external view", "f(address,uint256[])"),
        ("f(tuple(address to, uint amount)[2] parts, bytes data)", "f((address,uint256)[2],bytes)"),
        ("f()", "f()"),
    ],
)
def test_spaces_names_and_short_types_are_dropped(written: str, canonical: str) -> None:
    assert normalise_signature(written) == canonical


@pytest.mark.parametrize("depth", [40, 350, 100_000])
@pytest.mark.parametrize("shape", ["f({open}{close})", "f({open}", "f(uint{arrays})", "f({open}bool{arrays}{close})"])
def test_text_nested_beyond_all_use_comes_back_unchanged(shape: str, depth: int) -> None:
    text = shape.format(open="(" * depth, close=")" * depth, arrays="[]" * depth)
    assert normalise_signature(text) == text
