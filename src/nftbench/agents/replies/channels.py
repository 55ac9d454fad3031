"""The channels of a harmony text: what was thought, what was called, and what was said.

A message is `<|start|>role to=recipient<|channel|>name<|message|>content<|end|>`; parts of its header may be missing or in
another order, and a tool may be called from any channel.
"""

from __future__ import annotations

import re

from msgspec import Struct

_END = re.compile(r"<\|(?:start|end|return|call|eom|eot)\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)|^\s*(?:assistant\s*)?(analysis|commentary|final)\b")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")
_LOST = re.compile(
    r"\s*(?:assistant\s*)?(?:(?:analysis|commentary)(?=[A-Z]|\s+to=\w)|(?:analysis|commentary)\S.*assistant\s*(?:final|commentary))",
    re.DOTALL,
)
_NO_TOOLS = frozenset({"assistant", "user", "self", "all"})


class Told(Struct, frozen=True):
    """A text without its thinking. `calls` are harmony calls as (tool, arguments text); `lost_markers` says that the channels
    of a harmony text cannot be told apart any more; `markup` says that anything had to be taken out."""

    text: str
    reasoning: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    lost_markers: bool = False
    markup: bool = False


def has_channels(text: str) -> bool:
    """Whether a text is in channels."""
    return "<|channel|>" in text or "<|message|>" in text


def are_lost(text: str) -> bool:
    """Whether a text was in channels before their marks were taken out of it."""
    return text[:60].lstrip().startswith(("analysis", "commentary", "assistant")) and bool(_LOST.match(text))


def told_by_channels(text: str) -> Told:
    """What stands in which channel. What is said before or between calls counts only where nothing else is said; a tool's
    result that the model made up counts for nothing."""
    final: list[str] = []
    thinking: list[str] = []
    preamble: list[str] = []
    calls: list[tuple[str, str]] = []
    for segment in _END.split(text):
        header, found, content = segment.partition("<|message|>")
        if not found:
            continue
        channel, recipient = _CHANNEL.search(header), _RECIPIENT.search(header)
        name = (channel.group(1) or channel.group(2)) if channel else "final"
        whom = recipient.group(1) if recipient else "user"
        if whom not in _NO_TOOLS:
            calls.append((whom, content))
        elif whom == "assistant":
            continue
        elif name == "analysis" or whom == "self":
            thinking.append(content)
        elif name == "commentary":
            preamble.append(content)
        elif name == "final":
            final.append(content)
    said = final or ([] if calls else preamble)
    return Told("".join(said).strip(), "\n".join(thinking) or None, tuple(calls), markup=True)
