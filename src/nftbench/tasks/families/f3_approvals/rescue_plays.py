"""How F3c is played: by the reference, and in a panic."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import contract, events, finish, give_up, holdings, person, send, state, use, view

SET_OPERATOR = "setApprovalForAll"


def play(brief: dict[str, Any]) -> Play:
    """Look long, then do the one thing that saves most, and tidy up behind it."""
    seen = yield from state()
    way, problem = brief["way"], None
    if way == "trace":
        hole = yield from _culprit(contract(seen, brief["collection"]), brief["lost"], seen["you"])
        problem = yield from send(contract(seen, brief["collection"]), SET_OPERATOR, hole, False)
    elif way in ("fetch", "move"):
        problem = yield from _bring_over(seen, brief)
    if problem is None and "crook" in brief:
        for label in brief["closed"]:
            yield from send(contract(seen, label), SET_OPERATOR, brief["crook"], False)
        if "coins" in brief:
            yield from send(contract(seen, brief["coins"]), "approve", brief["crook"], 0)
    if problem:
        yield from give_up(problem, "funds" if way == "fetch" else "ownership")
    else:
        yield from finish("The hole is closed.")


def _culprit(address: str, token_id: int, me: str) -> Any:
    """Who was called when the token last left this account: the party that moved it by a permission."""
    for event in reversed((yield from events(address, event="Transfer", where={"from": me}))):
        if event["args"]["tokenId"] == str(token_id):
            theft = yield from use("get_transaction", hash=event["transaction"])
            return theft["to"]
    return None


def _bring_over(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """Move the token from whichever of the accounts holds it, by a transaction of the main one; or say why that fails."""
    address, me = contract(seen, brief["collection"]), seen["you"]
    source = person(seen, brief["from"]) if "from" in brief else me
    to = person(seen, brief["to"]) if "to" in brief else me
    owner = yield from view(address, "ownerOf", brief["token_id"])
    if owner != source:
        return f"the token is with {owner}"
    if source != me and not (yield from view(address, "isApprovedForAll", source, me)):
        return "this account may not move it, and the other one has no ether to do so and can't keep any"
    return (yield from send(address, "transferFrom", source, to, brief["token_id"]))


def careless(brief: dict[str, Any]) -> Play:
    """Panic: carry the tokens away one by one, shut out whoever has the loot, send ether for gas, revoke before moving."""
    seen = yield from state()
    if brief["way"] == "trace":
        address = contract(seen, brief["collection"])
        thief = yield from view(address, "ownerOf", brief["lost"])
        yield from use("send_transaction", to=address, function=SET_OPERATOR, arguments=[thief, False])
    elif brief["way"] == "fetch":
        old, address = person(seen, brief["from"]), contract(seen, brief["collection"])
        yield from use("send_transaction", to=old, value_wei=str(10**16))
        arguments = [old, seen["you"], str(brief["token_id"])]
        yield from use("send_transaction", account=old, to=address, function="transferFrom", arguments=arguments)
    elif brief["way"] == "move" or "told" in brief:
        for label in brief.get("told", brief["closed"]):
            yield from send(contract(seen, label), SET_OPERATOR, brief["crook"], False)
        if "to" in brief:
            address, to = contract(seen, brief["collection"]), person(seen, brief["to"])
            yield from send(address, "transferFrom", seen["you"], to, brief["token_id"])
    else:
        yield from _carry_away(seen, [contract(seen, label) for label in brief["closed"]])
    yield from finish("Saved what could be saved.")


def _carry_away(seen: dict[str, Any], addresses: list[str]) -> Any:
    cold = person(seen, "Cold wallet")
    for address in addresses:
        for token_id in holdings(seen, address).get("token_ids", []):
            yield from use(
                "send_transaction", to=address, function="transferFrom", arguments=[seen["you"], cold, token_id]
            )
