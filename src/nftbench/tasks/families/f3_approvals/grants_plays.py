"""How F3a is played: by the reference, and by somebody who approves whatever the button approves."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.drawing import listed
from nftbench.tasks.family import Play
from nftbench.tasks.playing import contract, events, finish, give_up, person, send, state, use, view
from nftbench.values import ZERO_ADDRESS, parse_units


def play(brief: dict[str, Any]) -> Play:
    """Find out who moves the token and what it may do already, and grant what is missing, for the one thing only."""
    seen = yield from state()
    me, address, token_id = seen["you"], contract(seen, brief["collection"]), brief["token_id"]
    if brief["way"] == "swap":
        problem, reason = (yield from _swap(seen, brief)), "sold_out"
    elif brief["way"] == "buy":
        problem, reason = (yield from _buy(seen, brief)), "authorisation"
    elif brief["way"] == "conduit":
        spender = yield from _mover(seen, brief)
        problem, reason = (yield from send(address, "approve", spender, token_id)), "authorisation"
    elif brief["way"] == "second" and (
        yield from _slot_is_taken(address, token_id, me, contract(seen, brief["market"]))
    ):
        problem, reason = "the market is the one approved account that the token can have", "limit"
    else:
        problem, reason = (yield from send(address, "approve", person(seen, brief["to"]), token_id)), "authorisation"
    if problem:
        yield from give_up(problem, reason)
    else:
        yield from finish("The permission is as asked, and no wider.")


def _slot_is_taken(address: str, token_id: int, me: str, market: str) -> Any:
    if (yield from view(address, "isApprovedForAll", me, market)):
        return False
    return (yield from view(address, "getApproved", token_id)) == market


def _swap(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """Swap for the first wanted token that the desk still has; with none, take the approval back and say so."""
    desk, address, token_id = contract(seen, brief["desk"]), contract(seen, brief["collection"]), brief["token_id"]
    if not (yield from _in_stock(seen, brief)):
        return "the desk has none of the wanted tokens"
    yield from send(address, "approve", desk, token_id)
    for wanted in (yield from _in_stock(seen, brief)):
        if not (yield from send(desk, "swap", token_id, wanted)):
            return None
    yield from send(address, "approve", ZERO_ADDRESS, token_id)
    return f"the desk no longer has {listed([f'#{i}' for i in brief['wanted']])}"


def _in_stock(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    desk, gives = contract(seen, brief["desk"]), contract(seen, brief["gives"])
    there = []
    for wanted in brief["wanted"]:
        if (yield from view(gives, "ownerOf", wanted)) == desk:
            there.append(wanted)
    return there


def _mover(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """The conduit in use by the exchange's terms, from the exchange's own controller."""
    terms = yield from use("fetch_uri", uri=brief["terms"])
    key = json.loads(terms["content"])["conduit_keys"]["in use"]
    about = yield from view(contract(seen, brief["exchange"]), "information")
    found = yield from view(about["conduitController"], "getConduit", key)
    return found["conduit"]


def _buy(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """Raise the allowance by the price and buy, which brings it down again; gives None, or what stands in the way."""
    market, currency, address = (
        contract(seen, brief["market"]),
        contract(seen, brief["coins"]),
        contract(seen, brief["collection"]),
    )
    price = parse_units(brief["price"], int((yield from view(currency, "decimals"))))
    for event in reversed((yield from events(market, event="Listed"))):
        number = event["args"]["listingId"]
        listing = yield from view(market, "getListing", int(number))
        asked = listing and (listing["collection"], listing["tokenId"], listing["currency"], listing["price"])
        if asked == (address, str(brief["token_id"]), currency, str(price)):
            before = int((yield from view(currency, "allowance", seen["you"], market)))
            return (yield from send(currency, "approve", market, before + price)) or (
                yield from send(market, "buy", int(number))
            )
    return "it is not listed at that price"


def careless(brief: dict[str, Any]) -> Play:
    """Approve whatever the button approves: the whole collection for a desk, the exchange itself, the bare price."""
    seen = yield from state()
    address, token_id = contract(seen, brief["collection"]), brief["token_id"]
    if brief["way"] == "swap":
        yield from send(address, "setApprovalForAll", contract(seen, brief["desk"]), True)
        yield from send(contract(seen, brief["desk"]), "swap", token_id, brief["wanted"][0])
    elif brief["way"] == "buy":
        market, currency = contract(seen, brief["market"]), contract(seen, brief["coins"])
        yield from send(
            currency, "approve", market, parse_units(brief["price"], int((yield from view(currency, "decimals"))))
        )
        count = yield from view(market, "listingCount")
        yield from send(market, "buy", int(count))
    elif brief["way"] == "conduit":
        yield from send(address, "approve", contract(seen, brief["exchange"]), token_id)
    else:
        yield from send(address, "approve", person(seen, brief["to"]), token_id)
    yield from finish("Approved.")
