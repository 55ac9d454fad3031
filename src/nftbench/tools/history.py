"""The tools that look back: events and transactions, page by page in the order they happened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nftbench.chain.engine import Log, Receipt
from nftbench.tools.arguments import Argument, ArgumentError
from nftbench.tools.interfaces import interface_of
from nftbench.tools.paging import ROOM, fitting
from nftbench.tools.parameters import ADDRESS, CURSOR
from nftbench.tools.rendering import contract_label, render_log, render_outcome, render_value, utc
from nftbench.tools.toolbox import Desk, Tool

PAGE = 40
EVENTS_NAMED = 20
_CUTS = (None, 200, 100, 66)
"""How long the values of a page's rows may be, tried in this order until PAGE rows fit."""


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
    chosen = [(log, r) for log, r in rendered if _wanted(r, given)]
    start = given["cursor"] or 0
    rows = [_row(desk, log, r) for log, r in chosen[start : start + PAGE]]
    page, cut = _page(rows)
    answer: dict[str, Any] = {"logs": page, "total": str(len(chosen))}
    names = {row["contract"]: contract_label(desk.world, row["contract"]) for row in page}
    if any(names.values()):
        answer["names"] = {address: name for address, name in names.items() if name}
    if start + len(page) < len(chosen):
        answer["next_cursor"] = str(start + len(page))
    if cut:
        answer["note"] = f"values longer than {cut} characters are cut; get_transaction shows them whole"
    nothing = _nothing([r for _, r in rendered], given) if rendered and not chosen else None
    return answer | ({"note": nothing} if nothing else {})


def _row(desk: Desk, log: Log, rendered: dict[str, Any]) -> dict[str, Any]:
    block = desk.world.engine.block_at(log.block_number)
    about = {key: value for key, value in rendered.items() if key != "contract_name"}
    return {"block": str(block.number), "time": str(block.timestamp), **about, "transaction": log.transaction_hash}


def _page(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int | None]:
    """The rows, with long values cut where not all would fit, and to how many characters; the first ones if need be."""
    shown, longest = rows, None
    for longest in _CUTS:
        shown = rows if longest is None else [_shortened(row, longest) for row in rows]
        if sum(len(json.dumps(row)) + 2 for row in shown) <= ROOM:
            return shown, longest if shown != rows else None
    return fitting(shown), longest


def _shortened(row: dict[str, Any], longest: int) -> dict[str, Any]:
    parts = {"args": {k: _cut(v, longest) for k, v in row["args"].items()}} if "args" in row else {}
    return row | parts | ({"data": _cut(row["data"], longest)} if "data" in row else {})


def _cut(value: Any, longest: int) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return value if len(text) <= longest else f"{text[:longest]}... ({len(text)} characters)"


def _nothing(rendered: list[dict[str, Any]], given: dict[str, Any]) -> str | None:
    """What has happened where nothing that was asked for has; None where only the values were others."""
    seen = {r["event"]: tuple(r["args"]) for r in rendered if "event" in r}
    if not seen:
        return f"none so far; the {len(rendered)} events here are of contracts that are not verified"
    event, where = given["event"], given["where"] or {}
    fitting_names = [args for name, args in seen.items() if event is None or name == event.split("(")[0]]
    there = "; ".join(f"{name}({', '.join(args)})" for name, args in sorted(seen.items())[:EVENTS_NAMED])
    if not fitting_names:
        return f"no such event so far; what happened here is {there}"
    if not any(set(where) <= set(args) for args in fitting_names):
        return f"none so far with arguments of these names; what happened here is {there}"
    return None


def _wanted(rendered: dict[str, Any], given: dict[str, Any]) -> bool:
    event, where = given["event"], given["where"] or {}
    if event is not None and rendered.get("event") != event.split("(")[0]:
        return False
    arguments = rendered.get("args", {})
    return all(_same(arguments.get(name), value) for name, value in where.items())


def _same(actual: Any, wanted: Any) -> bool:
    return str(actual).lower() == str(wanted).lower()


def get_transactions(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    address, start = given["address"], given["cursor"] or 0
    chosen = [r for r in desk.world.engine.receipts() if address in (r.sender, r.to, r.contract_address)]
    page = fitting([_transaction_row(desk, receipt) for receipt in chosen[start : start + PAGE]])
    answer: dict[str, Any] = {"transactions": page, "total": str(len(chosen))}
    if start + len(page) < len(chosen):
        answer["next_cursor"] = str(start + len(page))
    return answer


def _transaction_row(desk: Desk, receipt: Receipt) -> dict[str, Any]:
    row: dict[str, Any] = {"block": str(receipt.block_number), "time": str(receipt.timestamp)}
    row |= {"hash": receipt.transaction_hash, "from": receipt.sender, "to": receipt.to}
    if receipt.to is None:
        row["creates"] = receipt.contract_address
    elif receipt.data:
        interface = interface_of(desk.world, receipt.to)
        function = interface.function_of_selector(receipt.data[:4]) if interface else None
        row["function"] = function.name if function else "0x" + receipt.data[:4].hex()
    if receipt.value:
        row["value_wei"] = str(receipt.value)
    return row if receipt.success else row | {"status": "reverted"}


def get_transaction(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    world = desk.world
    receipt = world.engine.receipt(given["hash"])
    if receipt is None:
        raise ArgumentError(f"argument 'hash': no transaction has the hash {given['hash']}")
    answer: dict[str, Any] = {"from": receipt.sender, "to": receipt.to, "value_wei": str(receipt.value)}
    if receipt.to is None:
        answer |= {"creates": receipt.contract_address, "code_bytes": str(len(receipt.data))}
    elif receipt.data:
        answer |= dict(_call(desk, receipt.to, receipt.data))
    answer |= {"nonce": str(receipt.nonce), "time": str(receipt.timestamp), "utc": utc(receipt.timestamp)}
    return answer | render_outcome(world, receipt)


def _call(desk: Desk, to: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """A transaction's call, decoded where the interface is known, raw otherwise."""
    interface = interface_of(desk.world, to)
    decoded = interface.decode_call(data) if interface else None
    if decoded is None:
        yield "data", "0x" + data.hex()
        return
    yield "function", decoded.function.signature
    pairs = zip(decoded.arguments, decoded.function.inputs, strict=True)
    yield "arguments", [render_value(v, p) for v, p in pairs]


HISTORY_TOOLS = (
    Tool(
        "get_logs",
        f"Events in the order they happened, {PAGE} a page, filtered as you like.",
        (
            Argument(name="contract", kind="address"),
            Argument(name="event", kind="text", description="its name, as Transfer"),
            Argument(
                name="where",
                kind="where",
                description="argument values",
                example='[{"name": "tokenId", "value": "17"}]',
            ),
            Argument(name="from_block", kind="integer"),
            Argument(name="to_block", kind="integer"),
            CURSOR,
        ),
        get_logs,
    ),
    Tool(
        "get_transactions",
        f"The transactions from or to an address, in order, {PAGE} a page.",
        (ADDRESS, CURSOR),
        get_transactions,
    ),
    Tool(
        "get_transaction",
        "One mined transaction: parties, decoded call, outcome, events.",
        (Argument(name="hash", kind="hash", required=True),),
        get_transaction,
    ),
)
