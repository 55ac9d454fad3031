"""Whatever a model sends to a tool, it gets a bounded JSON result; what it may read changes nothing."""

from __future__ import annotations

import json
import keyword
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nftbench.tools.standard import STANDARD
from nftbench.tools.toolbox import ERROR_LIMIT, RESULT_LIMIT, bounded
from tests.world.scenes import Stand

STAND = Stand().open()
ADDRESSES = [*STAND.world.addresses.values(), "0x" + "ff" * 20, "0x12", "Mira", ""]
FUNCTIONS = [
    "ownerOf",
    "ownerOf(uint256)",
    "transferFrom",
    "safeTransferFrom",
    "uri",
    "nope",
    "f(uint)",
    "f(",
    "balanceOf(address)",
    "a" * 5000,
]
WORDS = [
    "1",
    "-1",
    str(2**256),
    "1e18",
    "0x01",
    "ipfs://x",
    "data:,x",
    "data:;base64,!",
    "2027-01-01",
    "9999-12-31T23:59:59+14:00",
    "\ud800",
    "\x00",
]
REASONS = ["locked", "keccak256_text", "packed", "abi", "typed_data", "merkle_root", "merkle_proof", "call_data"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**300), 2**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(ADDRESSES + FUNCTIONS + WORDS + REASONS)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def arguments_of(tool: Any) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from([a.name for a in tool.arguments]) if tool.arguments else st.text(max_size=5)
    return st.dictionaries(names | st.text(max_size=6), values, max_size=7)


calls = st.sampled_from(STANDARD).flatmap(lambda tool: st.tuples(st.just(tool.name), arguments_of(tool)))


@given(calls)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_arguments_break_a_tool(call: tuple[str, dict[str, Any]]) -> None:
    """Any JSON arguments give a JSON object of bounded size, and an error is an object with the one field error."""
    mark = STAND.world.engine.snapshot()
    result = STAND.box.call(*call)
    STAND.world.engine.restore(mark)
    decoded = json.loads(result.text)
    assert isinstance(decoded, dict) and len(result.text) <= RESULT_LIMIT and result.text.isascii()
    assert not result.error or set(decoded) == {"error"}


READERS = {tool.name for tool in STANDARD} - {
    *("send_transaction", "sign_typed_data", "wait", "finish_task", "declare_infeasible"),
}


@given(
    st.sampled_from([t for t in STANDARD if t.name in READERS]).flatmap(
        lambda t: st.tuples(st.just(t.name), arguments_of(t))
    )
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_reading_changes_nothing(call: tuple[str, dict[str, Any]]) -> None:
    world = STAND.world
    before = (world.engine.block, len(world.engine.logs), world.surveyor.capture())
    STAND.box.call(*call)
    assert (world.engine.block, len(world.engine.logs), world.surveyor.capture()) == before


def test_every_tool_has_a_schema_that_names_its_arguments() -> None:
    for entry in STAND.box.catalogue:
        assert entry["description"] and entry["parameters"]["type"] == "object"
        assert set(entry["parameters"].get("required", [])) <= set(entry["parameters"]["properties"])


def test_every_argument_can_be_a_parameter_of_a_python_function() -> None:
    """Libraries that bind tools as functions can't spell an argument named as a keyword."""
    for tool in STANDARD:
        assert all(a.name.isidentifier() and not keyword.iskeyword(a.name) for a in tool.arguments)


@pytest.mark.parametrize("size", [100, RESULT_LIMIT - 2, RESULT_LIMIT + 1, 10 * RESULT_LIMIT])
@pytest.mark.parametrize("filling", ["x", '"', "\\", "\u20ac", "\ud800"])
def test_a_long_result_is_cut_and_says_so(size: int, filling: str) -> None:
    text = bounded({"content": filling * size})
    assert len(text) <= RESULT_LIMIT
    decoded = json.loads(text)
    assert decoded.get("content") == filling * size or decoded["note"].startswith("cut: the first")


def test_an_unknown_tool_is_answered_with_the_near_one() -> None:
    result = STAND.box.call("read_stat", {})
    assert result.error and "Did you mean read_state?" in json.loads(result.text)["error"]


LONG = "x" * 200_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("sign_typed_data", {"typed_data": {"types": {"A": []}, "primaryType": LONG, "domain": {}, "message": {}}}),
        (
            "sign_typed_data",
            {"typed_data": {"types": {"A": []}, "primaryType": "A", "domain": {LONG: 1}, "message": {}}},
        ),
        ("call", {"contract": STAND.address(STAND.cats), "function": f"f({'uint256,' * 50_000})", "returns": ["bool"]}),
    ],
)
def test_an_error_is_bounded_whatever_it_quotes(tool: str, arguments: dict[str, Any]) -> None:
    result = STAND.box.call(tool, arguments)
    assert result.error and len(result.text) < 2 * ERROR_LIMIT
