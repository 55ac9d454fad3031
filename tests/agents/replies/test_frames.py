"""A notation is known by its frame, not by its arguments: every family with no, one and three arguments, after prose or alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from nftbench.agents.replies.message import Reply, read_message
from nftbench.agents.replies.recovery import FAMILIES, recover
from nftbench.agents.replies.tool_arguments import decoded_arguments
from nftbench.agents.verdicts.completions import judge_completion
from nftbench.agents.verdicts.verdict import Asked
from nftbench.agents.wire.transport import Outcome
from nftbench.calls import LONGEST_REPLY, Call, Found, Problem

Arguments = dict[str, Any]
Writer = Callable[[str, Arguments], str]
SCHEMAS: dict[str, Arguments] = {
    "wait": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array"}},
    },
    "read_state": {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}, "l": {"type": "array"}},
    },
    "send": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
}
ARGUMENTS: list[Arguments] = [{}, {"n": 7}, {"n": 7, "s": "a word", "l": [1, "x"]}]
BAR = "\uff5c"


def as_object(name: str, given: Arguments, called: str = "name", held: str = "arguments") -> str:
    return json.dumps({called: name, held: given})


def as_python(name: str, given: Arguments) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def as_tags(given: Arguments, tag: str) -> str:
    return "".join(
        tag.format(key=key, value=value if isinstance(value, str) else json.dumps(value))
        for key, value in given.items()
    )


def kimi(name: str, rest: str) -> str:
    return f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0{rest}<|tool_call_end|><|tool_calls_section_end|>"


def plamo(name: str, given: str) -> str:
    begun, ended = "<|plamo:begin_tool_", ":plamo|>"
    arguments = f"{begun}arguments{ended}<|plamo:constrain|>json<|plamo:msg|>{given}<|plamo:end_tool_arguments{ended}"
    named = f"{begun}request{ended}{begun}name{ended}{name}<|plamo:end_tool_name{ended}"
    return f"{named}{arguments if given else ''}<|plamo:end_tool_request{ended}"


def gemma(value: Any) -> str:
    if isinstance(value, str):
        return f'<|"|>{value}<|"|>'
    if isinstance(value, list):
        return f"[{','.join(map(gemma, value))}]"
    return json.dumps(value)


def gemma_object(given: Arguments) -> str:
    return "{" + ",".join(f"{key}:{gemma(value)}" for key, value in given.items()) + "}"


INVOKE = '<parameter name="{key}">{value}</parameter>'
WRITERS: dict[str, list[Writer]] = {
    "dsml": [
        lambda name, given: (
            f'<{BAR}DSML{BAR}function_calls><{BAR}DSML{BAR}invoke name="{name}">'
            + as_tags(given, f'<{BAR}DSML{BAR}parameter name="{{key}}">{{value}}</{BAR}DSML{BAR}parameter>')
            + f"</{BAR}DSML{BAR}invoke></{BAR}DSML{BAR}function_calls>"
        )
    ],
    "kimi": [
        lambda name, given: kimi(name, f"<|tool_call_argument_begin|>{json.dumps(given)}"),
        lambda name, given: kimi(name, f"<|tool_call_argument_begin|>{json.dumps(given) if given else ''}"),
        lambda name, given: kimi(name, f"<|tool_call_argument_begin|>{json.dumps(given)}" if given else ""),
    ],
    "step": [
        lambda name, given: (
            f'<{BAR}tool_calls_begin{BAR}><{BAR}tool_call_begin{BAR}>function<{BAR}tool_sep{BAR}><steptml:invoke name="{name}">'
            + as_tags(given, '<steptml:parameter name="{key}">{value}</steptml:parameter>')
            + f"</steptml:invoke><{BAR}tool_call_end{BAR}><{BAR}tool_calls_end{BAR}>"
        )
    ],
    "deepseek": [
        lambda name, given: (
            f"<{BAR}tool\u2581calls\u2581begin{BAR}><{BAR}tool\u2581call\u2581begin{BAR}>{name}"
            f"<{BAR}tool\u2581sep{BAR}>{json.dumps(given) if given else ''}"
            f"<{BAR}tool\u2581call\u2581end{BAR}><{BAR}tool\u2581calls\u2581end{BAR}>"
        ),
        lambda name, given: (
            f"<{BAR}tool\u2581call\u2581begin{BAR}>function<{BAR}tool\u2581sep{BAR}>{name}\n```json\n"
            f"{json.dumps(given)}\n```<{BAR}tool\u2581call\u2581end{BAR}>"
        ),
    ],
    "mistral": [
        lambda name, given: f"[TOOL_CALLS]{name}{json.dumps(given) if given else ''}",
        lambda name, given: f"[TOOL_CALLS]{name}[ARGS]{json.dumps(given) if given else ''}</s>",
        lambda name, given: f"[TOOL_CALLS][{as_object(name, given)}]",
        lambda name, given: f"[TOOL_CALLS]{name}[CALL_ID]a1b2c3d4e[ARGS]{json.dumps(given)}",
    ],
    "llama": [
        lambda name, given: f"<|python_tag|>{as_object(name, given, held='parameters')}<|eom_id|>",
        lambda name, given: f"<|python_start|>[{as_python(name, given)}]<|python_end|>",
    ],
    "qwen_coder": [
        lambda name, given: (
            f"<tool_call>\n<function={name}>\n{as_tags(given, '<parameter={key}>{value}</parameter>')}\n</function>\n</tool_call>"
        ),
        lambda name, given: f"<function={name}>{json.dumps(given) if given else ''}</function>",
        lambda name, given: f'<function name="{name}">{as_tags(given, "<param name={key}>{value}</param>")}</function>',
    ],
    "glm": [
        lambda name, given: (
            f"<tool_call>{name}\n{as_tags(given, '<arg_key>{key}</arg_key><arg_value>{value}</arg_value>')}</tool_call>"
        ),
        lambda name, given: (
            f"<longcat_tool_call>{name}"
            + as_tags(given, "<longcat_arg_key>{key}</longcat_arg_key><longcat_arg_value>{value}</longcat_arg_value>")
            + "</longcat_tool_call>"
        ),
        lambda name, given: (
            f"<tool_calls:x7><tool_call:x7>{name}"
            + as_tags(given, "<arg_key:x7>{key}</arg_key:x7><arg_value:x7>{value}</arg_value:x7>")
            + "</tool_call:x7></tool_calls:x7>"
        ),
    ],
    "minimax": [
        lambda name, given: (
            f']<]minimax[>[<invoke name="{name}">'
            + as_tags(given, "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>")
            + "]<]minimax[>[</invoke>"
        )
    ],
    "invoke": [
        lambda name, given: (
            f'<minimax:tool_call><invoke name="{name}">{as_tags(given, INVOKE)}</invoke></minimax:tool_call>'
        ),
        lambda name, given: (
            f'<function_calls><invoke name="{name}">{as_tags(given, INVOKE)}</invoke></function_calls>'
            if given
            else f'<invoke name="{name}"/>'
        ),
    ],
    "hermes": [
        lambda name, given: f"<tool_call>\n{as_object(name, given)}\n</tool_call>",
        lambda name, given: f"<tool_call>{as_object(name, given) if given else json.dumps({'name': name})}</tool_call>",
        lambda name, given: (
            f"<tool_call>{json.dumps({'name': name, 'arguments': json.dumps(given) if given else ''})}</tool_call>"
        ),
        lambda name, given: f"<tool_call>{json.dumps({'name': name, 'arguments': given or None})}</tool_call>",
    ],
    "cohere": [
        lambda name, given: f"<|START_ACTION|>[{as_object(name, given, 'tool_name', 'parameters')}]<|END_ACTION|>",
        lambda name, given: f"Action: ```json\n[{as_object(name, given, 'tool_name', 'parameters')}]\n```",
    ],
    "granite": [
        lambda name, given: f"<|tool_call|>[{as_object(name, given)}]",
        lambda name, given: f"<function_call> {as_object(name, given)}",
    ],
    "lfm": [lambda name, given: f"<|tool_call_start|>[{as_python(name, given)}]<|tool_call_end|>"],
    "nemotron": [
        lambda name, given: f"<TOOLCALL>[{as_object(name, given)}]</TOOLCALL>",
        lambda name, given: f"<TOOLCALL>[{as_python(name, given)}]</TOOLCALL>",
    ],
    "jamba": [lambda name, given: f"<tool_calls>[\n{as_object(name, given)}\n]</tool_calls>"],
    "olmo": [lambda name, given: f"<function_calls>\n{as_python(name, given)}\n</function_calls>"],
    "functools": [lambda name, given: f"functools[{as_object(name, given)}]"],
    "gemma": [
        lambda name, given: f"```tool_code\n{as_python(name, given)}\n```",
        lambda name, given: f"```tool_code\nprint(default_api.{as_python(name, given)})\n```",
    ],
    "gemma_call": [
        lambda name, given: f"<|tool_call>call:{name}{gemma_object(given)}<tool_call|>",
        lambda name, given: (
            f"<start_function_call>call:{name}{gemma_object(given) if given else ''}<end_function_call>"
        ),
    ],
    "internlm": [
        lambda name, given: f"<|action_start|><|plugin|>\n{as_object(name, given, held='parameters')}<|action_end|>"
    ],
    "gigachat": [
        lambda name, given: f"function call<|role_sep|>\n{as_object(name, given)}",
        lambda name, given: f"<|function_call|>{as_object(name, given)}",
    ],
    "inkling": [
        lambda name, given: f"<|content_invoke_tool_json|>{as_object(name, given, held='args')}<|end_message|>"
    ],
    "longcat": [lambda name, given: f"<longcat_tool_call>{as_object(name, given)}</longcat_tool_call>"],
    "apertus": [lambda name, given: f"<|tools_prefix|>[{json.dumps({name: given})}]<|tools_suffix|>"],
    "plamo": [
        lambda name, given: plamo(name, json.dumps(given)),
        lambda name, given: plamo(name, json.dumps(given) if given else ""),
    ],
    "kimi_xtml": [
        lambda name, given: (
            f'<|open|>tools<|sep|><|open|>call tool="{name}" index="1"<|sep|>'
            + "".join(
                f'<|open|>argument key="{key}" type="{"string" if isinstance(value, str) else "object"}"<|sep|>'
                f"{value if isinstance(value, str) else json.dumps(value)}<|close|>argument<|sep|>"
                for key, value in given.items()
            )
            + "<|close|>call<|sep|><|close|>tools<|sep|>"
        )
    ],
    "functionary": [
        lambda name, given: f"<|recipient|>{name}\n<|content|>{json.dumps(given) if given else ''}<|stop|>"
    ],
    "react": [
        lambda name, given: f"Thought: look\nAction: {name}\nAction Input: {json.dumps(given) if given else ''}",
        lambda name, given: (
            f"Action: {name}\nAction Input:{' ' + json.dumps(given) if given else ''}\nObservation: fine"
        ),
        lambda name, given: f"Action: {name}\nAction Input: {json.dumps(given)}" if given else f"Action: {name}",
    ],
}
CASES = [
    (family, number, given)
    for family, written in WRITERS.items()
    for number in range(len(written))
    for given in ARGUMENTS
]
PROSE = ["", "I will look at it first.\n", "Let me see who owns it (it may be Alice's):\n\n"]


def test_every_family_is_written() -> None:
    assert set(WRITERS) == {family.name for family in FAMILIES}


@pytest.mark.parametrize(("family", "number", "given"), CASES, ids=[f"{f}-{n}-{len(g)}" for f, n, g in CASES])
@pytest.mark.parametrize("name", ["wait", "read_state"])
def test_a_call_is_known_by_its_frame(family: str, number: int, given: Arguments, name: str) -> None:
    for prose in PROSE:
        text = prose + WRITERS[family][number](name, given)
        found = recover(text, SCHEMAS)
        assert isinstance(found, Found), (text, found)
        assert found.call == Call(name, given), text


@pytest.mark.parametrize(
    ("family", "number"), [(family, n) for family, written in WRITERS.items() for n in range(len(written))]
)
def test_a_frame_around_a_name_that_is_no_tool_runs_nothing(family: str, number: int) -> None:
    for given in ARGUMENTS:
        found = recover(WRITERS[family][number]("transfer_everything", given), SCHEMAS)
        assert isinstance(found, Problem)


@pytest.mark.parametrize(
    ("family", "number"), [(family, n) for family, written in WRITERS.items() for n in range(len(written))]
)
def test_a_tool_that_needs_arguments_is_never_run_with_none_without_a_word(family: str, number: int) -> None:
    """Either the model is told at once, or the call goes to the tool, which tells it."""
    found = recover(WRITERS[family][number]("send", {}), SCHEMAS)
    assert isinstance(found, Problem) or found.call == Call("send", {})


UNFRAMED: list[Writer] = [
    lambda name, given: json.dumps({"name": name, "arguments": given}),
    lambda name, given: json.dumps({"name": name, "arguments": json.dumps(given) if given else ""}),
    lambda name, given: json.dumps({"name": name, "arguments": given or None}),
    lambda name, given: json.dumps({"name": name, "parameters": given or None}),
    lambda name, given: json.dumps({"tool": name, "args": given or None}),
    lambda name, given: json.dumps({"type": "function", "function": {"name": name, "arguments": given or ""}}),
    lambda name, given: json.dumps({"name": name, "arguments": given} if given else {"name": name}),
    lambda name, given: json.dumps({name: given}),
    lambda name, given: f"[{as_python(name, given)}]",
    as_python,
]


@pytest.mark.parametrize("number", range(len(UNFRAMED)))
@pytest.mark.parametrize("given", ARGUMENTS, ids=len)
def test_calls_without_a_frame_need_no_arguments_either(number: int, given: Arguments) -> None:
    found = recover(UNFRAMED[number]("wait", given), SCHEMAS)
    assert isinstance(found, Found) and found.call == Call("wait", given), UNFRAMED[number]("wait", given)


def test_calls_as_a_list_may_stand_after_prose() -> None:
    for given in ARGUMENTS:
        found = recover(f"I will look first.\n[{as_python('wait', given)}]", SCHEMAS)
        assert isinstance(found, Found) and found.call == Call("wait", given)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I would wait.",
            "The action is wait",
            "wait",
            "Use <tool_call> for calls.",
            'An object: {"name": "wait"} as an example',
        ),
        *(
            "My next Action: is to look",
            "I can call [wait] or (wait)",
            "see wait() for more",
            "[TOOL_CALLS] I need no tool.",
        ),
    ],
)
def test_a_tools_name_in_prose_is_no_call(text: str) -> None:
    assert isinstance(recover(text, SCHEMAS), Problem)


@pytest.mark.parametrize("given", [{}, {"n": 7}])
@pytest.mark.parametrize("empty", ["", "{}", " "])
def test_a_channel_with_a_recipient_is_a_call(given: Arguments, empty: str) -> None:
    body = json.dumps(given) if given else empty
    call = f"<|start|>assistant<|channel|>commentary to=functions.wait<|message|>{body}<|call|>"
    text = f"<|channel|>analysis<|message|>hm<|end|>{call}"
    reply = read_message({"content": text})
    assert isinstance(reply, Reply) and [call.name for call in reply.calls] == ["wait"]


@pytest.mark.parametrize("arguments", ["", None, "{}", {}, "null", " "])
def test_a_structured_call_needs_no_arguments(arguments: Any) -> None:
    message = {"content": None, "tool_calls": [{"id": "a", "function": {"name": "wait", "arguments": arguments}}]}
    body = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
    reply = judge_completion(body, Outcome(200, {}, json.dumps(body)), Asked("m")).reply
    assert reply is not None and [call.name for call in reply.calls] == ["wait"]


def test_arguments_longer_than_any_reply_are_told_to_be_so() -> None:
    problem = decoded_arguments('{"s": "' + "x" * LONGEST_REPLY + '"}', SCHEMAS["wait"])
    assert isinstance(problem, Problem) and "too long" in problem.text
