"""The read_state tool: what the agent's wallet knows, page by page where it knows much."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nftbench.tools.paging import ROOM
from nftbench.tools.parameters import CURSOR
from nftbench.tools.rendering import contract_label, utc
from nftbench.tools.toolbox import Desk, Tool
from nftbench.values import format_ether, format_units

IDS_A_ROW = 100

Piece = tuple[str, int, dict[str, Any]]
"""Where a part of the state belongs: the list's name, the account's number (for holdings), and the entry."""


def read_state(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Lists are sorted by name: the order in which a fixture makes things would tell what it is about."""
    state, start = _head(desk), given["cursor"] or 0
    pieces = list(_pieces(desk))
    accounts = [_account(desk, address) for address in desk.world.controlled]
    state |= {"accounts": accounts, "address_book": [], "known_contracts": []}
    room = ROOM - len(json.dumps(state))
    for number, (section, account, entry) in enumerate(pieces[start:]):
        room -= len(json.dumps(entry)) + 2
        if room < 0 and number:
            state["next_cursor"] = str(start + number)
            state["note"] = "this is a part: the lists go on with next_cursor"
            break
        (accounts[account]["holdings"] if section == "holdings" else state[section]).append(entry)
    return state


def _head(desk: Desk) -> dict[str, Any]:
    world, engine = desk.world, desk.world.engine
    return {
        "you": world.user,
        "chain_id": str(engine.chain_id),
        "block": str(engine.block.number),
        "time": str(engine.block.timestamp),
        "utc": utc(engine.block.timestamp),
        "next_block_time": str(engine.pending_timestamp),
    }


def _pieces(desk: Desk) -> Iterator[Piece]:
    world = desk.world
    for number, address in enumerate(world.controlled):
        for slot in _holdings(desk, address):
            yield from (("holdings", number, part) for part in _split(slot))
    for account in sorted(world.fixture.accounts, key=lambda account: account.label or ""):
        if account.label:
            entry = {"name": account.label, "address": world.address(account.name)}
            yield "address_book", 0, entry | ({"note": account.note} if account.note else {})
    for address, contract in sorted(world.contracts.items(), key=lambda known: known[1].label or ""):
        if contract.label:
            entry = {"name": contract.label, "address": address}
            yield "known_contracts", 0, entry | ({"note": contract.note} if contract.note else {})


def _account(desk: Desk, address: str) -> dict[str, Any]:
    wei = desk.world.engine.balance(address)
    return {"address": address, "ether": format_ether(wei), "wei": str(wei), "holdings": []}


def _holdings(desk: Desk, holder: str) -> list[dict[str, Any]]:
    """What the holder has in the contracts that the wallet knows, from the ledger, sorted by the contracts' names."""
    world = desk.world
    found: dict[str, dict[str, Any]] = {}
    for entry, value in world.surveyor.holdings(holder):
        contract = entry.contract or ""
        label = contract_label(world, contract)
        if not label:
            continue
        slot = found.setdefault(contract, {"contract": label, "address": contract})
        if entry.kind == "owner":
            slot.setdefault("token_ids", []).append(str(entry.subject))
        elif entry.kind == "units":
            slot.setdefault("units", {})[str(entry.detail)] = str(value)
        else:
            slot |= {"amount": format_units(value, _decimals(desk, contract)), "smallest_units": str(value)}
    return sorted(found.values(), key=lambda slot: str(slot["contract"]))


def _split(slot: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The entry of a contract, in several where it holds very many tokens."""
    ids, units = slot.get("token_ids", []), list(slot.get("units", {}).items())
    most = max(len(ids), len(units))
    for start in range(0, max(most, 1), IDS_A_ROW):
        part = dict(slot)
        if ids:
            part["token_ids"] = ids[start : start + IDS_A_ROW]
        if units:
            part["units"] = dict(units[start : start + IDS_A_ROW])
        yield part


def _decimals(desk: Desk, contract: str) -> int:
    result = desk.world.engine.call(contract, bytes.fromhex("313ce567"))
    return int.from_bytes(result.output[:32], "big") if result.success and result.output else 0


WALLET_TOOLS = (
    Tool(
        "read_state",
        "Your accounts with balances and holdings, block and time, the address book, the known contracts.",
        (CURSOR,),
        read_state,
    ),
)
