"""Readers of the notations that belong to one model family each. See `call_blocks` for what they give."""

from __future__ import annotations

import re
from typing import Any

from nftbench.agents.replies.call_blocks import BROKEN, Read, is_without_calls, marked, read_invoke, unwrapped
from nftbench.agents.replies.object_forms import called_in, named_only
from nftbench.agents.replies.pythonic import python_calls, python_object
from nftbench.calls import Problem, as_call, decode, objects_in

_BAR = "[|\uff5c]"
_DEEPSEEK_MARK = re.compile(rf"<{_BAR}\s*tool[\u2581_\s\\]+(calls?[\u2581_\s\\]+(?:begin|end)|sep)\s*{_BAR}>")
_DEEPSEEK = re.compile(
    r"<tool_call_begin>(?:function<tool_sep>)?\s*([\w.:-]+?)(?:<tool_sep>|\s+|(?=<tool_calls?_end>))(.*?)(?:<tool_calls?_end>|(?<=[}`])\Z)",
    re.DOTALL,
)
_KIMI = re.compile(
    r"<\|tool_call_begin\|>\s*([\w.:-]+)\s*(?:<\|tool_call_argument_begin\|>|(?=<\|tool_call_end\|>))"
    r"(.*?)(?:<\|tool_calls?_(?:section_)?end\|>|(?<=[}`])\Z)",
    re.DOTALL,
)
_PLAMO = re.compile(
    r"begin_tool_name:plamo\|>\s*([\w.-]+)\s*<\|plamo:end_tool_name:plamo\|>\s*(?:<\|plamo:begin_tool_arguments:plamo\|>"
    r"(?:<\|plamo:constrain\|>json<\|plamo:msg\|>)?(.*?)<\|plamo:end_tool_arguments:plamo\|>|(?=<\|plamo:end_tool_request:))",
    re.DOTALL,
)
_MISTRAL_NAMED = re.compile(
    r"(?:\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\])?|\b([\w.-]+)\s*\[ARGS\])\s*"
    r"(?:(?=\{)|(?=\[TOOL_CALLS\])|(?:null)?\s*(?:</s>|<\|im_end\|>)*\s*\Z)"
)
_TOOL_CODE = re.compile(r"```tool_code\b(.*?)```", re.DOTALL)
_PYTHON_FRAME = re.compile(r"<\|python_(?:start|tag)\|>|<\|tool_call_start\|>|<TOOLCALL>|<function_calls>")
_HERMES = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_GEMMA = re.compile(
    r"(?:<\|tool_call>|<start_function_call>|\A)\s*call:([\w.-]+)\s*"
    r"(?:(\{.*?\})\s*(?:<tool_call\|>|<end_function_call>|<turn\|>|\Z)|(?:<tool_call\|>|<end_function_call>))",
    re.DOTALL,
)
_GEMMA_STRING = re.compile(r'<\|"\|>(.*?)<\|"\|>|<escape>(.*?)<escape>', re.DOTALL)
_GEMMA_KEY = re.compile(r"([{,]\s*)([A-Za-z_][\w-]*)\s*:")
_STEP_MARK = re.compile(r"<\uff5ctool_(?:calls?_(?:begin|end)|sep)\uff5c>|(?<=<\uff5ctool_call_begin\uff5c>)function")
_MINIMAX = "]<]minimax[>["
_ELEMENT = re.compile(r"<([A-Za-z_]\w*)>([^<]*)</\1>")
_XTML = (
    (re.compile(r'<\|open\|>\s*call\s+tool="([^"<>]+)"[^<>]*<\|sep\|>'), r'<invoke name="\1">'),
    (re.compile(r"<\|close\|>\s*call\s*<\|sep\|>"), "</invoke>"),
    (
        re.compile(r'<\|open\|>\s*argument\s+key="([^"<>]+)"\s+type="string"[^<>]*<\|sep\|>'),
        r'<parameter name="\1" string="true">',
    ),
    (
        re.compile(r'<\|open\|>\s*argument\s+key="([^"<>]+)"[^<>]*<\|sep\|>'),
        r'<parameter name="\1" string="false">',
    ),
    (re.compile(r"<\|close\|>\s*argument\s*<\|sep\|>"), "</parameter>"),
)
_ACTION = re.compile(r"^[ \t*]*Action[ \t*]*:[ \t*]*`?([\w.:-]+)`?[ \t]*$", re.MULTILINE)
_ACTION_INPUT = re.compile(
    r"^[ \t*]*Action Input[ \t*]*:[ \t*]*(.*?)(?=^[ \t*]*Observation\b|\Z)", re.DOTALL | re.MULTILINE
)
_RECIPIENT = re.compile(r"<\|recipient\|>\s*([\w.:-]+)\s*<\|content\|>(.*?)(?=<\||\Z)", re.DOTALL)

read_kimi = marked(_KIMI)
read_plamo = marked(_PLAMO)


def read_json(text: str) -> list[Read] | Problem:
    """Every JSON object of the text that is a call, in the form asked for or another; the tags around them say nothing."""
    values = objects_in(text)
    if isinstance(values, Problem):
        return values
    read: list[Read] = []
    for value in values:
        found = as_call(value)
        if isinstance(found, Problem):
            return found
        if found is not None:
            read.append((found.call.name, found.call.arguments))
        else:
            read += called_in(value) or named_only(value)
    return read


