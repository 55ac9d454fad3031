"""Calls in reply texts: what is taken, what is told to the model, and that nothing is ever guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.calls import DEEPEST_ARGUMENTS, Call, Found, Problem, find_call, nests_deeper, parse_call

TOOLS = ("read_state", "send_transaction", "finish_task")
SEND = {"name": "send_transaction", "arguments": {"function": "transfer", "amount": "7"}}
SEND_TEXT = json.dumps(SEND)
CALL = Call("send_transaction", {"function": "transfer", "amount": "7"})

TAKEN = [
    ("as asked", SEND_TEXT, ""),
    ("blanks around", f"\n  {SEND_TEXT}\n", ""),
    ("further keys beside", json.dumps({"thought": "now", **SEND}), ""),
    ("a fence with a language", f"```json\n{SEND_TEXT}\n```", "fenced"),
    ("a bare fence", f"```\n{SEND_TEXT}\n```", "fenced"),
    ("prose before and after", f"I transfer it.\n{SEND_TEXT}\nThen I am done [1].", "prose"),
    ("a shell fence before a json fence", f"```bash\nls\n```\n```json\n{SEND_TEXT}\n```", "prose"),
    ("a JSON example that is no call beside it", f'The state is {{"balance": 1}}. {SEND_TEXT}', "prose"),
    ("braces of prose beside it", f"The set {{1, 2}} is empty. {SEND_TEXT}", "prose"),
    ("stray quotes after it", SEND_TEXT + '"', "prose"),
    ("a list of one", f"[{SEND_TEXT}]", "prose"),
    ("parameters for arguments", json.dumps({"name": SEND["name"], "parameters": SEND["arguments"]}), "parameters"),
    ("the function form of chat servers", json.dumps({"type": "function", "function": SEND}), "openai_json"),
    ("arguments as text", json.dumps({**SEND, "arguments": json.dumps(SEND["arguments"])}), "string_arguments"),
]
REFUSED = [
    ("nothing", "", "empty"),
    ("blanks", " \n\t", "empty"),
    ("prose", "I would send it now.", "no call"),
    ("two calls in a row", SEND_TEXT + SEND_TEXT, "2 calls"),
    ("the same call twice", f"{SEND_TEXT}\n{SEND_TEXT}", "2 calls"),
    ("a list of two", f"[{SEND_TEXT}, {SEND_TEXT}]", "2 calls"),
    ("a call beside one of an unknown tool", f'{SEND_TEXT} {{"name": "x", "arguments": {{}}}}', "2 calls"),
    ("an unknown tool", '{"name": "read_stat", "arguments": {}}', "read_state"),
    ("a tool with another case", '{"name": "Read_State", "arguments": {}}', "no tool"),
    ("a key twice at the top", '{"name": "read_state", "name": "finish_task", "arguments": {}}', "same key twice"),
    ("a key twice in the arguments", '{"name": "finish_task", "arguments": {"a": 1, "a": 2}}', "same key twice"),
    ("a key twice amid prose", 'So: {"name": "finish_task", "arguments": {"a": 1, "a": 2}}.', "same key twice"),
    ("no arguments", '{"name": "read_state"}', "arguments"),
    ("no name", '{"arguments": {}}', "name"),
    ("arguments in a list", '{"name": "read_state", "arguments": []}', "one JSON object"),
    ("both kinds of arguments", '{"name": "read_state", "arguments": {}, "parameters": {}}', "both"),
    ("a name that is no text", '{"name": 7, "arguments": {}}', "name"),
    ("cut at the end", SEND_TEXT[:-2], "cut off"),
    ("a call inside a cut object", f'{{"plan": [{SEND_TEXT}, ', "cut off"),
    ("a call inside an object", f'{{"plan": {SEND_TEXT}}}', "no call"),
    ("a call inside broken JSON", f"{{plan: {SEND_TEXT}}}", "no call"),
    ("not a number", '{"name": "read_state", "arguments": {"a": NaN}}', "NaN"),
    ("an infinite number", '{"name": "read_state", "arguments": {"a": 1e999}}', "NaN"),
    ("a number too long to convert", '{"name": "read_state", "arguments": {"a": %s}}' % ("9" * 5000), ""),
    ("too deep arguments", '{"name": "read_state", "arguments": {"a": %s1%s}}' % ("[" * 80, "]" * 80), "levels deep"),
    ("deep enough to crash parsers", '{"a":' * 100_000, "cut off"),
    ("brackets without end", "[" * 100_000, "no call"),
    ("megabytes", "x" * 2_000_000, "too long"),
]


@pytest.mark.parametrize(("text", "family"), [case[1:] for case in TAKEN], ids=[case[0] for case in TAKEN])
def test_one_clear_call_is_taken_and_its_form_named(text: str, family: str) -> None:
    assert find_call(text, TOOLS) == Found(CALL, family)
    assert parse_call(text, TOOLS) == CALL


@pytest.mark.parametrize(("text", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_everything_else_is_a_sentence_for_the_model(text: str, words: str) -> None:
    problem = parse_call(text, TOOLS)
    assert isinstance(problem, str) and words in problem and len(problem) < 600


def test_raw_line_ends_inside_strings_are_let_through() -> None:
    text = '{"name": "finish_task", "arguments": {"summary": "one\ntwo\ttabbed"}}'
    assert parse_call(text, TOOLS) == Call("finish_task", {"summary": "one\ntwo\ttabbed"})


def test_lone_surrogates_and_control_characters_reach_the_arguments() -> None:
    text = '{"name": "finish_task", "arguments": {"summary": "half \\ud835 nul \\u0000"}}'
    assert parse_call(text, TOOLS) == Call("finish_task", {"summary": "half \ud835 nul \x00"})


def test_where_no_tools_are_declared_any_name_may_be_called() -> None:
    assert parse_call(SEND_TEXT, ()) == CALL


@pytest.mark.parametrize(("levels", "deeper"), [(DEEPEST_ARGUMENTS, False), (DEEPEST_ARGUMENTS + 1, True)])
def test_depth_counts_lists_and_objects(levels: int, deeper: bool) -> None:
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"inner": value}
    assert nests_deeper(value, DEEPEST_ARGUMENTS) is deeper


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PIECES = st.sampled_from(
    [
        SEND_TEXT,
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
        "```json\n",
        "```",
        "<tool_call>",
        '{"name":',
        "prose ",
        "\ud800",
        "\x00",
        ",",
    ]
)


@given(st.dictionaries(st.text(max_size=8), JSON_VALUES, max_size=4), st.sampled_from(TOOLS))
def test_any_arguments_written_as_asked_come_back_unchanged(arguments: dict[str, object], name: str) -> None:
    assert parse_call(json.dumps({"name": name, "arguments": arguments}), TOOLS) == Call(name, arguments)


@given(st.text() | st.lists(PIECES, max_size=12).map("".join))
def test_no_text_crashes_and_a_call_stands_in_it_whole(text: str) -> None:
    found = find_call(text, TOOLS)
    if isinstance(found, Problem):
        assert found.text
    else:
        assert found.call.name in TOOLS and f'"{found.call.name}"' in text


@given(st.lists(PIECES, max_size=6).map("".join), st.integers(1, len(SEND_TEXT) - 1))
def test_a_call_cut_anywhere_is_never_run(before: str, length: int) -> None:
    cut = SEND_TEXT[:length]
    found = find_call(before.replace(SEND_TEXT, "").replace('{"name":', "") + cut, TOOLS)
    assert isinstance(found, Problem)
