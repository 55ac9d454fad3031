"""Every API's rules refuse what is known to be refused, each in a schema that breaks just that rule."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.testing import tool_rules

TEXT = {"type": "string"}


def tool(parameters: dict[str, Any], name: str = "look") -> dict[str, Any]:
    return {"name": name, "description": "Look.", "parameters": parameters}


def having(schema: dict[str, Any]) -> dict[str, Any]:
    return tool({"type": "object", "properties": {"what": schema}})


GOOD = tool(
    {
        "type": "object",
        "properties": {
            "what": TEXT,
            "list": {"type": "array", "items": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["what"],
    }
)


@pytest.mark.parametrize("api", tool_rules.RULES)
def test_a_plain_tool_is_taken(api: str) -> None:
    assert list(tool_rules.RULES[api](GOOD)) == []


@pytest.mark.parametrize(
    ("api", "bad", "words"),
    [
        ("openai", having({"type": "array"}), "array schema missing items"),
        ("openai", having({"type": "object"}), "object schema missing properties"),
        ("openai", having({"type": "array", "items": {"type": "array"}}), "array schema missing items"),
        ("openai", tool({"type": "string"}), "must be a JSON Schema of"),
        ("openai", tool({"type": "object", "properties": {}, "anyOf": [TEXT]}), "at the top level"),
        ("openai", tool({"type": "object", "properties": {}, "required": ["x"]}), "not among the properties"),
        ("openai", having({"type": "uint256"}), "not valid under any"),
        ("openai", tool(GOOD["parameters"], "look at"), "does not match the pattern"),
        ("gemini", having({"description": "anything"}), "must be specified when not using"),
        ("gemini", having({"type": "array"}), "items: missing field"),
        ("gemini", having({"type": "object", "properties": {}}), "should be non-empty for OBJECT type"),
        ("gemini", having({"type": "string", "anyOf": [TEXT]}), "must be the only field set"),
        ("gemini", having({"type": "string", "additionalProperties": False}), "Cannot find field"),
        ("gemini", having({"type": ["string", "null"]}), "must be specified"),
        ("gemini", having({"type": "integer", "enum": [1]}), "only allowed for STRING"),
        ("gemini", tool({"type": "object", "properties": {"a b": TEXT}}), "invalid parameter name"),
        ("anthropic", tool({"type": "object", "oneOf": [TEXT]}), "at the top level"),
        ("anthropic", tool({"properties": {}}), "should be 'object'"),
        ("anthropic", tool({"type": "object", "properties": {"a b": TEXT}}), "Property keys should match"),
        ("anthropic", having({"$ref": "#/x"}), "$ref is not supported"),
    ],
)
def test_what_an_api_refuses_is_refused(api: str, bad: dict[str, Any], words: str) -> None:
    assert words in " ".join(tool_rules.RULES[api](bad))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (GOOD, "additionalProperties"),
        (tool({"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}), "type"),
        (tool({"type": "object", "properties": {"a": TEXT}, "additionalProperties": False}), "every key"),
        (tool({"type": "object", "properties": {}, "additionalProperties": False, "oneOf": []}), "not permitted"),
    ],
)
def test_what_strict_mode_refuses_is_refused(bad: dict[str, Any], words: str) -> None:
    assert words in " ".join(tool_rules.openai_strict(bad))


def test_the_strict_variant_lets_null_stand_for_what_may_be_left_out() -> None:
    strict = tool_rules.strict_variant(GOOD)
    assert list(tool_rules.openai_strict(strict)) == []
    made = strict["parameters"]
    assert made["required"] == ["what", "list", "rows", "kind"]
    assert made["properties"]["what"] == TEXT
    assert made["properties"]["kind"] == {"type": ["string", "null"], "enum": ["a", "b", None]}
