"""What the readers of calls left in the text share: what a block is read as, and the markup that many families have in common.

A reader gives the calls of a text, or a Problem where one of them is broken. It never reads a block that does not close.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from msgspec import Struct

from nftbench.agents.replies.object_forms import called_in
from nftbench.calls import Problem, as_call, objects_in


class Parameters(Struct, frozen=True):
    """Arguments given one by one as text: (name, text, and whether it is said to be a string; None where nothing is said)."""

    given: tuple[tuple[str, str, bool | None], ...]


Read = tuple[str, object]
"""A block as read: the tool's name and its arguments (an object, JSON text, or Parameters)."""
Reader = Callable[[str], list[Read] | Problem]

BROKEN = Problem("The call in your reply is broken or was cut off. Nothing was run.")
_WRAPPER = re.compile(
    r"</?(?:seed:|minimax:|atem:|dots_|longcat_)?(?:tool_calls?|function_calls?)>|</?TOOLCALL>|<\|/?tool_call\|>"
    r"|<\|python_(?:start|end|tag)\|>|<\|e(?:om|ot)_id\|>|\[/?TOOL_CALLS\]|<\|(?:START|END)_ACTION\|>"
    r"|<\|tool_calls?_(?:section_)?(?:start|begin|end)\|>|</s>|<\|im_end\|>"
)
_NAME = r"""(?:"([^"<>]+)"|'([^'<>]+)'|([^"'<>\s]+))"""
_INVOKE_PREFIX = re.compile(r"(</?)(?:[|\uff5c\u2016]{1,2}DSML[|\uff5c\u2016]{1,2}\s*|\w+:)(?=(?:invoke|parameter)\b)")
_INVOKE_EMPTY = re.compile(r"<((invoke|parameter)\s+name\s*=\s*[^<>]{1,200}?)\s*/>")
_FUNCTION_EMPTY = re.compile(r"<((function|parameter)\s*=\s*[^<>]{1,200}?)\s*/>")
"""A tag that closes itself: a call without arguments, or an argument that is empty."""
_INVOKE = re.compile(rf"<invoke\s+name\s*=\s*{_NAME}\s*>(.*?)</invoke>", re.DOTALL)
_INVOKE_PARAMETER = re.compile(
    rf'<parameter\s+name\s*=\s*{_NAME}(?:\s+string="(true|false)")?(?:\s+\w+="[^"<>]*")*\s*>(.*?)</parameter>',
    re.DOTALL,
)
_NAMED_TAG = (
    (re.compile(r"<function\s+name\s*=\s*"), "<function="),
    (re.compile(r"<param(?:eter)?\s+name\s*=\s*"), "<parameter="),
    (re.compile(r"</param>"), "</parameter>"),
)
_FUNCTION = re.compile(rf"<function\s*=\s*{_NAME}\s*>(.*?)</function>", re.DOTALL)
_FUNCTION_PARAMETER = re.compile(rf"<parameter\s*=\s*{_NAME}\s*>(.*?)</parameter>", re.DOTALL)
_KEYED_TAG = re.compile(r"<(/?)(?:longcat_|ifm\|)?(tool_calls?|arg_key|arg_value)(?::[^\s<>]{1,40})?>")
_KEYED_NOISE = re.compile(r"<(?:ifm\|)?arg_type>[^<>]{0,40}</(?:ifm\|)?arg_type>|<tool_sep(?::[^\s<>]{1,40})?>")
_KEYED = re.compile(r"<tool_call>\s*([\w.-]+)(?:\(\))?\s*(.*?)</tool_call>", re.DOTALL)
_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_HALF = re.compile(
    "<function\\s*=|<invoke\\b|<arg_key>|tool[\u2581_]call[\u2581_]begin|begin_tool_name|</function>|</invoke>|<parameter\\b"
)
_MOST_MARKS = 300
_SAID: dict[str | None, bool | None] = {"true": True, "false": False, None: None}


def alone(pattern: re.Pattern[str], text: str) -> list[re.Match[str]] | Problem:
    """The blocks of a text; a Problem if what is around them holds the beginning of another one, or a call as JSON."""
    if sum(1 for _ in islice(_HALF.finditer(text), _MOST_MARKS)) == _MOST_MARKS:
        return Problem("Your reply holds far too many calls. Make exactly one call a reply.")
    blocks = list(pattern.finditer(text))
    around = _WRAPPER.sub(" ", pattern.sub(" ", text))
    return blocks if blocks and is_without_calls(around) and not _HALF.search(around) else BROKEN


