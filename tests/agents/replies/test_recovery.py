"""Calls left in the text by each model family: recovered when clear, told to the model otherwise, never guessed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.replies.recovery import FAMILIES, recover
from nftbench.agents.replies.tool_arguments import Arguments, decoded_arguments
from nftbench.calls import Call, Found, Problem

SCHEMAS: dict[str, dict[str, Any]] = {
    "t": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array"}, "u": {}},
    },
    "finish_task": {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"]},
    "read_state": {"type": "object", "properties": {}},
}
N1 = Call("t", {"n": 1})

ONE_CALL = [
    ("hermes", '<tool_call>\n{"name":"t","arguments":{"n":1}}\n</tool_call>'),
    ("hermes", 'I look first.\n<tool_call>{"name":"t","arguments":{"n":1}}</tool_call>'),
    ("hermes", '<tool_call>{"name":"t","arguments":{"n":1}}'),
    ("llama", '<|python_start|>{"name":"t","parameters":{"n":1}}<|python_end|>'),
    ("llama", '<|python_tag|>{"name":"t","parameters":{"n":1}}<|eom_id|>'),
    ("llama", "<|python_tag|>t(n=1)<|eom_id|>"),
    ("llama", "<|python_start|>[t(n=1)]<|python_end|>"),
    ("mistral", '[TOOL_CALLS][{"name":"t","arguments":{"n":1}}]'),
    ("mistral", '[TOOL_CALLS]t[ARGS]{"n":1}'),
    ("mistral", '[TOOL_CALLS]t[CALL_ID]abc123[ARGS]{"n":1}'),
    ("mistral", '[TOOL_CALLS]t{"n":1}'),
    ("pythonic", "[t(n=1)]"),
    ("pythonic", "t(n=1)"),
    ("qwen_coder", "<function=t><parameter=n>1</parameter></function>"),
    ("qwen_coder", "<tool_call>\n<function=t>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>"),
    ("qwen_coder", '<function=t>{"n": 1}</function>'),
    (
        "dsml",
        '<\uff5cDSML\uff5cinvoke name="t"><\uff5cDSML\uff5cparameter name="n" string="false">'
        "1</\uff5cDSML\uff5cparameter></\uff5cDSML\uff5cinvoke>",
    ),
    (
        "dsml",
        "<\uff5cDSML\uff5cfunction_calls>\n"
        '<\uff5cDSML\uff5cinvoke name="t">\n<\uff5cDSML\uff5cparameter name="n" string="false">1</\uff5cDSML\uff5cparameter>\n'
        "</\uff5cDSML\uff5cinvoke>\n</\uff5cDSML\uff5cfunction_calls>",
    ),
    (
        "invoke",
        '<minimax:tool_call>\n<invoke name="t">\n<parameter name="n">1</parameter>\n</invoke>\n</minimax:tool_call>',
    ),
    ("glm", "<tool_call>t\n<arg_key>n</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"),
    (
        "deepseek",
        "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function<\uff5ctool\u2581sep\uff5c>t\n"
        '```json\n{"n": 1}\n```<\uff5ctool\u2581call\u2581end\uff5c><\uff5ctool\u2581calls\u2581end\uff5c>',
    ),
    (
        "deepseek",
        "<\uff5ctool\u2581call\u2581begin\uff5c>t<\uff5ctool\u2581sep\uff5c>"
        '{"n": 1}<\uff5ctool\u2581call\u2581end\uff5c>',
    ),
    (
        "kimi",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.t:0<|tool_call_argument_begin|>"
        '{"n": 1}<|tool_call_end|><|tool_calls_section_end|>',
    ),
    ("cohere", '<|START_ACTION|>[{"tool_call_id":"0","tool_name":"t","parameters":{"n":1}}]<|END_ACTION|>'),
    ("granite", '<|tool_call|>[{"name":"t","arguments":{"n":1}}]'),
    ("lfm", "<|tool_call_start|>[t(n=1)]<|tool_call_end|>"),
    ("nemotron", '<TOOLCALL>[{"name":"t","arguments":{"n":1}}]</TOOLCALL>'),
    ("jamba", '<tool_calls>[{"name":"t","arguments":{"n":1}}]</tool_calls>'),
    ("olmo", "<function_calls>t(n=1)</function_calls>"),
    ("functools", 'functools[{"name":"t","arguments":{"n":1}}]'),
    ("gemma", "```tool_code\nt(n=1)\n```"),
    ("fenced", '```json\n{"name":"t","arguments":{"n":1}}\n```'),
    ("", '{"name":"t","arguments":{"n":1}}'),
]


@pytest.mark.parametrize(("family", "text"), ONE_CALL, ids=[f"{family}-{n}" for n, (family, _) in enumerate(ONE_CALL)])
def test_one_whole_call_is_recovered_and_its_family_named(family: str, text: str) -> None:
    assert recover(text, SCHEMAS) == Found(N1, family)


@pytest.mark.parametrize(("family", "text"), ONE_CALL, ids=[f"{family}-{n}" for n, (family, _) in enumerate(ONE_CALL)])
def test_twice_the_same_block_is_no_call(family: str, text: str) -> None:
    assert isinstance(recover(f"{text}\n{text}", SCHEMAS), Problem)


@pytest.mark.parametrize(("family", "text"), ONE_CALL, ids=[f"{family}-{n}" for n, (family, _) in enumerate(ONE_CALL)])
def test_a_tool_that_does_not_exist_is_told(family: str, text: str) -> None:
    others = {"finish_task": SCHEMAS["finish_task"]}
    assert isinstance(recover(text, others), Problem)


@pytest.mark.parametrize(("family", "text"), ONE_CALL, ids=[f"{family}-{n}" for n, (family, _) in enumerate(ONE_CALL)])
def test_a_block_cut_anywhere_never_runs_with_other_arguments(family: str, text: str) -> None:
    """Only markup after the arguments may be missing; and where a notation has no end, all after the tool's name: that a
    reply broke off is told by its finish reason."""
    for length in range(len(text)):
        found = recover(text[:length], SCHEMAS)
        bare = family == "mistral" and re.fullmatch(
            r"(?:\[TOOL_CALLS\])?\s*t\s*(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?", text[:length]
        )
        assert isinstance(found, Problem) or found.call == N1 or (bare and found.call == Call("t", {}))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<function=t><parameter=s>1</parameter></function>", {"s": "1"}),
        ("<function=t><parameter=u>1</parameter></function>", {"u": "1"}),
        ("<function=t><parameter=n>01x</parameter></function>", {"n": "01x"}),
        ('<function=t><parameter=l>["a", 2]</parameter></function>', {"l": ["a", 2]}),
        ("<function=t><parameter=s>a\nb</parameter><parameter=n>2</parameter></function>", {"s": "a\nb", "n": 2}),
        ('<invoke name="t"><parameter name="n" string="true">1</parameter></invoke>', {"n": "1"}),
        ('<invoke name="t"><parameter name="s" string="false">1</parameter></invoke>', {"s": 1}),
        ('t(s="a", n=-1, l=[True, None, {"k": 1.5}])', {"s": "a", "n": -1, "l": [True, None, {"k": 1.5}]}),
    ],
)
def test_the_type_of_a_value_follows_the_markup_then_the_schema(text: str, arguments: dict[str, Any]) -> None:
    found = recover(text, SCHEMAS)
    assert isinstance(found, Found) and found.call == Call("t", arguments)


@pytest.mark.parametrize(
    "text",
    [
        "<function=finish_task></function>",
        "finish_task()",
        "[finish_task()]",
        '<invoke name="finish_task"></invoke>',
        "t(1)",
        "t(**{})",
        "t(n=open('x'))",
        "t(n=1, n=2)",
        't(n={"k": 1, "k": 2})',
        "[t(n=1), t(n=2)]",
        "t(n=b'x')",
        "t(n={1: 2})",
        "<function=t><parameter=n>1</parameter><parameter=n>2</parameter></function>",
        "<function=t>stray<parameter=n>1</parameter></function>",
        "<function=t><parameter=n>1</parameter></function><function=t>",
        '<function=t><parameter=n>1</parameter></function> {"name":"t","arguments":{"n":2}}',
        '<tool_call>{"name":"t","arguments":{"n":1,"n":2}}</tool_call>',
        "[TOOL_CALLS]",
        "import os",
        "t(n=" + "(" * 200 + "1" + ")" * 200 + ")",
    ],
)
def test_what_is_not_clear_is_not_run(text: str) -> None:
    assert isinstance(recover(text, SCHEMAS), Problem)


def test_a_tool_without_parameters_may_be_called_with_none() -> None:
    assert recover("<function=read_state></function>", SCHEMAS) == Found(Call("read_state", {}), "qwen_coder")
    assert recover("read_state()", SCHEMAS) == Found(Call("read_state", {}), "pythonic")


def test_marks_inside_the_strings_of_a_call_are_data() -> None:
    text = '{"name":"finish_task","arguments":{"summary":"<tool_call> and <function=t> and [TOOL_CALLS]"}}'
    assert isinstance(recover(text, SCHEMAS), Found)


PIECES = st.sampled_from(
    [text for _, text in ONE_CALL]
    + [family.sign.pattern.replace("\\", "") for family in FAMILIES]
    + ["{", "}", "[", "]", "(", ")", '"', "\n", "prose ", "</function>", "</invoke>", "<parameter=n>", "\ud800", "t(n="]
)


@given(st.lists(PIECES, max_size=8).map("".join) | st.text())
def test_no_text_crashes_and_only_known_tools_are_called(text: str) -> None:
    found = recover(text, SCHEMAS)
    if isinstance(found, Found):
        assert found.call.name in SCHEMAS


@pytest.mark.parametrize(
    "text",
    [
        "<function=t>" * 50_000,
        "<invoke name=" * 50_000,
        "<tool_call>t<arg_key>" * 30_000,
        "[TOOL_CALLS]t{" * 30_000,
        "<\uff5ctool\u2581call\u2581begin\uff5c>t" * 20_000,
        "t(" * 9_000 + ")" * 9_000,
        "[" * 500_000,
        '{"a":' * 100_000,
    ],
)
def test_hostile_repetition_is_refused_quickly(text: str) -> None:
    assert isinstance(recover(text, SCHEMAS), Problem)


@pytest.mark.parametrize(
    ("given_arguments", "expected"),
    [
        ({"n": 1}, Arguments({"n": 1})),
        ('{"n": 1}', Arguments({"n": 1})),
        ('  {"n": 1}\n', Arguments({"n": 1})),
        ("", Arguments({}, "empty_arguments")),
        (None, Arguments({}, "empty_arguments")),
        ('{"p":1}"', Arguments({"p": 1}, "trailed_arguments")),
        ('{"p":1}""', Arguments({"p": 1}, "trailed_arguments")),
        ('```json\n{"p":1}\n```', Arguments({"p": 1}, "fenced_arguments")),
        ('json\n{"p":1}', Arguments({"p": 1}, "fenced_arguments")),
        ('"{\\"p\\": 1}"', Arguments({"p": 1}, "encoded_arguments")),
        ('{"p":1}<|im_end|>', Arguments({"p": 1}, "trailed_arguments")),
        ('{"p":1}\n</tool_call>', Arguments({"p": 1}, "trailed_arguments")),
        ("{'p': 'it\\'s', 'q': True, 'r': None}", Arguments({"p": "it's", "q": True, "r": None}, "python_arguments")),
        ('{"p": [1, 2,], "q": true,}', Arguments({"p": [1, 2], "q": True}, "python_arguments")),
        ("null", Arguments({}, "empty_arguments")),
        ('""', Arguments({}, "empty_arguments")),
    ],
)
def test_arguments_of_a_structured_call_are_read_in_every_form(given_arguments: object, expected: Arguments) -> None:
    assert decoded_arguments(given_arguments, SCHEMAS["t"]) == expected


@pytest.mark.parametrize(
    "given_arguments",
    [
        '{"p":1}{"p":2}',
        '{"p":1} and prose',
        '{}{"p":1}',
        '{"p":1}}',
        "{'p': 1} {'p': 2}",
        "{'p': 1, 'p': 2}",
        "{'p': f'{1}'}",
        "{'p': open('x')}",
        "{'p': '\\x41'}",
        '{"p": "C:\\dir"}',
        "{'p': 1",
        '"\\"text\\""',
        '[{"p":1}]',
        '{"p":1,"p":2}',
        '{"p":',
        "[1]",
        "7",
        "text",
        [],
        7,
        True,
        '{"a":' * 100 + "1" + "}" * 100,
    ],
)
def test_arguments_that_are_not_clear_are_a_problem(given_arguments: object) -> None:
    assert isinstance(decoded_arguments(given_arguments, SCHEMAS["t"]), Problem)


@pytest.mark.parametrize("nothing", ["", None, "  "])
def test_no_arguments_are_none_only_for_a_tool_that_needs_none(nothing: object) -> None:
    assert isinstance(decoded_arguments(nothing, SCHEMAS["finish_task"]), Problem)
    assert decoded_arguments(nothing, None) == Arguments({}, "empty_arguments")
