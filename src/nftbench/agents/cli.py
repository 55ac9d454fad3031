"""The command-line backend: an agent program answers each turn, one process a turn, with the conversation on its input.

Also the home of three fixed names: CURRENT_TASK, CLIFailure and render_items.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.agents.backend import Invocation, answer_text
from nftbench.agents.chat import WAITS
from nftbench.agents.failure import CURRENT_TASK, CLIFailure, FailureKind
from nftbench.agents.layouts.items import Laid, answer_to_text, schemas_of
from nftbench.agents.programs.outputs import Spoken
from nftbench.agents.programs.presets import PROGRAMS, Program, from_template
from nftbench.agents.programs.processes import Ended, run_program
from nftbench.agents.replies.markup import tell_apart
from nftbench.agents.verdicts import money, overflow, wording
from nftbench.agents.verdicts.error_bodies import words_of
from nftbench.agents.wire.events import LONGEST_BODY, NO_RESPONSE, Event, event_log
from nftbench.agents.wire.proxies import proxy_secrets
from nftbench.agents.wire.secrets import Scrubber, address_scrubber
from nftbench.conversation import ItemsRenderer, Rendering, render_items
from nftbench.errors import Refusal

__all__ = ["CURRENT_TASK", "CLIFailure", "CommandLineBackend", "CommandLineSettings", "program_for", "render_items"]

_CONNECTION = (
    *("PATH", "LANG", "LC_ALL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
)
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_BUSY = re.compile(r"\b429\b|rate.?limit|too many requests|overloaded|\b529\b|\b503\b")


class CommandLineSettings(Struct, frozen=True, kw_only=True):
    """`timeout` of one process in seconds; `variables` are passed on from our environment beside the program's own."""

    timeout: float = 600
    variables: tuple[str, ...] = ()
    events_path: str | os.PathLike[str] | None = None
    sleep: Callable[[float], Any] = time.sleep
    clock: Callable[[], float] = time.time


class CommandLineBackend:
    """An agent program as a model: it sees the conversation as text and its last output is the reply.

    Each process runs in a new empty folder, with a new home, and with nothing in its environment but what reaching its model
    takes; it and its children are killed when its time is over. Refusal if the program needs a model and none is given.
    """

    def __init__(self, program: Program, model: str | None = None, settings: CommandLineSettings | None = None) -> None:
        program.launch(model, {})
        self._program, self._model = program, model
        self._settings = settings or CommandLineSettings()
        path = self._settings.events_path
        self._events = event_log(path) if path is not None else None
        self._threads = threading.local()

    def complete(self, request: str) -> str:
        """See Backend.complete."""
        renderer = getattr(self._threads, "renderer", None)
        if renderer is None:
            renderer = self._threads.renderer = ItemsRenderer()
        reading, rendering = renderer.render(request)
        invocation = self._ask(transcript(rendering))
        laid = Laid(b"", schemas_of(reading.tools), rendering.turn)
        return answer_text(answer_to_text(invocation.text, laid), invocation)

    def invoke(self, system: str, prompt: str) -> Invocation:
        """One reply to a system text and a prompt; CLIFailure if there is none."""
        return self._ask(f"{system}\n\n{prompt}\n")

    def _ask(self, prompt: str) -> Invocation:
        retried = 0
        while True:
            spoken, failure = self._attempt(prompt)
            if failure is None:
                told = tell_apart(spoken.text)
                usage = {**spoken.usage, "retried": _retried(retried)} if retried else spoken.usage
                return Invocation(
                    text=told.text, usage={"usage": usage}, reasoning=told.reasoning, served_model=spoken.served_model
                )
            if failure.cause != "busy" or retried == len(WAITS):
                raise failure
            self._settings.sleep(WAITS[retried])
            retried += 1

    def _attempt(self, prompt: str) -> tuple[Spoken, CLIFailure | None]:
        settings = self._settings
        passed = self._passed()
        launch = self._program.launch(self._model, passed)
        started = settings.clock()
        with tempfile.TemporaryDirectory(prefix="nftbench-turn-", ignore_cleanup_errors=True) as folder:
            home, work = _folders(Path(folder), launch.files)
            environment = {"HOME": home, "TMPDIR": home, **passed, **launch.environment}
            try:
                ended = run_program(
                    launch.command, given=prompt, folder=work, environment=environment, timeout=settings.timeout
                )
            except OSError as error:
                text = f"{launch.command[0]} cannot be started: {error.strerror or error}"
                return Spoken(), CLIFailure("cli_error", text, cause="not_started", configuration=True)
        ended = _cleaned(ended, environment)
        self._log(ended, started, settings.clock())
        spoken = self._program.read(ended.stdout)
        if not ended.stdout.strip():
            spoken = Spoken(error=self._program.read(ended.stderr).error)
        return spoken, _failure(self._program.name, ended, spoken)

    def _passed(self) -> dict[str, str]:
        names = (*_CONNECTION, *self._program.variables, *self._settings.variables)
        return {name: os.environ[name] for name in names if name in os.environ}

    def _log(self, ended: Ended, started: float, over: float) -> None:
        if self._events is None:
            return
        cut = Scrubber(()).cut
        self._events.append(
            Event(
                returncode=NO_RESPONSE if ended.stopped else ended.returncode,
                stdout=cut(ended.stdout, LONGEST_BODY),
                stderr=cut(f"{ended.stopped}\n{ended.stderr}" if ended.stopped else ended.stderr, LONGEST_BODY),
                instance_id=CURRENT_TASK.get(),
                t_start=started,
                t_end=over,
            )
        )


