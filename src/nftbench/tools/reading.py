"""The tools that look: nothing they do costs anything or leaves a trace."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from nftbench.chain.abi import Event, Function, Parameter
from nftbench.chain.engine import Log
from nftbench.tools.arguments import Argument, ArgumentError, shown
from nftbench.tools.calls import call_data
from nftbench.tools.rendering import contract_label, render_log, render_outcome, render_outputs, render_value, utc
from nftbench.tools.toolbox import RESULT_LIMIT, Desk, Tool
from nftbench.values import format_ether, format_units

PAGE = 40
HOLDINGS_SHOWN = 100
EVENTS_NAMED = 20

# ERC-165 interface identifiers, each from its EIP.
INTERFACE_IDS = {
    "ERC721": "80ac58cd",
    "ERC721Metadata": "5b5e139f",
    "ERC721Enumerable": "780e9d63",
    "ERC1155": "d9b67a26",
    "ERC2981 (royalties)": "2a55205a",
    "ERC4906 (metadata update)": "49064906",
    "ERC4907 (rental)": "ad092b5c",
    "ERC5192 (lock)": "b45a3c0e",
    "ERC4494 (permit)": "5604e225",
    "AccessControl": "7965db0b",
    "ERC721TokenReceiver": "150b7a02",
    "ERC1155TokenReceiver": "4e2312e0",
}


def _supports(desk: Desk, address: str) -> list[str]:
    call = desk.world.engine.call
    head, tail = bytes.fromhex("01ffc9a7"), bytes(28)
    yes = (1).to_bytes(32, "big")
    return [
        name
        for name, number in INTERFACE_IDS.items()
        if call(address, head + bytes.fromhex(number) + tail).output == yes
    ]


def read_state(desk: Desk, _: dict[str, Any]) -> dict[str, Any]:
    """Lists are sorted by name: the order in which a fixture makes things would tell what it is about."""
    world, engine = desk.world, desk.world.engine
    accounts = list(world.controlled)
    state: dict[str, Any] = {
        "you": accounts[0],
        "chain_id": str(engine.chain_id),
        "block": str(engine.block.number),
        "time": str(engine.block.timestamp),
        "utc": utc(engine.block.timestamp),
        "accounts": [_account(desk, address) for address in accounts],
        "address_book": [
            {"name": a.label, "address": world.address(a.name)} | ({"note": a.note} if a.note else {})
            for a in sorted(world.fixture.accounts, key=lambda account: account.label or "")
            if a.label
        ],
        "known_contracts": [
            {"name": c.label, "address": address} | ({"note": c.note} if c.note else {})
            for address, c in sorted(world.contracts.items(), key=lambda known: known[1].label or "")
            if c.label
        ],
    }
    return state


def _account(desk: Desk, address: str) -> dict[str, Any]:
    wei = desk.world.engine.balance(address)
    return {"address": address, "ether": format_ether(wei), "wei": str(wei), "holdings": _holdings(desk, address)}


def _holdings(desk: Desk, holder: str) -> list[dict[str, Any]]:
    """What the holder has in the contracts that the wallet knows, from the ledger, sorted by the contracts' names."""
    world = desk.world
    found: dict[str, dict[str, Any]] = {}
    surveyor = world.surveyor
    for entry, value in surveyor.holdings(holder):
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
    for slot in found.values():
        for key in ("token_ids", "units"):
            if len(slot.get(key, ())) > HOLDINGS_SHOWN:
                slot["note"] = f"{HOLDINGS_SHOWN} of {len(slot[key])} are shown"
                slot[key] = (
                    slot[key][:HOLDINGS_SHOWN] if key == "token_ids" else dict(list(slot[key].items())[:HOLDINGS_SHOWN])
                )
    return sorted(found.values(), key=lambda slot: str(slot["contract"]))


def _decimals(desk: Desk, contract: str) -> int:
    result = desk.world.engine.call(contract, bytes.fromhex("313ce567"))
    return int.from_bytes(result.output[:32], "big") if result.success and result.output else 0


def _parameters(parameters: Sequence[Parameter]) -> str:
    return ", ".join(f"{_type(p)}{' indexed' if p.indexed else ''} {p.name}".strip() for p in parameters)


def _type(parameter: Parameter) -> str:
    """A type as Solidity writes it, a struct by its fields."""
    if not parameter.components:
        return parameter.canonical
    return f"({_parameters(parameter.components)}){parameter.type.removeprefix('tuple')}"


