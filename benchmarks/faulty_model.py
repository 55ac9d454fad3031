"""The soak's server: a model that looks around for some turns and then declines, behind faults of every kind; and what must come
of each fault, told apart from the code that is to be tried.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.testing import FAULTS, Behaviour, FaultServer, Received, faults

READ = '{"name": "read_state", "arguments": {}}'
DECLINE = '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
LOADING_WAITS = 120
"""Times that a loading server is asked again: ten minutes, five seconds apart."""
ATTEMPTS = 4
"""Times that a turn is asked for while its failures may pass."""


class Note(Struct, frozen=True):
    """One request of a task: how many turns it had behind it, and what the server did."""

    turn: int
    did: str


class Due(Struct, frozen=True):
    """How a task must end. `ended` is the failure's kind, or how the agent ended it."""

    ended: str
    turns: int
    failed_attempts: int


GOOD, AGAIN, AT_ONCE, STOPS = "good", "again", "at once", "stops the run"
OUTCOMES: dict[str, tuple[str, str]] = {
    "reply": (GOOD, ""),
    "short_body": (AGAIN, "incomplete_output"),
    "chunked": (GOOD, ""),
    "cut_chunk": (AGAIN, "incomplete_output"),
    "drip": (GOOD, ""),
    "drip_headers": (GOOD, ""),
    "gzip": (GOOD, ""),
    "gzip_plain": (GOOD, ""),
    "gzip_damaged": (AGAIN, "incomplete_output"),
    "gzip_cut": (AGAIN, "incomplete_output"),
    "reset": (AGAIN, "cli_error"),
    "reset_after_idle": (AGAIN, "cli_error"),
    "reset_in_reply": (AGAIN, "incomplete_output"),
    "hang_up": (AGAIN, "cli_error"),
    "redirect": (AT_ONCE, "cli_error"),
    "html_502": (AGAIN, "cli_error"),
    "html_200": (AT_ONCE, "cli_error"),
    "server_error": (AGAIN, "cli_error"),
    "rate_limit": (AGAIN, "cli_error"),
    "loading": ("loading", "cli_error"),
    "not_a_number": (GOOD, ""),
    "byte_order_mark": (GOOD, ""),
    "huge": (AT_ONCE, "incomplete_output"),
    "huge_declared": (AT_ONCE, "incomplete_output"),
    "huge_packed": (AT_ONCE, "incomplete_output"),
    "deep": (AGAIN, "incomplete_output"),
    "empty": (AGAIN, "incomplete_output"),
    "garbage": (AGAIN, "cli_error"),
    "overflow": (AT_ONCE, "context_limit"),
    "cut_at_the_limit": (AGAIN, "model_format"),
    "says_nothing": (AGAIN, "model_format"),
    "another_model": (AT_ONCE, "model_mismatch"),
    "counts_no_tokens": (AT_ONCE, "incomplete_output"),
    "provider_fails": (AGAIN, "incomplete_output"),
    "key_in_the_error": (AGAIN, "cli_error"),
    "key_in_the_reply": (GOOD, ""),
    "key_refused": (STOPS, ""),
}
"""What a client must make of each: a turn, another attempt, an end of the task with this kind, or a stop of the run."""
RARE = "key_refused"
RARE_SHARE = 0.0005
_FINISHES = frozenset({"chunked", "drip", "drip_headers", "gzip", "gzip_plain", "not_a_number", "byte_order_mark"})
"""Faults that carry the test server's own answer, a finish_task."""


def expected(notes: Sequence[Note], turns: int) -> Due:
    """How the last go at a task must end, from what the server did in it: an independent account of the retry rules."""
    due = Due("nothing", 0, 0)
    answered = failed = in_a_row = waited = 0
    for note in notes:
        what, kind = OUTCOMES[note.did]
        if what == "loading" and waited < LOADING_WAITS:
            waited += 1
            continue
        if what == GOOD:
            answered, in_a_row, waited = answered + 1, 0, 0
            if note.did in _FINISHES:
                due = Due("finish_task", answered, failed)
            elif note.did == "reply" and note.turn >= turns - 1:
                due = Due("declare_infeasible", answered, failed)
            else:
                continue
        else:
            failed, in_a_row = failed + 1, in_a_row + 1
            if what not in (STOPS, AT_ONCE) and in_a_row < ATTEMPTS:
                continue
            due = Due(kind, answered, failed)
        answered = failed = in_a_row = waited = 0
    return due


