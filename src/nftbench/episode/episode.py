"""One episode as it goes, whoever drives it: what was said and done, what it may still cost, and whether it is over.

A backend is asked turn by turn (`loop`); a program that acts through its own loop makes the calls itself. Both are limited,
recorded and ended by the same rules, which are these.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from nftbench.agents.failure import SCORED_KINDS, CLIFailure
from nftbench.conversation import RequestWriter
from nftbench.episode.fault import Fault, fault_of, is_fault
from nftbench.episode.limits import Limits
from nftbench.episode.outcome import Outcome
from nftbench.episode.prompt import REPAIR, system_text
from nftbench.records.model import EndedBy
from nftbench.tools.toolbox import Toolbox, ToolResult

KEPT_OF_A_REPLY = ("recovered", "served_model", "reasoning", "notes")
BROKEN = ToolResult('{"error": "the wallet has broken down, through no fault of yours"}', error=True)
ENDED = ToolResult('{"error": "not run: the episode had ended"}', error=True)
WITHHELD = ToolResult('{"error": "not run: it was not let through to the wallet"}', error=True)
MOST_CALLS = 16
"""Calls of one reply that are run; those beyond are told so."""
TOO_MANY = ToolResult(f'{{"error": "not run: a reply may make {MOST_CALLS} calls at most"}}', error=True)
TEXT_KEPT = 20_000
"""Characters of what a reply says, beside its calls, that stay in the conversation and the record."""


class Episode:
    """`task` is the request in the owner's words. The time of the episode runs from here on; `clock` is in seconds, `wall` gives
    Unix seconds. Waits for a server's leave to ask are no time of the episode."""

    def __init__(
        self,
        task: str,
        toolbox: Toolbox,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._toolbox, self._limits, self._clock = toolbox, limits, clock
        self._transcript = RequestWriter(toolbox.catalogue)
        self._transcript.append({"role": "system", "content": system_text(limits.turns)})
        self._transcript.append({"role": "user", "content": task})
        self._turns: list[dict[str, Any]] = []
        self._started, self._repairs, self._tokens = clock(), 0, 0
        self._wall, self._turn_began, self._turn_clock, self._waited = wall, wall(), self._started, 0.0
        self._pending: list[dict[str, Any]] = []
        self._answered, self._waiting = self._started, 0.0
        self._fault: Fault | None = None

    def request(self) -> str:
        """What a backend is asked next; each request extends the one before."""
        return self._transcript.text()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What was said so far, oldest first; it grows with each turn and nothing in it changes."""
        return self._transcript.messages

    @property
    def turns(self) -> list[dict[str, Any]]:
        """One record a turn so far."""
        return self._turns

    def over(self) -> EndedBy | None:
        """How the agent ended the episode, or which limit is reached; None while it goes on. "error" where a tool broke."""
        if self._fault is not None:
            return "error"
        ending, limits = self._toolbox.desk.ending, self._limits
        if ending is not None:
            return "finish_task" if ending.kind == "finish_task" else "declare_infeasible"
        if self._repairs > limits.max_repairs:
            return "repair_limit"
        if len(self._turns) >= limits.turns:
            return "turn_limit"
        if limits.max_tokens is not None and self._tokens >= limits.max_tokens:
            return "token_limit"
        if limits.max_seconds is not None and self._clock() - self._started - self._waited >= limits.max_seconds:
            return "time_limit"
        return None

    def take(self, reply: dict[str, Any]) -> list[ToolResult]:
        """One turn: run the calls of a reply in order and give their results; none if the reply made no valid call, which
        the agent is then told."""
        calls = self.begin(reply)
        try:
            return [self.perform(call["name"], call["arguments"]) for call in calls]
        finally:
            self.end()

    def begin(self, reply: dict[str, Any]) -> list[dict[str, Any]]:
        """A turn begins: the calls of a reply, each of which `perform` then runs, in this order; none if the reply made no valid
        call, which the agent is told. A reply has the keys that agents.backend.answer_text describes. `end` must follow.

        The record of the turn says when it began (`started`, Unix seconds) and how many `seconds` went to the model, to the
        tools, and, where there were any, to waits."""
        self._answered = self._clock()
        self._waiting = min(_waited(reply), self._answered - self._turn_clock)
        record: dict[str, Any] = {
            "started": round(self._turn_began, 3),
            "usage": reply.get("usage"),
            "reply": reply.get("text"),
        }
        record |= {key: reply[key] for key in KEPT_OF_A_REPLY if reply.get(key)}
        self._turns.append(record)
        self._tokens += _tokens(reply)
        calls = reply.get("tool_calls") or []
        if reply.get("problem") or not calls:
            self._repairs += 1
            self._repair(reply, record)
            return []
        self._repairs = 0
        text = record["reply"] = _kept(reply.get("text") or "")
        message: dict[str, Any] = {"role": "assistant", "content": text, "tool_calls": calls}
        if reply.get("reasoning_fields"):
            message["reasoning_fields"] = reply["reasoning_fields"]
        self._transcript.append(message)
        record["calls"] = []
        self._pending = list(calls)
        return list(calls)

    def perform(self, name: str, arguments: Any) -> ToolResult:
        """The turn's next call of this name; those before it were not let through by whoever stands between the agent and the
        wallet. Calls that stand behind the one that ends the episode are not run."""
        while self._pending and self._pending[0]["name"] != name:
            self._note(self._pending.pop(0), WITHHELD)
        call = {**self._pending.pop(0), "arguments": arguments}
        if self._toolbox.desk.ending is not None or self._fault is not None:
            result = ENDED
        elif len(self._turns[-1]["calls"]) >= MOST_CALLS:
            result = TOO_MANY
        else:
            result = self._called(name, arguments)
        self._note(call, result)
        return result

    def end(self) -> None:
        """The turn that began is over."""
        while self._pending:
            self._note(self._pending.pop(0), WITHHELD)
        ended = self._clock()
        spent = {
            "model": self._answered - self._turn_clock - self._waiting,
            "tools": ended - self._answered,
            "waits": self._waiting,
        }
        self._turns[-1]["seconds"] = {
            name: round(seconds, 6) for name, seconds in spent.items() if seconds or name != "waits"
        }
        self._waited += self._waiting
        self._turn_clock, self._turn_began = ended, self._wall()

    def failed(self, failure: CLIFailure) -> Outcome:
        """The outcome where a backend gave no reply."""
        scored = failure.kind in SCORED_KINDS
        ended: EndedBy = "error"
        if scored:
            ended = "context_limit" if failure.kind == "context_limit" else "model_format"
        return self._outcome(ended, failure, unscored=not scored)

    def outcome(self, ended_by: EndedBy) -> Outcome:
        """What the episode came to, ended so."""
        return self._outcome(ended_by, None, unscored=False)

    def _outcome(self, ended_by: EndedBy, failure: CLIFailure | None, *, unscored: bool) -> Outcome:
        messages, turns = self._transcript.messages, self._turns
        fault = self._fault
        return Outcome(
            ended_by=ended_by if fault is None else "error",
            messages=messages,
            turns=turns,
            failure=failure,
            fault=fault,
            unscored=unscored or fault is not None,
        )

    def _note(self, call: dict[str, Any], result: ToolResult) -> None:
        record = self._turns[-1]
        record["calls"].append({**call, "result": result.text, "error": result.error})
        if result.from_text:
            record["calls"][-1]["from_text"] = list(result.from_text)
            record.setdefault("recovered", "argument_text")
        self._transcript.append({"role": "tool", "tool_call_id": call["id"], "content": result.text})

    def _called(self, name: str, arguments: Any) -> ToolResult:
        try:
            return self._toolbox.call(name, arguments)
        except BaseException as problem:
            if not is_fault(problem):
                raise
            self._fault = fault_of("tool_fault", name, problem)
            return BROKEN

    def _repair(self, reply: dict[str, Any], record: dict[str, Any]) -> None:
        problem = reply.get("problem") or "it holds no call."
        text = record["reply"] = _kept(reply.get("text") or "")
        record["problem"] = problem
        self._transcript.append({"role": "assistant", "content": text})
        self._transcript.append({"role": "user", "content": REPAIR.format(problem=problem)})


def _kept(text: str) -> str:
    return text if len(text) <= TEXT_KEPT else f"{text[:TEXT_KEPT]} ... (cut: {len(text)} characters)"


def _waited(reply: dict[str, Any]) -> float:
    seconds = (reply.get("usage") or {}).get("waited")
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def _tokens(reply: dict[str, Any]) -> int:
    usage = (reply.get("usage") or {}).get("usage") or {}
    return int(usage.get("prompt_tokens") or 0) + int(usage.get("completion_tokens") or 0)
