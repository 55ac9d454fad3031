"""What was asked of a server, and what is to be made of what came back: the values of the classification."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from nftbench.agents.failure import FailureKind
from nftbench.agents.replies.message import Reply

Action = Literal["reply", "retry", "fail"]


class Asked(Struct, frozen=True):
    """What was asked: needed to judge what came back. `context_window` in tokens, None where nobody declared it."""

    model: str
    path: str = "/v1/chat/completions"
    aliases: tuple[str, ...] = ()
    max_tokens: int | None = None
    context_window: int | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """`kind` is the failure, at once or once the retries are used up; None with a reply. `wait` is the server's own hint in
    seconds. `loading` says that the server is still starting. `usage` is set whenever the body tells it, reply or not."""

    action: Action
    kind: FailureKind | None = None
    cause: str = ""
    detail: str = ""
    wait: float | None = None
    loading: bool = False
    configuration: bool = False
    facts: dict[str, Any] = {}
    usage: dict[str, Any] | None = None
    reply: Reply | None = None
    reached: bool = True


def fail(kind: FailureKind, cause: str, detail: str, **more: Any) -> Verdict:
    """A failure that no repetition helps."""
    return Verdict(action="fail", kind=kind, cause=cause, detail=detail, **more)


def retry(kind: FailureKind, cause: str, detail: str, **more: Any) -> Verdict:
    """A failure only once the retries are used up."""
    return Verdict(action="retry", kind=kind, cause=cause, detail=detail, **more)
