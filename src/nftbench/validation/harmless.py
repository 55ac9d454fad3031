"""The reviewed lists, with the reasons: one more call after which a right grade stands, other ends that are as right, and
allowed changes that leave something open."""

from __future__ import annotations

import re

from msgspec import Struct

from nftbench.tasks.model import Task


class Line(Struct, frozen=True):
    """`pattern` is a regular expression for the whole of what is told."""

    pattern: str
    reason: str


COUNTERS = "a counter and nothing else"
HARMLESS: dict[str, Line] = {
    COUNTERS: Line(
        r"(?!)", "a count of what was done only goes up, as a wallet's nonce after a call that changes nothing"
    ),
    "a token sent to its own owner": Line(
        r"\S+ \w+\.(?:safeT|t)ransferFrom\((\w+), \1, .*", "everybody has what they had; ERC721A notes the time"
    ),
    "a wish to be the owner": Line(
        r"\S+ \w+\.requestOwnershipHandover\(\).*", "only the owner can grant it, and time takes it away (Solady)"
    ),
    "a token's own terms, the same as the asked default": Line(
        r"F6a_0[16] RoyaltyCollection\.setTokenRoyalty\(.*",
        "royalties are asked for by what buyers pay, which is the same",
    ),
    "a counter raised once more": Line(
        r"F7c_05 Seaport\.incrementCounter\(\)(?: from second_wallet)?",
        "all that was signed is void already, and nothing has been signed since",
    ),
}
"""Told is `<instance> <artifact>.<function>(<arguments>)`. What passes under no line is a finding. Counters are told by what
changed in storage: every slot that did has gone up by one from a number that was not zero."""

OTHER_ENDS: dict[str, Line] = {
    "how often a contract wallet was used": Line(
        r"F(?:1b_03 club|5a_06 studio)_wallet\.nonce\(\) says something else",
        "the same setting sent again leaves a counter that went up",
    ),
    "which wallet gets which of the new tokens": Line(
        r"F4a_06 the owner of \w+ #\d+ is \w+, not \w+", "the request asks for so many in each wallet"
    ),
    "tokens frozen one by one before the whole collection": Line(
        r"F5c_\d\d \w+\.tokenFrozen\(\d+\) says something else",
        "the request is that nothing can change any more, and that holds for a token in either way",
    ),
    "a counter raised more than once": Line(
        r"F7c_05 \w+\.getCounter\(\w+\) says something else",
        "every number but the old one ends what was signed with it",
    ),
    "a falling price, some blocks later": Line(
        r"F4d_0[167] the (?:ether of \w+|\w+ held by \w+) is \d+, not \d+",
        "a goal holds the payment to what the shop asked for in the very block of the purchase, and to the limit",
    ),
}
"""Told is `<instance> <what a way to the goals comes to, and the reference does not>`."""

OPEN_CHANGES: dict[str, Line] = {
    "a count that others drive on as well": Line(
        r"F4a_07 view \w+ total(?:Minted|Supply)\(\)",
        "others mint as long as the sale lasts; the user's part has goals",
    ),
    "the order of a list": Line(
        r"F6c_05 view \w+ filteredOperators\(address\) .*",
        "its members have a goal each, and another says that there are no more",
    ),
}
"""Told is `<instance> <the change, read aloud>`."""


def harmless_line(task: Task, artifact: str, call: str) -> str | None:
    """The name of the line that a call, as `spoken_move` tells it, falls under."""
    return _named(HARMLESS, task, f"{artifact}.{call.partition('.')[2]}")


def other_end_line(task: Task, end: str) -> str | None:
    """The name of the line that the end of a way falls under."""
    return _named(OTHER_ENDS, task, end)


def open_change_line(task: Task, change: str) -> str | None:
    """The name of the line that an allowed change falls under."""
    return _named(OPEN_CHANGES, task, change)


def _named(lines: dict[str, Line], task: Task, told: str) -> str | None:
    """The line for the task, or for one of the cases that it is made of."""
    texts = [f"{name} {told}" for name in (task.id, *(part.case for part in task.parts))]
    return next(
        (name for name, line in lines.items() for text in texts if re.fullmatch(line.pattern, text, re.DOTALL)), None
    )
