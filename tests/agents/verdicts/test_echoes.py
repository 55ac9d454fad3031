"""What the client wrote is taken out of an error's text; what the server says after it stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.verdicts.echoes import without_echo

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["'input': 1", 'say "hi"', "it's", "a\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.booleans())
def test_the_value_goes_and_the_rest_stays(value: Any, as_python: bool) -> None:
    """Written as Python's repr or as JSON, at the front, in the middle or at the end."""
    error = {"msg": "too small", "input": value, "url": "https://errors.example"}
    text = repr(error) if as_python else json.dumps(error)
    left = without_echo(f"before {text} after")
    assert left.startswith("before ") and left.endswith(" after") and "too small" in left and "errors.example" in left
    marker = {"input": {"s": ["ECHOED", value]}, "loc": "x"}
    assert "ECHOED" not in without_echo(repr(marker) if as_python else json.dumps(marker))


@pytest.mark.parametrize("text", ["{'input': 'never closed", '{"input": {"a": [1', "{'input': (1]"])
def test_what_does_not_close_goes_to_the_end(text: str) -> None:
    assert without_echo(text) == "{"
