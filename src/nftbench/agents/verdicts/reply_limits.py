"""What a server that refuses the length asked for a reply says that it would take."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nftbench.agents.verdicts.request_fields import names_only_the_reply

_WINDOW = re.compile(
    r"max_(?:model_len|total_tokens|seq_len)\D{0,3}(\d+)|context[ _](?:length|window|size)\D{0,12}?(\d+)"
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|up to|maximum(?: value)?(?: of)?|<=|limit of|no more than|not exceed)\s*[`'\"(]*(\d+)"
    r"|range is \[\d+, ?(\d+)\]|> (\d+)"
)


def reply_limits(words: str, places: Iterable[str]) -> dict[str, int]:
    """The `context_window`, or the `most_reply_tokens`, that a refusal of the reply's length tells (lower case); {} if it is
    about anything else."""
    if not names_only_the_reply(words, places):
        return {}
    for name, pattern in (("context_window", _WINDOW), ("most_reply_tokens", _MOST)):
        found = pattern.search(words)
        number = next((group for group in found.groups() if group), "") if found else ""
        if 0 < len(number) <= 12:
            return {name: int(number)}
    return {}
