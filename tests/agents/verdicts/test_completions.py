"""What a 200 means by what is in it: finish reasons in any words, calls that were lost, bodies in other frames."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nftbench.agents.replies.message import LONGEST_REASONING
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.verdicts.finish_reasons import Ending, ending_of
from nftbench.agents.wire.transport import DAMAGED_BYTES_NOTE, Outcome

USAGE = {"prompt_tokens": 10, "completion_tokens": 5}
CALL = [{"id": "a", "type": "function", "function": {"name": "read_state", "arguments": "{}"}}]
WHOLE = '{"name": "read_state", "arguments": {}}'


def completion(message: Any, finish: Any = "stop", usage: Any = USAGE, others: tuple[Any, ...] = ()) -> dict[str, Any]:
    messages = [{"role": "assistant", "content": None, **message}, *others]
    choices = [{"index": n, "message": one, "finish_reason": finish} for n, one in enumerate(messages)]
    return {"id": "x", "model": "m", "choices": choices, "usage": usage}


def judged(body: Any, status: int = 200) -> Verdict:
    return classify(Outcome(status, {}, body if isinstance(body, str) else json.dumps(body)), Asked("m"), now=0.0)


def summary(verdict: Verdict) -> str:
    return " ".join(part for part in (verdict.action, verdict.kind, verdict.cause) if part)


ENDINGS: dict[Ending, list[str]] = {
    "finished": [
        "stop",
        "STOP",
        "end_turn",
        "eos",
        "eos_token",
        "stop_sequence",
        "COMPLETE",
        "completed",
        "FINISH_REASON_STOP",
    ],
    "calls": ["tool_calls", "tool_use", "function_call", "TOOL_CALL", "tool-calls"],
    "cut": [
        "length",
        "MAX_TOKENS",
        "FINISH_REASON_MAX_TOKENS",
        "truncated",
        "max_new_tokens",
        "model_length",
        "incomplete",
    ],
    "repetition": ["repetition", "REPETITION_DETECTED", "repeated"],
    "overflow": ["model_context_window_exceeded", "context_length_exceeded", "ERROR_LIMIT"],
    "filtered": [
        "blocked",
        "content_filter",
        "SAFETY",
        "FINISH_REASON_PROHIBITED_CONTENT",
        "moderation",
        "policy_violation",
    ],
    "broken": [
        "server_error",
        "error",
        "abort",
        "timeout",
        "engine_failure",
        "network_error",
        "preempted",
        "out_of_resources",
    ],
    "malformed_call": [
        "malformed_function_call",
        "function_call_filter: MALFORMED_FUNCTION_CALL",
        "UNEXPECTED_TOOL_CALL",
    ],
    "unknown": ["because", "OTHER", "x"],
}


@pytest.mark.parametrize(
    ("reason", "ending"), [(reason, ending) for ending, told in ENDINGS.items() for reason in told]
)
def test_a_finish_reason_is_known_by_its_words(reason: str, ending: Ending) -> None:
    for spelling in (reason, reason.upper(), reason.lower(), f" {reason} "):
        assert ending_of(spelling) == ending


@pytest.mark.parametrize("reason", [*ENDINGS["cut"], *ENDINGS["repetition"], *ENDINGS["filtered"], *ENDINGS["broken"]])
def test_a_cut_or_failed_reply_is_none_however_whole_it_looks(reason: str) -> None:
    for message in ({"content": WHOLE}, {"tool_calls": CALL}, {"content": "text"}):
        verdict = judged(completion(message, reason))
        assert verdict.action == "retry" and verdict.reply is None and verdict.cause
        if reason not in ENDINGS["cut"]:
            assert reason.lower()[:20] in verdict.detail.lower(), "the reason is named"


@pytest.mark.parametrize("reason", ENDINGS["unknown"])
def test_a_reason_that_nobody_knows_is_noted_and_ends_only_what_is_whole(reason: str) -> None:
    for message in ({"content": WHOLE}, {"tool_calls": CALL}):
        verdict = judged(completion(message, reason))
        assert verdict.reply is not None and "finish_reason_unknown" in verdict.reply.notes
    for message in ({"content": "I will now call"}, {"content": WHOLE[:-3]}):
        assert summary(judged(completion(message, reason))) == "retry incomplete_output unknown_finish_reason"


@pytest.mark.parametrize("finish", ENDINGS["calls"])
@pytest.mark.parametrize(
    "content", ["Let me see who owns it.", "", None, "I call read_state now: {}", "Calling [the tool]."]
)
def test_calls_that_the_server_lost_are_not_the_models_fault(finish: str, content: Any) -> None:
    for lost in ({}, {"tool_calls": []}, {"tool_calls": None}):
        verdict = judged(completion({"content": content, **lost}, finish))
        assert summary(verdict) == "retry incomplete_output no_calls"


@pytest.mark.parametrize(
    "text", [WHOLE, f"I look.\n{WHOLE}", "<tool_call>\n" + WHOLE + "\n</tool_call>", '[TOOL_CALLS]read_state{"a":1}']
)
def test_a_call_that_was_left_in_the_text_is_not_lost(text: str) -> None:
    assert judged(completion({"content": text}, "tool_calls")).reply is not None


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_calls_in_a_choice_after_the_first_are_not_blamed_on_the_model(finish: str) -> None:
    second = {"role": "assistant", "content": None, "tool_calls": CALL}
    verdict = judged(completion({"content": "Let me see who owns it."}, finish, others=(second,)))
    assert summary(verdict) == "retry incomplete_output no_calls"
    assert judged(completion({"content": WHOLE}, "stop", others=(second,))).reply is not None
    assert (
        judged(completion({"tool_calls": CALL}, finish, others=({"role": "assistant", "content": "x"},))).reply
        is not None
    )


@pytest.mark.parametrize("content", [[], {}, 0, False, [1], {"text": "x"}])
def test_odd_content_beside_good_calls_costs_nothing(content: Any) -> None:
    reply = judged(completion({"content": content, "tool_calls": CALL}, "tool_calls")).reply
    assert reply is not None and [call.name for call in reply.calls] == ["read_state"] and reply.text == ""
    assert "content_unread" in reply.notes
    assert summary(judged(completion({"content": content}))) == "fail incomplete_output malformed"


FRAMES = [
    ": waiting\n\n{body}",
    ":\n:\n\n: still there\n{body}\n",
    "data: {body}\n\n",
    "data: {body}\n\ndata: [DONE]\n\n",
    "event: completion\nid: 1\ndata: {body}\n\n",
    ": processing\n\n: processing\n\ndata: {body}\n\n",
    "\r\n: keep-alive\r\n\r\n{body}\r\n",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_whole_completion_in_one_frame_is_read(frame: str) -> None:
    verdict = judged(frame.format(body=json.dumps(completion({"content": WHOLE}))))
    assert verdict.reply is not None and verdict.reply.text == WHOLE and verdict.usage == USAGE


@pytest.mark.parametrize("frame", FRAMES)
def test_an_error_in_a_frame_keeps_its_class(frame: str) -> None:
    assert (
        summary(judged(frame.format(body='{"error": {"message": "busy", "code": 429}}')))
        == "retry cli_error rate_limit"
    )


def pieces(*deltas: dict[str, Any]) -> list[str]:
    return [
        json.dumps({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}) for delta in deltas
    ]


PIECES = pieces({"role": "assistant", "content": ""}, {"content": WHOLE}, {})
STREAMS = [
    "".join(f"data: {piece}\n\n" for piece in PIECES) + "data: [DONE]\n\n",
    ": waiting\n\n" + "".join(f"event: m\ndata: {piece}\n\n" for piece in PIECES),
    "\n".join(PIECES),
    PIECES[1],
]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_reply_in_pieces_is_configuration_at_once(stream: str) -> None:
    """No request of ours asks for it, and no repetition changes it."""
    verdict = judged(stream)
    assert summary(verdict) == "fail incomplete_output streamed" and verdict.configuration


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: {"code": 200, "msg": "success", "data": body},
        lambda body: {"code": 0, "message": "ok", "result": body},
        lambda body: {"success": True, "result": body, "errors": [], "messages": []},
        lambda body: {"status": "ok", "response": {"body": body}},
        lambda body: {"code": "200", "message": "成功", "data": body, "requestId": "x"},
    ],
)
def test_a_wrapped_completion_is_another_apis_and_said_so_at_once(wrap: Any) -> None:
    verdict = judged(wrap(completion({"content": WHOLE})))
    assert summary(verdict) == "fail incomplete_output malformed" and verdict.configuration
    assert "another API" in verdict.detail


@pytest.mark.parametrize(
    "body", [{"code": 0, "msg": "success"}, {"message": "ok", "data": None}, {"msg": "SUCCESS", "data": []}]
)
def test_words_of_success_are_no_error(body: dict[str, Any]) -> None:
    assert summary(judged(body)) == "fail incomplete_output malformed"


@pytest.mark.parametrize("status", [202, 204, 205, 206, 226])
def test_a_status_that_says_that_there_is_no_reply_is_none_whatever_the_body(status: int) -> None:
    assert summary(judged(completion({"content": WHOLE}), status)) == "retry incomplete_output not_json"


@pytest.mark.parametrize(
    ("message", "usage"),
    [
        ({"content": "", "reasoning_content": "hm"}, USAGE),
        ({"content": "<think>hm"}, USAGE),
        ({"content": ""}, {**USAGE, "completion_tokens_details": {"reasoning_tokens": 5}}),
    ],
)
def test_thinking_that_took_the_room_for_the_reply_is_named(message: dict[str, Any], usage: dict[str, Any]) -> None:
    verdict = judged(completion(message, "length", usage))
    assert summary(verdict) == "retry model_format reasoning_length" and "thinking took all the room" in verdict.detail


def test_thinking_is_bounded_and_none_of_it_goes_back_when_it_is_cut() -> None:
    long = "x" * (LONGEST_REASONING + 1)
    reply = judged(
        completion({"content": WHOLE, "reasoning_content": long, "reasoning_details": [{"text": long}]})
    ).reply
    assert reply is not None and reply.reasoning is not None and reply.reasoning_fields == {}
    assert len(reply.reasoning) < LONGEST_REASONING + 100 and "reasoning_cut" in reply.notes
    short = judged(completion({"content": WHOLE, "reasoning_content": "hm"})).reply
    assert short is not None and short.reasoning_fields == {"reasoning_content": "hm"} and short.reasoning == "hm"


def test_bytes_that_were_replaced_are_noted_on_the_reply() -> None:
    outcome = Outcome(200, {}, json.dumps(completion({"content": WHOLE})), notes=(DAMAGED_BYTES_NOTE,))
    reply = classify(outcome, Asked("m"), 0.0).reply
    assert reply is not None and reply.notes == (DAMAGED_BYTES_NOTE,)