def turns_answered(notes: Sequence[Note]) -> int:
    """Turns that a task got an answer to, in all its goes."""
    return sum(OUTCOMES[note.did][0] == GOOD for note in notes)


def extra_faults() -> dict[str, Callable[[], Behaviour]]:
    """Faults of a model, a provider or an account, beside those of servers and lines."""

    def said(text: str | None, **changed: Any) -> dict[str, Any]:
        body = faults.completion(text)
        choice = body["choices"][0]
        choice.update({name: changed.pop(name) for name in ("finish_reason", "error") if name in changed})
        return {**body, **changed}

    overflow = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."
    bodies: dict[str, tuple[int, dict[str, Any]]] = {
        "overflow": (400, {"error": {"message": overflow, "code": 400}}),
        "cut_at_the_limit": (200, said("{", finish_reason="length")),
        "says_nothing": (200, said(" ")),
        "another_model": (200, said(READ, model="another/model")),
        "counts_no_tokens": (200, said(READ, usage=None)),
        "provider_fails": (200, said(READ, finish_reason="error", error={"code": 502, "message": "upstream"})),
        "key_refused": (401, {"error": {"message": "invalid api key"}}),
    }
    made: dict[str, Callable[[], Behaviour]] = {
        name: lambda name=name, status=status, body=body: faults.respond(status, body, name=name)  # type: ignore[misc]
        for name, (status, body) in bodies.items()
    }
    made["key_in_the_error"] = lambda: _echo("key_in_the_error", 500)
    made["key_in_the_reply"] = lambda: _echo("key_in_the_reply", 200)
    return made


def _echo(name: str, status: int) -> Behaviour:
    """An answer that holds the key that it was asked with, plain and escaped."""

    def act(connection: Any, asked: Received) -> None:
        key = asked.headers.get("authorization", "").removeprefix("Bearer ")
        escaped = "".join(f"\\u{ord(character):04x}" for character in key)
        if status == 200:
            body = faults.completion(READ, model=asked.json()["model"], reasoning_content=f"the key is {key}")
            text = json.dumps(body).replace("the key is", f"the key is {escaped}, that is")
        else:
            text = f'{{"error": {{"message": "no such user: {key} {escaped}", "code": {status}}}}}'
        faults.respond(status, text).act(connection, asked)

    return Behaviour(name, act)


def _plan(notes_path: Path, share: float, seed: int, turns: int) -> Callable[[Received], Behaviour]:
    draw, notes = random.Random(seed), notes_path.open("a", buffering=1)
    usual = {**FAULTS, **extra_faults()}
    rare = usual.pop(RARE)()
    behaviours = [make() for make in usual.values()]
    read, decline = faults.reply(READ), faults.reply(DECLINE)

    def behave(received: Received) -> Behaviour:
        turn = received.body.count(b'"role":"assistant"')
        luck = draw.random()
        chosen = rare if luck < RARE_SHARE else draw.choice(behaviours) if luck < share else None
        behaviour = chosen or (decline if turn >= turns - 1 else read)
        round_number, task = received.path.split("/")[1:3]
        notes.write(json.dumps({"round": int(round_number), "task": task, "turn": turn, "did": behaviour.name}) + "\n")
        return behaviour

    return behave


def _serve(pipe: Connection, notes_path: Path, share: float, seed: int, turns: int) -> None:
    with FaultServer(_plan(notes_path, share, seed, turns), keep=100) as server:
        pipe.send(server.url)
        pipe.recv()


@contextlib.contextmanager
def faulty_server(notes_path: Path, share: float, seed: int, turns: int) -> Iterator[str]:
    """The base URL of the server, in a process of its own; `/ROUND/TASK` after it tells the notes what is asked for."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(there, notes_path, share, seed, turns), daemon=True
    )
    process.start()
    try:
        yield here.recv()
    finally:
        with contextlib.suppress(OSError):
            here.send("stop")
        process.join(timeout=5)
        process.kill()
