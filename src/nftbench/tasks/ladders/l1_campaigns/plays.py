"""Composed plays: the parts' own plays take turns, and what they conclude becomes one answer.

What a part reads of the wallet at first is what was read at the start; if it looks again, it is told how things are. Waits are
put off until nobody has anything left to do, and then go to whoever waits least; a part against a thief goes first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any

from nftbench.conversation import Call
from nftbench.tasks.family import Play
from nftbench.tasks.playing import finish

PartPlay = Callable[[str], Callable[[dict[str, Any]], Play] | None]
"""The play of the sub-family of this name; None for one that has none."""

_PASSED = json.dumps({"transactions": "none"})
"""What a part is told of a wait that is over already."""


class _Run:
    """One part at work. `until` is what it waits for, in Unix seconds; `done` None while it goes on, then whether it came to
    something."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.until: int | None = None
        self.done: bool | None = None
        self.read: set[str] = set()
        self.call: Call | None = next(play)

    def go_on(self, text: str) -> None:
        try:
            self.call = self.play.send(text)
        except StopIteration:
            self.call = None


def composed(brief: dict[str, Any], play_of: PartPlay) -> Play:
    """Play all parts of the brief, each by its own sub-family's play."""
    wallet, now = yield from _read_wallet()
    plays = [(play_of(part["of"]), part["brief"]) for part in brief["parts"]]
    runs = [_Run(play(own)) for play, own in plays if play is not None]
    order = sorted(runs, key=lambda run: run is not runs[brief.get("first", 0)])
    while any(run.done is None for run in runs):
        ready = next((run for run in order if run.done is None and (run.until is None or run.until <= now)), None)
        if ready is None:
            until = min(run.until for run in order if run.done is None and run.until is not None)
            text = yield Call("wait", {"until": str(until)})
            now = max(until, _time(text))
            continue
        if ready.until is not None:
            ready.until = None
            ready.go_on(_PASSED)
        told = yield from _turn(ready, wallet)
        now = max(now, told)
    undone = [str(number) for number, run in enumerate(runs, 1) if not run.done]
    yield from finish("All that could be done is done.", undone)


def _turn(run: _Run, wallet: dict[str, str]) -> Generator[Call, str, int]:
    """Let a part go on until it ends or waits; the newest time that it was told, in Unix seconds."""
    now = 0
    while (call := run.call) is not None:
        match call.name:
            case "finish_task" | "declare_infeasible":
                run.done = call.name == "finish_task"
                return now
            case "wait" if "until" in call.arguments:
                run.until = int(call.arguments["until"])
                return now
            case "read_state" if _key(call) in wallet and _key(call) not in run.read:
                run.read.add(_key(call))
                text = wallet[_key(call)]
            case _:
                text = yield call
                now = max(now, _time(text))
        run.go_on(text)
    run.done = True
    return now


def _read_wallet() -> Generator[Call, str, tuple[dict[str, str], int]]:
    """Every page of the wallet as it is at the start, by the call for it, and the time."""
    pages: dict[str, str] = {}
    call: Call | None = Call("read_state", {})
    now = 0
    while call is not None:
        text = pages[_key(call)] = yield call
        now = max(now, _time(text))
        cursor = json.loads(text).get("next_cursor")
        call = None if cursor is None else Call("read_state", {"cursor": cursor})
    return pages, now


def _key(call: Call) -> str:
    return json.dumps(call.arguments, sort_keys=True)


def _time(text: str) -> int:
    """The time that a result tells, 0 for one that tells none."""
    told = json.loads(text)
    time = told.get("time") if isinstance(told, dict) else None
    return int(time) if isinstance(time, str) and time.isdigit() else 0
