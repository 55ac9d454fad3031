"""Native tool calling: a history that every server accepts, calls in parallel, thoughts under their own names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.layouts.native import NativeLayout, NativeRenderer
from nftbench.agents.openai_compat import OpenAICompatBackend
from nftbench.agents.replies.recovery import FAMILIES
from nftbench.conversation import RequestWriter
from nftbench.testing import Behaviour, FaultServer, faults

TOOLS = [
    {
        "name": "read_state",
        "description": "Reads.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
    },
    {
        "name": "finish_task",
        "description": "Ends.",
        "parameters": {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    },
]
SYSTEM = {"role": "system", "content": "S"}
USER = {"role": "user", "content": "U"}


def call(identifier: str, **arguments: Any) -> dict[str, Any]:
    return {"id": identifier, "name": "read_state", "arguments": arguments}


def result(identifier: str, content: str = "{}") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": content}


def assistant(*calls: dict[str, Any], content: str = "", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def rendered(*messages: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({"tools": TOOLS, "messages": list(messages)})
    body: dict[str, Any] = json.loads(b"{" + NativeRenderer().render(text).members + b"}")
    return body


def structured(*calls: tuple[str, Any], text: str | None = None, **message: Any) -> Behaviour:
    listed = [{"id": "X", "type": "function", "function": {"name": name, "arguments": given}} for name, given in calls]
    return faults.reply(text, tool_calls=listed, **message)


def answered(behaviour: Behaviour) -> dict[str, Any]:
    writer = RequestWriter(TOOLS)
    writer.append(SYSTEM)
    writer.append(USER)
    with FaultServer([behaviour]) as server:
        backend = OpenAICompatBackend(server.url, "m", layout=NativeLayout(), sleep=lambda seconds: None, timeout=5)
        answer: dict[str, Any] = json.loads(backend.complete(writer.text()))
        sent = server.received[-1].json()
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["read_state", "finish_task"]
    assert sent["messages"] == [SYSTEM, USER]
    return answer


def test_tools_and_history_have_the_form_of_chat_servers() -> None:
    body = rendered(SYSTEM, USER, assistant(call("a", what="x")), result("a", "it is"))
    assert body["tools"][0] == {"type": "function", "function": TOOLS[0]}
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call00001",
                    "type": "function",
                    "function": {"name": "read_state", "arguments": '{"what": "x"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call00001", "content": "it is"},
    ]


def test_thoughts_go_back_under_the_names_they_came_with() -> None:
    for fields in (
        {"reasoning_content": "r"},
        {"reasoning": "r", "reasoning_details": [{"type": "x", "data": "sealed"}]},
    ):
        answer = answered(structured(("read_state", "{}"), **fields))
        assert answer["reasoning_fields"] == fields
        message = assistant(call("a"), reasoning_fields=answer["reasoning_fields"])
        assert fields.items() <= rendered(USER, message, result("a"))["messages"][1].items()


def test_parallel_calls_are_given_in_order_each_with_its_own_id() -> None:
    answer = answered(structured(("read_state", '{"what": "1"}'), ("read_state", '{"what": "2"}'), text="Two looks."))
    assert [(c["id"], c["arguments"]) for c in answer["tool_calls"]] == [
        ("call_1", {"what": "1"}),
        ("call_1_2", {"what": "2"}),
    ]
    assert answer["text"] == "Two looks."
    body = rendered(USER, assistant(*answer["tool_calls"]), result("call_1_2", "second"), result("call_1", "first"))
    results = {message["tool_call_id"]: message["content"] for message in body["messages"][2:]}
    assert results == {"call00001": "first", "call00002": "second"}


def test_one_call_that_cannot_be_read_keeps_all_from_running() -> None:
    for bad in (("nope", "{}"), ("read_state", "[1]"), ("finish_task", ""), ("read_state", '{"a":1}{"b":2}')):
        answer = answered(structured(("read_state", "{}"), bad))
        assert answer["tool_calls"] == [] and "None of your calls was run" in answer["problem"] and answer["text"]


def test_empty_arguments_become_an_empty_object_in_the_history() -> None:
    answer = answered(structured(("read_state", "")))
    body = rendered(USER, assistant(*answer["tool_calls"]), result("call_1"))
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_text_in_place_of_a_call_is_a_problem_unless_it_is_one() -> None:
    assert "called no tool" in answered(faults.reply("Let me think."))["problem"]
    recovered = answered(faults.reply('<tool_call>{"name": "read_state", "arguments": {}}</tool_call>'))
    assert recovered["recovered"] == "hermes" and recovered["tool_calls"][0]["name"] == "read_state"
    assert answered(faults.reply('{"name": "read_state", "arguments": {}}'))["recovered"] == "json_text"


def test_a_name_with_a_channels_or_a_namespaces_marks_is_the_tools_and_stays_so_in_the_history() -> None:
    for name in ("read_state<|channel|>commentary", "functions.read_state", "read_state:0"):
        answer = answered(structured((name, "{}")))
        assert [c["name"] for c in answer["tool_calls"]] == ["read_state"] and answer["recovered"]
    assert "Did you mean" in answered(structured(("read_State", "{}")))["problem"]


def test_calls_that_a_proxy_left_among_the_parts_of_the_content_are_calls() -> None:
    parts = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "x", "name": "read_state", "input": {"what": "1"}},
    ]
    answer = answered(faults.reply(parts))  # type: ignore[arg-type]
    assert [c["arguments"] for c in answer["tool_calls"]] == [{"what": "1"}]
    assert answer["recovered"] == "content_parts" and answer["text"] == "I look."


def test_the_text_layout_reads_the_same_names_and_arguments() -> None:
    writer = RequestWriter(TOOLS)
    writer.append(SYSTEM)
    writer.append(USER)
    for name, written, family in (
        ("read_state<|channel|>commentary", '{"what": "1"}', "tool_name"),
        ("functions.read_state", '"{\\"what\\": \\"1\\"}"', "encoded_arguments"),
        ("read_state", "{'what': '1'}", "python_arguments"),
    ):
        with FaultServer([structured((name, written))]) as server:
            backend = OpenAICompatBackend(server.url, "m", sleep=lambda seconds: None, timeout=5)
            answer = json.loads(backend.complete(writer.text()))
        assert [(c["name"], c["arguments"]) for c in answer["tool_calls"]] == [("read_state", {"what": "1"})]
        assert answer["recovered"] == family


def test_a_family_is_never_named_as_plain_json_text_is() -> None:
    assert "json_text" not in {family.name for family in FAMILIES}


def test_without_tools_none_are_sent() -> None:
    assert b"tools" not in NativeRenderer().render(json.dumps({"tools": [], "messages": [USER]})).members


TEXTS = st.text(max_size=20)
IDS = st.sampled_from(["a", "b", "c"])
MESSAGES = st.one_of(
    st.just(SYSTEM),
    st.builds(lambda text: {"role": "user", "content": text}, TEXTS),
    st.builds(
        lambda ids, text: assistant(*(call(i, what=text) for i in ids), content=text), st.lists(IDS, unique=True), TEXTS
    ),
    st.builds(result, IDS, TEXTS),
)


def check_history(messages: list[dict[str, Any]]) -> None:
    """What the strictest servers ask of a history."""
    seen: set[str] = set()
    pending: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in pending and isinstance(message["content"], str)
            pending.remove(message["tool_call_id"])
            continue
        assert not pending
        if message["role"] == "assistant":
            calls = message.get("tool_calls", [])
            assert calls or message["content"].strip()
            pending = [entry["id"] for entry in calls]
            assert not seen & set(pending) and all(re.fullmatch("[a-z0-9]{9}", each) for each in pending)
            seen |= set(pending)
            for entry in calls:
                assert isinstance(json.loads(entry["function"]["arguments"]), dict)
        else:
            assert isinstance(message["content"], str)
    assert not pending


@given(st.lists(st.lists(MESSAGES, max_size=4), min_size=1, max_size=4))
def test_every_history_is_valid_and_growing_equals_starting_anew(steps: list[list[dict[str, Any]]]) -> None:
    renderer = NativeRenderer()
    writer = RequestWriter(TOOLS)
    for step in steps:
        for message in step:
            writer.append(message)
        laid = renderer.render(writer.text())
        assert laid == NativeRenderer().render(writer.text())
        check_history(json.loads(b"{" + laid.members + b"}")["messages"])


@pytest.mark.parametrize(
    "arguments",
    ['{"what": "a", "what": "b"}', '{"what": NaN}', "not json", "[1]", '{"what": ' + "[" * 90 + "]" * 90 + "}"],
)
def test_what_is_wrong_with_a_call_is_told_in_words_of_this_layout(arguments: str) -> None:
    """Never to reply with one JSON object, which is the other layout's form."""
    problem = answered(structured(("read_state", arguments)))["problem"]
    assert (
        problem.endswith("None of your calls was run. Call one of the tools.")
        and "JSON object of the form" not in problem
    )
