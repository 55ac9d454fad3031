"""Lines of JSON-RPC: each message reaches the server, and everything else is answered with the code that JSON-RPC has for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.serving.messages import LONGEST_BATCH, Read, identifier_in, read_line
from nftbench.serving.protocol.server import is_message

PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
NOTICE: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def read(line: str, version: str | None = "2025-06-18", *, whole: bool = True) -> Read:
    return read_line(line, is_message, version=version, whole=whole)


def refusals(line: str, version: str | None = "2025-06-18", *, whole: bool = True) -> list[tuple[int, Any]]:
    """Code and id of each error."""
    found = read(line, version, whole=whole)
    assert all(error["jsonrpc"] == "2.0" and error["error"]["message"] for error in found.errors)
    return [(error["error"]["code"], error["id"]) for error in found.errors]


def deep(depth: int, opening: str = "[", closing: str = "]") -> str:
    nested = opening * depth + ("" if opening == "[" else "1") + closing * depth
    return '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"call","arguments":{"a":%s}},"id":"d"}' % nested


@pytest.mark.parametrize("message", [PING, {**PING, "id": "x"}, {**PING, "params": {"a": [1, {"b": None}]}}, NOTICE,
                                     {"jsonrpc": "2.0", "id": 4, "result": {}}])  # fmt: skip
def test_a_message_goes_on_as_it_is(message: dict[str, Any]) -> None:
    for line in (json.dumps(message), f"  {json.dumps(message)}\r", "\ufeff" + json.dumps(message)):
        found = read(line)
        assert [json.loads(text) for text in found.messages] == [message] and not found.errors


@pytest.mark.parametrize(
    "line",
    ["garbage", "{", '{"id": 1,}', "{'id': 1}", "\x00", "[1, 2", "Content-Length: 12", "\ufeff\ufeff{", "tru", '"'],
)
def test_what_is_no_json_is_a_parse_error(line: str) -> None:
    assert refusals(line) == [(-32700, None)]


@pytest.mark.parametrize(
    ("value", "identifier"),
    [
        (7, None),
        (None, None),
        ("ping", None),
        ({}, None),
        ({"id": 1}, 1),
        ({"jsonrpc": "2.0", "method": 5}, None),
        ({**PING, "jsonrpc": "1.0"}, 1),
        ({**PING, "params": []}, 1),
        ({**PING, "params": 7}, 1),
        ({**PING, "id": None}, None),
        ({**PING, "id": 1.5}, None),
        ({**PING, "id": {}}, None),
        ({**PING, "id": True}, None),
        ({"jsonrpc": "2.0", "id": "x"}, "x"),
        ({"method": "ping", "id": 3}, 3),
    ],
)
def test_json_that_is_no_message_is_an_invalid_request(value: Any, identifier: Any) -> None:
    assert refusals(json.dumps(value)) == [(-32600, identifier)]


@pytest.mark.parametrize("depth", [150, 190, 200, 250, 400, 900, 990, 1000, 1100, 5000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_request_is_taken_or_refused_by_its_id_at_every_depth(depth: int, opening: str, closing: str) -> None:
    found = read(deep(depth, opening, closing))
    assert [error["id"] for error in found.errors] == ["d"] if found.errors else len(found.messages) == 1
    assert found.errors or depth < 250


NAMES = st.sampled_from(["id", "method", "jsonrpc", "params", "a"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
@settings(max_examples=200, deadline=None)
def test_no_line_is_met_with_silence(value: Any) -> None:
    for version in ("2025-06-18", "2025-03-26", None):
        found = read(json.dumps(value), version)
        assert found.messages or found.errors


@given(st.text(max_size=60))
def test_no_text_is_met_with_silence(text: str) -> None:
    found = read(text)
    assert found.messages or found.errors or not text.strip().strip("\ufeff").strip()


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"a": "', 7),
        ('{"id" : "a\\"b", "params": [[[', 'a"b'),
        ('{"params": {"id": 3, "a": ["id", 4]}, "id": 5}', 5),
        ('{"params": {"id": 3', None),
        ('{"a": "id", "b": 4}', None),
        ('{"a": "\\"id\\": 9"}', None),
        ("[{\"id\": 3}]", None),
        ('{"id": [1]}', None),
        ('{"params": "' + "x" * 200_000 + '", "id": 12}', 12),
        ('{"params": {"id": 3, "b": "' + "x" * 200_000 + '"}}', None),
    ],
)  # fmt: skip
def test_the_id_of_what_cannot_be_read_is_the_outermost_one(text: str, identifier: Any) -> None:
    assert identifier_in(text) == identifier


def test_a_line_that_is_too_long_is_refused_by_its_id() -> None:
    assert refusals('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"x":"aaaa', whole=False) == [(-32600, 9)]
    assert refusals("A" * 1000, whole=False) == [(-32600, None)]


def test_a_batch_is_taken_apart_where_the_version_has_batches() -> None:
    values = [PING, NOTICE, {**PING, "id": "1"}, 7, {**PING, "jsonrpc": 2}, {"jsonrpc": "2.0", "id": 8, "result": {}},
              {"jsonrpc": "2.0", "id": 9, "method": "initialize"}]  # fmt: skip
    found = read(json.dumps(values), "2025-03-26")
    assert [json.loads(text) for text in found.messages] == [PING, NOTICE, values[2], values[5]]
    assert found.awaited == ("1", '"1"') and found.batch
    assert [(error["error"]["code"], error["id"]) for error in found.errors] == [
        (-32600, None),
        (-32600, 1),
        (-32600, 9),
    ]


@pytest.mark.parametrize("version", [None, "2024-11-05", "2025-06-18", "2025-11-25"])
def test_a_batch_is_refused_where_the_version_has_none(version: str | None) -> None:
    assert refusals(json.dumps([PING]), version) == [(-32600, None)] and not read(json.dumps([PING]), version).messages


@pytest.mark.parametrize("batch", ["[]", json.dumps([PING] * (LONGEST_BATCH + 1)), "[" * 2000 + "]" * 2000])
def test_a_batch_of_nothing_and_one_without_end_are_refused(batch: str) -> None:
    assert refusals(batch, "2025-03-26") == [(-32600, None)]
