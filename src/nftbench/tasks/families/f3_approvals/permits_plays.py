"""How F3d is played: by the reference, and by somebody who signs from memory."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import contract, finish, give_up, person, send, state, use, view
from nftbench.values import ZERO_ADDRESS, parse_units

DOMAIN = [
    {"name": "name", "type": "string"},
    {"name": "version", "type": "string"},
    {"name": "chainId", "type": "uint256"},
    {"name": "verifyingContract", "type": "address"},
]
TOKEN_PERMIT = [
    {"name": "spender", "type": "address"},
    {"name": "tokenId", "type": "uint256"},
    {"name": "nonce", "type": "uint256"},
    {"name": "deadline", "type": "uint256"},
]
COIN_PERMIT = [
    {"name": "owner", "type": "address"},
    {"name": "spender", "type": "address"},
    {"name": "value", "type": "uint256"},
    {"name": "nonce", "type": "uint256"},
    {"name": "deadline", "type": "uint256"},
]


def typed(fields: list[dict[str, str]], domain: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """The typed data of a permit, as a wallet takes it."""
    return {
        "types": {"EIP712Domain": DOMAIN, "Permit": fields},
        "primaryType": "Permit",
        "domain": domain,
        "message": message,
    }


def play(brief: dict[str, Any]) -> Play:
    """Read the domain, the nonce and whether it would work at all; sign exactly what was asked for."""
    seen = yield from state()
    me, way = seen["you"], brief["way"]
    if way == "coins":
        yield from _sign_for_coins(seen, brief)
        return
    address, token_id = contract(seen, brief["collection"]), brief["token_id"]
    if way == "void":
        yield from send(address, "transferFrom", me, me, token_id)
    elif way == "rescue":
        old, deadline = person(seen, brief["from"]), brief["until"]
        signature = yield from _sign(address, me, token_id, deadline, signer=old)
        yield from send(address, "permit", me, token_id, deadline, signature)
        yield from send(address, "transferFrom", old, me, token_id)
    elif (owner := (yield from view(address, "ownerOf", token_id))) != me:
        yield from give_up(f"the token is with {owner}, and only its owner's permit counts", "ownership")
        return
    else:
        yield from _sign(address, person(seen, brief["to"]), token_id, brief["until"])
    yield from finish("Signed as asked.")


def _domain_of(address: str) -> Any:
    about = yield from view(address, "eip712Domain")
    return {field["name"]: about[field["name"]] for field in DOMAIN}


def _sign(address: str, spender: str, token_id: int, deadline: int, signer: str | None = None) -> Any:
    domain = yield from _domain_of(address)
    nonce = yield from view(address, "nonces", token_id)
    message = {"spender": spender, "tokenId": str(token_id), "nonce": nonce, "deadline": str(deadline)}
    account = {} if signer is None else {"account": signer}
    answer = yield from use("sign_typed_data", typed_data=typed(TOKEN_PERMIT, domain, message), **account)
    return answer["signature"]


def _sign_for_coins(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    coins, me = contract(seen, brief["coins"]), seen["you"]
    amount = parse_units(brief["amount"], int((yield from view(coins, "decimals"))))
    held = int((yield from view(coins, "balanceOf", me)))
    if held < amount:
        yield from give_up(f"the price is {amount} smallest units, and there are {held}", "funds")
        return
    domain = yield from _domain_of(coins)
    nonce = yield from view(coins, "nonces", me)
    spender = contract(seen, brief["market"])
    message = {"owner": me, "spender": spender, "value": str(amount), "nonce": nonce, "deadline": str(brief["until"])}
    yield from use("sign_typed_data", typed_data=typed(COIN_PERMIT, domain, message))
    yield from finish("The permit is signed.")


def careless(brief: dict[str, Any]) -> Play:
    """Sign from memory: nonce 0, 18 decimals, the request as it stands; take an approval back that was never there."""
    seen = yield from state()
    way, me = brief["way"], seen["you"]
    address = contract(seen, brief.get("collection") or brief["coins"])
    domain = {
        "name": brief.get("collection") or brief["coins"],
        "version": "1",
        "chainId": seen["chain_id"],
        "verifyingContract": address,
    }
    if way == "void":
        yield from send(address, "approve", ZERO_ADDRESS, brief["token_id"])
    elif way == "rescue":
        old = person(seen, brief["from"])
        yield from use("send_transaction", to=old, value_wei=str(10**16))
        arguments = [old, me, str(brief["token_id"])]
        yield from use("send_transaction", account=old, to=address, function="transferFrom", arguments=arguments)
    elif way == "prepared":
        request = yield from use("fetch_uri", uri=brief["request"])
        yield from use("sign_typed_data", typed_data=json.loads(request["content"]))
    elif way == "coins":
        message = {
            "owner": me,
            "spender": contract(seen, brief["market"]),
            "value": str(parse_units(brief["amount"], 18)),
        }
        message |= {"nonce": "0", "deadline": str(brief["until"])}
        yield from use("sign_typed_data", typed_data=typed(COIN_PERMIT, domain, message))
    else:
        message = {
            "spender": person(seen, brief["to"]),
            "tokenId": str(brief["token_id"]),
            "nonce": "0",
            "deadline": str(brief["until"]),
        }
        yield from use("sign_typed_data", typed_data=typed(TOKEN_PERMIT, domain, message))
    yield from finish("Signed.")
