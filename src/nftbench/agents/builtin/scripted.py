"""A backend that says what it was told to say: for tests and trials, without a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from nftbench.agents.backend import Answer, Invocation, answer_text
from nftbench.agents.failure import CLIFailure
from nftbench.agents.layouts.items import Laid, answer_to_text, schemas_of
from nftbench.calls import Call
from nftbench.conversation import RequestReader

Reply = str | Call | CLIFailure
"""What a model writes (read as any model's text is), a call, or a failure to raise."""


class ScriptedBackend:
    """Gives the replies in order, one a turn, and the last one from then on. A reply may also be a function from the request
    to one."""

    def __init__(self, replies: Sequence[Reply | Callable[[str], Reply]]) -> None:
        if not replies:
            raise ValueError("a script has at least one reply")
        self._replies = list(replies)
        self._next = 0
        self._lock = threading.Lock()
        self.requests: list[str] = []

    def complete(self, request: str) -> str:
        """See Backend.complete."""
        with self._lock:
            self.requests.append(request)
            reply = self._replies[min(self._next, len(self._replies) - 1)]
            self._next += 1
        if callable(reply):
            reply = reply(request)
        if isinstance(reply, CLIFailure):
            raise reply
        reading = RequestReader().read(request)
        turn = sum(message.get("role") == "assistant" for message in reading.messages)
        if isinstance(reply, Call):
            return answer_text(Answer(text="", calls=((f"call_{turn + 1}", reply),)))
        return answer_text(answer_to_text(reply, Laid(b"", schemas_of(reading.tools), turn)), Invocation(text=reply))
