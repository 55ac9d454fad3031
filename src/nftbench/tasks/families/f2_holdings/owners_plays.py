"""F2a played: reading the state of the moment that is meant."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import by_brief, events, finish, give_up, person, use, view, wait_until


def _units(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    amount = yield from view(address, "balanceOf", person(seen, brief["who"]), brief["token_id"])
    yield from finish("The balance as it is now.", amount)


def _past(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    yield from _owner_and_balance(address, brief["token_id"], brief["block"])


def _owner_and_balance(address: str, token_id: int, block: int | None = None) -> Play:
    owner = yield from view(address, "ownerOf", token_id, block=block)
    balance = yield from view(address, "balanceOf", owner, block=block)
    yield from finish("The owner, and what the owner holds.", {"owner": owner, "balance": balance})


def _day(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    """The last passage of the token up to that time; each one's time is its transaction's."""
    last: dict[str, Any] = {}
    for log in (yield from events(address, event="Transfer", where={"tokenId": brief["token_id"]})):
        sent = yield from use("get_transaction", hash=log["transaction"])
        if int(sent["time"]) > brief["time"]:
            break
        last = log
    if not last or not int(last["args"]["to"], 16):
        yield from give_up("the token did not exist at that time: it was burned, or not yet minted", "ownership")
    else:
        yield from finish("From the transfers up to that time.", {"owner": last["args"]["to"], "block": last["block"]})


def _behind(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    owner = yield from view(address, "ownerOf", brief["token_id"])
    if any(entry["address"] == owner for entry in seen["known_contracts"]):
        owner = yield from view(owner, "depositorOf", address, brief["token_id"])
        if not int(owner, 16):
            yield from give_up("the vault holds the token to nobody's credit, so nobody can take it out", "ownership")
            return
    balance = yield from view(address, "balanceOf", owner)
    yield from finish("The one who can take it out.", {"owner": owner, "balance": balance})


def _gained(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    wallets = [entry["address"] for entry in seen["address_book"]]
    ids, balances = [brief["token_id"]] * len(wallets), []
    for block in brief["blocks"]:
        amounts = yield from view(address, "balanceOfBatch", wallets, ids, block=block)
        balances.append([int(amount) for amount in amounts])
    gains = [after - before for before, after in zip(*balances, strict=True)]
    best = max(range(len(wallets)), key=lambda i: gains[i])
    yield from finish("Balances at both blocks compared.", {"wallet": wallets[best], "gained": str(gains[best])})


def _hour(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    yield from wait_until(brief["time"])
    yield from _owner_and_balance(address, brief["token_id"])


def _now(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    yield from _owner_and_balance(address, brief["token_id"])


def _since_now(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    owner = yield from view(address, "ownerOf", brief["token_id"])
    yield from finish("The owner.", {"owner": owner, "block": seen["block"]})


def _largest(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    wallets = [entry["address"] for entry in seen["address_book"]]
    amounts = yield from view(address, "balanceOfBatch", wallets, [brief["token_id"]] * len(wallets))
    best = max(range(len(wallets)), key=lambda i: int(amounts[i]))
    yield from finish("The largest balance.", {"wallet": wallets[best], "gained": amounts[best]})


play = by_brief(
    "ask", {"units": _units, "past": _past, "day": _day, "behind": _behind, "gained": _gained, "hour": _hour}
)
"""Reads the state of the moment that is meant, from the contract that knows."""

careless = by_brief(
    "ask", {"units": _units, "past": _now, "day": _since_now, "behind": _now, "gained": _largest, "hour": _now}
)
"""Takes what the contract says now for the answer to every question."""
