"""Telling a model's answer from its thinking where a server left both in one text.

Thinking tags come paired, opened only (cut, or forgotten), closed only (the template had opened them), nested and repeated,
with prefixes and attributes, and as special tokens of a family. Tags inside a JSON object or inside a call's markup are data.
Channels (harmony) are told apart by `channels`.
"""

from __future__ import annotations

import json
import re

from nftbench.agents.replies.channels import Told, are_lost, has_channels, told_by_channels

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning)"
_TAG = re.compile(
    rf"<(?i:\s*(?P<closes>/)?\s*(?:[a-z]\w{{0,15}}[:|_])?{_NAMES}(?:_fast(?:er)?)?(?::[^\s<>]{{1,40}})?(?:\s[^<>]{{0,200}})?>"
    r"|\|(?P<ends>/|end_of_|end_)?(?:begin_of_|start_|content_)?(?:thought|think(?:ing)?)\|>"
    r"|\|plamo:(?:begin|(?P<stops>end))_think:plamo\|>|\|inner_prefix\|>|(?P<inner>\|inner_suffix\|>)"
    r"|\|(?:open|(?P<shuts>close))\|>\s*think\s*<\|sep\|>|\|channel>thought\b|(?P<channel>channel\|>)"
    r"|unused94>(?:thought)?|(?P<unused>unused95>))"
    r"|\[(?i:(?P<square>/)?THINK\])|\u25c1(?i:(?P<triangle>/)?think\u25b7)",
)
"""Opening and closing tags; each begins with a character of its own, which makes the search fast. A closing one has a group."""
_PAIRED_ONLY = re.compile(
    r"<(scratch_?pad|reflection|analysis|inner_(?:monologue|thoughts?)|deliberation)>.*?</\1>",
    re.DOTALL | re.IGNORECASE,
)
"""Names that are thinking only where both tags are there: one alone may be anything."""
_SIGNS = ("think", "THINK", "Think", "thought", "reasoning", "Reasoning", "Thought", "inner_", "channel|>", "unused9")
_PAIRED_SIGNS = ("</scratch", "</reflection>", "</analysis>", "</inner_", "</deliberation>")
_SOLUTION = re.compile(
    r"<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_RESPONSE\|>|^\s*<(?:response|answer)>|</(?:response|answer)>\s*$"
)
_BLOCK_OPENS = re.compile(r"<(?:function\b|(?:\w+:)?invoke\b|parameter\b|arg_value>|tool_call)")
_BLOCK_CLOSES = re.compile(r"</(?:function|(?:\w+:)?invoke|parameter|arg_value|tool_call)>")
_OBJECT_CHECKS = 64
"""How many braces are tried as the beginning of a JSON object, and how many tags as part of a call."""
_DECODER = json.JSONDecoder(strict=False)


def tell_apart(text: str) -> Told:
    """The answer, the thinking and the calls to channels of a raw text. Costs little where there is no markup."""
    if has_channels(text):
        return told_by_channels(text)
    if are_lost(text):
        return Told(text, lost_markers=True)
    if not any(sign in text for sign in (*_SIGNS, *_PAIRED_SIGNS)) or _is_object(text):
        return Told(text)
    thinking: list[str] = []
    answer = _without_thinking(text, thinking)
    if any(sign in answer.lower() for sign in _PAIRED_SIGNS):
        thinking += [block.group().strip() for block in _PAIRED_ONLY.finditer(answer)]
        answer = _PAIRED_ONLY.sub("", answer).strip()
    if not thinking:
        return Told(text)
    return Told(_SOLUTION.sub("", answer).strip(), "\n".join(part for part in thinking if part) or None, markup=True)


def _without_thinking(text: str, thinking: list[str]) -> str:
    """The text outside of thinking; adds each stretch of thinking, nothing if there was no tag at all."""
    answer: list[str] = []
    at, opened_at, data = 0, -1, 0
    objects = _objects(text)
    for number, tag in enumerate(_TAG.finditer(text)):
        if any(start < tag.start() < end for start, end in objects):
            continue
        if tag.lastgroup is None:
            if opened_at < 0 and number < _OBJECT_CHECKS and _is_in_call(text[at : tag.start()]):
                data += 1
            elif opened_at < 0:
                answer.append(text[at : tag.start()])
                opened_at = tag.end()
            continue
        if opened_at < 0 and data:
            data -= 1
            continue
        if opened_at >= 0:
            thinking.append(text[opened_at : tag.start()].strip())
        else:
            thinking.append("".join((*answer, text[at : tag.start()])).strip())
            answer = []
        at, opened_at = tag.end(), -1
    if opened_at >= 0:
        thinking.append(text[opened_at:].strip())
    else:
        answer.append(text[at:])
    return "".join(answer).strip() if thinking else text


def _is_in_call(before: str) -> bool:
    """Whether the markup of a call stands open at the end of this text."""
    opens = [found.start() for found in _BLOCK_OPENS.finditer(before)]
    closes = [found.start() for found in _BLOCK_CLOSES.finditer(before)]
    return bool(opens) and (not closes or opens[-1] > closes[-1])


def _objects(text: str) -> list[tuple[int, int]]:
    """Where the first JSON objects of a text begin and end."""
    spans: list[tuple[int, int]] = []
    at = text.find("{")
    for _ in range(_OBJECT_CHECKS):
        if at < 0:
            break
        try:
            end = _DECODER.raw_decode(text, at)[1]
            spans.append((at, end))
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return spans


def _is_object(text: str) -> bool:
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return False
    try:
        _DECODER.decode(stripped)
    except (ValueError, RecursionError):
        return False
    return True
