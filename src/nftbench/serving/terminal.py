"""One attempt played by a person: a prompt with line editing, history and completion. The only importer of prompt_toolkit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory

from nftbench.errors import Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run.near import near_names, quoted
from nftbench.serving.session import Session
from nftbench.serving.typed_calls import typed_call

PROMPT = "nftbench> "
WORDS = {
    "help": "this list; help TOOL tells a tool's arguments",
    "task": "the task again",
    "tools": "the tools, a line each",
    "quit": "leave: the attempt is graded as it stands (Ctrl-D does the same)",
}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\b")


def play(session: Session, out: Screen, history: Path | None) -> None:
    """Play a session at the terminal until it is over or the player leaves; it is recorded either way."""
    seen: dict[str, None] = {}
    prompt: PromptSession[str] = PromptSession(
        history=_history(history), completer=ToolCompleter(session.catalogue, seen), complete_while_typing=False
    )
    play_lines(session, out, lambda: prompt.prompt(PROMPT), seen)


def play_lines(session: Session, out: Screen, ask: Callable[[], str], seen: dict[str, None]) -> None:
    """The same with lines from anywhere; `ask` raises EOFError when there are no more. `seen` collects addresses that results
    hold, for completion."""
    out.line(_shown(session.task_text))
    out.line()
    out.line("A call is a tool and its arguments: read_state, or wait seconds=60, or a JSON object. help tells more.")
    while not session.check():
        try:
            line = ask().strip()
        except EOFError:
            break
        except KeyboardInterrupt:
            continue
        if line == "quit":
            break
        if line:
            for text in answered(session, line, seen):
                out.line(_shown(text))
    session.end("disconnected")


def answered(session: Session, line: str, seen: dict[str, None]) -> Iterator[str]:
    """What comes of one line: help, or the result of a call."""
    word, _, rest = line.partition(" ")
    if word in WORDS:
        yield from _helped(session, word, rest.strip())
        return
    try:
        name, arguments = typed_call(line)
    except Refusal as problem:
        yield str(problem)
        return
    names = [tool["name"] for tool in session.catalogue]
    if name not in names:
        yield f"there is no tool {quoted(name)}{near_names(name, names)}; tools lists them"
        return
    result = session.call(name, arguments)
    seen.update(dict.fromkeys(_ADDRESS.findall(result.text)))
    yield json.dumps(json.loads(result.text), indent=2, ensure_ascii=False)


def _helped(session: Session, word: str, about: str) -> Iterator[str]:
    if word == "task":
        yield session.task_text
    elif word == "tools" or (word == "help" and not about):
        if word == "help":
            yield from (f"{name:<8}{says}" for name, says in WORDS.items())
        yield from (f"{tool['name']:<20}{tool['description']}" for tool in session.catalogue)
    else:
        yield from tool_help(session.catalogue, about)


def tool_help(catalogue: Iterable[dict[str, Any]], name: str) -> Iterator[str]:
    """A tool's arguments, a line each."""
    tools = {tool["name"]: tool for tool in catalogue}
    if name not in tools:
        yield f"there is no tool {quoted(name)}{near_names(name, tools)}; there are {', '.join(tools)}"
        return
    parameters = tools[name]["parameters"]
    yield f"{name}: {tools[name]['description']}"
    for argument, schema in parameters.get("properties", {}).items():
        must = "needed" if argument in parameters.get("required", ()) else "optional"
        yield f"  {argument} ({must}): {schema.get('description', '')}"


class ToolCompleter(Completer):
    """Completes tools, then the arguments of the tool, then addresses that were seen."""

    def __init__(self, catalogue: list[dict[str, Any]], seen: dict[str, None]) -> None:
        self._arguments = {tool["name"]: list(tool["parameters"].get("properties", {})) for tool in catalogue}
        self._seen = seen

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        name, space, _ = text.partition(" ")
        word = re.split(r"[\s=\[\"',]", text)[-1]
        if not space:
            choices = [*self._arguments, *WORDS]
        elif word.startswith("0x"):
            choices = list(self._seen)
        elif name == "help":
            choices = list(self._arguments)
        else:
            choices = [f"{argument}=" for argument in self._arguments.get(name, ())]
        yield from (Completion(choice, -len(word)) for choice in choices if choice.startswith(word))


def _history(file: Path | None) -> FileHistory | InMemoryHistory:
    """What was typed before, where it can be kept."""
    if file is None:
        return InMemoryHistory()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))


def _shown(text: str) -> str:
    return "\n".join(
        printable(line.replace(" ", "\u00a0")).replace("\u00a0", " ") if line else "" for line in text.splitlines()
    )