def is_without_calls(text: str) -> bool:
    """Whether a text holds no call as JSON, and nothing that could be the beginning of one."""
    values = objects_in(text)
    return not isinstance(values, Problem) and not any(as_call(value) or called_in(value) for value in values)


def unwrapped(text: str) -> str:
    """A text without the marks of calls at its beginning and its end; those inside belong to it."""
    text = text.strip()
    while (mark := _WRAPPER.match(text)) is not None:
        text = text[mark.end() :].lstrip()
    marks = list(_WRAPPER.finditer(text))
    while marks and not text[marks[-1].end() :].strip():
        text = text[: marks.pop().start()]
    return text.rstrip()


def read_invoke(text: str) -> list[Read] | Problem:
    """`<invoke name="t"><parameter name="n">1</parameter></invoke>`, with any prefix: Anthropic, MiniMax, DeepSeek, Dots."""
    blocks = alone(_INVOKE, _INVOKE_EMPTY.sub(r"<\1></\2>", _INVOKE_PREFIX.sub(r"\1", text)))
    if isinstance(blocks, Problem):
        return blocks
    read: list[Read] = []
    for block in blocks:
        body = block.group(4)
        if _INVOKE_PARAMETER.sub("", body).strip():
            return BROKEN
        given = tuple((_named(m), trimmed(m.group(5)), _SAID[m.group(4)]) for m in _INVOKE_PARAMETER.finditer(body))
        read.append((_named(block), Parameters(given)))
    return _unless_nested(read)


def read_function(text: str) -> list[Read] | Problem:
    """`<function=t><parameter=n>1</parameter></function>`, or JSON in place of the parameters: Qwen, Llama, Seed, MiniCPM."""
    for pattern, tag in _NAMED_TAG:
        text = pattern.sub(tag, text)
    text = _FUNCTION_EMPTY.sub(r"<\1></\2>", text)
    blocks = alone(_FUNCTION, text)
    if isinstance(blocks, Problem):
        return blocks
    read: list[Read] = []
    for block in blocks:
        body = block.group(4)
        if "<parameter" not in body:
            read.append((_named(block), body.strip()))
        elif _FUNCTION_PARAMETER.sub("", body).strip():
            return BROKEN
        else:
            given = tuple((_named(m), trimmed(m.group(4)), None) for m in _FUNCTION_PARAMETER.finditer(body))
            read.append((_named(block), Parameters(given)))
    return _unless_nested(read)


def read_keyed(text: str) -> list[Read] | Problem:
    """`<tool_call>t<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>`: GLM, Ling, Hunyuan, LongCat, K2."""
    blocks = alone(_KEYED, _KEYED_NOISE.sub("", _KEYED_TAG.sub(r"<\1\2>", text)))
    if isinstance(blocks, Problem):
        return blocks
    if any(_PAIR.sub("", block.group(2)).strip() for block in blocks):
        return BROKEN
    return _unless_nested(
        [
            (m.group(1), Parameters(tuple((k.strip(), trimmed(v), None) for k, v in _PAIR.findall(m.group(2)))))
            for m in blocks
        ]
    )


def marked(pattern: re.Pattern[str]) -> Reader:
    """A reader of blocks whose pattern gives the name and the arguments as JSON text."""

    def read(text: str) -> list[Read] | Problem:
        blocks = alone(pattern, text)
        return blocks if isinstance(blocks, Problem) else [(m.group(1), (m.group(2) or "").strip()) for m in blocks]

    return read


def trimmed(text: str) -> str:
    """Without the line end after the opening and before the closing tag, which belong to the markup."""
    return text.removeprefix("\n").removesuffix("\n")


def _unless_nested(read: list[Read]) -> list[Read] | Problem:
    """Calls whose values hold no beginning of a call: with one, a block that was left open may have taken in the next one."""
    values = (value for _, given in read if isinstance(given, Parameters) for _, value, _ in given.given)
    return BROKEN if any(_HALF.search(value) or "<tool_call" in value for value in values) else read


def _named(block: re.Match[str]) -> str:
    """The name, which stands in one of the first three groups by how it is quoted."""
    return next(name for name in block.groups()[:3] if name is not None)
