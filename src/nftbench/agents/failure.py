"""How a backend says that it has no answer.

Only `kind` decides what becomes of the task; `cause` is the finer class, for people and reports.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Literal

FailureKind = Literal[
    "context_limit",
    "model_format",
    "cli_error",
    "incomplete_output",
    "model_mismatch",
    "auth_or_quota",
    "spend_limit",
]
SCORED_KINDS: frozenset[str] = frozenset({"context_limit", "model_format"})
"""The model's own failures: the task is scored as it stands."""
UNSCORED_KINDS: frozenset[str] = frozenset({"cli_error", "incomplete_output", "model_mismatch"})
"""Not the model's: the task ends in error and is redone on resume."""
STOPPING_KINDS: frozenset[str] = frozenset({"auth_or_quota", "spend_limit"})
"""No task can go on: the run ends, resumable."""

CURRENT_TASK: ContextVar[str | None] = ContextVar("nftbench_current_task", default=None)
"""The instance whose turn this thread is taking; written into the events. Set by whoever runs the task."""


class CLIFailure(Exception):
    """A backend's turn ended without a reply.

    `detail` is text for people: one or two sentences, without secrets and without the endpoint's address. `configuration`
    says that no repetition can help before something is set right (a wrong name, path, key or flag). `usage` has the tokens
    (and `cost`) of the attempts that were made, in the form of `Invocation.usage["usage"]["retried"]`. `facts` may hold
    `context_window`, `prompt_tokens` and `prompt_fits` for a context limit.
    """

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        *,
        cause: str = "",
        configuration: bool = False,
        usage: dict[str, Any] | None = None,
        facts: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
        self.cause = cause or kind
        self.configuration = configuration
        self.usage = usage or {}
        self.facts = facts or {}

    def __reduce__(self) -> tuple[Any, ...]:
        """On the way to another process nothing is lost."""
        return _failure, (self.kind, self.detail, self.cause, self.configuration, self.usage, self.facts)


def _failure(
    kind: FailureKind, detail: str, cause: str, configuration: bool, usage: dict[str, Any], facts: dict[str, Any]
) -> CLIFailure:
    return CLIFailure(kind, detail, cause=cause, configuration=configuration, usage=usage, facts=facts)
