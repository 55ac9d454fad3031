"""The one classification, over what servers are known to send, over what was recorded on real ones, and over anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.transport import Fault, Outcome


def table(name: str) -> list[dict[str, Any]]:
    text = (Path(__file__).parents[1] / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


OVERFLOWS = table("overflows")
"""How servers say that a conversation is too long: vLLM of several years, SGLang, llama.cpp, text-generation-inference,
TensorRT-LLM, LM Studio, proxies and vendors; the last ones are phrasings that nobody has seen yet."""
OUTCOMES = table("outcomes")
"""What servers are known to send, with what it means."""
RECORDED = table("recorded_replies")
"""What real servers sent when asked all kinds of things on a CPU; their texts cut, their other fields left out."""
USAGE = {"prompt_tokens": 10, "completion_tokens": 5}
HTML = {"content-type": "text/html"}


def judged(status: int | None, body: Any = "", headers: dict[str, str] | None = None, **asked: Any) -> Verdict:
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(Outcome(status, headers or {}, text), Asked(asked.pop("model", "m"), **asked), now=0.0)


def summary(verdict: Verdict) -> str:
    return " ".join(part for part in (verdict.action, verdict.kind, verdict.cause) if part)


def error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def choice(message: Any, finish: Any = "stop", usage: Any = USAGE, **more: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, **more}],
        "usage": usage,
    }


def said(text: Any, finish: Any = "stop", usage: Any = USAGE) -> dict[str, Any]:
    return choice({"role": "assistant", "content": text}, finish, usage)


@pytest.mark.parametrize("case", OVERFLOWS, ids=[str(case["body"])[:60] for case in OVERFLOWS])
def test_every_phrasing_of_overflow_is_a_context_limit_at_once(case: dict[str, Any]) -> None:
    verdict = judged(case["status"], case["body"])
    assert summary(verdict) == "fail context_limit context_limit"
    prompt, window = case["prompt_tokens"], case["context_window"]
    assert (verdict.facts.get("prompt_tokens"), verdict.facts.get("context_window")) == (prompt, window)
    fits = verdict.facts.get("prompt_fits")
    assert fits == (None if prompt is None or window is None else prompt < window)


@pytest.mark.parametrize("case", OUTCOMES, ids=[case["case"] for case in OUTCOMES])
def test_each_outcome_has_its_class(case: dict[str, Any]) -> None:
    verdict = judged(case["status"], case["body"], case.get("headers"))
    assert summary(verdict) == case["expected"]
    assert (verdict.reply is not None) == (case["expected"] == "reply") == (not verdict.detail)


def test_a_body_too_deep_to_read_is_no_reply() -> None:
    assert summary(judged(200, "[" * 200_000)) == "retry incomplete_output not_json"


@pytest.mark.parametrize("record", RECORDED, ids=[f"{r['server']}: {r['case']}" for r in RECORDED])
def test_replies_recorded_on_real_servers(record: dict[str, Any]) -> None:
    verdict = judged(record["status"], record["body"], record.get("headers"), model=record["asked"])
    assert summary(verdict) == record["expected"]
    assert verdict.facts == record.get("facts", {}) and verdict.wait == record.get("wait")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault("unreachable", "refused", False), "retry cli_error unreachable"),
        (Fault("timeout", "no answer", True), "retry cli_error timeout"),
        (Fault("lost", "reset", True), "retry cli_error lost"),
        (Fault("certificate", "self-signed", False), "fail cli_error certificate"),
        (Fault("unsendable", "bad URL", False), "fail cli_error unsendable"),
    ],
)
def test_no_response_is_retried_unless_no_repetition_can_help(fault: Fault, expected: str) -> None:
    verdict = classify(Outcome(None, fault=fault), Asked("m"), 0.0)
    assert summary(verdict) == expected and verdict.reached is fault.reached


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("cut", "retry incomplete_output cut"),
        ("too_large", "fail incomplete_output too_large"),
        ("timeout", "retry incomplete_output timeout"),
    ],
)
def test_a_broken_good_reply_is_incomplete(kind: Any, expected: str) -> None:
    assert summary(classify(Outcome(200, {}, "{", Fault(kind, "words", True)), Asked("m"), 0.0)) == expected


def test_a_broken_error_reply_keeps_the_class_of_its_status() -> None:
    outcome = Outcome(401, {}, '{"error": "Unauth', Fault("cut", "words", True))
    assert summary(classify(outcome, Asked("m"), 0.0)) == "fail auth_or_quota auth"


def test_a_redirect_that_was_followed_is_found_out() -> None:
    outcome = Outcome(200, {}, json.dumps(said("ok")), Fault("redirected", "words", True))
    assert summary(classify(outcome, Asked("m"), 0.0)) == "fail cli_error redirect"


def test_what_needs_setting_right_is_marked_as_configuration() -> None:
    wrong = [(404, error("The model `x` does not exist.")), (404, {"detail": "Not Found"}), (307, "")]
    for status, body in (*wrong, (200, {**said("x"), "model": "other"})):
        assert judged(status, body).configuration
    for status, body in ((503, error("busy")), (429, error("slow")), (200, said("x", "length"))):
        assert not judged(status, body).configuration


def test_the_servers_hint_is_passed_on() -> None:
    assert judged(429, error("slow"), {"retry-after": "7"}).wait == 7
    assert judged(503, error("busy"), {"retry-after": "7"}).wait == 7


def test_counts_may_stand_inside_the_choice() -> None:
    body = choice({"content": "ok"}, usage=None)
    body["choices"][0]["usage"] = USAGE
    verdict = judged(200, body)
    assert verdict.usage == USAGE and verdict.reply is not None and verdict.reply.usage == USAGE


def test_what_a_failed_attempt_used_is_known() -> None:
    assert judged(200, said("half", "length")).usage == USAGE


def test_a_prompt_beyond_a_declared_window_is_a_context_limit() -> None:
    body = said("ok", usage={"prompt_tokens": 210_000, "completion_tokens": 3})
    assert judged(200, body, context_window=200_000).kind == "context_limit"
    assert judged(200, body, context_window=None).action == "reply"


def test_words_in_a_reply_are_never_taken_for_the_servers() -> None:
    assert judged(200, said("maximum context length, invalid api key, 429, loading model")).action == "reply"


def test_a_key_twice_in_a_servers_body_lets_the_last_win() -> None:
    body = '{"model": "m", "choices": [], ' + json.dumps(said("ok"))[1:]
    assert judged(200, body).action == "reply"


NAMES = sorted(
    {"choices", "message", "content", "error", "code", "usage", "prompt_tokens", "completion_tokens", "finish_reason"}
    | {
        "model",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "type",
        "text",
        "detail",
        "object",
        "metadata",
        "reasoning",
    }
)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["stop", "length", "m"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=20,
)
SHAPED = st.builds(
    lambda message, finish, usage, err: {
        "choices": [{"message": message, "finish_reason": finish, "error": err}],
        "usage": usage,
    },
    JSON_VALUES,
    JSON_VALUES,
    st.just(USAGE) | JSON_VALUES,
    st.none() | JSON_VALUES,
)


@given(
    st.sampled_from([200, 201, 204, 301, 400, 401, 404, 413, 422, 429, 500, 502, 599]),
    JSON_VALUES | SHAPED,
    st.text(max_size=30),
)
def test_no_body_crashes_it(status: int, body: Any, hint: str) -> None:
    verdict = judged(status, body, {"retry-after": hint})
    assert (verdict.kind is None) == (verdict.reply is not None)
    assert status in {200, 201} or verdict.reply is None


@given(st.integers(200, 599), st.text())
def test_no_text_crashes_it(status: int, text: str) -> None:
    judged(status, text)
