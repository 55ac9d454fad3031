"""The limits of one episode; reaching one is a scored failure, with the world graded as it stands."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """`max_turns` counts replies of the model; `max_tokens` prompt and completion tokens of all turns together (None: no
    limit); `max_seconds` wall-clock time less the waits for a server's leave (None: no limit); `max_repairs` replies in a row
    that are no valid call."""

    max_turns: int = 60
    max_tokens: int | None = None
    max_seconds: float | None = 3600.0
    max_repairs: int = 3
