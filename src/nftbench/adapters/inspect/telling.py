"""What a graded attempt is told as: texts for people who look at a sample, and decoded transactions for those who count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nftbench.conversation import sendable
from nftbench.records.model import Result

LONGEST_CELL = 300
"""Characters of a table's cell."""


def writable(value: Any) -> Any:
    """A JSON-able value as a log and its viewer can hold it: lone surrogates and control characters are replaced, and whole
    numbers that JavaScript would round (beyond 2^53, as of wei) are text."""
    if isinstance(value, str):
        return sendable(value)
    if type(value) is int and abs(value) > 2**53:
        return str(value)
    if isinstance(value, list | tuple):
        return [writable(each) for each in value]
    if isinstance(value, dict):
        return {sendable(str(key)): writable(each) for key, each in value.items()}
    return value


def answer_of(result: Result) -> str:
    """What the agent ended with."""
    said = result.reason if result.ended_by == "declare_infeasible" else result.answer
    if said is None:
        return result.ended_by
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    kind = f" ({result.reason_class})" if result.reason_class else ""
    return f"{result.ended_by}{kind}: {words}"


def explanation_of(result: Result) -> str:
    """The checks as a table in Markdown, those that failed first, with what was expected and what was found."""
    head = f"**{'Solved' if result.success else 'Not solved'}**, ended by `{result.ended_by}`."
    if result.error:
        head += f" {_cell(result.error)}."
    rows = [
        f"| {'ok' if check.passed else '**failed**'} | {check.kind} | {_cell(check.name)} | {_cell(check.expected)} "
        f"| {_cell(check.actual)} |"
        for check in sorted(result.checks, key=lambda check: check.passed)
    ]
    harm = [f"- harm: {_cell(each)}" for each in result.harm]
    harm += [f"- obeyed an instruction of others: {_cell(each)}" for each in result.obeyed]
    table = ["| | kind | check | expected | found |", "|---|---|---|---|---|", *rows] if rows else []
    return "\n".join([head, "", *table, *(["", *harm] if harm else [])])


def told_transactions(trajectory: dict[str, Any]) -> list[dict[str, Any]]:
    """The agent's transactions and those of others, in the order of their blocks, decoded and with names for addresses."""
    names = trajectory.get("names", {})
    rows = [_told(row, names) for row in trajectory.get("transactions", ())]
    for move in trajectory.get("moves", ()):
        about = {"actor": move["actor"], **({"why": move["reason"]} if move.get("reason") else {})}
        rows += [about | _told(row, names) for row in move["transactions"]]
    return sorted(rows, key=lambda row: int(row["block"]))


def chain_story(trajectory: dict[str, Any]) -> str:
    """What happened on the chain, as Markdown: every transaction, and what is different in the end."""
    names = trajectory.get("names", {})
    lines = ["**Transactions**", ""]
    told = told_transactions(trajectory)
    if told:
        lines += ["| block | from | to | what | outcome | gas | events |", "|---|---|---|---|---|---|---|"]
        lines += [_line(row) for row in told]
    else:
        lines.append("None were sent.")
    final = trajectory.get("final", ())
    if final:
        lines += ["", "**What is different in the end**", "", "| what | before | after |", "|---|---|---|"]
        for row in final:
            cells = (" ".join(_entry(row, names)), _named(row["before"], names), _named(row["after"], names))
            lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(lines)


def _told(row: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    told = {
        "block": row["block"],
        "time": row["time"],
        "from": _named(row["from"], names),
        "to": _named(row["to"], names),
        "value_wei": row["value_wei"],
        "function": row["function"],
        "arguments": {a["name"]: _named(a["value"], names) for a in row["arguments"] or ()},
        "success": row["success"],
        "reason": row["reason"],
        "gas_used": row["gas_used"],
        "events": [
            {
                "contract": _named(log["address"], names),
                "event": log.get("event"),
                "arguments": {name: _named(value, names) for name, value in log.get("arguments", {}).items()},
            }
            for log in row["logs"]
        ],
        "hash": row["hash"],
    }
    if row["function"] is None and row["data"] != "0x":
        told["data"] = row["data"]
    return told


def _line(row: dict[str, Any]) -> str:
    what = (row["function"] or "").partition("(")[0] or ("data" if "data" in row else "ether")
    given = ", ".join(f"{name} {_text(value)}" for name, value in row["arguments"].items())
    paid = "" if row["value_wei"] == "0" else f", with {row['value_wei']} wei"
    events = "; ".join(f"{log['event'] or '?'} of {log['contract']}" for log in row["events"])
    outcome = "done" if row["success"] else f"reverted: {row['reason']}"
    cells = (row["from"], row["to"] or "(new contract)", f"{what}({given}){paid}", outcome, row["gas_used"], events)
    return f"| {row['block']} | {' | '.join(_cell(cell) for cell in cells)} |"


def _entry(row: dict[str, Any], names: dict[str, Any]) -> Iterator[str]:
    for value in (row["kind"], row["contract"], row["subject"], row["detail"]):
        if value not in (None, "", [], {}):
            yield _text(_named(value, names))


def _named(value: Any, names: dict[str, Any]) -> Any:
    """A value in which every address with a name is told by it."""
    if isinstance(value, str):
        known = names.get(value)
        return value if known is None else str(known["name"])
    if isinstance(value, list):
        return [_named(each, names) for each in value]
    if isinstance(value, dict):
        return {key: _named(each, names) for key, each in value.items()}
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:
    text = _text(value)
    text = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}..."
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
