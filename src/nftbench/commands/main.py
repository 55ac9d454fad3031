"""The `nftbench` command: a table of sub-commands, each in a file of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import cast

from msgspec import Struct

from nftbench import __version__
from nftbench.errors import NftbenchError
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import command_line
from nftbench.run.near import near_names, quoted


class Command(Struct, frozen=True):
    """A sub-command: what it is about, and the names of the module and the function that run it. A module is imported when its
    command is called, so that a short command does not wait for what only a long one needs."""

    about: str
    module: str
    function: str = "main"

    def run(self, arguments: Sequence[str]) -> int:
        """Its exit code for these arguments."""
        found = getattr(import_module(f"nftbench.{self.module}"), self.function)
        return cast(Callable[[Sequence[str]], int], found)(arguments)


COMMANDS: Mapping[str, Command] = {
    "evaluate": Command("run tasks with a model or an agent, and grade them", "evaluate"),
    "redo": Command("finished attempts of a run, set aside and played again", "commands.redo"),
    "list": Command("the instances there are", "commands.list"),
    "show": Command("one instance: what is asked, and what is checked", "commands.show"),
    "report": Command(
        "what recorded runs say: rates with intervals, honesty, effort, failures by kind", "commands.report"
    ),
    "view": Command("recorded runs as one page to read, sort and step through", "commands.view"),
    "compare": Command("two runs over the same tasks, paired task by task", "commands.compare"),
    "regrade": Command("a recorded run graded again with the present grader, without any model", "commands.regrade"),
    "export": Command("a run as a dataset: messages, tool calls and grades", "commands.export"),
    "export-tasks": Command("tasks as a dataset: prompts and tools", "commands.export", "main_tasks"),
    "play": Command("play a task yourself, at the terminal or one call a command", "commands.play"),
    "call": Command("one call in a session of play", "commands.play", "main_call"),
    "sessions": Command("the sessions of play, and how they ended", "commands.play", "main_sessions"),
    "validate": Command("prove a suite: what its instances and their grades are worth", "commands.validate"),
    "check-endpoint": Command(
        "a model server before a run: does it answer, and what must be set right", "commands.check_endpoint"
    ),
    "serve-mcp": Command("tasks as an MCP server, for programs with a loop of their own", "commands.serve_mcp"),
    "serve-openenv": Command("tasks as an environment of OpenEnv, for trainers", "commands.serve_openenv"),
    "completion": Command("a script with which bash, zsh or fish completes all of this", "commands.completion"),
}
USAGE = "\n".join(
    [
        "usage: nftbench COMMAND ...   (nftbench COMMAND --help tells more; nftbench --version)",
        "",
        *(f"  {name:<16}{command.about}" for name, command in COMMANDS.items()),
    ]
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sub-command that the arguments name; its exit code, 1 for a refusal."""
    arguments = command_line(argv)
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if name in ("", "-h", "--help"):
        Screen(sys.stdout if name else sys.stderr).line(USAGE)
        return 0 if name else 1
    if name == "--version":
        Screen(sys.stdout).line(f"nftbench {__version__}")
        return 0
    if name not in COMMANDS:
        complain(f"{quoted(name)} is no command{near_names(name, COMMANDS)}; there are {', '.join(COMMANDS)}")
        return 1
    try:
        return COMMANDS[name].run(rest)
    except NftbenchError as refusal:
        complain(str(refusal))
        return 1
    except KeyboardInterrupt:
        return 130


def complain(sentence: str) -> None:
    """One sentence to standard error."""
    Screen(sys.stderr).line(f"nftbench: {printable(sentence, 2000)}")
