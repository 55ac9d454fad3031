"""A session: one attempt at one task, in which the client makes the calls. It knows nothing of how they reach it.

The client is told a session name that is drawn anew each time. Nothing that it can read holds the instance's id, its tier,
its difficulty, or whether it can be done.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from nftbench.episode.limits import Limits
from nftbench.episode.prompt import system_text
from nftbench.records.model import EndedBy, Result
from nftbench.run.runner import Attempt, open_attempt
from nftbench.run.sitting import Sitting
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import ToolResult

OVER = "This session is over: nothing more can be done in it."
BROKEN = "The wallet has broken down, through no fault of yours. This session is over."


class Session:
    """Not for several threads: calls come one after the other. `record` takes the attempt when it ends, whichever way;
    an attempt is recorded before the client hears of its end. The time of the episode runs from `connect` on.

    `fault` is what broke in nftbench itself: the attempt is then not recorded.
    """

    def __init__(
        self,
        task: Task,
        *,
        trial: int,
        limits: Limits,
        isolated: bool,
        record: Callable[[Attempt], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"session-{secrets.token_hex(4)}"
        self.task_text = (
            f"{system_text(limits.of(task.turns).turns)}\n\nYour task, in the owner's words:\n\n{task.prompt}"
        )
        self.result: Result | None = None
        self.fault: Exception | None = None
        self._opened = open_attempt(task)
        self._catalogue = standard_toolbox(self._opened.desk).catalogue
        self._trial, self._limits, self._clock = trial, limits, clock
        self._isolated, self._record = isolated, record
        self._sitting: Sitting | None = None
        self._client: dict[str, Any] = {}

    @property
    def catalogue(self) -> list[dict[str, Any]]:
        """The tools, each with `name`, `description` and the JSON schema of its `parameters`."""
        return self._catalogue

    @property
    def over(self) -> bool:
        return self.result is not None or self.fault is not None

    @property
    def has_client(self) -> bool:
        """Whether a client ever came."""
        return self._sitting is not None

    def connect(self, client: dict[str, Any]) -> None:
        """A client is there, and calls itself so; only the first time counts."""
        if self._sitting is None:
            self._client = client
            opened = replace(self._opened, started=time.monotonic())
            self._sitting = Sitting(opened, trial=self._trial, limits=self._limits, clock=self._clock)

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """One call of the client. Every call counts as a turn, one that is refused for its form too."""
        if self.check() or self._sitting is None:
            return _refused(OVER)
        try:
            result = self._sitting.call(name, arguments)
        except Exception as fault:
            self.fault = fault
            return _refused(BROKEN)
        self.check()
        if self.fault is not None:
            return _refused(BROKEN)
        return _refused(result) if isinstance(result, str) else result

    def check(self) -> bool:
        """Whether the session is over; ends it where the agent has, or where a limit is reached."""
        ended_by = None if self.over or self._sitting is None else self._sitting.episode.over()
        if ended_by is not None:
            self.end(ended_by)
        return self.over

    def end(self, ended_by: EndedBy) -> None:
        """Grade and record the attempt, unless that is done or no client ever came."""
        if self.over or self._sitting is None:
            return
        try:
            attempt = self._sitting.close(ended_by)
            result = replace(attempt.result, isolated=self._isolated)
            about = {"name": self.name, "client": self._client, "isolated": self._isolated}
            self._record(Attempt(result, {**attempt.trajectory, "session": about}))
        except Exception as fault:
            self.fault = fault
        else:
            self.result = result


def _refused(text: str) -> ToolResult:
    return ToolResult(json.dumps({"error": text}), error=True)
