"""A sitting: one attempt at one task in which whoever is there makes the calls, through whatever door: a program over MCP, or
Python through an environment. Both have the same rules of the episode, the same grading and the same record.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from nftbench.agents.failure import CLIFailure
from nftbench.calls import DEEPEST_ARGUMENTS, LONGEST_REPLY, nests_deeper
from nftbench.episode.episode import Episode
from nftbench.episode.limits import Limits
from nftbench.records.model import EndedBy
from nftbench.run.runner import Attempt, Opened, close_attempt
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import ToolResult


class Sitting:
    """The time of the episode runs from here on. Not for several threads at once."""

    def __init__(
        self, opened: Opened, *, trial: int, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.opened, self.trial, self.limits = opened, trial, limits.of(opened.task.turns)
        self.episode = Episode(opened.task.prompt, standard_toolbox(opened.desk), self.limits, clock)
        self._calls = 0

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult | str:
        """One call as a turn of its own: its result, or why it was not even made, in words for whoever calls. Every call counts
        as a turn, one that is refused for its form too."""
        self._calls += 1
        reply = reply_of_call(f"call_{self._calls}", name, arguments)
        results = self.episode.take(reply)
        return results[0] if results else str(reply["problem"])

    def close(self, ended_by: EndedBy, failure: CLIFailure | None = None) -> Attempt:
        """Grade what the sitting came to. A `failure` is why the model gave no reply, and then says how it ended. Once only."""
        episode = self.episode
        outcome = episode.outcome(ended_by) if failure is None else episode.failed(failure)
        return close_attempt(self.opened, self.trial, outcome)


def reply_of_call(identifier: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A call as an episode takes replies; one that no text of a model may hold (see `calls`) becomes a problem."""
    problem = None
    try:
        text = json.dumps(arguments, allow_nan=False)
    except (ValueError, RecursionError):
        text, problem = "", "The arguments hold a number that JSON does not have."
    if len(text) > LONGEST_REPLY:
        problem = f"The arguments are too long ({len(text)} characters) and were not read."
    elif nests_deeper(arguments, DEEPEST_ARGUMENTS):
        problem = f"The arguments nest more than {DEEPEST_ARGUMENTS} levels deep."
    if problem is not None:
        return {"tool_calls": [], "text": text, "problem": problem}
    return {"tool_calls": [{"id": identifier, "name": name, "arguments": arguments}], "text": ""}
