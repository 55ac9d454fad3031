"""The loop: ask the backend, run the call, tell it what happened, until the agent ends or a limit is reached."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from nftbench.agents.backend import Backend
from nftbench.agents.failure import SCORED_KINDS, STOPPING_KINDS, CLIFailure
from nftbench.conversation import RequestWriter
from nftbench.episode.limits import Limits
from nftbench.episode.outcome import Outcome
from nftbench.episode.prompt import REPAIR, SYSTEM
from nftbench.records.model import EndedBy
from nftbench.tools.toolbox import Toolbox

TEXT_KEPT = 20_000
"""Characters of a reply without a valid call that stay in the conversation."""


def run_episode(
    task: str, toolbox: Toolbox, backend: Backend, limits: Limits, clock: Callable[[], float] = time.monotonic
) -> Outcome:
    """Play one episode. CLIFailure of a kind in STOPPING_KINDS passes through; any other ends the episode."""
    transcript = RequestWriter(toolbox.catalogue)
    transcript.append({"role": "system", "content": SYSTEM})
    transcript.append({"role": "user", "content": task})
    turns: list[dict[str, Any]] = []
    started, repairs, tokens = clock(), 0, 0
    while True:
        ended = _limit_reached(limits, len(turns), repairs, tokens, clock() - started)
        if ended is not None:
            return Outcome(ended_by=ended, messages=transcript.messages, turns=turns)
        try:
            reply = json.loads(backend.complete(transcript.text()))
        except CLIFailure as failure:
            if failure.kind in STOPPING_KINDS:
                raise
            return _failed(failure, transcript, turns)
        record = {"usage": reply.get("usage"), "reply": reply.get("text")}
        record |= {k: reply[k] for k in ("recovered", "served_model", "reasoning") if reply.get(k)}
        turns.append(record)
        tokens += _tokens(reply)
        calls = reply.get("tool_calls") or []
        if len(calls) != 1:
            repairs += 1
            _repair(reply, transcript, record)
            continue
        repairs = 0
        _perform(calls[0], len(turns), toolbox, transcript, record)
        if toolbox.desk.ending is not None:
            kind: EndedBy = "finish_task" if toolbox.desk.ending.kind == "finish_task" else "declare_infeasible"
            return Outcome(ended_by=kind, messages=transcript.messages, turns=turns)


def _limit_reached(limits: Limits, turns: int, repairs: int, tokens: int, seconds: float) -> EndedBy | None:
    if repairs > limits.max_repairs:
        return "repair_limit"
    if turns >= limits.max_turns:
        return "turn_limit"
    if limits.max_tokens is not None and tokens >= limits.max_tokens:
        return "token_limit"
    return "time_limit" if seconds >= limits.max_seconds else None


def _failed(failure: CLIFailure, transcript: RequestWriter, turns: list[dict[str, Any]]) -> Outcome:
    scored = failure.kind in SCORED_KINDS
    ended: EndedBy = "error"
    if scored:
        ended = "context_limit" if failure.kind == "context_limit" else "model_format"
    return Outcome(ended_by=ended, messages=transcript.messages, turns=turns, failure=failure, unscored=not scored)


def _perform(
    call: dict[str, Any], turn: int, toolbox: Toolbox, transcript: RequestWriter, record: dict[str, Any]
) -> None:
    named = {"id": f"call_{turn}", "name": call["name"], "arguments": call["arguments"]}
    transcript.append({"role": "assistant", "content": "", "tool_calls": [named]})
    result = toolbox.call(call["name"], call["arguments"])
    record |= {"call": named, "result": result.text, "tool_error": result.error}
    transcript.append({"role": "tool", "tool_call_id": named["id"], "content": result.text})


def _repair(reply: dict[str, Any], transcript: RequestWriter, record: dict[str, Any]) -> None:
    problem = reply.get("problem") or "it holds no call."
    text = reply.get("text") or ""
    if len(text) > TEXT_KEPT:
        text = text[:TEXT_KEPT] + f" ... (cut: {len(text)} characters)"
        record["reply"] = text
    record["problem"] = problem
    transcript.append({"role": "assistant", "content": text})
    transcript.append({"role": "user", "content": REPAIR.format(problem=problem)})


def _tokens(reply: dict[str, Any]) -> int:
    usage = (reply.get("usage") or {}).get("usage") or {}
    return int(usage.get("prompt_tokens") or 0) + int(usage.get("completion_tokens") or 0)
