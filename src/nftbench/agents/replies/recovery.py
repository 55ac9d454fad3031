"""Tool calls that a server left in the text, in the markup of a model's family.

One table of families: the sign that tells it, and the reader of its blocks. A call is recovered only when the text holds
exactly one, whole, of a tool that exists, and every family whose sign is there agrees; everything else is a Problem for the
model. Texts without any sign go to `calls.find_call`. Each recovery names its family, so that reports can count it.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from nftbench.agents.replies import call_notations as notations
from nftbench.agents.replies.call_blocks import (
    Parameters,
    Read,
    Reader,
    is_without_calls,
    read_function,
    read_invoke,
    read_keyed,
)
from nftbench.agents.replies.object_forms import called_in, named_only
from nftbench.agents.replies.pythonic import python_calls
from nftbench.agents.replies.tool_arguments import decoded_arguments
from nftbench.agents.replies.tool_names import known_tool
from nftbench.calls import LONGEST_REPLY, Call, Found, Problem, as_call, decode, find_call, objects_in, unknown_tool

Schemas = dict[str, dict[str, Any]]
_NAMED = re.compile(r"(?:>>>\s*)?([\w.:-]+)\s*(\{.*\})", re.DOTALL)
"""A tool's name and right after it its arguments."""
_LISTED = re.compile(r"^\[[A-Za-z_][\w.]*\(.*\)\]\s*\Z", re.MULTILINE | re.DOTALL)
"""Calls as a list in Python, on lines of their own after prose."""


class Family(Struct, frozen=True):
    """A model family's way of writing calls. `read` gives the blocks of a text, or a Problem where one of them is broken."""

    name: str
    sign: re.Pattern[str]
    read: Reader


def recover(text: str, schemas: Schemas) -> Found | Problem:
    """The one call in a text, in whatever family's markup, or the problem. Never raises, never guesses."""
    whole = text.strip()
    if len(whole) > LONGEST_REPLY:
        return find_call(text, schemas)
    value = decode(whole) if whole.startswith("{") else None
    if value is not None and not isinstance(value, Problem):
        return _whole_object(whole, value, schemas)
    signed = [family for family in FAMILIES if family.sign.search(whole)]
    if signed:
        return _agreed(signed, whole, schemas)
    calls = python_calls(whole, schemas)
    if calls is not None:
        return calls if isinstance(calls, Problem) else _one(calls, "pythonic", schemas)
    listed = _LISTED.search(whole)
    if listed is not None and schemas and is_without_calls(whole[: listed.start()]):
        calls = python_calls(listed.group().strip(), schemas)
        if calls is not None and not isinstance(calls, Problem):
            return _one(calls, "pythonic", schemas)
    named = _NAMED.fullmatch(whole)
    if named is not None and schemas and known_tool(named.group(1), schemas) is not None:
        arguments = decode(named.group(2))
        if not isinstance(arguments, Problem) and as_call(arguments) is None:
            return _one([(named.group(1), arguments)], "named_json", schemas)
    return _in_prose(whole, schemas)


def _whole_object(text: str, value: object, schemas: Schemas) -> Found | Problem:
    found = find_call(text, schemas)
    if isinstance(found, Found):
        return found
    other = (called_in(value, schemas) or _known_only(value, schemas)) if as_call(value) is None else _renamed(value)
    return _one(other, "other_json", schemas) if other else found


def _known_only(value: object, schemas: Schemas) -> list[Read]:
    return [read for read in named_only(value) if schemas and known_tool(read[0], schemas) is not None]


def _renamed(value: object) -> list[Read]:
    """A call in the form asked for whose tool may only be named in another way."""
    call = as_call(value)
    return [(call.call.name, call.call.arguments)] if isinstance(call, Found) else []


def _in_prose(text: str, schemas: Schemas) -> Found | Problem:
    values = objects_in(text)
    if isinstance(values, Problem) or not schemas:
        return find_call(text, schemas)
    other = [call for value in values if as_call(value) is None for call in called_in(value, schemas)]
    other = [call for call in other if known_tool(call[0], schemas) is not None]
    asked = [value for value in values if as_call(value) is not None]
    if not other:
        renamed = [call for value in asked for call in _renamed(value)]
        found = find_call(text, schemas)
        return (
            _one(renamed, "prose", schemas) if isinstance(found, Problem) and len(renamed) == len(asked) == 1 else found
        )
    if asked:
        return Problem(
            f"Your reply held {len(asked) + len(other)} calls, and none was run. Make exactly one call a reply."
        )
    return _one(other, "other_json", schemas)


def _agreed(signed: list[Family], text: str, schemas: Schemas) -> Found | Problem:
    """The one call in the text. A sign without any call may be another family's wrapper; families that read the same JSON
    objects must find the same call, and with any other two the text holds two."""
    agreed: Found | None = None
    ways: set[object] = set()
    for family in signed:
        read = family.read(text)
        found = read if isinstance(read, Problem) else _one(read, family.name, schemas) if read else None
        if isinstance(found, Problem):
            return found
        if found is None:
            continue
        ways.add("json" if family.read in notations.OF_JSON_OBJECTS else family.name)
        if len(ways) > 1 or (agreed is not None and found.call != agreed.call):
            return Problem(
                "Your reply writes calls in more than one way. Nothing was run. Make exactly one call a reply."
            )
        agreed = agreed or found
    return agreed or _one([], "", schemas)


