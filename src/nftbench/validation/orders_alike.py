"""When two signed orders come to the same for a goal about what an order does: by the rules of Seaport, without filling any."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nftbench.tasks.goals import BidStands, Goal, ListingStands
from nftbench.world.world import World

_OPEN = (0, 1)
_ERC721 = "2"


def told_apart(world: World, signed: Mapping[str, Any], goals: Iterable[Goal]) -> tuple[str, str]:
    """Who signed, and the signature, or of an order where a goal asks for one, what tells it from others that do the same."""
    standing = [goal for goal in goals if isinstance(goal, ListingStands | BidStands)]
    typed = signed["typed_data"]
    if not standing or typed.get("primaryType") != "OrderComponents":
        return signed["signer"], signed["signature"]
    try:
        essence = _essence(world, typed["message"], standing)
    except (KeyError, TypeError, ValueError):
        return signed["signer"], signed["signature"]
    return signed["signer"], json.dumps([typed.get("domain"), essence], sort_keys=True)


def _essence(world: World, order: Mapping[str, Any], goals: list[ListingStands | BidStands]) -> dict[str, Any]:
    """Left out are the salt; zone and zone hash of an open order, which nobody asks; the times, where no goal says any and
    it has begun and lasts; whether it may be filled in parts, where one token alone can't be."""
    essence, now = dict(order), world.engine.pending_timestamp
    del essence["salt"]
    if int(order["orderType"]) in _OPEN:
        essence |= {"zone": None, "zoneHash": None}
    if all(goal.starts is None for goal in goals) and int(order["startTime"]) <= now:
        essence["startTime"] = "begun"
    if all(goal.ends is None and int(order["endTime"]) > now + goal.lasting for goal in goals):
        essence["endTime"] = "lasting"
    if any(item["itemType"] == _ERC721 for item in order["offer"]):
        essence["orderType"] = int(order["orderType"]) // 2
    if essence["startTime"] == "begun":
        essence["offer"] = [_rounded(item, min) for item in order["offer"]]
        essence["consideration"] = [_rounded(item, max) for item in order["consideration"]]
    return essence


def _rounded(item: Mapping[str, Any], way: Callable[[Iterable[int]], int]) -> dict[str, Any]:
    """Between one whole amount and the next what is offered is rounded down and what is asked for up, from just behind the
    order's start to its end."""
    ends = [int(item["startAmount"]), int(item["endAmount"])]
    if abs(ends[0] - ends[1]) != 1:
        return dict(item)
    amount = str(way(ends))
    return {**item, "startAmount": amount, "endAmount": amount}
