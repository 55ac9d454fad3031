"""What holds for every shape of a kind: an error keeps its class however it is wrapped, rates are never lengths, a reply's own
words are never an error, and no text runs a call that it does not hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nftbench.agents.replies.markup import tell_apart
from nftbench.agents.replies.recovery import FAMILIES, recover
from nftbench.agents.replies.tool_arguments import Arguments, decoded_arguments
from nftbench.agents.replies.tool_names import known_tool
from nftbench.agents.verdicts.classification import Asked, Verdict, classify
from nftbench.agents.wire.transport import Outcome
from nftbench.calls import Call, Found, Problem

SCHEMAS: dict[str, dict[str, Any]] = {
    "t": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array"}, "u": {}},
    },
    "finish_task": {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    "read_state": {"type": "object", "properties": {}},
}

LENGTHS = [
    "maximum context length is 8192 tokens",
    "prompt is too long: 9000 tokens > 8192 maximum",
    "request (9016 tokens) exceeds the available context size (4096 tokens)",
    "prompt tokens (400007) exceed model maximum (278528)",
    "Range of input length should be [1, 30720]",
    "Your request exceeded model token limit: 262144 (requested: 269030)",
    "Input is too long for requested model.",
    "Current length is 42328 while limit is 40000",
    "the number of input tokens 9000 is larger than the context window of 8192",
    "上下文长度超过限制",
]
RATES = [
    "Rate limit reached: 30000 tokens per minute, requested 31000",
    "Too many requests, the context is busy",
    "ThrottlingException: Too many tokens, please wait",
    "too many requests per min for a prompt of this length",
]
OF_A_CLASS: list[tuple[int, str, str]] = [
    *((400, text, "fail context_limit context_limit") for text in LENGTHS),
    *((429, text, "retry cli_error rate_limit") for text in RATES),
    (429, "Rate limit exceeded: free requests per day", "fail auth_or_quota quota"),
    (429, "insufficient_quota", "fail auth_or_quota quota"),
    (402, "Insufficient credits", "fail auth_or_quota quota"),
    (401, "Invalid API key", "fail auth_or_quota auth"),
    (400, "API key not valid", "fail auth_or_quota auth"),
    (404, "The model m does not exist", "fail cli_error no_model"),
    (503, "Loading model", "retry cli_error loading"),
    (500, "error parsing tool call", "retry model_format model_output"),
    (400, "your prompt was flagged", "retry cli_error content_filter"),
    (503, "unavailable", "retry cli_error server_error"),
    (400, "colourless green ideas", "fail cli_error bad_request"),
]


def plainly(message: str) -> Any:
    return {"error": {"message": message}}


WRAPPINGS: list[Callable[[str], Any]] = [
    lambda m: {"error": m},
    lambda m: {"error": [{"message": m}]},
    lambda m: {"error": {"error": {"message": m}}},
    lambda m: {"error": {"message": {"detail": m}}},
    lambda m: {"error": True, "message": m},
    lambda m: {"error": "Bad", "message": [m]},
    lambda m: {"message": m},
    lambda m: {"object": "error", "message": m},
    lambda m: {"type": "error", "error": {"type": "some_error", "message": m}},
    lambda m: {"detail": m},
    lambda m: {"detail": [{"loc": ["body"], "msg": m, "input": {"messages": []}}]},
    lambda m: {"detail": {"error": m, "msg": "no"}},
    lambda m: {"errors": [{"message": m, "code": 7}], "success": False},
    lambda m: {"title": "no", "detail": m, "instance": "/x"},
    lambda m: [plainly(m)],
    lambda m: {"error": json.dumps(plainly(m))},
    lambda m: {"error": {"message": f"proxy.Error: X - {json.dumps(plainly(m))} and that was it"}},
    lambda m: {"error": {"message": "Provider returned error", "metadata": {"raw": json.dumps(plainly(m))}}},
    lambda m: {"error": {"message": f"  {m}\n", "param": None, "type": None, "code": None}},
    lambda m: {"Error": {"Message": m}, "error": {"MESSAGE": m}},
]
CODES = st.sampled_from([None, str, int])


def judged(status: int, body: Any) -> Verdict:
    text = body if isinstance(body, str) else json.dumps(body)
    return classify(Outcome(status, {}, text), Asked("m"), now=0.0)


def summary(verdict: Verdict) -> str:
    return " ".join(part for part in (verdict.action, verdict.kind, verdict.cause) if part)


@pytest.mark.parametrize("wrap", WRAPPINGS)
@pytest.mark.parametrize(("status", "message", "expected"), OF_A_CLASS, ids=[m for _, m, _ in OF_A_CLASS])
def test_an_error_keeps_its_class_in_every_wrapping(
    wrap: Callable[[str], Any], status: int, message: str, expected: str
) -> None:
    assert summary(judged(status, plainly(message))) == expected
    assert summary(judged(status, wrap(message))) == expected


@given(st.sampled_from(OF_A_CLASS), st.lists(st.sampled_from(WRAPPINGS), min_size=1, max_size=3), CODES, st.booleans())
def test_an_error_keeps_its_class_in_wrappings_of_wrappings(
    case: tuple[int, str, str], wraps: list[Callable[[str], Any]], code: Any, loud: bool
) -> None:
    status, message, expected = case
    body = wraps[0](message.upper() if loud else message)
    for wrap in wraps[1:]:
        body = wrap(json.dumps(body))
    if code is not None and isinstance(body, dict) and isinstance(body.get("error"), dict):
        body["error"]["code"] = code(status)
    assert summary(judged(status, body)) == expected


@given(st.sampled_from(OF_A_CLASS), st.sampled_from([str, int]), st.sampled_from(["code", "status", "status_code"]))
def test_a_code_inside_a_200_counts_as_the_status(case: tuple[int, str, str], as_type: Any, name: str) -> None:
    status, message, expected = case
    assert summary(judged(200, {"error": {"message": message, name: as_type(status)}})) == expected


@pytest.mark.parametrize("wrap", [plainly, *WRAPPINGS])
@pytest.mark.parametrize("message", LENGTHS)
def test_too_many_requests_are_never_a_length(wrap: Callable[[str], Any], message: str) -> None:
    assert judged(429, wrap(message)).kind != "context_limit"
    assert judged(200, {"error": {"message": message, "code": "429"}}).kind != "context_limit"


@given(st.sampled_from(RATES), st.sampled_from(LENGTHS), st.sampled_from([400, 413, 429, 500, 503]))
def test_words_about_rates_are_never_a_length(rate: str, length: str, status: int) -> None:
    assert judged(status, plainly(f"{rate}. {length}")).kind != "context_limit"


WORDS = st.lists(
    st.sampled_from([m for _, m, _ in OF_A_CLASS] + ["context_length_exceeded", "429", "error", "\n", '"', "{"])
)


@given(WORDS, st.sampled_from(["content", "reasoning_content"]))
def test_what_a_model_says_is_never_an_error(words: list[str], name: str) -> None:
    message = {"role": "assistant", "content": "said", name: " said ".join(["", *words, ""])}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    body = {"model": "m", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    assert judged(200, body).action == "reply"


@given(st.sampled_from(LENGTHS), st.sampled_from([400, 422, 500]))
def test_what_a_request_held_is_never_the_servers_word(message: str, status: int) -> None:
    sent = {"messages": [{"role": "user", "content": message}]}
    for body in (
        {"detail": [{"loc": ["body"], "msg": "Field required", "input": sent}]},
        {"error": {"message": str([{"type": "missing", "msg": "Field required", "input": sent}])}},
        {"error": {"message": f"1 validation error [type=missing, input_value={message!r}, input_type=str]"}},
        {"error": {"message": "X - " + json.dumps({"detail": [{"msg": "Field required", "input": sent}]})}},
        {"error": {"message": "Failed to call a function", "failed_generation": message}},
        {"error": f"error parsing tool call: raw='{message}', err=unexpected end"},
    ):
        assert judged(status, body).kind != "context_limit"


CALLS: list[tuple[Call, list[str]]] = [
    (
        Call("t", {"n": 1}),
        [
            '{"name":"t","arguments":{"n":1}}',
            '```json\n{"name":"t","arguments":{"n":1}}\n```',
            '<tool_call>{"name":"t","arguments":{"n":1}}</tool_call>',
            "<function=t><parameter=n>1</parameter></function>",
            '[TOOL_CALLS]t[ARGS]{"n": 1}',
            '<invoke name="t"><parameter name="n">1</parameter></invoke>',
            "<tool_call>t<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>",
            '<|tool_call_begin|>functions.t:0<|tool_call_argument_begin|>{"n": 1}<|tool_call_end|>',
            "<|tool_call>call:t{n:1}<tool_call|>",
            '{"tool": "t", "args": {"n": 1}}',
        ],
    ),
    (
        Call("finish_task", {"summary": "it is {done} <b>"}),
        [
            '{"name":"finish_task","arguments":{"summary":"it is {done} <b>"}}',
            "<function=finish_task><parameter=summary>it is {done} <b></parameter></function>",
        ],
    ),
]
NOISE = st.lists(
    st.sampled_from(
        [
            *(
                "I call t now. ",
                "\n",
                "t(n=2)",
                "`t`",
                "[1]",
                "{x}",
                "<b>",
                "</s>",
                "<|im_end|>",
                "Action: t\n",
                "call:t",
            ),
            *("<tool_call>", "</tool_call>", "<function=", "[TOOL_CALLS]", "[ARGS]", "<invoke", "</think>", "<think>"),
            *(
                "<|python_tag|>",
                "DSML",
                "functools[",
                "```tool_code\n",
                "```",
                '{"a": 1}',
                '{"n": 2}',
                "read_state",
                ">>>",
            ),
            *(
                "<function=finish_task><parameter=summary>",
                "</parameter>",
                "</function>",
                "<parameter=n>",
                '<parameter name="n">',
            ),
            *('<invoke name="read_state">', "</invoke>", "<tool_call>finish_task<arg_key>summary</arg_key><arg_value>"),
            *("</arg_value></tool_call>", "[TOOL_CALLS]read_state[ARGS]", "<|tool_call_begin|>functions.read_state:1"),
            *(
                '{"name":"finish_task","arguments":{"summary":"',
                '"}}',
                "Action: read_state\nAction Input: ",
                "call:read_state{}",
            ),
            *(family.sign.pattern.replace("\\", "") for family in FAMILIES),
        ]
    )
    | st.text(max_size=8),
    max_size=4,
).map("".join)


@given(st.sampled_from([(call, text) for call, texts in CALLS for text in texts]), NOISE, NOISE)
def test_text_around_one_call_never_makes_another_one(case: tuple[Call, str], before: str, after: str) -> None:
    call, text = case
    found = recover(f"{before}{text}{after}", SCHEMAS)
    assert isinstance(found, Problem) or found.call == call


@given(st.sampled_from([(call, text) for call, texts in CALLS for text in texts]), NOISE, NOISE)
def test_thinking_around_one_call_never_makes_another_one(case: tuple[Call, str], before: str, after: str) -> None:
    call, text = case
    assume(isinstance(recover(tell_apart(after).text, SCHEMAS), Problem))
    told = tell_apart(f"<think>{before}</think>{text}{after}").text
    found = recover(told, SCHEMAS)
    assert isinstance(found, Problem) or found.call == call


@given(st.sampled_from([(call, text) for call, texts in CALLS for text in texts]), st.text(max_size=30))
def test_plain_words_around_one_call_do_not_hide_it(case: tuple[Call, str], words: str) -> None:
    call, text = case
    plain = "".join(character for character in words if character.isalpha() or character == " ")
    if text.startswith("{") or "```" in text or "<tool_call>" in text:
        assert recover(f"Now {plain}:\n{text}\n{plain}", SCHEMAS) in (
            Found(call, family) for family in ("prose", "hermes", "glm", "other_json")
        )


@given(
    st.sampled_from([text for _, texts in CALLS for text in texts]), st.sampled_from([t for _, ts in CALLS for t in ts])
)
def test_two_calls_are_none(one: str, other: str) -> None:
    assert isinstance(recover(f"{one}\n{other}", SCHEMAS), Problem)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=6), VALUES, min_size=1, max_size=4)
WRITTEN: list[Callable[[Any], str]] = [
    json.dumps,
    lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    lambda value: json.dumps(json.dumps(value)),
    lambda value: json.dumps(json.dumps(json.dumps(value))),
    lambda value: f"```json\n{json.dumps(value)}\n```",
    lambda value: f'{json.dumps(value)}""',
    lambda value: f"{json.dumps(value)}<|im_end|>\n",
    lambda value: f"json\n{json.dumps(value)}",
    repr,
]


@given(OBJECTS, st.sampled_from(WRITTEN))
def test_arguments_are_read_as_they_were_meant_or_not_at_all(
    value: dict[str, Any], write: Callable[[Any], str]
) -> None:
    read = decoded_arguments(write(value), None)
    assert isinstance(read, Problem) or read.value == value
    if write is not repr:
        assert isinstance(read, Arguments)


@given(OBJECTS, st.sampled_from(WRITTEN), st.data())
def test_arguments_cut_anywhere_are_never_other_ones(
    value: dict[str, Any], write: Callable[[Any], str], data: st.DataObject
) -> None:
    text = write(value)
    length = data.draw(st.integers(1, len(text)))
    read = decoded_arguments(text[:length], None)
    assert isinstance(read, Problem) or read.value == value


@given(
    st.text(max_size=20) | st.sampled_from(["t", "functions.t", "t:0", "`t`", " t\n", "t<|channel|>commentary", "T"])
)
def test_a_name_is_a_tools_or_no_tools(name: str) -> None:
    assert known_tool(name, SCHEMAS) in (*SCHEMAS, None)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        *(
            ("t", "t"),
            ("functions.t", "t"),
            ("default_api.t", "t"),
            ("to=functions.t", "t"),
            ("t:0", "t"),
            ("functions.t:12", "t"),
        ),
        *(
            ("t<|channel|>commentary", "t"),
            (" t\n", "t"),
            ('"t"', "t"),
            ("t()", "t"),
            ("T", None),
            ("tt", None),
            ("", None),
        ),
        *(("other.t", None), ("t.t", None), ("t t", None), ("functions.other", None)),
    ],
)
def test_only_what_surely_means_a_tool_names_it(name: str, tool: str | None) -> None:
    assert known_tool(name, SCHEMAS) == tool
