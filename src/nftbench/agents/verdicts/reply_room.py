"""How many tokens a reply may have where nobody said it: the usual number, until a server's refusal tells what it holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

USUAL_REPLY_TOKENS = 32000
LEAST_REPLY_TOKENS = 512
"""A reply with less room than this is not asked for: then the conversation is what is too long."""


def fitting_reply_tokens(window: int) -> int:
    """The room for a reply that goes with a context window: a power of two, about a quarter of it."""
    return 1 << max(6, (window // 4).bit_length() - 1)


class ReplyRoom:
    """Shared by the backends of a run. `learnt` is called with the new number and the context window (None where the server
    tells only the longest reply it gives) when a refusal has told it. Thread-safe."""

    def __init__(
        self, tokens: int = USUAL_REPLY_TOKENS, learnt: Callable[[int, int | None], None] = lambda tokens, window: None
    ) -> None:
        self._lock = threading.Lock()
        self._tokens = tokens
        self._learnt = learnt

    @property
    def tokens(self) -> int:
        """What is asked for now."""
        return self._tokens

    def after(self, refused: Mapping[str, Any], asked: int) -> int | None:
        """The room to ask for instead of `asked`, given the facts of a refusal; None where they leave none, or tell nothing.

        `context_window` and `prompt_tokens` as a context limit has them, `most_reply_tokens` is a longest reply by itself."""
        window, prompt = refused.get("context_window"), refused.get("prompt_tokens")
        most = fitting_reply_tokens(window) if window else refused.get("most_reply_tokens")
        if not most:
            return None
        with self._lock:
            usual = min(self._tokens, most)
            room = min(usual, window - prompt) if window and prompt else usual
            if not LEAST_REPLY_TOKENS <= room < asked:
                return None
            if usual < self._tokens:
                self._tokens = usual
                self._learnt(usual, window)
        return room
