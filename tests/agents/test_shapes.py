"""What servers, proxies and models are known to send, each line with who sends it: tables that grow by a line for a new shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nftbench.agents.replies.message import Reply, read_message
from nftbench.agents.replies.recovery import FAMILIES, recover
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.transport import Outcome
from nftbench.calls import Call, Found, Problem

NOW = 1e9
SCHEMAS: dict[str, dict[str, Any]] = {
    "t": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array"}, "u": {}},
    },
    "finish_task": {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    "read_state": {"type": "object", "properties": {}},
}


def table(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


SERVER_SHAPES = table("server_shapes")
REPLY_SHAPES = table("reply_shapes")
CALL_TEXTS = table("call_texts")


def judged(shape: dict[str, Any]) -> Verdict:
    body = shape["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(Outcome(shape["status"], shape.get("headers") or {}, text), Asked("m"), NOW)


@pytest.mark.parametrize("shape", SERVER_SHAPES, ids=[f"{s['kind']}: {s['server']}" for s in SERVER_SHAPES])
def test_each_shape_of_a_server_has_its_class(shape: dict[str, Any]) -> None:
    verdict = judged(shape)
    assert " ".join(part for part in (verdict.action, verdict.kind, verdict.cause) if part) == shape["expected"]
    if "context_window" in shape:
        told = (verdict.facts.get("prompt_tokens"), verdict.facts.get("context_window"))
        assert told == (shape["prompt_tokens"], shape["context_window"])
    if "wait" in shape:
        assert verdict.wait == pytest.approx(shape["wait"])


@pytest.mark.parametrize("shape", REPLY_SHAPES, ids=[f"{n}: {s['server']}" for n, s in enumerate(REPLY_SHAPES)])
def test_each_shape_of_a_message_is_read(shape: dict[str, Any]) -> None:
    reply = read_message(shape["message"])
    assert isinstance(reply, Reply)
    assert (reply.text, reply.reasoning) == (shape["text"], shape["reasoning"])
    assert [[call.name, call.arguments] for call in reply.calls] == shape["calls"]
    assert (reply.calls_from, reply.reasoning_name) == (shape["calls_from"], shape["reasoning_name"])


@pytest.mark.parametrize("case", CALL_TEXTS, ids=[f"{n}: {c['server']}" for n, c in enumerate(CALL_TEXTS)])
def test_each_way_of_writing_a_call_is_recovered_or_told(case: dict[str, Any]) -> None:
    found = recover(case["text"], SCHEMAS)
    if case["call"] is None:
        assert isinstance(found, Problem)
    else:
        assert found == Found(Call(case["call"]["name"], case["call"]["arguments"]), case["family"])


CLEAR = [case for case in CALL_TEXTS if case["call"] is not None]


@pytest.mark.parametrize("case", CLEAR, ids=[f"{n}: {c['server']}" for n, c in enumerate(CLEAR)])
def test_a_text_cut_anywhere_never_makes_another_call(case: dict[str, Any]) -> None:
    """A reply may break off after any character; only marks after the last argument may be missing. Where a notation has no
    end, all after the tool's name may: that a reply broke off is told by its finish reason."""
    whole, bare = Call(case["call"]["name"], case["call"]["arguments"]), Call(case["call"]["name"], {})
    for length in range(len(case["text"])):
        found = recover(case["text"][:length], SCHEMAS)
        open_ended = case["family"] in ("mistral", "functionary", "react") and "{" not in case["text"][:length]
        assert isinstance(found, Problem) or found.call == whole or (open_ended and found.call == bare)


@pytest.mark.parametrize("case", CLEAR, ids=[f"{n}: {c['server']}" for n, c in enumerate(CLEAR)])
def test_the_same_call_twice_is_none(case: dict[str, Any]) -> None:
    assert isinstance(recover(f"{case['text']}\n{case['text']}", SCHEMAS), Problem)


@pytest.mark.parametrize("case", CLEAR, ids=[f"{n}: {c['server']}" for n, c in enumerate(CLEAR)])
def test_a_call_of_a_tool_that_is_not_there_is_told(case: dict[str, Any]) -> None:
    others = {name: schema for name, schema in SCHEMAS.items() if name != case["call"]["name"]}
    assert isinstance(recover(case["text"], others), Problem)


def test_every_family_has_a_text() -> None:
    assert {family.name for family in FAMILIES} <= {case["family"] for case in CALL_TEXTS}
