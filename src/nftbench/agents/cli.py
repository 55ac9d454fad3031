"""The command-line backend: an agent program answers each turn, one process a turn, with the conversation on its input.

Also the home of three fixed names: CURRENT_TASK, CLIFailure and render_items.
"""

from __future__ import annotations

import difflib
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from nftbench.agents.backend import Invocation, answer_text
from nftbench.agents.chat import WAITS
from nftbench.agents.failure import CURRENT_TASK, CLIFailure
from nftbench.agents.layouts.items import Laid, answer_to_text, schemas_of
from nftbench.agents.programs.outputs import Spoken
from nftbench.agents.programs.presets import PROGRAMS, Program, from_template
from nftbench.agents.programs.privacy import Veil
from nftbench.agents.programs.processes import Ended, NotStarted, Turn, run_program
from nftbench.agents.replies.markup import tell_apart
from nftbench.agents.verdicts.program_ends import REPEATED, judge_end
from nftbench.agents.wire.events import LONGEST_BODY, NO_RESPONSE, Event, event_log
from nftbench.agents.wire.secrets import Scrubber
from nftbench.conversation import ItemsRenderer, Rendering, render_items
from nftbench.errors import Refusal

__all__ = ["CURRENT_TASK", "CLIFailure", "CommandLineBackend", "CommandLineSettings", "program_for", "render_items"]

_CONNECTION = (
    *("PATH", "LANG", "LC_ALL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *(("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT") if sys.platform == "win32" else ()),
)


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
        retried = Retried()
        while True:
            spoken, failure = self._attempt(prompt)
            if failure is None:
                told = tell_apart(spoken.text)
                usage = {**spoken.usage, "retried": retried.counted()} if retried.attempts else spoken.usage
                return Invocation(
                    text=told.text, usage={"usage": usage}, reasoning=told.reasoning, served_model=spoken.served_model
                )
            retried.add(spoken.usage)
            if failure.cause not in REPEATED or retried.attempts > len(WAITS):
                failure.usage = retried.counted()
                raise failure
            self._settings.sleep(WAITS[retried.attempts - 1])

    def _attempt(self, prompt: str) -> tuple[Spoken, CLIFailure | None]:
        settings = self._settings
        passed = self._passed()
        launch = self._program.launch(self._model, passed)
        started = settings.clock()
        environment = {**passed, **launch.environment}
        turn = Turn(
            command=launch.command, given=prompt, environment=environment, files=launch.files, timeout=settings.timeout
        )
        try:
            ended = run_program(turn)
        except NotStarted as reason:
            text = f"{launch.command[0]} cannot be started: {reason}"
            return Spoken(), CLIFailure("cli_error", text, cause="not_started", configuration=True)
        ended = Veil(environment, os.environ).over(ended)
        self._log(ended, started, settings.clock())
        spoken = self._program.read(ended.stdout)
        if not ended.stdout.strip():
            spoken = Spoken(error=self._program.read(ended.stderr).error)
        return spoken, judge_end(self._program.name, ended, spoken)

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
                stderr=cut("\n".join((*_remarks(ended), ended.stderr)), LONGEST_BODY),
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
    if "/" in words[0]:  # each process runs in a folder of its own
        words[0] = os.path.abspath(words[0])
    return from_template(os.path.basename(words[0]), words)


def _remarks(ended: Ended) -> list[str]:
    """What there is to say of a process beside its own words."""
    left = [f"{ended.left} processes that it started could not be ended"] if ended.left else []
    return [ended.stopped, *left] if ended.stopped else left


class Retried:
    """Counts the attempts that failed, with the tokens and dollars that the program told of them."""

    def __init__(self) -> None:
        self.attempts = 0
        self._totals: dict[str, Any] = {"prompt_tokens": 0, "completion_tokens": 0}

    def add(self, usage: Mapping[str, Any]) -> None:
        self.attempts += 1
        for name, counted in (
            ("prompt_tokens", "prompt_tokens"),
            ("completion_tokens", "completion_tokens"),
            ("spent", "cost"),
        ):
            if usage.get(name):
                self._totals[counted] = self._totals.get(counted, 0) + usage[name]

    def counted(self) -> dict[str, Any]:
        """In the form of `Invocation.usage["usage"]["retried"]`."""
        return {"attempts": self.attempts, **self._totals}


def transcript(rendering: Rendering) -> str:
    """The whole conversation as one text, for a program that takes one."""
    speakers = {"user": "# Message to you", "assistant": "# Your reply"}
    parts = [f"{speakers[item['role']]}\n\n{item['content']}" for item in rendering.items]
    return "\n\n".join((rendering.head, *parts, "# Your reply now\n\nThe one JSON object and nothing else.\n"))
