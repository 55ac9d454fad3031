"""A recorded trace, played again in another world by position: what a memory of one suite is worth in the next.

The k-th call is the k-th of the trace. A value that the trace had from the prompt or from an earlier result is replaced by the
one that stands in the same place now: the second name of the address book, the first token of the third contract.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from nftbench.agents.backend import Answer, answer_text
from nftbench.calls import Call
from nftbench.conversation import RequestReader

_VALUE = re.compile(r"0x[0-9a-fA-F]+|[0-9][0-9.,]*[0-9]|[0-9]")


class Turn(Struct, frozen=True):
    """One call of a trace, and the text of its result."""

    name: str
    arguments: dict[str, Any]
    result: str


class Trace(Struct, frozen=True):
    """An episode to learn from: its prompt and its turns."""

    prompt: str
    turns: tuple[Turn, ...]


def trace_of(trajectory: dict[str, Any]) -> Trace:
    """The trace in a trajectory; turns without a call are left out."""
    prompt = next(m["content"] for m in trajectory["messages"] if m["role"] == "user")
    calls = [(call, call["result"]) for turn in trajectory["turns"] for call in turn.get("calls", ())]
    return Trace(prompt, tuple(Turn(call["name"], call["arguments"], result) for call, result in calls))


class ReplayAgent:
    """Plays a trace by position; after its last call it says that it is done."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._reader = RequestReader()
        self._next = 0
        self._now: dict[str, Any] = {}

    def complete(self, request: str) -> str:
        messages = self._reader.read(request).messages
        content = str(messages[-1].get("content"))
        if self._next == 0:
            self._match(_VALUE.findall(self._trace.prompt), _VALUE.findall(content))
        else:
            self._match(_decoded(self._trace.turns[self._next - 1].result), _decoded(content))
        self._next += 1
        return answer_text(Answer(text="", calls=((f"call_{self._next}", self._call()),)))

    def _call(self) -> Call:
        if self._next > len(self._trace.turns):
            return Call("finish_task", {"summary": "Done."})
        turn = self._trace.turns[self._next - 1]
        return Call(turn.name, self._translated(turn.arguments))

    def _match(self, then: Any, now: Any) -> None:
        for old, new in _pairs(then, now):
            self._now.setdefault(old, new)

    def _translated(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._translated(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._translated(part) for part in value]
        return self._now.get(value, value) if isinstance(value, str) else value


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _pairs(then: Any, now: Any) -> Iterator[tuple[str, str]]:
    """The texts that stand in the same places of two results; keys that hold values (token ids) go by their order."""
    if isinstance(then, str) and isinstance(now, str):
        yield then, now
    elif isinstance(then, dict) and isinstance(now, dict):
        for old, new in _aligned(then, now):
            if old[:1].isdigit() and new[:1].isdigit():
                yield old, new
            yield from _pairs(then[old], now[new])
    elif isinstance(then, Sequence) and isinstance(now, Sequence) and not isinstance(then, str):
        for old_item, new_item in zip(then, now, strict=False):
            yield from _pairs(old_item, new_item)


def _aligned(then: dict[str, Any], now: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if then and all(key[:1].isdigit() for key in then):
        yield from zip(then, now, strict=False)
    else:
        yield from ((key, key) for key in then if key in now)
