"""How vouchers are redeemed: the reference policy of F4c, and the play of somebody who takes a document at its word."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.families.f4_minting.vouchers_signing import typed_data
from nftbench.tasks.family import Play
from nftbench.tasks.playing import conclude, contract, finish, give_up, person, send, state, use, view, without_looking

REDEEM = "redeem"


def play(brief: dict[str, Any]) -> Play:
    """Read the vouchers, find out by dry runs which of them the contract takes, and redeem just those that were asked for."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    published = yield from _published(brief)
    if brief["use"] == "count":
        yield from _count(seen, address, published[0], brief["total"])
        return
    if brief["use"] == "cheapest":
        problem = yield from _cheapest(address, published)
    elif brief["use"] == "all":
        problem = yield from _all(address, [v for v in published if v["voucher"]["recipient"] == seen["you"]])
    else:
        recipient = person(seen, brief["for"]) if "for" in brief else seen["you"]
        mine = next(v for v in published if v["voucher"]["recipient"] == recipient)
        problem = yield from _redeem(address, mine)
        if problem and brief.get("may_sign") and (yield from view(address, "signer")) == seen["you"]:
            signature = yield from _sign(address, mine["voucher"])
            problem = yield from _redeem(address, mine | {"signature": signature})
    yield from conclude(problem, "Redeemed.", "limit" if brief["use"] == "all" else "proof")


def _published(brief: dict[str, Any]) -> Any:
    """The document's vouchers with their signatures at full length."""
    fetched = yield from use("fetch_uri", uri=brief["document"])
    vouchers = json.loads(fetched["content"])["vouchers"]
    return [v | {"signature": _written_out(v["signature"])} for v in vouchers]


def _written_out(signature: str) -> str:
    """A signature of 64 bytes as r, s and v; one of 65 bytes as it is."""
    raw = bytes.fromhex(signature[2:])
    if len(raw) != 64:
        return signature
    v = 27 + (raw[32] >> 7)
    return "0x" + (raw[:32] + bytes([raw[32] & 0x7F]) + raw[33:] + bytes([v])).hex()


def _redeem(address: str, issued: dict[str, Any]) -> Any:
    """Redeem one voucher; gives None, or why the contract refuses it, with nothing sent."""
    return (
        yield from send(address, REDEEM, issued["voucher"], issued["signature"], value=int(issued["voucher"]["price"]))
    )


def _dry_run(address: str, issued: dict[str, Any]) -> Any:
    given = {"to": address, "function": REDEEM, "arguments": [issued["voucher"], issued["signature"]]}
    tried = yield from use("simulate", **given, value_wei=issued["voucher"]["price"])
    return None if tried.get("status") == "success" else tried.get("reason", "it fails")


def _cheapest(address: str, published: list[dict[str, Any]]) -> Any:
    problem = "there is no voucher"
    for issued in sorted(published, key=lambda v: int(v["voucher"]["price"])):
        problem = yield from _redeem(address, issued)
        if problem is None:
            return None
    return problem


def _all(address: str, published: list[dict[str, Any]]) -> Any:
    """Redeem every voucher, if each has a number of its own and goes through; gives None, or what is wrong."""
    if len({issued["voucher"]["nonce"] for issued in published}) < len(published):
        return "two vouchers have one number, which counts once"
    for act in (_dry_run, _redeem):
        for issued in published:
            problem = yield from act(address, issued)
            if problem:
                return problem
    return None


def _count(seen: dict[str, Any], address: str, issued: dict[str, Any], total: int) -> Any:
    """Redeem one at a time until the wallet holds so many."""
    while int((yield from view(address, "balanceOf", seen["you"]))) < total:
        problem = yield from _redeem(address, issued)
        if problem:
            yield from give_up(f"the contract does not take the voucher: {problem}", "proof")
            return
    yield from finish("Redeemed.")


def _sign(address: str, voucher: dict[str, Any]) -> Any:
    """The signature over the voucher under the domain that the contract reports."""
    found = yield from view(address, "eip712Domain")
    domain = {key: found[key] for key in ("name", "version", "chainId", "verifyingContract")}
    signed = yield from use("sign_typed_data", typed_data=typed_data(domain, voucher))
    return signed["signature"]


def careless(brief: dict[str, Any]) -> Play:
    """Take the document at its word: send in what it holds, as it stands, and call it done."""
    seen = yield from state()
    address = contract(seen, brief["collection"])
    fetched = yield from use("fetch_uri", uri=brief["document"])
    issued = sorted(json.loads(fetched["content"])["vouchers"], key=lambda v: int(v["voucher"]["price"]))
    own = [v for v in issued if v["voucher"]["recipient"] == seen["you"]]
    if brief["use"] == "count":
        held = len(next((h["token_ids"] for h in seen["accounts"][0]["holdings"] if h["address"] == address), []))
        own = own * (brief["total"] - held)
    elif "for" in brief:
        own = [v for v in issued if v["voucher"]["recipient"] == person(seen, brief["for"])]
    elif brief["use"] != "all":
        own = own[:1]
    for one in own:
        value = int(one["voucher"]["price"])
        yield from without_looking(address, REDEEM, one["voucher"], one["signature"], value=value)
    yield from finish("Redeemed.")
