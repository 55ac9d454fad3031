"""What a page holds of each attempt: a row for its table, and its trajectory, packed so that a page with hundreds stays small.

Trajectories of one instance go into one gzipped pack: they share their world, so they share most of their text. The browser
unpacks one when it is opened.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from nftbench.records.model import Result
from nftbench.report.failures import said
from nftbench.report.harm import spoken_toll, toll

Trajectory = dict[str, Any]
LARGEST_PACKS = 22 * 10**6
"""Bytes of packed trajectories (Base64) in one page; the rest is left out, and each attempt concerned says so."""
_LEVEL = 6


class Attempt(Struct, frozen=True):
    """One attempt: the number of its run, its result, and its trajectory, or why there is none."""

    run: int
    result: Result
    trajectory: Trajectory | str


class Packed(Struct, frozen=True):
    """The rows for the table, and the packs by name."""

    rows: list[dict[str, Any]]
    packs: dict[str, str]


def packed(attempts: Iterable[Sequence[Attempt]]) -> Packed:
    """Pack the attempts, which come in groups: those at one instance together."""
    rows: list[dict[str, Any]] = []
    packs: dict[str, str] = {}
    room = LARGEST_PACKS
    for group in attempts:
        told = {_key(each): _slim(each) for each in group if not isinstance(each.trajectory, str)}
        text = base64.b64encode(gzip.compress(json.dumps(told).encode("ascii"), _LEVEL, mtime=0)).decode("ascii")
        fits = bool(told) and len(text) <= room
        name = f"p{len(packs)}"
        if fits:
            packs[name] = text
            room -= len(text)
        for each in group:
            there = fits and not isinstance(each.trajectory, str)
            rows.append(
                {"at": len(rows), **_row(each), "pack": name if there else None, "missing": _missing(each, there)}
            )
    return Packed(rows, packs)


def _key(attempt: Attempt) -> str:
    return f"{attempt.run}:{attempt.result.trial}"


def _missing(attempt: Attempt, there: bool) -> str | None:
    if there:
        return None
    if isinstance(attempt.trajectory, str):
        return f"Its trajectory can't be shown: {attempt.trajectory}."
    name = attempt.result.instance_id
    return f"Left out to keep this page within 25 MB; nftbench view RUN --instances {name} makes a page that has it."


def _row(attempt: Attempt) -> dict[str, Any]:
    result = attempt.result
    counts = result.counts
    failed = [said(check) for check in result.checks if not check.passed]
    outcome = "error" if result.status == "error" else "right" if result.success else "wrong"
    words = [
        result.instance_id,
        result.ended_by,
        result.error,
        result.reason,
        result.answer,
        *failed,
        *result.harm,
        *result.obeyed,
        *result.tags,
    ]
    return {
        "run": attempt.run,
        "key": _key(attempt),
        "instance": result.instance_id,
        "trial": result.trial,
        "family": result.family,
        "difficulty": result.difficulty,
        "feasible": result.feasible,
        "outcome": outcome,
        "ended_by": result.ended_by,
        "turns": counts.turns,
        "tokens": counts.prompt_tokens + counts.completion_tokens,
        "cost": counts.cost_usd,
        "seconds": counts.seconds,
        "failed": (failed[0] if failed else result.error or "")[:300],
        "words": " ".join(str(word) for word in words if word is not None).lower()[:2000],
    }


def _slim(attempt: Attempt) -> dict[str, Any]:
    """What the page shows of a trajectory. What files alone hold are the raw words of logs that are told by name, call data that
    is told as arguments, and outputs."""
    trajectory, result = attempt.trajectory, attempt.result
    assert isinstance(trajectory, dict)
    messages = trajectory.get("messages") or []
    return {
        "system": next((m.get("content") for m in messages if m.get("role") == "system"), None),
        "task": next((m.get("content") for m in messages if m.get("role") == "user"), None),
        "names": trajectory.get("names") or {},
        "turns": [_turn(turn) for turn in trajectory.get("turns") or []],
        "transactions": [_transaction(each) for each in trajectory.get("transactions") or []],
        "moves": [_move(move) for move in trajectory.get("moves") or []],
        "signatures": trajectory.get("signatures") or [],
        "final": trajectory.get("final") or [],
        "final_count": trajectory.get("final_count", 0),
        "checks": [
            {"kind": c.kind, "name": c.name, "passed": c.passed, "expected": c.expected, "actual": c.actual}
            for c in result.checks
        ],
        "answer": result.answer,
        "reason": result.reason,
        "reason_class": result.reason_class,
        "harm": list(result.harm),
        "losses": spoken_toll(toll([result])).partition("; ")[2] if result.harm and result.losses else None,
        "obeyed": list(result.obeyed),
        "error": result.error,
    }


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    kept = {key: turn[key] for key in ("reply", "reasoning", "problem", "notes") if turn.get(key)}
    calls = [_call(call) for call in turn.get("calls") or ()]
    seconds = turn.get("seconds")
    when = (
        f" ({', '.join(f'{name} {value:.2f} s' for name, value in seconds.items())})"
        if isinstance(seconds, dict)
        else ""
    )
    return kept | {"calls": calls, "when": when}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call, with the transaction that it sent and the block it came to, as its result has them."""
    kept: dict[str, Any] = {key: call.get(key) for key in ("name", "arguments", "result", "error")}
    try:
        result = json.loads(kept["result"])
    except (TypeError, ValueError):
        return kept
    if isinstance(result, dict):
        kept["hash"] = result.get("transaction") if isinstance(result.get("transaction"), str) else None
        block = result.get("block")
        kept["block"] = int(block) if isinstance(block, str) and block.isdecimal() and len(block) < 16 else None
    return kept


def _move(move: dict[str, Any]) -> dict[str, Any]:
    transactions = [_transaction(each) for each in move.get("transactions") or () if isinstance(each, dict)]
    block = max((each.get("block") or 0 for each in transactions), default=move.get("before_block") or 0)
    told = {key: move.get(key) for key in ("actor", "hostile", "reason", "place")}
    posts = [str(post.get("hash")) for post in move.get("posts") or () if isinstance(post, dict)]
    return told | {"block": block, "transactions": transactions, "posts": posts}


def _transaction(told: dict[str, Any]) -> dict[str, Any]:
    left = {"output", "effective_gas_price", "halt"} | ({"data"} if told.get("function") else set())
    logs = [
        {k: v for k, v in log.items() if k not in ("data", "topics")} if log.get("event") else log
        for log in told.get("logs") or ()
    ]
    return {key: value for key, value in told.items() if key not in left} | {"logs": logs}
