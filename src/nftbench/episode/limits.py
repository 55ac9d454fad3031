"""The limits of one episode; reaching one is a scored failure, with the world graded as it stands."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from nftbench.tasks.model import USUAL_TURNS


class Limits(Struct, frozen=True, kw_only=True):
    """`max_turns` counts replies of the model (None: as many as the task allows, see `of`); `max_tokens` prompt and completion
    tokens of all turns together (None: no limit); `max_seconds` wall-clock time less the waits for a server's leave (None: no
    limit); `max_repairs` replies in a row that are no valid call."""

    max_turns: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = 3600.0
    max_repairs: int = 3

    def of(self, turns: int) -> Limits:
        """These limits for a task that allows so many turns."""
        return self if self.max_turns is not None else replace(self, max_turns=turns)

    @property
    def turns(self) -> int:
        return USUAL_TURNS if self.max_turns is None else self.max_turns
