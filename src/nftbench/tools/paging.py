"""Pages: as much of a list or a text as one result can hold, and where the next page begins."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nftbench.tools.toolbox import RESULT_LIMIT

ROOM = RESULT_LIMIT - 600
"""Characters of a result that its rows or its text may take; the rest is for what stands beside them."""


def fitting(rows: Sequence[Any], room: int = ROOM) -> list[Any]:
    """As many of the first rows as a result can hold uncut, and one at least."""
    for count, row in enumerate(rows):
        room -= len(json.dumps(row)) + 2
        if room < 0 and count:
            return list(rows[:count])
    return list(rows)


def page_of(text: str, start: int, name: str, room: int = ROOM) -> dict[str, Any]:
    """The text from a character on, under a name, as far as a result can hold it; where it goes on, if it does."""
    end = min(len(text), start + room)
    while end > start + 1 and len(json.dumps(text[start:end])) > room:
        end = start + (end - start) * 3 // 4
    page: dict[str, Any] = {name: text[start:end]}
    if start or end < len(text):
        page["characters"] = f"{min(start, len(text))} to {end} of {len(text)}"
    if end < len(text):
        page["next_cursor"] = str(end)
    return page
