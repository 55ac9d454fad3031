"""Telling a model's answer from its thinking where a server left both in one text.

Thinking tags come paired, opened only (cut, or forgotten), closed only (the template had opened them), nested and repeated.
A text that is one JSON object is left alone: tags inside its strings are data.
"""

from __future__ import annotations

import json
import re

from msgspec import Struct

_NAMES = r"(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)"
_TAG = re.compile(
    rf"<(?i:\s*/?\s*{_NAMES}\s*>|\|(?:begin|end)_of_thought\|>)|\[(?i:/?THINK\])|\u25c1(?i:/?think\u25b7)",
)
"""Opening and closing tags; each begins with a character of its own, which makes the search fast."""
_OBJECT_CHECKS = 8
"""After how many stretches of thinking a rest that is one JSON object is still looked for."""
_SIGNS = ("think", "THINK", "Think", "thought", "reasoning", "Reasoning", "Thought")
_SOLUTION = re.compile(r"<\|(?:begin|end)_of_solution\|>")

_HARMONY_END = re.compile(r"<\|(?:start|end|return|call)\|>")
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")
_HARMONY_BARE = re.compile(r"\s*(?:analysis|commentary)\S.*assistant\s*(?:final|commentary)", re.DOTALL)


class Told(Struct, frozen=True):
    """A text without its thinking. `calls` are harmony calls as (tool, arguments text); `lost_markers` says that the channels
    of a harmony text cannot be told apart any more; `markup` says that anything had to be taken out."""

    text: str
    reasoning: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    lost_markers: bool = False
    markup: bool = False


def tell_apart(text: str) -> Told:
    """The answer, the thinking and the harmony calls of a raw text. Costs little where there is no markup."""
    if "<|channel|>" in text:
        return _harmony(text)
    if text.startswith(("analysis", "commentary")) and _HARMONY_BARE.match(text):
        return Told(text, lost_markers=True)
    if not any(sign in text for sign in _SIGNS) or _is_object(text):
        return Told(text)
    answer, thinking = _without_thinking(text)
    if not thinking:
        return Told(text)
    return Told(_SOLUTION.sub("", answer), "\n".join(part for part in thinking if part) or None, markup=True)


def _without_thinking(text: str) -> tuple[str, list[str]]:
    """The text outside of thinking, and each stretch of thinking; an empty list if there was no tag at all."""
    answer: list[str] = []
    thinking: list[str] = []
    at, opened_at = 0, -1
    for tag in _TAG.finditer(text):
        if "/" not in tag.group() and "end_of" not in tag.group().lower():
            if opened_at < 0:
                answer.append(text[at : tag.start()])
                opened_at = tag.end()
            continue
        if opened_at >= 0:
            thinking.append(text[opened_at : tag.start()].strip())
        else:
            thinking.append("".join((*answer, text[at : tag.start()])).strip())
            answer = []
        at, opened_at = tag.end(), -1
        if len(thinking) <= _OBJECT_CHECKS and _is_object(text[at:]):
            break
    if opened_at >= 0:
        thinking.append(text[opened_at:].strip())
    else:
        answer.append(text[at:])
    return "".join(answer).strip(), thinking


def _is_object(text: str) -> bool:
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return False
    try:
        json.loads(stripped, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _harmony(text: str) -> Told:
    final: list[str] = []
    thinking: list[str] = []
    calls: list[tuple[str, str]] = []
    for segment in _HARMONY_END.split(text):
        header, found, content = segment.partition("<|message|>")
        if not found:
            continue
        channel = _CHANNEL.search(header)
        recipient = _RECIPIENT.search(header)
        if recipient:
            calls.append((recipient.group(1), content))
        elif channel and channel.group(1) == "final":
            final.append(content)
        elif channel and channel.group(1) == "analysis":
            thinking.append(content)
    return Told("".join(final).strip(), "\n".join(thinking) or None, tuple(calls), markup=True)
