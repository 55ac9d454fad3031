"""The `items_v1` layout, and that reading only what is new gives what reading everything gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.conversation import (
    LONGEST_SENT_BACK,
    ItemsRenderer,
    RequestReader,
    RequestWriter,
    render_items,
)

TOOL = {
    "name": "read_state",
    "description": "Tells your own state.",
    "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
}


def request(*messages: dict[str, Any], tools: tuple[dict[str, Any], ...] = (TOOL,)) -> str:
    return json.dumps({"tools": list(tools), "messages": list(messages)})


def call(identifier: str = "call_1", **arguments: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": identifier, "name": "read_state", "arguments": arguments}],
    }


SYSTEM = {"role": "system", "content": "You hold a wallet."}
USER = {"role": "user", "content": "Send it."}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": '{"balance": "1"}'}


def test_the_head_holds_the_system_text_the_tools_and_the_reply_rule() -> None:
    head, _ = render_items(request(SYSTEM, USER))
    assert head.startswith("You hold a wallet.")
    for part in (
        "read_state",
        "Tells your own state.",
        json.dumps(TOOL["parameters"]),
        "exactly one JSON object",
        '"arguments"',
    ):
        assert part in head


def test_items_alternate_and_a_call_is_its_one_json_object() -> None:
    _, items = render_items(request(SYSTEM, USER, call(what="all"), RESULT))
    assert [item["role"] for item in items] == ["user", "assistant", "user"]
    assert items[0]["content"] == "Send it."
    assert json.loads(items[1]["content"]) == {"name": "read_state", "arguments": {"what": "all"}}
    assert items[2]["content"] == 'Result of read_state:\n{"balance": "1"}'


def test_what_the_model_said_around_a_call_is_not_sent_back() -> None:
    said = {**call(), "content": "Let me look."}
    assert (
        render_items(request(SYSTEM, USER, said, RESULT))[1] == render_items(request(SYSTEM, USER, call(), RESULT))[1]
    )


def test_a_reply_that_was_no_call_is_sent_back_with_the_problem_after_it() -> None:
    wrong, problem = {"role": "assistant", "content": "Sure!"}, {"role": "user", "content": "No call."}
    _, items = render_items(request(SYSTEM, USER, wrong, problem))
    assert items[1:] == [{"role": "assistant", "content": "Sure!"}, {"role": "user", "content": "No call."}]


def test_neighbours_of_one_role_become_one_item() -> None:
    _, items = render_items(request(SYSTEM, USER, {"role": "user", "content": "Hurry."}, call()))
    assert items[0] == {"role": "user", "content": "Send it.\n\nHurry."} and len(items) == 2


def test_a_system_message_amid_the_conversation_leaves_the_head_as_it_was() -> None:
    later = {"role": "system", "content": "A note."}
    head, items = render_items(request(SYSTEM, USER, call(), RESULT, later))
    assert head == render_items(request(SYSTEM, USER))[0] and items[-1]["content"].endswith("A note.")


def test_a_long_reply_that_was_no_call_is_cut_and_an_empty_one_named() -> None:
    long = {"role": "assistant", "content": "x" * (LONGEST_SENT_BACK + 5)}
    empty = {"role": "assistant", "content": " "}
    _, items = render_items(request(SYSTEM, USER, long, USER, empty, USER))
    assert items[1]["content"] == "x" * LONGEST_SENT_BACK + " [5 more characters cut]"
    assert items[3]["content"] == "(an empty reply)"


def test_characters_that_servers_refuse_are_replaced_before_they_are_sent() -> None:
    renderer = ItemsRenderer()
    odd = "nul \x00 half \ud835 bell \x07 tab \t line \n done"
    _, rendering = renderer.render(request(SYSTEM, {"role": "user", "content": odd}, call(odd=odd)))
    assert rendering.items[0]["content"] == "nul \ufffd half \ufffd bell \ufffd tab \t line \n done"
    sent = json.loads(b"[" + rendering.encoded + b"]")
    assert "\ud835" not in json.dumps(sent, ensure_ascii=False) and sent[1:] == rendering.items


def test_keys_may_stand_in_any_order() -> None:
    turned = json.dumps({"messages": [SYSTEM, USER], "tools": [TOOL]})
    assert render_items(turned) == render_items(request(SYSTEM, USER))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"messages": 3}', "{"])
def test_what_is_no_request_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        render_items(text)


TEXTS = st.text(max_size=30)
MESSAGES = st.one_of(
    st.builds(lambda text: {"role": "user", "content": text}, TEXTS),
    st.builds(lambda text: {"role": "assistant", "content": text}, TEXTS),
    st.builds(lambda text: {"role": "system", "content": text}, TEXTS),
    st.builds(lambda text, n: call(f"call_{n}", what=text), TEXTS, st.integers(0, 3)),
    st.builds(lambda text, n: {"role": "tool", "tool_call_id": f"call_{n}", "content": text}, TEXTS, st.integers(0, 3)),
)
SPELLINGS = st.sampled_from(
    [
        lambda messages: json.dumps({"tools": [TOOL], "messages": messages}),
        lambda messages: json.dumps({"tools": [TOOL], "messages": messages}, separators=(",", ":"), ensure_ascii=False),
        lambda messages: json.dumps({"messages": messages, "tools": [TOOL]}),
        lambda messages: json.dumps({"tools": [TOOL], "messages": messages}, indent=1),
    ]
)


def as_plain(text: str) -> tuple[str, list[dict[str, str]]]:
    head, items = render_items(text)
    return head, [dict(item) for item in items]


@given(st.lists(st.lists(MESSAGES, max_size=4), min_size=1, max_size=5), SPELLINGS)
def test_rendering_as_it_grows_equals_rendering_it_whole(steps: list[list[dict[str, Any]]], spell: Any) -> None:
    """Over any growth, also where one conversation takes the place of another."""
    renderer = ItemsRenderer()
    messages: list[dict[str, Any]] = []
    for step in steps:
        messages = messages + step if len(step) != 3 else step
        text = spell(messages)
        _, rendering = renderer.render(text)
        head, items = as_plain(text)
        assert (rendering.head, rendering.items) == (head, items)
        assert json.loads(b"[" + rendering.encoded + b"]") == [{"role": "system", "content": head}, *items]
        assert rendering.turn == sum(message["role"] == "assistant" for message in messages)


@given(
    st.lists(MESSAGES, min_size=1, max_size=3),
    st.sampled_from(
        [
            ',{"role":"user","content":"more"}]}',
            ',{"role":"user","content":"a"},{"role":"user","content":"b"}]}',
            ',{"role":"user","content":"a"}],"tools":[{"name":"x"}]}',
            ',{"role":"user","content":"a"}],"messages":[]}',
            ",]}",
            ",3]}",
            "]}",
            ' , {"role":"user","content":"x"} ]}',
            '{"role":"user","content":"x"}]}',
            ',{"role":"user"',
        ]
    ),
    st.booleans(),
)
def test_a_reader_reads_every_continuation_as_a_fresh_one_does(
    messages: list[dict[str, Any]], tail: str, tools_last: bool
) -> None:
    """Also continuations that only look like ones."""
    known: dict[str, Any] = {"tools": [TOOL], "messages": messages}
    first = json.dumps(known) if not tools_last else json.dumps({"messages": messages, "tools": [TOOL]})
    second = first[:-2] + tail

    def outcome(reader: RequestReader) -> object:
        try:
            reading = reader.read(second)
        except ValueError:
            return "no request"
        return (list(reading.tools), list(reading.messages))

    used = RequestReader()
    used.read(first)
    assert outcome(used) == outcome(RequestReader())


def test_a_tool_list_at_the_end_is_not_taken_for_messages() -> None:
    """A repeated key leaves `messages` the last key of the object, but not the last of the text."""
    text = '{"tools":[],"messages":[{"role":"user","content":"a"}],"tools":[{"name":"x"}]}'
    reader = RequestReader()
    reader.read(text)
    longer = text[:-2] + ',{"name":"y"}]}'
    assert reader.read(longer).tools == [{"name": "x"}, {"name": "y"}]


def test_only_what_is_new_is_read_again() -> None:
    writer = RequestWriter([TOOL])
    writer.append(SYSTEM)
    writer.append(USER)
    reader = RequestReader()
    assert reader.read(writer.text()).kept == 0
    writer.append(call())
    writer.append(RESULT)
    assert reader.read(writer.text()).kept == 2


@given(st.lists(MESSAGES, max_size=6))
def test_a_writers_text_is_the_request_and_extends_the_one_before(messages: list[dict[str, Any]]) -> None:
    writer = RequestWriter([TOOL])
    before = writer.text()
    for message in messages:
        writer.append(message)
        text = writer.text()
        assert text.startswith(before[:-2]) and text.isascii()
        before = text
    assert json.loads(writer.text()) == {"tools": [TOOL], "messages": messages}
