"""The reference agent: a known solution, played through the agent's own tools."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from nftbench.agents.backend import Answer, answer_text
from nftbench.calls import Call
from nftbench.conversation import RequestReader
from nftbench.errors import BenchmarkDefect

Policy = Callable[[], Generator[Any, str, None]]
"""Makes a generator that yields calls (anything with `name` and `arguments`) and is sent each result's text."""


class ReferenceAgent:
    """Plays one policy for one episode. A policy that ends before its episode does is a defect of the benchmark."""

    def __init__(self, policy: Policy) -> None:
        self._plan = policy()
        self._reader = RequestReader()
        self._turn = 0

    def complete(self, request: str) -> str:
        """The policy's next call, given the result of the one before."""
        try:
            step = next(self._plan) if self._turn == 0 else self._plan.send(self._result(request))
        except StopIteration:
            raise BenchmarkDefect("the reference policy ended before its task did") from None
        self._turn += 1
        return answer_text(Answer(text="", calls=((f"call_{self._turn}", Call(step.name, step.arguments)),)))

    def _result(self, request: str) -> str:
        last = self._reader.read(request).messages[-1]
        if last.get("role") != "tool":
            raise BenchmarkDefect(f"the reference policy's call was not accepted: {str(last.get('content'))[:500]}")
        return str(last.get("content"))