def _function_line(function: Function) -> str:
    line = f"{function.name}({_parameters(function.inputs)}) {function.mutability}"
    return line + (f" returns ({_parameters(function.outputs)})" if function.outputs else "")


def _event_line(event: Event) -> str:
    return f"{event.name}({_parameters(event.inputs)})"


def get_contract(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    world, address = desk.world, given["address"]
    if not world.engine.code(address):
        wei = world.engine.balance(address)
        return {"address": address, "kind": "account without code", "ether": format_ether(wei)}
    answer: dict[str, Any] = {"address": address, "kind": "contract"}
    contract = world.contracts.get(address)
    if contract is not None and contract.label:
        answer["name"] = contract.label
    verified = contract is not None and contract.verified
    answer |= {"source_verified": verified, "interfaces_claimed": _supports(desk, address)}
    if verified:
        interface = world.interfaces[address]
        answer["functions"] = [_function_line(f) for f in interface.functions]
        answer["events"] = [_event_line(e) for e in interface.events]
    return answer


def call(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    function, data = call_data(desk, given["contract"], given["function"], given["arguments"], given["returns"])
    engine = desk.world.engine
    block = given["block"]
    if block is not None and block > engine.block.number:
        raise ArgumentError(f"argument 'block': the newest block is {engine.block.number}; got {block}")
    sender = given["account"] or desk.world.user
    result = engine.call(given["contract"], data, sender=sender, block=block)
    if not result.success:
        return {"reverted": desk.world.explain(result.output, result.halt)}
    if not function.outputs:
        return {"raw_result": "0x" + result.output.hex()}
    try:
        return {"result": render_outputs(function, result.output)}
    except ValueError:
        return {"raw_result": "0x" + result.output.hex(), "note": "the result does not fit the declared types"}


def get_logs(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    low, high = given["from_block"] or 0, given["to_block"]
    logs = [
        log
        for log in desk.world.engine.logs
        if low <= log.block_number
        and (high is None or log.block_number <= high)
        and (given["contract"] is None or log.address == given["contract"])
    ]
    rendered = [(log, render_log(desk.world, log)) for log in logs]
    chosen = [(log, r) for log, r in rendered if _wanted(log, r, given)]
    start = given["cursor"] or 0
    rows = [
        r | {"block": str(log.block_number), "transaction": log.transaction_hash}
        for log, r in chosen[start : start + PAGE]
    ]
    page = _fitting(rows)
    answer: dict[str, Any] = {"logs": page, "total": str(len(chosen))}
    if start + len(page) < len(chosen):
        answer["next_cursor"] = str(start + len(page))
    unfit = None if chosen else _unfit_filter([r for _, r in rendered], given)
    return answer | ({"note": unfit} if unfit else {})


def _unfit_filter(rendered: list[dict[str, Any]], given: dict[str, Any]) -> str | None:
    """Why the filters can't find anything here: no such event, or none with such arguments; None if they could."""
    event, where = given["event"], given["where"] or {}
    seen = {r["event"]: tuple(r["args"]) for r in rendered if "event" in r}
    fitting = [args for name, args in seen.items() if event is None or name == event.split("(")[0]]
    if any(set(where) <= set(args) for args in fitting) or not seen:
        return None
    there = "; ".join(f"{name}({', '.join(args)})" for name, args in sorted(seen.items())[:EVENTS_NAMED])
    return f"no event here fits these filters by its name and the names of its arguments; there are {there}"


def _fitting(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many of the first rows as a result can hold uncut, and one at least."""
    room = RESULT_LIMIT - 200
    for count, row in enumerate(rows):
        room -= len(json.dumps(row)) + 2
        if room < 0 and count:
            return rows[:count]
    return rows


def _wanted(log: Log, rendered: dict[str, Any], given: dict[str, Any]) -> bool:
    event, where = given["event"], given["where"] or {}
    if event is not None and rendered.get("event") != event.split("(")[0]:
        return False
    arguments = rendered.get("args", {})
    return all(str(arguments.get(name)).lower() == str(value).lower() for name, value in where.items())


def get_transaction(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    world = desk.world
    receipt = world.engine.receipt(given["hash"])
    if receipt is None:
        raise ArgumentError(f"argument 'hash': no transaction has the hash {given['hash']}")
    answer: dict[str, Any] = {"from": receipt.sender, "to": receipt.to, "value_wei": str(receipt.value)}
    contract = world.contracts.get(receipt.to or "")
    if contract is not None and contract.verified and receipt.to is not None:
        decoded = world.interfaces[receipt.to].decode_call(receipt.data)
        if decoded is not None:
            answer["function"] = decoded.function.signature
            pairs = zip(decoded.arguments, decoded.function.inputs, strict=True)
            answer["arguments"] = [render_value(v, p) for v, p in pairs]
    elif receipt.to is None:
        answer |= {"creates": receipt.contract_address, "code_bytes": str(len(receipt.data))}
    elif receipt.data:
        answer["data"] = "0x" + receipt.data.hex()
    answer |= {"nonce": str(receipt.nonce), "time": str(receipt.timestamp), "utc": utc(receipt.timestamp)}
    return answer | render_outcome(world, receipt)


def fetch_uri(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    uri = given["uri"]
    if uri.startswith("data:"):
        return {"uri": uri[:80], "content": _data_uri(uri)}
    stored = desk.world.fixture.uris
    if uri in stored:
        return {"uri": uri, "content": stored[uri]}
    raise ArgumentError(f"argument 'uri': nothing is found at {shown(uri)}")


def _data_uri(uri: str) -> str:
    head, comma, payload = uri.partition(",")
    if not comma:
        raise ArgumentError("argument 'uri': a data: URI needs a comma before its content")
    if not head.endswith(";base64"):
        return unquote(payload)
    try:
        return base64.b64decode(payload, validate=True).decode("utf-8", errors="replace")
    except (binascii.Error, ValueError):
        raise ArgumentError("argument 'uri': the base64 content of this data: URI can't be decoded") from None


CONTRACT = Argument(name="contract", kind="address", description="the contract's address", required=True)
FUNCTION = Argument(
    name="function",
    kind="text",
    description="the function's name, or its full signature where it is overloaded or the contract is not verified",
    required=True,
    example='"ownerOf(uint256)"',
)
ARGUMENTS = Argument(
    name="arguments",
    kind="list",
    description="the function's arguments in order; integers as decimal strings, bytes as 0x hex, structs as objects",
    example='["0x52908400098527886E0F7030069857D2E4169EE7", "17"]',
)
ACCOUNT = Argument(name="account", kind="address", description="which of your accounts acts; by default the main one")

READING_TOOLS = (
    Tool(
        "read_state",
        "Your accounts with balances and holdings, the block and time, the address book, the known contracts.",
        (),
        read_state,
    ),
    Tool(
        "get_contract",
        "What is at an address: an account or a contract, the standards it claims, and its functions and events "
        "where its source is verified.",
        (Argument(name="address", kind="address", description="the address to look at", required=True),),
        get_contract,
    ),
    Tool(
        "call",
        "Read a view function. Costs nothing and changes nothing. A revert is shown with its reason.",
        (
            CONTRACT,
            FUNCTION,
            ARGUMENTS,
            Argument(
                name="block", kind="integer", description="read the state as it stood after this block; by default now"
            ),
            Argument(name="account", kind="address", description="the caller that the contract sees; by default you"),
            Argument(
                name="returns",
                kind="list",
                description='result types for a contract that is not verified, as ["address"]',
            ),
        ),
        call,
    ),
    Tool(
        "get_logs",
        f"Events in the order they happened, up to {PAGE} a page. All filters are optional.",
        (
            Argument(name="contract", kind="address", description="only events of this contract"),
            Argument(name="event", kind="text", description="only events of this name, as Transfer"),
            Argument(
                name="where", kind="object", description='only events with these argument values, as {"tokenId": "17"}'
            ),
            Argument(name="from_block", kind="integer", description="from this block on"),
            Argument(name="to_block", kind="integer", description="up to and with this block"),
            Argument(name="cursor", kind="integer", description="next_cursor of the page before"),
        ),
        get_logs,
    ),
    Tool(
        "get_transaction",
        "One mined transaction: parties, decoded call, outcome, events.",
        (Argument(name="hash", kind="hash", description="the transaction's hash", required=True),),
        get_transaction,
    ),
    Tool(
        "fetch_uri",
        "The content behind an ipfs://, https:// or data: URI, such as a token's metadata.",
        (Argument(name="uri", kind="text", description="the URI", required=True),),
        fetch_uri,
    ),
)
