"""A failure that is scored against the model takes evidence. What a server says of a field of the request never is any."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nftbench.agents.failure import SCORED_KINDS
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.transport import Outcome

FIELDS = [
    *(
        "min_new_tokens",
        "min_tokens",
        "thinking.budget_tokens",
        "reasoning.max_tokens",
        "messages[2].name",
        "messages.0.name",
    ),
    *(
        "messages[3].tool_calls[0].id",
        "messages.4.tool_call_id",
        "tools[0].function.name",
        "tools.1.function.description",
    ),
    *(
        "stop",
        "stop_token_ids",
        "user",
        "seed",
        "n",
        "best_of",
        "top_k",
        "top_p",
        "temperature",
        "logit_bias",
        "top_logprobs",
    ),
    *(
        "prompt_logprobs",
        "prompt_cache_key",
        "truncate_prompt_tokens",
        "metadata.user_id",
        "chat_template_kwargs",
        "length_penalty",
    ),
    *(
        "response_format.json_schema.name",
        "context_length_exceeded_behavior",
        "max_tool_calls",
        "input_audio.format",
        "safety_identifier",
    ),
    *("guided_json", "repetition_penalty", "service_tier", "extra_body.mm_processor_kwargs", "max_thinking_tokens"),
]
WORDINGS: list[Callable[[str], str]] = [
    lambda field: f"{field}: Input should be greater than 0",
    lambda field: f"{field}: Input should be greater than or equal to 2048",
    lambda field: f"{field}: Input should be less than or equal to 64 tokens",
    lambda field: f"{field}: string length exceeds 48",
    lambda field: f"{field}: exceeds the maximum context length of the input",
    lambda field: f"'{field}' is too long: the maximum length is 64, got 3000 input tokens",
    lambda field: f"`{field}` must be less than the context length",
    lambda field: (
        f"Invalid '{field}': string too long. Expected a string with maximum length 64, but got a string with length 90"
    ),
    lambda field: f"Invalid '{field}': array too long. Expected an array with maximum length 128, but got 200 instead",
    lambda field: f"The parameter {field} exceeds the model's context window of 4096 tokens: 9000 > 4096",
    lambda field: f"Unsupported parameter: '{field}' is not supported with this model.",
    lambda field: f"{field} must be at most 16 tokens, the prompt has 40",
    lambda field: f"Value error, {field}=32 is larger than the maximum model length 16",
    lambda field: f"1 validation error for ChatCompletionRequest: {field}: Input should be smaller than the input",
    lambda field: f"request validation failed: {field} has too many tokens for this prompt",
]
ENVELOPES: list[Callable[[str, str], Any]] = [
    lambda field, words: {"error": {"message": words, "type": "invalid_request_error", "param": field, "code": None}},
    lambda field, words: {"error": {"message": words, "type": "BadRequestError", "code": 400}},
    lambda field, words: {"object": "error", "message": words, "type": "BadRequestError", "code": 400},
    lambda field, words: {"detail": [{"loc": ["body", *field.split(".")], "msg": words, "type": "greater_than"}]},
    lambda field, words: {"detail": words},
    lambda field, words: {"error": words},
    lambda field, words: {"message": words, "code": "validation_error"},
    lambda field, words: [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}],
    lambda field, words: {"type": "error", "error": {"type": "invalid_request_error", "message": words}},
    lambda field, words: {
        "error": {"message": f"litellm.BadRequestError: {json.dumps({'error': {'message': words}})}", "code": "400"}
    },
    lambda field, words: {
        "error": {"message": "Provider returned error", "metadata": {"raw": json.dumps({"message": words})}}
    },
    lambda field, words: {"title": "Bad Request", "status": 400, "detail": words, "errors": [{"pointer": f"/{field}"}]},
    lambda field, words: words,
]


def judged(status: int, body: Any, **asked: Any) -> Verdict:
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(Outcome(status, {}, text), Asked("m", **asked), now=0.0)


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("field", FIELDS)
def test_a_refused_field_of_the_request_is_configuration(field: str, status: int) -> None:
    """However it is worded and wrapped: at once, never scored, and marked as a matter of set-up."""
    for wording in WORDINGS:
        for envelope in ENVELOPES:
            verdict = judged(status, envelope(field, wording(field)))
            told = (wording("_"), verdict)
            assert verdict.action == "fail" and verdict.kind == "cli_error" and verdict.configuration, told


@given(
    st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8}){1,3}", fullmatch=True),
    st.sampled_from(WORDINGS),
    st.sampled_from(ENVELOPES),
    st.sampled_from([200, 400, 403, 409, 413, 422, 500, 503]),
)
@settings(max_examples=400, deadline=None)
def test_no_field_of_any_name_and_no_status_makes_it_a_scored_failure(
    field: str, wording: Callable[[str], str], envelope: Callable[[str, str], Any], status: int
) -> None:
    assert judged(status, envelope(f"zz_{field}", wording(f"zz_{field}"))).kind not in SCORED_KINDS


LOOSE = [
    *("Your conversation is too long", "too many tokens", "The input exceeds what this model takes", "context problem"),
    *(
        "This request is longer than allowed",
        "messages too large",
        "token limit",
        "the window is not large enough for it",
    ),
    *("请求参数过长", "Please reduce the length of your request", "prompt token limit", "sequence exceeds the maximum"),
]


@pytest.mark.parametrize("words", LOOSE)
@pytest.mark.parametrize("status", [200, 400, 422, 500])
def test_words_that_only_sound_like_a_full_context_are_never_scored(words: str, status: int) -> None:
    for envelope in ENVELOPES:
        if envelope is not ENVELOPES[0]:
            assert judged(status, envelope("x", words)).kind not in SCORED_KINDS


@given(
    st.integers(1, 2_000_000),
    st.integers(256, 2_000_000),
    st.integers(1, 64_000),
    st.sampled_from(
        [
            "the prompt has {prompt} tokens and the context window is {window}",
            "your prompt contains {prompt} input tokens, context size: {window}",
            "prompt length {prompt} is more than the maximum model length of {window}",
            "request ({prompt} tokens) does not go into the context size of {window}",
        ]
    ),
)
@settings(deadline=None)
def test_two_numbers_are_evidence_only_where_they_fit(prompt: int, window: int, reply: int, words: str) -> None:
    """Sentences that no server says: only prompt + reply > window makes them a full context."""
    verdict = judged(400, {"error": {"message": words.format(prompt=prompt, window=window)}}, max_tokens=reply)
    assert (verdict.kind == "context_limit") == (prompt + reply > window)
    if verdict.kind == "context_limit":
        told = {"prompt_tokens": prompt, "context_window": window, "prompt_fits": prompt < window}
        assert verdict.facts == told


@pytest.mark.parametrize("code", ["context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"])
@pytest.mark.parametrize("place", ["code", "type"])
def test_a_known_code_is_evidence_whatever_the_words(code: str, place: str) -> None:
    assert judged(400, {"error": {"message": "no", place: code}}).kind == "context_limit"
    assert judged(400, {"error": {"message": "no", place: code, "param": "messages"}}).kind == "context_limit"
    assert judged(400, {"error": {"message": "no", place: code, "param": "thinking.budget_tokens"}}).kind == "cli_error"
