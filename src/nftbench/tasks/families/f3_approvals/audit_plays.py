"""How F3b is played: by the reference, and by a revoke button that knows one call."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import (
    contract,
    finish,
    give_up,
    looks,
    person,
    send,
    state,
    use,
    view,
    wait_until,
)
from nftbench.values import ZERO_ADDRESS

SET_OPERATOR = "setApprovalForAll"


def play(brief: dict[str, Any]) -> Play:
    """Find what stands, by events and then by reading; take back the bad ones; look whether they are gone."""
    seen = yield from state()
    problem = None
    if brief["way"] == "operator":
        problem = yield from send(
            contract(seen, brief["collection"]), SET_OPERATOR, contract(seen, brief["who"]), False
        )
    elif brief["way"] == "person":
        problem = yield from _from_my_tokens(seen, contract(seen, brief["collection"]), person(seen, brief["who"]))
    elif brief["way"] == "token":
        problem = yield from send(contract(seen, brief["collection"]), "approve", ZERO_ADDRESS, brief["token_id"])
    elif brief["way"] == "wallet":
        problem = yield from _through_the_wallet(seen, brief)
    else:
        kept = [contract(seen, name) for name in brief.get("keep", ())]
        only = contract(seen, brief["who"]) if "who" in brief else None
        for address, kind, who, token_id in (yield from _standing(seen["you"])):
            if who in kept or (only is not None and who != only):
                continue
            problem = problem or (yield from _take_back(address, kind, who, token_id))
    if problem:
        yield from give_up(f"it can't be taken back: {problem}", "authorisation")
    else:
        yield from finish("What was to go is gone.")


def _from_my_tokens(seen: dict[str, Any], address: str, who: str) -> Any:
    if (yield from view(address, "isApprovedForAll", seen["you"], who)):
        yield from send(address, SET_OPERATOR, who, False)
    for token_id in range(1, int((yield from view(address, "totalSupply"))) + 1):
        if (yield from view(address, "ownerOf", token_id)) != seen["you"]:
            continue
        if (yield from view(address, "getApproved", token_id)) == who:
            yield from send(address, "approve", ZERO_ADDRESS, token_id)
    return None


def _logs(event: str) -> Any:
    """All events of a name in all contracts."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = yield from use("get_logs", event=event, **cursor)
        found += page["logs"]
        if "next_cursor" not in page:
            return found
        cursor = {"cursor": page["next_cursor"]}


def _standing(me: str) -> Any:
    """Every permission of this account that stands now: contract, kind, who has it, and the token if it is for one."""
    candidates: dict[tuple[str, str, str, int | None], None] = {}
    for event in (yield from _logs("ApprovalForAll")):
        owner, operator, _ = event["args"].values()
        if owner == me:
            candidates[event["contract"], "operator", operator, None] = None
    for event in (yield from _logs("Approval")):
        owner, who, number = event["args"].values()
        if owner == me:
            coins = "value" in event["args"] or "amount" in event["args"]
            candidates[event["contract"], "coins" if coins else "token", who, None if coins else int(number)] = None
    standing = []
    for address, kind, who, token_id in candidates:
        if (yield from _stands(me, address, kind, who, token_id)):
            standing.append((address, kind, who, token_id))
    return standing


def _stands(me: str, address: str, kind: str, who: str, token_id: int | None) -> Any:
    if kind == "operator":
        return (yield from view(address, "isApprovedForAll", me, who))
    if kind == "coins":
        return int((yield from view(address, "allowance", me, who))) > 0
    if (yield from view(address, "ownerOf", token_id)) != me or not int(who, 16):
        return False
    approved = yield from view(address, "getApproved", token_id)
    if approved is None:
        approved = yield from view(address, "approvedFor", token_id)
    return approved == who


def _take_back(address: str, kind: str, who: str, token_id: int | None) -> Any:
    if kind == "operator":
        return (yield from send(address, SET_OPERATOR, who, False))
    if kind == "coins":
        return (yield from send(address, "approve", who, 0))
    return (yield from send(address, "approve", ZERO_ADDRESS, token_id))


def _through_the_wallet(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """Confirm the wallet's call, wait for the partner, and run it; gives None, or why that can't come about."""
    wallet, collection, partner = (
        contract(seen, brief["wallet"]),
        contract(seen, brief["collection"]),
        person(seen, brief["partner"]),
    )
    needed = int((yield from view(wallet, "threshold")))
    if needed > 2:
        return f"the wallet wants {needed} owners to confirm"
    values = [contract(seen, brief["who"]), False]
    data = (yield from use("hash_data", method="call_data", value=f"{SET_OPERATOR}(address,bool)", values=values))[
        "encoded"
    ]
    nonce = int((yield from view(wallet, "nonce")))
    asked = yield from view(wallet, "getTransactionHash", collection, 0, data, nonce)
    problem = yield from send(wallet, "approveHash", asked)
    for look in looks(brief["expected"], brief["deadline"]):
        if problem or (yield from view(wallet, "approvedHashes", partner, asked)):
            break
        yield from wait_until(look)
    return problem or (yield from send(wallet, "execTransaction", collection, 0, data))


def careless(brief: dict[str, Any]) -> Play:
    """What a revoke button does: setApprovalForAll(..., false) in the user's own name, where the names say, and done."""
    seen = yield from state()
    if brief["way"] in ("one", "all"):
        named = (
            [brief["who"]]
            if "who" in brief
            else [c["name"] for c in seen["known_contracts"] if c["name"] not in brief["keep"]]
        )
        for entry in seen["accounts"][0]["holdings"]:
            for name in named:
                if "amount" not in entry:
                    yield from send(entry["address"], SET_OPERATOR, contract(seen, name), False)
    else:
        known = [c["name"] for c in seen["known_contracts"]]
        who = contract(seen, brief["who"]) if brief["who"] in known else person(seen, brief["who"])
        yield from send(contract(seen, brief["collection"]), SET_OPERATOR, who, False)
    yield from finish("Revoked.")
