"""The `nftbench` command: a table of sub-commands, each in a file of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from nftbench import __version__, evaluate
from nftbench.commands import (
    check_endpoint,
    compare,
    completion,
    export,
    play,
    redo,
    regrade,
    report,
    serve_mcp,
    show,
    validate,
    view,
)
from nftbench.commands import list as list_command
from nftbench.errors import NftbenchError
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import command_line
from nftbench.run.near import near_names, quoted

COMMANDS: Mapping[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "evaluate": (evaluate.main, "run tasks with a model or an agent, and grade them"),
    "redo": (redo.main, "finished attempts of a run, set aside and played again"),
    "list": (list_command.main, "the instances there are"),
    "show": (show.main, "one instance: what is asked, and what is checked"),
    "report": (report.main, "what recorded runs say: rates with intervals, honesty, effort, failures by kind"),
    "view": (view.main, "recorded runs as one page to read, sort and step through"),
    "compare": (compare.main, "two runs over the same tasks, paired task by task"),
    "regrade": (regrade.main, "a recorded run graded again with the present grader, without any model"),
    "export": (export.main, "a run as a dataset: messages, tool calls and grades"),
    "export-tasks": (export.main_tasks, "tasks as a dataset: prompts and tools"),
    "play": (play.main, "play a task yourself, at the terminal or one call a command"),
    "call": (play.main_call, "one call in a session of play"),
    "sessions": (play.main_sessions, "the sessions of play, and how they ended"),
    "validate": (validate.main, "prove a suite: what its instances and their grades are worth"),
    "check-endpoint": (check_endpoint.main, "a model server before a run: does it answer, and what must be set right"),
    "serve-mcp": (serve_mcp.main, "one task as an MCP server, for a program with a loop of its own"),
    "completion": (completion.main, "a script with which bash, zsh or fish completes all of this"),
}
USAGE = "\n".join(
    [
        "usage: nftbench COMMAND ...   (nftbench COMMAND --help tells more; nftbench --version)",
        "",
        *(f"  {name:<16}{about}" for name, (_, about) in COMMANDS.items()),
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
        return COMMANDS[name][0](rest)
    except NftbenchError as refusal:
        complain(str(refusal))
        return 1
    except KeyboardInterrupt:
        return 130


def complain(sentence: str) -> None:
    """One sentence to standard error."""
    Screen(sys.stderr).line(f"nftbench: {printable(sentence, 2000)}")
