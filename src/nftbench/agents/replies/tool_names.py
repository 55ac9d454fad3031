"""The name of a tool in the forms that models and servers give it."""

from __future__ import annotations

import re
from collections.abc import Collection

_NAMESPACE = re.compile(r"(?:to=)?(?:functions?|tools?|default_api)[.:/]")
_NUMBER = re.compile(r":\d+$")


def known_tool(name: str, tools: Collection[str]) -> str | None:
    """The tool that a call names, None if there is none; where no tools were declared, any name may be called.

    Harmless beside the exact name: blanks and quotes around it, a namespace before it, a running number or the marks of a
    channel after it. Nothing else: another case or a near name is another name.
    """
    if not tools or name in tools:
        return name
    bare = name.partition("<|")[0].strip(" \t\r\n\"'`")
    bare = _NUMBER.sub("", bare.removesuffix("()"))
    if bare in tools:
        return bare
    space = _NAMESPACE.match(bare)
    short = bare[space.end() :] if space else ""
    return short if short in tools else None
