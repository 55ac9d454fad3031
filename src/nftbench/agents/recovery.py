"""Tool calls that a server left in the text, in the markup of a model's family.

One table of families: the sign that tells it, and the reader of its blocks. A call is recovered only when the text holds
exactly one, whole, of a tool that exists; everything else is a Problem for the model. Texts without any sign go to
`calls.find_call`. Each recovery names its family, so that reports can count it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from msgspec import Struct

from nftbench.agents.pythonic import python_calls
from nftbench.agents.tool_arguments import Arguments, decoded_arguments
from nftbench.calls import (
    LONGEST_REPLY,
    Call,
    Found,
    Problem,
    as_call,
    decode,
    find_call,
    is_tool,
    objects_in,
    unknown_tool,
)

Schemas = dict[str, dict[str, Any]]
Read = tuple[str, object]
"""A block as read: the tool's name and its arguments (an object, JSON text, or Parameters)."""


class Parameters(Struct, frozen=True):
    """Arguments given one by one as text: (name, text, and whether it is said to be a string; None where nothing is said)."""

    given: tuple[tuple[str, str, bool | None], ...]


class Family(Struct, frozen=True):
    """A model family's way of writing calls. `read` gives the blocks of a text, or a Problem where one of them is broken."""

    name: str
    sign: re.Pattern[str]
    read: Callable[[str], list[Read] | Problem]


_BROKEN = Problem("The call in your reply is broken or was cut off. Nothing was run.")
_WRAPPERS = re.compile(
    r"</?tool_calls?>|</?TOOLCALL>|<\|/?tool_call\|>|<\|python_(?:start|end|tag)\|>|<\|e(?:om|ot)_id\|>|\[/?TOOL_CALLS\]"
    r"|<\|(?:START|END)_ACTION\|>|<\|tool_call_(?:start|end)\|>|</?function_calls>|</s>|<\|im_end\|>"
)
_INVOKE_PREFIX = re.compile(r"(</?)(?:[|\uff5c]?DSML[|\uff5c]|\w+:)(?=invoke|parameter)")
_INVOKE = re.compile(r'<invoke\s+name="([^"<>]+)"\s*>(.*?)</invoke>', re.DOTALL)
_INVOKE_PARAMETER = re.compile(
    r'<parameter\s+name="([^"<>]+)"(?:\s+string="(true|false)")?\s*>(.*?)</parameter>', re.DOTALL
)
_FUNCTION = re.compile(r"<function=([^<>\s]+)>(.*?)</function>", re.DOTALL)
_FUNCTION_PARAMETER = re.compile(r"<parameter=([^<>\s]+)>(.*?)</parameter>", re.DOTALL)
_GLM = re.compile(r"<tool_call>\s*([\w.-]+)\s*(.*?)</tool_call>", re.DOTALL)
_GLM_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_DEEPSEEK = re.compile(
    "<\uff5ctool\u2581call\u2581begin\uff5c>(?:function<\uff5ctool\u2581sep\uff5c>)?"
    "([\\w.-]+)(?:<\uff5ctool\u2581sep\uff5c>|\\s*)(.*?)<\uff5ctool\u2581call\u2581end\uff5c>",
    re.DOTALL,
)
_KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>",
    re.DOTALL,
)
_MISTRAL_NAMED = re.compile(r"\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\])?\s*(?=\{)")


def recover(text: str, schemas: Schemas) -> Found | Problem:
    """The one call in a text, in whatever family's markup, or the problem. Never raises, never guesses."""
    whole = text.strip()
    if len(whole) > LONGEST_REPLY:
        return find_call(text, schemas)
    if whole.startswith("{") and not isinstance(decode(whole), Problem):
        return find_call(whole, schemas)
    for family in FAMILIES:
        if family.sign.search(whole):
            read = family.read(whole)
            return read if isinstance(read, Problem) else _one(read, family.name, schemas)
    calls = python_calls(whole, schemas)
    if calls is not None:
        return calls if isinstance(calls, Problem) else _one(calls, "pythonic", schemas)
    return find_call(whole, schemas)


def _one(read: list[Read], family: str, schemas: Schemas) -> Found | Problem:
    if len(read) != 1:
        count = f"{len(read)} calls" if read else "no call that can be read"
        return Problem(f"Your reply held {count}, and none was run. Make exactly one call a reply.")
    name, given = read[0]
    if not is_tool(name, schemas):
        return Problem(unknown_tool(name, schemas))
    schema = schemas.get(name, {})
    if isinstance(given, Parameters):
        names = [parameter[0] for parameter in given.given]
        if len(set(names)) != len(names):
            return Problem("Your call gives an argument twice, so it is not clear what you meant. Nothing was run.")
        given = {key: _typed(text, said, schema, key) for key, text, said in given.given} or ""
    arguments = decoded_arguments(given, schema)
    return Found(Call(name, arguments.value), family) if isinstance(arguments, Arguments) else arguments


def _typed(text: str, is_string: bool | None, schema: dict[str, Any], key: str) -> Any:
    """The value that a parameter's text stands for: by what the markup says, else by the tool's own schema."""
    properties = schema.get("properties")
    declared = properties.get(key) if isinstance(properties, dict) else None
    kind = declared.get("type") if isinstance(declared, dict) else None
    if is_string or (
        is_string is None and (kind is None or kind == "string" or (isinstance(kind, list) and "string" in kind))
    ):
        return text
    value = decode(text.strip())
    return text if isinstance(value, Problem) else value