def read_json_or_python(text: str) -> list[Read] | Problem:
    """JSON objects, or a text that is nothing but calls as Python writes them."""
    framed = _PYTHON_FRAME.search(text)
    calls = python_calls(unwrapped(text), None)
    if calls is None and framed is not None and is_without_calls(text[: framed.start()]):
        calls = python_calls(unwrapped(text[framed.start() :]), None)
    return read_json(text) if calls is None else calls


def read_tool_code(text: str) -> list[Read] | Problem:
    """One fenced block of Python calls."""
    blocks = _TOOL_CODE.findall(text)
    if len(blocks) != 1 or not is_without_calls(_TOOL_CODE.sub(" ", text)):
        return BROKEN
    return read_json_or_python(blocks[0].strip())


def read_hermes(text: str) -> list[Read] | Problem:
    """JSON objects; or one block that holds the object as Python writes it."""
    blocks = _HERMES.findall(text)
    written = python_object(blocks[0].strip()) if len(blocks) == 1 and isinstance(decode(blocks[0]), Problem) else None
    found = as_call(written) if written is not None else None
    if found is None:
        return read_json(text)
    if not is_without_calls(_HERMES.sub(" ", text)):
        return BROKEN
    return found if isinstance(found, Problem) else [(found.call.name, found.call.arguments)]


def read_named_json(text: str) -> list[Read] | Problem:
    """Mistral's newer form: the tool's name, then its arguments, if there are any."""
    named = list(_MISTRAL_NAMED.finditer(text))
    if not named:
        return read_json(text)
    values = objects_in(text)
    empty = [match for match in named if text[match.end() : match.end() + 1] != "{"]
    if isinstance(values, Problem) or len(values) + len(empty) != len(named) or text.count("[TOOL_CALLS]") > len(named):
        return BROKEN
    given = iter(values)
    return [(match.group(1) or match.group(2), "" if match in empty else next(given)) for match in named]


def read_deepseek(text: str) -> list[Read] | Problem:
    """Marks with full-width or plain bars, and whatever a tokenizer's conversion made of the blanks in them."""
    folded = _DEEPSEEK_MARK.sub(lambda mark: f"<tool_{_plain_mark(mark.group(1))}>", text)
    return marked(_DEEPSEEK)(folded)


def _plain_mark(mark: str) -> str:
    return re.sub(r"[\u2581_\s\\]+", "_", mark)


def read_gemma(text: str) -> list[Read] | Problem:
    """`call:t{n:1,s:<|"|>text<|"|>}` between marks."""
    blocks = list(_GEMMA.finditer(text))
    if len(blocks) != text.count("call:") or not is_without_calls(_GEMMA.sub(" ", text)):
        return BROKEN
    read: list[Read] = []
    for block in blocks:
        value = _gemma_object(block.group(2) or "{}")
        if isinstance(value, Problem):
            return BROKEN
        read.append((block.group(1), value))
    return read


def _gemma_object(text: str) -> Any:
    """An object with bare keys and marked strings."""
    parts: list[str] = []
    at = 0
    for marked_string in _GEMMA_STRING.finditer(text):
        parts.append(_GEMMA_KEY.sub(r'\1"\2":', text[at : marked_string.start()]))
        parts.append(_quoted(next(group for group in marked_string.groups() if group is not None)))
        at = marked_string.end()
    parts.append(_GEMMA_KEY.sub(r'\1"\2":', text[at:]))
    return decode("".join(parts))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_step(text: str) -> list[Read] | Problem:
    """Step's marks around invoke blocks."""
    return read_invoke(_STEP_MARK.sub(" ", text))


def read_minimax_elements(text: str) -> list[Read] | Problem:
    """MiniMax's form of elements named after the arguments, each tag with a mark before it; nested ones are not read."""

    def element(found: re.Match[str]) -> str:
        return f'<parameter name="{found.group(1)}">{found.group(2)}</parameter>'

    return read_invoke(_ELEMENT.sub(element, text.replace(_MINIMAX, "")))


def read_xtml(text: str) -> list[Read] | Problem:
    """Kimi K3's open and close marks."""
    for pattern, tag in _XTML:
        text = pattern.sub(tag, text)
    return read_invoke(text)


def read_react(text: str) -> list[Read] | Problem:
    """One `Action:` line and one `Action Input:`, which may be empty or missing; what the model makes up as the result counts
    for nothing."""
    actions, inputs = _ACTION.findall(text), _ACTION_INPUT.findall(text)
    around = _ACTION_INPUT.sub(" ", text)
    if len(actions) != 1 or len(inputs) > 1 or not is_without_calls(around):
        return BROKEN
    return [(actions[0], inputs[0].strip() if inputs else "")]


def read_recipient(text: str) -> list[Read] | Problem:
    """Functionary's recipients: everything that is not said to all is a call."""
    calls = [(name, given.strip()) for name, given in _RECIPIENT.findall(text) if name != "all"]
    return calls if is_without_calls(_RECIPIENT.sub(" ", text)) else BROKEN


def read_tagged_object(text: str) -> list[Read] | Problem:
    """Objects whose one key is the tool's name."""
    values = objects_in(text)
    if isinstance(values, Problem):
        return values
    if any(type(value) is not dict or len(value) != 1 for value in values):
        return BROKEN
    return [next(iter(value.items())) for value in values]


OF_JSON_OBJECTS = frozenset({read_json, read_json_or_python, read_hermes, read_named_json})
"""The readers that look at every JSON object of a text, so that two of them find the same one."""
