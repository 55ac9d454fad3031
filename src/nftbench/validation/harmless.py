"""The reviewed list: one more call after which a right grade stands, with the reason why it may."""

from __future__ import annotations

from fnmatch import fnmatchcase

HARMLESS: dict[str, str] = {
    "* *.transferFrom(user, user, *)": "a token sent from its owner to its owner is where it was; ERC721A notes the time",
    "* *.safeTransferFrom(user, user, *)": "as transferFrom",
    "* *.requestOwnershipHandover()": "a wish to be the owner, which only the owner can grant and time takes away (Solady)",
}
"""`<instance> <artifact>.<function>(<arguments>)`, as shell patterns, with the reason. What passes under no line is a finding."""


def harmless_line(instance_id: str, artifact: str, call: str) -> str | None:
    """The line of the list that a call, as `spoken_move` tells it, falls under."""
    told = f"{instance_id} {artifact}.{call.partition('.')[2]}"
    return next((line for line in HARMLESS if fnmatchcase(told, line)), None)
