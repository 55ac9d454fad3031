"""Nesting and size without end, in every argument that recurses: an answer comes back, and nothing is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.chain.abi import Parameter
from nftbench.tools.arguments import ArgumentError
from nftbench.tools.solidity_values import decode_value
from nftbench.tools.toolbox import ERROR_LIMIT
from tests.world.scenes import Stand

STAND = Stand().open()
CATS = STAND.address(STAND.cats)
DEPTHS = [20, 40, 350, 3_000, 200_000]


def nested(depth: int, inner: Any = "1") -> Any:
    for _ in range(depth):
        inner = [inner]
    return inner


def answered(tool: str, arguments: dict[str, Any]) -> Any:
    result = STAND.box.call(tool, arguments)
    assert not result.error or len(result.text) < 2 * ERROR_LIMIT
    return json.loads(result.text)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", ["{o}{c}", "{o}", "uint256{a}", "{o}uint256{c}{a}", "{c}", "tuple{o}{c}"])
def test_types_and_signatures_are_bounded(shape: str, depth: int) -> None:
    types = shape.format(o="(" * depth, c=")" * depth, a="[]" * depth)
    answered("hash_data", {"method": "call_data", "value": f"f({types})", "values": []})
    answered("hash_data", {"method": "abi", "types": [types], "values": [[]]})
    answered("hash_data", {"method": "packed", "types": [types], "values": [[]]})
    for tool, target in (("call", "contract"), ("simulate", "to"), ("send_transaction", "to")):
        assert "error" in answered(tool, {target: CATS, "function": f"ownerOf({types})", "arguments": ["1"]})
    answered("call", {"contract": CATS, "function": "ownerOf(uint256)", "arguments": ["1"], "returns": [types]})


@pytest.mark.parametrize("depth", DEPTHS)
def test_values_are_bounded(depth: int) -> None:
    deep = nested(depth)
    answered("hash_data", {"method": "abi", "types": ["uint256[][]"], "values": [deep]})
    answered("finish_task", {"summary": deep})
    answered("get_logs", {"where": {"tokenId": deep}})
    for tool, target in (("call", "contract"), ("simulate", "to")):
        assert "error" in answered(tool, {target: CATS, "function": "ownerOf", "arguments": [deep]})
    typed = {
        "types": {"A": [{"name": "x", "type": "A[]"}]},
        "primaryType": "A",
        "domain": {"name": "D"},
        "message": deep,
    }
    assert "error" in answered("sign_typed_data", {"typed_data": typed})


@pytest.mark.parametrize("depth", [10, 30, 60])
def test_typed_data_that_refers_to_itself_is_bounded(depth: int) -> None:
    message: dict[str, Any] = {"x": []}
    for _ in range(depth):
        message = {"x": [message]}
    types = {"A": [{"name": "x", "type": "A[]"}]}
    typed = {"types": types, "primaryType": "A", "domain": {"name": "D"}, "message": message}
    answer = answered("sign_typed_data", {"typed_data": typed})
    assert ("signature" in answer) == (depth == 10)


def test_many_arrays_side_by_side_are_no_nesting() -> None:
    answer = answered("hash_data", {"method": "abi", "types": ["uint256[]"] * 40, "values": [[]] * 40})
    assert len(answer["encoded"]) == 2 + 2 * 32 * 80


def test_an_argument_of_type_function_is_24_bytes() -> None:
    """Solidity's external function values: an address and a selector."""
    function = Parameter("callback", "function", "function")
    assert decode_value(function, "0x" + "ab" * 24, "callback") == b"\xab" * 24
    for wrong in ("0x" + "ab" * 20, "transfer", 7, None, []):
        with pytest.raises(ArgumentError, match="callback"):
            decode_value(function, wrong, "callback")


@pytest.mark.parametrize("digits", [4300, 100_000])
def test_numbers_too_long_to_print_are_refused_in_words(digits: int) -> None:
    assert "error" in answered("call", {"contract": CATS, "function": "ownerOf", "arguments": [10**digits]})