def _alone(pattern: re.Pattern[str], text: str) -> list[re.Match[str]] | Problem:
    """The blocks of a text; a Problem if what is around them holds the beginning of another one, or a call as JSON."""
    if sum(1 for _ in islice(_HALF.finditer(text), _MOST_MARKS)) == _MOST_MARKS:
        return Problem("Your reply holds far too many calls. Make exactly one call a reply.")
    blocks = list(pattern.finditer(text))
    around = _WRAPPERS.sub(" ", pattern.sub(" ", text))
    outside = objects_in(around)
    if not blocks or isinstance(outside, Problem) or any(as_call(value) for value in outside) or _HALF.search(around):
        return _BROKEN
    return blocks


_MOST_MARKS = 300
_HALF = re.compile(
    "<function=|<invoke\\b|<arg_key>|tool\u2581call\u2581begin|tool_call_begin|</function>|</invoke>|<parameter"
)


def _read_json(text: str) -> list[Read] | Problem:
    values = objects_in(_WRAPPERS.sub(" ", text))
    if isinstance(values, Problem):
        return values
    read: list[Read] = []
    for value in values:
        is_cohere = type(value) is dict and "tool_name" in value and "name" not in value
        found = as_call({**value, "name": value["tool_name"]} if is_cohere else value)
        if isinstance(found, Problem):
            return found
        if found is not None:
            read.append((found.call.name, found.call.arguments))
    return read


def _read_json_or_python(text: str) -> list[Read] | Problem:
    inner = _WRAPPERS.sub(" ", text).strip().removeprefix("```tool_code").removesuffix("```").strip()
    calls = python_calls(inner, None)
    return _read_json(text) if calls is None else calls


def _read_named_json(text: str) -> list[Read] | Problem:
    """Mistral's newer form: the tool's name, then its arguments."""
    named = list(_MISTRAL_NAMED.finditer(text))
    if not named:
        return _read_json(text)
    values = objects_in(text)
    if isinstance(values, Problem) or len(values) != len(named):
        return _BROKEN
    return [(match.group(1), value) for match, value in zip(named, values, strict=True)]


def _read_invoke(text: str) -> list[Read] | Problem:
    blocks = _alone(_INVOKE, _INVOKE_PREFIX.sub(r"\1", text))
    if isinstance(blocks, Problem):
        return blocks
    read: list[Read] = []
    for block in blocks:
        body = block.group(2)
        if _INVOKE_PARAMETER.sub("", body).strip():
            return _BROKEN
        given = tuple((m.group(1), _trimmed(m.group(3)), _SAID[m.group(2)]) for m in _INVOKE_PARAMETER.finditer(body))
        read.append((block.group(1), Parameters(given)))
    return read


_SAID: dict[str | None, bool | None] = {"true": True, "false": False, None: None}


def _read_function(text: str) -> list[Read] | Problem:
    blocks = _alone(_FUNCTION, text)
    if isinstance(blocks, Problem):
        return blocks
    read: list[Read] = []
    for block in blocks:
        body = block.group(2)
        if "<parameter=" not in body:
            read.append((block.group(1), body.strip()))
        elif _FUNCTION_PARAMETER.sub("", body).strip():
            return _BROKEN
        else:
            given = tuple((m.group(1), _trimmed(m.group(2)), None) for m in _FUNCTION_PARAMETER.finditer(body))
            read.append((block.group(1), Parameters(given)))
    return read


def _read_glm(text: str) -> list[Read] | Problem:
    blocks = _alone(_GLM, text)
    if isinstance(blocks, Problem):
        return blocks
    if any(_GLM_PAIR.sub("", block.group(2)).strip() for block in blocks):
        return _BROKEN
    return [
        (m.group(1), Parameters(tuple((k.strip(), _trimmed(v), None) for k, v in _GLM_PAIR.findall(m.group(2)))))
        for m in blocks
    ]


def _read_marked(pattern: re.Pattern[str]) -> Callable[[str], list[Read] | Problem]:
    def read(text: str) -> list[Read] | Problem:
        blocks = _alone(pattern, text)
        return blocks if isinstance(blocks, Problem) else [(m.group(1), m.group(2).strip()) for m in blocks]

    return read


def _trimmed(text: str) -> str:
    """Without the line end after the opening and before the closing tag, which belong to the markup."""
    return text.removeprefix("\n").removesuffix("\n")


FAMILIES: tuple[Family, ...] = (
    Family("dsml", re.compile("DSML"), _read_invoke),
    Family("deepseek", re.compile("tool\u2581call\u2581begin"), _read_marked(_DEEPSEEK)),
    Family("kimi", re.compile(r"<\|tool_call_begin\|>"), _read_marked(_KIMI)),
    Family("mistral", re.compile(r"\[TOOL_CALLS\]"), _read_named_json),
    Family("llama", re.compile(r"<\|python_(?:start|tag)\|>"), _read_json_or_python),
    Family("qwen_coder", re.compile(r"<function="), _read_function),
    Family("glm", re.compile(r"<arg_key>"), _read_glm),
    Family("invoke", re.compile(r"<(?:\w+:)?invoke\s+name="), _read_invoke),
    Family("hermes", re.compile(r"<tool_call>"), _read_json),
    Family("cohere", re.compile(r"<\|START_ACTION\|>"), _read_json),
    Family("granite", re.compile(r"<\|tool_call\|>"), _read_json),
    Family("lfm", re.compile(r"<\|tool_call_start\|>"), _read_json_or_python),
    Family("nemotron", re.compile(r"<TOOLCALL>"), _read_json),
    Family("jamba", re.compile(r"<tool_calls>"), _read_json),
    Family("olmo", re.compile(r"<function_calls>"), _read_json_or_python),
    Family("functools", re.compile(r"^functools\["), _read_json),
    Family("gemma", re.compile(r"^```tool_code\b"), _read_json_or_python),
)
"""Looked through in this order; the first sign decides."""