def _one(read: list[Read], family: str, schemas: Schemas) -> Found | Problem:
    if len(read) != 1:
        count = f"{len(read)} calls" if read else "no call that can be read"
        return Problem(f"Your reply held {count}, and none was run. Make exactly one call a reply.")
    told, given = read[0]
    name = known_tool(told, schemas)
    if name is None:
        return Problem(unknown_tool(told, schemas))
    schema = schemas.get(name, {})
    if isinstance(given, Parameters):
        names = [parameter[0] for parameter in given.given]
        if len(set(names)) != len(names):
            return Problem("Your call gives an argument twice, so it is not clear what you meant. Nothing was run.")
        given = {key: _typed(text, said, schema, key) for key, text, said in given.given} or ""
    arguments = decoded_arguments(given, schema)
    if isinstance(arguments, Problem):
        return arguments
    inner = _inside(arguments.value, schema, schemas)
    if inner is None:
        return Found(Call(name, arguments.value), family)
    return Found(Call(name, inner[1]), family) if inner[0] == name and type(inner[1]) is dict else _ANOTHER


_ANOTHER = Problem("The call in your reply holds another one, so it is not clear what you meant. Nothing was run.")


def _inside(arguments: dict[str, Any], schema: dict[str, Any], schemas: Schemas) -> Read | None:
    """The call that stands where a call's arguments should, as (tool, arguments); None if they are arguments of the tool."""
    declared = schema.get("properties")
    if isinstance(declared, dict) and set(arguments) <= set(declared):
        return None
    found = as_call(arguments)
    inner = [(found.call.name, found.call.arguments)] if isinstance(found, Found) else called_in(arguments, schemas)
    name = known_tool(inner[0][0], schemas) if schemas and inner else None
    return None if name is None else (name, inner[0][1])


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


FAMILIES: tuple[Family, ...] = (
    Family("dsml", re.compile(r"DSML[|\uff5c\u2016]{1,2}\s*invoke"), read_invoke),
    Family(
        "kimi",
        re.compile(r"tool_call_argument_begin|<\|tool_call_begin\|>\s*[\w.-]+:\d+\s*<\|tool_call_end"),
        notations.read_kimi,
    ),
    Family("step", re.compile("<steptml:invoke"), notations.read_step),
    Family(
        "deepseek",
        re.compile(
            r"<[|\uff5c]\s*tool[\u2581_\s\\]+call[\u2581_\s\\]+begin\s*[|\uff5c]>(?!.*(?:argument_begin|steptml|:\d+\s*<\|tool_call_end))",
            re.DOTALL,
        ),
        notations.read_deepseek,
    ),
    Family("mistral", re.compile(r"\[TOOL_CALLS\]|\[ARGS\]"), notations.read_named_json),
    Family("llama", re.compile(r"<\|python_(?:start|tag)\|>"), notations.read_json_or_python),
    Family("qwen_coder", re.compile(r"<function\s*=|<function\s+name\s*="), read_function),
    Family(
        "glm",
        re.compile(
            r"<(?:longcat_|ifm\|)?arg_key"
            r"|<(?:longcat_|ifm\|)?tool_call(?::[^\s<>]{1,40})?>\s*[\w.-]+(?:\(\))?\s*(?:<tool_sep[^<>]*>)?\s*</(?:longcat_|ifm\|)?tool_call"
        ),
        read_keyed,
    ),
    Family("minimax", re.compile(r"\]<\]minimax\[>\[<invoke"), notations.read_minimax_elements),
    Family("invoke", re.compile(r"(?<!\]<\]minimax\[>\[)<(?:(?!steptml)\w+:)?invoke\s+name\s*="), read_invoke),
    Family("hermes", re.compile(r"<tool_call>"), notations.read_hermes),
    Family("cohere", re.compile(r"<\|START_ACTION\|>|^Action:\s*```", re.MULTILINE), notations.read_json),
    Family("granite", re.compile(r"<\|tool_call\|>|<function_call>"), notations.read_json),
    Family("lfm", re.compile(r"<\|tool_call_start\|>"), notations.read_json_or_python),
    Family("nemotron", re.compile(r"<TOOLCALL>"), notations.read_json_or_python),
    Family("jamba", re.compile(r"<tool_calls>"), notations.read_json),
    Family("olmo", re.compile(r"<function_calls>"), notations.read_json_or_python),
    Family("functools", re.compile(r"^functools\["), notations.read_json),
    Family("gemma", re.compile(r"```tool_code\b"), notations.read_tool_code),
    Family(
        "gemma_call",
        re.compile(r"<\|tool_call>\s*call:|<start_function_call>|^call:[\w.-]+\s*\{"),
        notations.read_gemma,
    ),
    Family("internlm", re.compile(r"<\|action_start\|>"), notations.read_json),
    Family("gigachat", re.compile(r"<\|function_call\|>|function call<\|role_sep\|>"), notations.read_json),
    Family("inkling", re.compile(r"<\|content_invoke_tool_json\|>"), notations.read_json),
    Family("longcat", re.compile(r"<longcat_tool_call>\s*\{"), notations.read_json),
    Family("apertus", re.compile(r"<\|tools_prefix\|>"), notations.read_tagged_object),
    Family("plamo", re.compile(r"begin_tool_name:plamo"), notations.read_plamo),
    Family("kimi_xtml", re.compile(r"<\|open\|>\s*call\s"), notations.read_xtml),
    Family("functionary", re.compile(r"<\|recipient\|>"), notations.read_recipient),
    Family(
        "react",
        re.compile(
            r"^[ \t*]*Action Input[ \t*]*:|^[ \t*]*Action[ \t*]*:[ \t*]*`?[\w.:-]+`?[ \t]*(?=\Z|\n\s*Observation)",
            re.MULTILINE,
        ),
        notations.read_react,
    ),
)
"""All whose sign a text holds read it; the first that finds a call names it."""
