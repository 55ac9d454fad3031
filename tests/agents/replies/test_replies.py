"""The message of a completion in every shape: text, thinking, calls; and thinking left inside the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.replies.markup import tell_apart
from nftbench.agents.replies.message import Malformed, Reply, ToolCall, is_cut, read_message

CALL = '{"name": "finish_task", "arguments": {"summary": "done"}}'


def read(message: Any) -> Reply:
    reply = read_message(message)
    assert isinstance(reply, Reply)
    return reply


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("plain", "plain", None),
        (None, "", None),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab", None),
        (["a", {"text": "b"}], "ab", None),
        ([{"type": "output_text", "text": "a"}], "a", None),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "a"}], "a", None),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "r"}], "closed": True},
                {"type": "text", "text": "a"},
                {"type": "thinking", "thinking": []},
                {"type": "text", "text": "b"},
            ],
            "ab",
            "r",
        ),
        (
            [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "r"}]}, {"type": "text", "text": "a"}],
            "a",
            "r",
        ),
    ],
)
def test_content_is_text_or_parts(content: Any, text: str, reasoning: str | None) -> None:
    reply = read({"role": "assistant", "content": content})
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize("content", [0, False, 1.5, {}, [], {"type": "text", "text": "a"}, [1], [["a"]]])
def test_content_of_another_type_is_malformed(content: Any) -> None:
    assert isinstance(read_message({"content": content}), Malformed)


@pytest.mark.parametrize("message", [None, [], "text", 7])
def test_a_message_of_another_type_is_malformed(message: Any) -> None:
    assert isinstance(read_message(message), Malformed)


@pytest.mark.parametrize(
    ("fields", "name", "reasoning"),
    [
        ({"reasoning_content": "r"}, "reasoning_content", "r"),
        ({"reasoning": "r"}, "reasoning", "r"),
        ({"reasoning_content": None, "reasoning": "r"}, "reasoning", "r"),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "r"}]}, "reasoning_details", "r"),
        ({"reasoning": None}, None, None),
    ],
)
def test_reasoning_keeps_the_name_it_came_under(
    fields: dict[str, Any], name: str | None, reasoning: str | None
) -> None:
    reply = read({"content": "a", **fields})
    assert (reply.text, reply.reasoning_name, reply.reasoning) == ("a", name, reasoning)


def test_reasoning_is_never_promoted_to_an_answer() -> None:
    assert read({"content": "", "reasoning_content": CALL}).text == ""


def test_a_refusal_is_what_the_model_said() -> None:
    assert read({"content": None, "refusal": "I cannot."}).text == "I cannot."


def test_calls_come_in_order_and_nothing_hangs_on_their_ids() -> None:
    given_calls = [
        {"id": "X", "type": "function", "function": {"name": "t", "arguments": '{"n":1}'}},
        {"id": "X", "type": "function", "function": {"name": "t", "arguments": '{"n":2}'}},
        {"id": None, "function": {"name": "t", "arguments": {"n": 3}}},
        {"id": "", "name": "t", "arguments": None},
    ]
    assert read({"content": None, "tool_calls": given_calls}).calls == (
        ToolCall("t", '{"n":1}', "X"),
        ToolCall("t", '{"n":2}', "X"),
        ToolCall("t", {"n": 3}, None),
        ToolCall("t", None, None),
    )


def test_the_old_form_of_one_call_is_read_once() -> None:
    function = {"name": "t", "arguments": "{}"}
    assert read({"content": None, "function_call": function}).calls == (ToolCall("t", "{}"),)
    both = {"content": None, "function_call": function, "tool_calls": [{"id": "a", "function": function}]}
    assert read(both).calls == (ToolCall("t", "{}", "a"),)


@pytest.mark.parametrize("calls", ["x", 7, ["x"], [{}], [{"function": {"name": 7}}], [{"function": None}]])
def test_calls_of_another_shape_are_malformed(calls: Any) -> None:
    assert isinstance(read_message({"content": None, "tool_calls": calls}), Malformed)


@pytest.mark.parametrize(
    ("arguments", "cut"),
    [
        ('{"a": "b', True),
        ('{"a":', True),
        ('{"a": 1', True),
        ("{", True),
        ('{"a": 1}', False),
        ('{"a": 1} and more', False),
        ("", False),
        ("nonsense", False),
        ('{"a": nonsense}', False),
        (None, False),
        ({"a": 1}, False),
        ('{"a":' * 5000, False),
    ],
)
def test_a_cut_object_is_told_from_a_wrong_one(arguments: object, cut: bool) -> None:
    assert is_cut(arguments) is cut


THOUGHT = [
    ("paired", f"<think>hm</think>{CALL}", CALL, "hm"),
    ("paired, on lines", f"<think>\nhm\n</think>\n\n{CALL}", CALL, "hm"),
    ("empty", f"<think>\n\n</think>\n\n{CALL}", CALL, None),
    ("closed only", f"deliberation</think>{CALL}", CALL, "deliberation"),
    ("closed twice", f"a</think>b</think>{CALL}", CALL, "a\nb"),
    ("opened only", "<think>and on it goes", "", "and on it goes"),
    ("opened only, after an answer", "answer <think>and on", "answer", "and on"),
    ("opened twice, closed once", f"<think>\n<think>\nhm</think>{CALL}", CALL, "<think>\nhm"),
    ("nested", f"<think>a<think>b</think>c</think>{CALL}", CALL, "a<think>b\nc"),
    ("two stretches", f"<think>a</think>So:<think>b</think>{CALL}", f"So:{CALL}", "a\nb"),
    ("another case", f"<Think>hm</THINK>{CALL}", CALL, "hm"),
    ("thinking", f"<thinking>hm</thinking>{CALL}", CALL, "hm"),
    ("seed", f"<seed:think>hm</seed:think>{CALL}", CALL, "hm"),
    ("magistral", f"[THINK]hm[/THINK]{CALL}", CALL, "hm"),
    ("kimi", f"\u25c1think\u25b7hm\u25c1/think\u25b7{CALL}", CALL, "hm"),
    ("blanks in the tags", f"< think >hm</ think >{CALL}", CALL, "hm"),
    (
        "marked solution",
        f"<|begin_of_thought|>hm<|end_of_thought|><|begin_of_solution|>{CALL}<|end_of_solution|>",
        CALL,
        "hm",
    ),
]


@pytest.mark.parametrize(("raw", "text", "reasoning"), [c[1:] for c in THOUGHT], ids=[c[0] for c in THOUGHT])
def test_thinking_is_taken_out_in_all_its_broken_forms(raw: str, text: str, reasoning: str | None) -> None:
    told = tell_apart(raw)
    assert (told.text, told.reasoning, told.markup) == (text, reasoning, True)


@pytest.mark.parametrize("summary", ["used <think> and </think>", "a </think> b", "<think>"])
def test_tags_inside_the_strings_of_a_call_are_data(summary: str) -> None:
    text = json.dumps({"name": "finish_task", "arguments": {"summary": summary}})
    assert tell_apart(text).text == text
    assert tell_apart(f"<think>hm</think>\n{text}").text == text
    assert tell_apart(f"hm</think>\n{text}").text == text


def test_words_about_thinking_are_no_tags() -> None:
    text = "I think so; my reasoning: 1 < 2."
    assert tell_apart(text).text == text and not tell_apart(text).markup


def test_channels_are_told_apart() -> None:
    told = tell_apart(
        "<|channel|>analysis<|message|>r<|end|><|start|>assistant<|channel|>final<|message|>answer<|return|>"
    )
    assert (told.text, told.reasoning, told.calls) == ("answer", "r", ())


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to=functions.finish_task <|constrain|>json",
        " to=functions.finish_task<|channel|>commentary json",
        "<|channel|>commentary to=finish_task code",
    ],
)
def test_commentary_to_a_function_is_a_call(header: str) -> None:
    raw = f'<|channel|>analysis<|message|>r<|end|><|start|>assistant{header}<|message|>{{"summary": "x"}}<|call|>'
    told = tell_apart(raw)
    assert (told.text, told.reasoning, told.calls) == ("", "r", (("finish_task", '{"summary": "x"}'),))
    assert read({"content": raw}).calls_from == "harmony"


def test_channels_without_their_marks_are_not_guessed_at() -> None:
    assert tell_apart("analysisWe need 2+2.assistantfinalfour").lost_markers
    assert not tell_apart("analysis of the task: fine").lost_markers


PIECES = st.sampled_from(
    [
        *(
            "<think>",
            "</think>",
            "<thinking>",
            "[THINK]",
            "[/THINK]",
            CALL,
            "{",
            "}",
            "text ",
            "<|channel|>",
            "<|message|>",
        ),
        *("final", "analysis", "<|end|>", "to=functions.t", "\ud800", "\x00", "</", "<"),
    ]
)


@given(st.lists(PIECES, max_size=15).map("".join) | st.text())
def test_no_text_crashes_the_telling_apart(raw: str) -> None:
    told = tell_apart(raw)
    assert len(told.text) <= len(raw)


def test_a_million_tags_are_read_in_reasonable_time() -> None:
    for raw in (
        "<think></think>" * 200_000,
        "</think>" * 300_000,
        "<think>" * 300_000,
        "<|channel|>" * 200_000,
        "< " * 10**6,
    ):
        tell_apart(raw)
