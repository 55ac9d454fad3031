"""Nothing that the agent can read says what it is not to know: ids, tier, feasibility, goals, inner names, the plan."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from nftbench.tasks.model import Task
from nftbench.tools.toolbox import Toolbox
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Turn

_LABELS = ("feasible", "infeasible", "feasibility", "trap", "decoy", "grader", "grading", "nftbench")
_DIFFICULTY = re.compile(r"\bT[1-4]\b")
_SHORTEST = 12
"""Characters from which on a sentence of the suite's own can't stand in a text by chance."""


def survey(rehearsal: Rehearsal) -> Iterator[str]:
    """Everything there is to read at the start, and the errors of asking wrongly."""
    rehearsal.reopen()
    world, box = rehearsal.world, rehearsal.box
    yield from _pages(box, "read_state", {})
    for address, interface in world.interfaces.items():
        yield box.call("get_contract", {"address": address}).text
        yield from _pages(box, "get_source", {"address": address})
        yield from _pages(box, "get_transactions", {"address": address})
        for function in interface.functions:
            if function.read_only and not function.inputs:
                yield box.call("call", {"contract": address, "function": function.signature}).text
        yield box.call("call", {"contract": address, "function": "none"}).text
        yield box.call("send_transaction", {"to": address, "function": "transferFrom", "arguments": []}).text
    yield from _pages(box, "get_logs", {})
    for uri in world.fixture.uris:
        yield from _pages(box, "fetch_uri", {"uri": uri})
    if world.fixture.order_book is not None:
        yield from _pages(box, "list_orders", {})
        for entry in world.order_book.entries:
            yield box.call("list_orders", {"order_hash": "0x" + entry.hash.hex()}).text
    for receipt in world.engine.receipts():
        yield box.call("get_transaction", {"hash": receipt.transaction_hash}).text
    yield box.call("get_contract", {"address": "nobody"}).text
    yield box.call("no_tool", {}).text
    rehearsal.reopen()


def _pages(box: Toolbox, tool: str, given: dict[str, Any]) -> Iterator[str]:
    """All pages that a tool gives."""
    cursor: str | None = "0"
    while cursor is not None:
        page = box.call(tool, {**given, "cursor": cursor}).text
        yield page
        cursor = json.loads(page).get("next_cursor")


def secrets(task: Task, reference: Iterable[Turn]) -> dict[str, str]:
    """Texts that may stand nowhere, in lower case, each with what it is."""
    kept = {task.id: "the id", task.tier: "the tier", task.fixture.seed: "the seed"}
    if task.twin:
        kept[task.twin] = "the twin's id"
    kept |= {goal.read_aloud(): "a goal" for goal in task.goals} | {
        c.read_aloud(): "an allowed change" for c in task.allowed
    }
    kept |= {tag: "a tag" for tag in task.tags if ":" in tag}
    kept |= {reason: "a reason class" for reason in task.reason_classes if "_" in reason}
    actors = [*(a.name for a in task.fixture.actors), *(p.name for p in task.fixture.counterparties)]
    kept |= {name: "an actor's name" for name in actors if "_" in name}
    names = [*(a.name for a in task.fixture.accounts), *(c.name for c in task.fixture.contracts)]
    kept |= {name: "a name inside the fixture" for name in names if "_" in name}
    for turn in reference:
        told = turn.arguments.get("summary") or turn.arguments.get("reason") or ""
        if turn.name in ("finish_task", "declare_infeasible") and len(told) >= _SHORTEST:
            kept[told] = "the reference's last word"
        given = turn.arguments.get("arguments")
        if turn.name == "send_transaction" and given and len(given) > 2:
            kept[json.dumps(given)] = "a step of the reference"
    return {text.lower(): what for text, what in kept.items() if text}


def leaks(task: Task, reference: Iterable[Turn], texts: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence for each secret found. `texts` are what the agent can read, each with where it stands."""
    hidden, found = secrets(task, reference), []
    labels = re.compile(rf"\b({'|'.join(_LABELS)})\b")
    for where, text in texts:
        lowered = text.lower()
        found += [
            f"{where} says {secret[:80]!r}, {what}" for secret, what in hidden.items() if _stands(secret, lowered)
        ]
        found += [f"{where} says {word!r}" for word in labels.findall(lowered)]
        found += [f"{where} says {word!r}, a difficulty" for word in _DIFFICULTY.findall(text)]
    return list(dict.fromkeys(found))


def _stands(secret: str, text: str) -> bool:
    """Whether the secret stands in the text, and not only inside of a longer word."""
    start = text.find(secret)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(secret) : start + len(secret) + 1]
        if not (before.isalnum() or after.isalnum() or before == "_" or after == "_"):
            return True
        start = text.find(secret, start + 1)
    return False
