"""Sessions from a shell: one call a command, and no process in between. What was called lies in a file, and the world is
rebuilt from it for each call.

A session's folder is what its player may look at: it holds the calls and nothing of the task behind them. Which instance it is
stands in a key file elsewhere, under a token that is drawn anew for each session.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from nftbench.episode.limits import Limits
from nftbench.errors import Refusal
from nftbench.records import codec
from nftbench.records.lock import locked
from nftbench.records.store import LineFile
from nftbench.run.near import near_names, quoted
from nftbench.run.runner import Attempt
from nftbench.serving import place
from nftbench.serving.identity import Served
from nftbench.serving.session import Session
from nftbench.tasks import catalog
from nftbench.tools.toolbox import ToolResult

FORMAT = 1
HEAD, CALLS, ENDED = "session.json", "calls.jsonl", "ended.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How one session stands. `instance_id` and `success` are None until it has ended."""

    name: str
    calls: int
    ended_by: str | None = None
    instance_id: str | None = None
    success: bool | None = None


class ShellSessions:
    """The sessions under `root`, and the keys to them under `keys`."""

    def __init__(self, root: Path, keys: Path) -> None:
        self._root, self._keys = root, keys

    def begin(self, name: str, served: Served) -> Session:
        """Begin a session; Refusal for a name that is taken or no name, or a trial that is recorded."""
        if not _NAME.fullmatch(name):
            raise Refusal(
                f"{quoted(name)} is no name of a session: up to 64 letters, digits, dots, dashes and underscores"
            )
        folder = self._root / name
        if folder.exists():
            raise Refusal(f"there is a session {quoted(name)} already: give another name")
        with _held(served):
            pass
        token = secrets.token_hex(16)
        try:
            self._keys.mkdir(parents=True, exist_ok=True)
            (self._keys / f"{token}.json").write_bytes(msgspec.json.encode(served))
            folder.mkdir(parents=True)
            (folder / CALLS).touch()
            (folder / HEAD).write_bytes(msgspec.json.encode({"format": FORMAT, "session": token}))
        except OSError as problem:
            raise Refusal(f"the session can't be written to {folder} ({problem.strerror})") from None
        return self._opened(name, served, lambda attempt: None)

    def call(self, name: str, tool: str, arguments: dict[str, Any]) -> tuple[ToolResult, bool]:
        """Make one call; its result, and whether the session has ended with it. Refusal for one that had ended before."""
        folder = self._folder(name)
        with locked(folder):
            if (folder / ENDED).exists():
                raise Refusal(f"the session {quoted(name)} has ended; nftbench sessions says how")
            served = self._served(name)
            made: list[Attempt] = []
            session = self._opened(name, served, made.append)
            result = session.call(tool, arguments)
            if session.fault is not None:
                raise Refusal(f"the session {quoted(name)} broke down: {session.fault}") from session.fault
            log = LineFile(folder / CALLS)
            log.append({"name": tool, "arguments": arguments, "result": _digest(result)})
            log.close()
            if made:
                self._conclude(folder, served, made[0])
            return result, bool(made)

    def task_text(self, name: str) -> str:
        """The session's task, as it was shown at first."""
        return self._opened(name, self._served(name), lambda attempt: None).task_text

    def standings(self) -> Iterator[Standing]:
        """Every session, by name."""
        for head in sorted(self._root.glob(f"*/{HEAD}")):
            folder = head.parent
            calls = sum(1 for _ in _lines(folder / CALLS))
            ended = _json(folder / ENDED) if (folder / ENDED).exists() else {}
            yield Standing(name=folder.name, calls=calls, **ended)

    def _folder(self, name: str) -> Path:
        folder = self._root / name
        if not _NAME.fullmatch(name) or not (folder / HEAD).exists():
            names = [head.parent.name for head in self._root.glob(f"*/{HEAD}")]
            there = f"; there are {', '.join(sorted(names)[:10])}" if names else "; nftbench play --session begins one"
            raise Refusal(f"there is no session {quoted(name)}{near_names(name, names)}{there}")
        return folder

    def _served(self, name: str) -> Served:
        """What the session is about, from its key."""
        head = _json(self._folder(name) / HEAD)
        token = head.get("session") if head.get("format") == FORMAT else None
        if not isinstance(token, str) or not re.fullmatch(r"[0-9a-f]{32}", token):
            raise Refusal(f"the session {quoted(name)} can't be read: its {HEAD} is of another release, or damaged")
        try:
            return msgspec.json.decode((self._keys / f"{token}.json").read_bytes(), type=Served)
        except (OSError, msgspec.DecodeError):
            raise Refusal(f"the session {quoted(name)} can't go on: its key is not in {self._keys}") from None

    def _opened(self, name: str, served: Served, record: Any) -> Session:
        """The session as its calls have left it. Refusal where they don't come out as they did."""
        session = Session(
            catalog.task(served.instance_id, served.suite_seed),
            trial=served.trial,
            limits=Limits(max_turns=served.max_turns, max_seconds=None),
            isolated=served.isolated,
            record=record,
        )
        session.connect({"name": served.agent or "shell"})
        for number, line in enumerate(_lines(self._root / name / CALLS), 1):
            result = session.call(line["name"], line["arguments"])
            if _digest(result) != line["result"]:
                raise Refusal(
                    f"the session {quoted(name)} can't go on: its call {number} ({line['name']}) has another result now"
                )
        return session

    def _conclude(self, folder: Path, served: Served, attempt: Attempt) -> None:
        with _held(served) as taken:
            taken.write(attempt)
        result = attempt.result
        told = {"ended_by": result.ended_by, "instance_id": result.instance_id, "success": result.success}
        (folder / ENDED).write_bytes(codec.encode(told))


@contextmanager
def _held(served: Served) -> Iterator[place.Place]:
    out = Path(served.out) if served.out else None
    with place.held(
        served.identity(),
        served.instance_id,
        (*catalog.instance_ids(served.tier), *catalog.control_ids(served.tier)),
        out,
    ) as taken:
        yield taken


def _digest(result: ToolResult) -> str:
    return hashlib.sha256(result.text.encode("utf-8", "surrogatepass")).hexdigest()


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """The calls in a session's file; a line that a kill has torn was never answered, and is none."""
    for line in file.read_bytes().splitlines():
        with suppress(ValueError):
            yield json.loads(line)


def _json(file: Path) -> dict[str, Any]:
    try:
        value = codec.decode(file.read_bytes())
    except (OSError, codec.Unreadable):
        return {}
    return value if isinstance(value, dict) else {}