def program_for(command: str) -> Program:
    """A preset by its name, or a program from a command template (words as in a shell; its plain output is the reply).
    Refusal for a single word that is neither a preset nor a path."""
    if command in PROGRAMS:
        return PROGRAMS[command]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Refusal(f"the command {command!r} cannot be split into words: {error}") from None
    if not words or (len(words) == 1 and "/" not in words[0]):
        near = difflib.get_close_matches(command, PROGRAMS, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the presets are {', '.join(PROGRAMS)}"
        raise Refusal(f"there is no program preset {command!r}: {hint} Anything else is a command with its arguments")
    return from_template(os.path.basename(words[0]), words)


def _cleaned(ended: Ended, environment: Mapping[str, str]) -> Ended:
    """The output without the keys and the servers' addresses that the program was given."""
    keys = [(name, value) for name, value in environment.items() if _SECRET_NAME.search(name)]
    scrub = Scrubber([*keys, *proxy_secrets()])
    stdout, stderr = scrub(ended.stdout), scrub(ended.stderr)
    for name, value in environment.items():
        if name.endswith("_BASE_URL"):
            stdout, stderr = address_scrubber(value)(stdout), address_scrubber(value)(stderr)
    return Ended(ended.returncode, stdout, stderr, ended.stopped)


def _folders(folder: Path, files: Mapping[str, str]) -> tuple[str, str]:
    """A home with these files, and an empty folder to work in."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    return str(home), str(work)


def transcript(rendering: Rendering) -> str:
    """The whole conversation as one text, for a program that takes one."""
    speakers = {"user": "# Message to you", "assistant": "# Your reply"}
    parts = [f"{speakers[item['role']]}\n\n{item['content']}" for item in rendering.items]
    return "\n\n".join((rendering.head, *parts, "# Your reply now\n\nThe one JSON object and nothing else.\n"))


def _failure(name: str, ended: Ended, spoken: Spoken) -> CLIFailure | None:
    """What went wrong with a process, None if it said something. Cause `busy` is worth another attempt."""
    if ended.stopped:
        return CLIFailure("cli_error", f"{name} was stopped: {ended.stopped}", cause="timeout")
    if spoken.text and not spoken.error and ended.returncode == 0:
        return None
    words = " ".join(part for part in (spoken.error, ended.stderr[-4000:], ended.stdout[-2000:]) if part)
    folded, shown = words.lower(), wording.shown(spoken.error or ended.stderr or ended.stdout)
    kind: FailureKind = "cli_error"
    cause = "busy"
    is_rated = wording.is_rate_limit(folded, frozenset()) or bool(re.search(r"\b429\b", folded))
    if not is_rated and overflow.is_overflow(words_of(spoken.error or words), by_numbers=bool(spoken.error)):
        kind, cause = "context_limit", "context_limit"
    elif wording.is_auth(folded) or money.is_credit(folded, frozenset()) or "/login" in folded:
        kind, cause = "auth_or_quota", "auth"
    elif ended.returncode == 0 and not spoken.error:
        kind = "incomplete_output"
    elif ended.returncode and not _BUSY.search(folded) and not spoken.error:
        cause = "exit"
    said = shown or "nothing was said"
    return CLIFailure(kind, f"{name} ended with exit code {ended.returncode}: {said}", cause=cause)


def _retried(attempts: int) -> dict[str, int]:
    return {"attempts": attempts, "prompt_tokens": 0, "completion_tokens": 0}
