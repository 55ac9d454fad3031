"""Calls as people type them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.errors import Refusal
from nftbench.serving.typed_calls import typed_call


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("read_state", "read_state", {}),
        ("  read_state  ", "read_state", {}),
        ("wait seconds=60", "wait", {"seconds": "60"}),
        ('wait {"seconds": 60}', "wait", {"seconds": 60}),
        ('call to=0xab arguments=["1", "two words"]', "call", {"to": "0xab", "arguments": ["1", "two words"]}),
        ("finish_task summary='all is sent' answer=\"x y\"", "finish_task", {"summary": "all is sent", "answer": "x y"}),
        ('x summary=ok answer={"a": [1, {"b": null}]}', "x", {"summary": "ok", "answer": {"a": [1, {"b": None}]}}),
        ("x flag=true other=null", "x", {"flag": True, "other": None}),
        ("x until=2027-01-01T00:00:00Z", "x", {"until": "2027-01-01T00:00:00Z"}),
        ("x f=transfer(address,uint256)", "x", {"f": "transfer(address,uint256)"}),
        ("x note=a=b", "x", {"note": "a=b"}),
        ("x big=115792089237316195423570985008687907853269984665640564039457584007913129639935", "x",
         {"big": "115792089237316195423570985008687907853269984665640564039457584007913129639935"}),
    ],
)  # fmt: skip
def test_a_typed_call_is_read(line: str, name: str, arguments: dict[str, Any]) -> None:
    assert typed_call(line) == (name, arguments)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("wait 60", "'60' is no argument"),
        ('wait {"seconds": 60', "are no JSON"),
        ("wait [1]", "is no argument"),
        ('x a=["1", b', "lacks a closing"),
        ("x a='open", "lacks a closing"),
        ("x a=1 a=2", "given twice"),
        ("x a={1}", "is no JSON"),
    ],
)
def test_what_can_not_be_read_is_told_in_one_sentence(line: str, says: str) -> None:
    with pytest.raises(Refusal) as refused:
        typed_call(line)
    assert says in str(refused.value)


@given(st.text(max_size=60))
def test_no_line_raises_anything_else(line: str) -> None:
    try:
        name, arguments = typed_call(line)
    except Refusal:
        return
    assert isinstance(name, str)
    assert isinstance(arguments, dict)
