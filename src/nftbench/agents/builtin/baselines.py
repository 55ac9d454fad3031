"""Agents that do not try: what any score has to be held against."""

from __future__ import annotations

from nftbench.agents.backend import Answer, answer_text
from nftbench.calls import Call


class NoopAgent:
    """Says at once that it is done."""

    def complete(self, request: str) -> str:
        """`finish_task`, whatever was asked."""
        return answer_text(Answer(text="", calls=(("call_1", Call("finish_task", {"summary": "Nothing was done."})),)))


class DeclineAgent:
    """Says at once that it cannot be done."""

    def complete(self, request: str) -> str:
        """`declare_infeasible`, whatever was asked."""
        return answer_text(
            Answer(text="", calls=(("call_1", Call("declare_infeasible", {"reason": "This cannot be done."})),))
        )
