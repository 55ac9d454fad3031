"""Money and loading are told by a word for the thing and a word for its state, in whatever order and sentence."""

from __future__ import annotations

import json

import pytest

from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.transport import Outcome


def judged(status: int, words: str, headers: dict[str, str] | None = None) -> Verdict:
    body = json.dumps({"error": {"message": words}})
    return classify(Outcome(status, headers or {}, body), Asked("m"), now=0.0)


THINGS = [
    "account balance",
    "balance",
    "credits",
    "quota",
    "free tier",
    "prepaid credit",
    "credit balance",
    "usage limit",
]
STATES = ["insufficient", "not enough", "exhausted", "too low", "used up", "depleted"]
SENTENCES = [
    *(
        "Your {thing} is {state}",
        "{state} {thing}",
        "The {thing} of this account has been {state}.",
        "Error: {thing} {state}",
    ),
    *("{state}: {thing}", "Request refused because the {thing} is {state}, see the console"),
]


@pytest.mark.parametrize("status", [200, 400, 403, 429, 500])
@pytest.mark.parametrize("thing", THINGS)
def test_money_that_is_gone_stops_the_run_however_it_is_said(thing: str, status: int) -> None:
    for state in STATES:
        for sentence in SENTENCES:
            words = sentence.format(thing=thing, state=state)
            verdict = judged(status, words)
            assert (verdict.action, verdict.kind, verdict.cause) == ("fail", "auth_or_quota", "quota"), words


@pytest.mark.parametrize(
    "words",
    [
        *(
            "credits exhausted",
            "Not enough balance",
            "You ran out of credits",
            "Your wallet is empty",
            "No credits remaining",
        ),
        *(
            "Your prepayment credits are depleted.",
            "Weekly limit reached",
            "You've reached your session limit, resets 4:10pm",
        ),
        *("5-hour limit reached", "You have exhausted your capacity on this model. Your quota will reset after 19h"),
        *(
            "You've hit your usage limit",
            "Your monthly limit has been reached",
            "out of funds",
            "Your balance is negative",
        ),
    ],
)
def test_other_sentences_of_money(words: str) -> None:
    assert judged(429, words).cause == "quota" and judged(403, words).cause == "quota"


@pytest.mark.parametrize(
    "words",
    [
        *(
            "memory usage limit exceeded",
            "the thinking budget is exceeded",
            "invalid credentials file",
            "load balancer timeout",
        ),
        *(
            "retry budget exhausted",
            "GPU usage limit reached",
            "the token budget was exceeded",
            "cache budget exhausted",
        ),
    ],
)
def test_other_budgets_and_limits_are_not_money(words: str) -> None:
    assert judged(500, words).kind != "auth_or_quota"


@pytest.mark.parametrize("status", [429, 500, 503, 529])
@pytest.mark.parametrize(
    ("words", "headers"),
    [
        ("Please try again in 43000 seconds", {}),
        ("Your limit resets in 19h", {}),
        ("try again in 3 hours", {}),
        ("slow down", {"retry-after": "57600"}),
        ("slow down", {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "24h0m0s"}),
        ("slow down", {"retry-after": "Fri, 02 Jan 1970 00:00:00 GMT"}),
    ],
)
def test_a_wait_of_hours_stops_the_run(status: int, words: str, headers: dict[str, str]) -> None:
    verdict = judged(status, words, headers)
    assert (verdict.action, verdict.kind, verdict.cause) == ("fail", "auth_or_quota", "quota")


LOADABLE = ["model", "server", "engine", "deployment", "Model with name m", "The endpoint", "model 'x/y-1.5'"]
NOT_YET = [
    "is not ready",
    "is loading",
    "is still loading",
    "is currently being loaded",
    "is starting",
    "is not yet ready",
]


@pytest.mark.parametrize("status", [200, 400, 404, 500, 503])
@pytest.mark.parametrize("what", LOADABLE)
def test_what_is_not_up_yet_is_waited_for(what: str, status: int) -> None:
    for state in NOT_YET:
        verdict = judged(status, f"{what} {state}")
        assert verdict.loading and (verdict.action, verdict.cause) == ("retry", "loading"), state


@pytest.mark.parametrize(
    "words", ["No model is loaded", "no models loaded", "model m is not loaded", "the model failed to load"]
)
def test_a_model_that_is_not_there_is_not_waited_for(words: str) -> None:
    assert not judged(400, words).loading


READERS = [
    *(
        "channel marker present but no channel value",
        "Unknown role: final",
        "unexpected EOS while waiting for message header",
    ),
    *("Unexpected token 200002 while expecting start token 200006", "The model output could not be parsed"),
    *(
        "failed to parse tool call arguments",
        "Tool call could not be decoded",
        "malformed function call in the model's output",
    ),
    *(
        "harmony message cannot be parsed",
        "generated json is invalid json",
        "unable to parse model output as a tool call",
    ),
]


@pytest.mark.parametrize("words", READERS)
@pytest.mark.parametrize("status", [200, 400, 500, 502])
def test_output_that_a_server_cannot_read_is_the_models(words: str, status: int) -> None:
    verdict = judged(status, words)
    assert (verdict.action, verdict.kind, verdict.cause) == ("retry", "model_format", "model_output")


@pytest.mark.parametrize(
    "words",
    [
        *(
            "messages[2].role: unknown role",
            "Unknown role: developer",
            "messages.1.tool_calls.0.function: failed to parse tool call",
        ),
        *("'tool_choice': malformed tool call", "tools[0].function.parameters: failed to parse function call schema"),
    ],
)
def test_a_request_that_a_server_cannot_read_is_not_the_models(words: str) -> None:
    for status in (400, 422):
        assert judged(status, words).kind == "cli_error"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_server_that_says_not_to_retry_is_not_asked_again(status: int) -> None:
    assert judged(status, "no", {"x-should-retry": "false"}).action == "fail"
    assert judged(status, "no", {"x-should-retry": "true"}).action == "retry"
    assert judged(status, "no").action == "retry"


@pytest.mark.parametrize("status", [501, 505, 506, 510])
def test_a_status_that_no_repetition_changes_is_configuration(status: int) -> None:
    verdict = judged(status, "HTTP Version Not Supported")
    assert verdict.action == "fail" and verdict.configuration
