"""Every tool is taken by every API, in native calls and over MCP, and the catalogue is short."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nftbench.conversation import render_items
from nftbench.testing.tool_rules import RULES, openai_strict, places, strict_variant
from nftbench.tools.standard import WITH_ORDER_BOOK
from tests.world.scenes import Stand

ENTRIES = [tool.entry() for tool in WITH_ORDER_BOOK]
NAMES = [entry["name"] for entry in ENTRIES]
MOST_TOKENS = 2_500


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
@pytest.mark.parametrize("api", RULES)
def test_a_tool_is_taken_by_the_api(api: str, entry: dict[str, Any]) -> None:
    assert list(RULES[api](entry)) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_a_tool_has_a_strict_variant(entry: dict[str, Any]) -> None:
    assert list(openai_strict(strict_variant(entry))) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_no_value_is_left_without_a_type(entry: dict[str, Any]) -> None:
    for where, schema in places(entry["parameters"]):
        assert "type" in schema or "anyOf" in schema, where
        assert schema.get("type") != "array" or schema["items"], where
        assert schema.get("type") != "object" or schema["properties"], where


@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_the_catalogue_is_short_in_a_real_tokenizers_tokens(encoding: str) -> None:
    """As native calls carry it, and as the text that `items_v1` makes of it."""
    count = pytest.importorskip("bpe_openai").get_encoding(encoding).encode
    assert len(count(json.dumps(ENTRIES))) < MOST_TOKENS
    head, _ = render_items(json.dumps({"tools": ENTRIES, "messages": [{"role": "user", "content": "x"}]}))
    assert len(count(head)) < MOST_TOKENS


def _null_for_the_rest(entry: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(entry["parameters"]["properties"]) | given


def test_nulls_for_everything_optional_are_taken() -> None:
    """As a model in strict mode writes its calls."""
    stand = Stand().open()
    cats = stand.address(stand.cats)
    calls: dict[str, dict[str, Any]] = {
        "read_state": {},
        "get_contract": {"address": cats},
        "get_source": {"address": cats},
        "call": {"contract": cats, "function": "ownerOf", "arguments": ["1"]},
        "call_many": {"calls": [_row("call_many", "calls", contract=cats, function="name")]},
        "get_logs": {},
        "get_transactions": {"address": cats},
        "simulate": {"to": cats, "value_wei": None, "function": "burn", "arguments": ["1"]},
        "send_transaction": {"to": cats, "function": "burn", "arguments": ["1"]},
        "hash_data": {"method": "keccak256_text", "value": "x"},
        "wait": {"seconds": "5"},
        "finish_task": {"summary": "done"},
    }
    entries = {entry["name"]: entry for entry in ENTRIES}
    for name, given in calls.items():
        result = stand.box.call(name, _null_for_the_rest(entries[name], given))
        assert not result.error, (name, result.text)


def _row(tool: str, argument: str, **given: Any) -> dict[str, Any]:
    entry = next(entry for entry in ENTRIES if entry["name"] == tool)
    return dict.fromkeys(entry["parameters"]["properties"][argument]["items"]["properties"]) | given


def test_the_documentation_names_every_tool() -> None:
    page = Path(__file__).resolve().parents[2] / "docs/tools.md"
    rows = re.findall(r"^\| `(\w+)` \|", page.read_text("utf-8"), re.MULTILINE)
    assert rows == NAMES
