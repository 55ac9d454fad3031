"""Records survive whatever a model wrote into them."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.records import codec
from nftbench.records.model import Check, Counts, Result

LONE_SURROGATE = "\ud800 tail"

texts = st.text(st.characters(codec=None), max_size=30)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**256), 2**256)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def result(**fields: Any) -> Result:
    base: dict[str, Any] = {
        "instance_id": "F1a_01",
        "trial": 1,
        "status": "scored",
        "success": True,
        "feasible": True,
        "family": "F1",
        "sub_family": "F1a",
        "difficulty": "T1",
        "twin": None,
        "ended_by": "finish_task",
        "checks": (Check("goal", "a owns b", True, "a", "a"),),
    }
    return Result(**(base | fields))


@given(plain)
def test_plain_values_come_back_as_they_went(value: Any) -> None:
    raw = codec.encode(value)
    assert raw.isascii()
    assert codec.decode(raw) == value


@given(answer=plain, reason=texts, harm=st.lists(texts, max_size=3))
def test_a_result_comes_back_as_it_went(answer: Any, reason: str, harm: list[str]) -> None:
    before = result(answer=answer, reason=reason, harm=tuple(harm), checks=(Check("goal", reason, True, "a", "b"),))
    assert codec.decode_result(codec.encode_result(before)) == before


def test_lone_surrogates_and_control_characters_are_escaped() -> None:
    assert codec.encode({"a": LONE_SURROGATE + "\x1b[2J"}) == b'{"a": "\\ud800 tail\\u001b[2J"}'


@pytest.mark.parametrize(("number", "word"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
def test_numbers_that_json_lacks_become_words(number: float, word: str) -> None:
    assert json.loads(codec.encode([{"x": number}])) == [{"x": word}]


def test_integers_too_long_to_print_become_hexadecimal() -> None:
    huge = 1 << 40_000
    assert json.loads(codec.encode({"x": huge})) == {"x": hex(huge)}


def test_nesting_beyond_the_bound_is_left_out_and_said_so() -> None:
    deep: Any = "core"
    for _ in range(50_000):
        deep = [deep]
    raw = codec.encode({"answer": deep})
    assert codec.TOO_DEEP.encode() in raw
    assert raw.count(b"[") < codec.MAX_DEPTH + 10


def test_a_value_of_another_kind_is_a_broken_promise() -> None:
    with pytest.raises(TypeError):
        codec.encode({"a": b"bytes"})


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not json",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b"null",
        b"{}",
        codec.encode_result(result())[:-20],
        codec.encode(msgspec.to_builtins(result()) | {"trial": "1"}),
        codec.encode(msgspec.to_builtins(result()) | {"status": "done"}),
        codec.encode(msgspec.to_builtins(result()) | {"success": 1}),
        codec.encode(msgspec.to_builtins(result()) | {"status": "error", "success": True}),
        codec.encode_result(result(checks=())),
        codec.encode_result(result(success=True, checks=(Check("goal", "a owns b", False, "a", "c"),))),
    ],
)
def test_what_is_cut_or_misshapen_is_unreadable(raw: bytes) -> None:
    with pytest.raises(codec.Unreadable):
        codec.decode_result(raw)


def test_a_field_of_a_later_release_does_not_make_a_result_unreadable() -> None:
    later = msgspec.to_builtins(result(counts=Counts(turns=3))) | {"mood": "fine"}
    assert codec.decode_result(codec.encode(later)).counts.turns == 3
