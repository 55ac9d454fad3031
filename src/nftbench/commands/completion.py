"""`nftbench completion`: a script with which a shell completes commands, flags, their choices, instances, sessions and folders.

The scripts are made from the parsers that the commands use, and answer from what is written in them: a key press starts no
Python. Only the names of sessions are looked up, as folders in the place where `nftbench play` keeps them.
"""

from __future__ import annotations

import re
import sys
from argparse import Action, _AppendAction
from collections.abc import Callable, Mapping, Sequence

from nftbench.agents.builtin.catalog import BUILT_IN
from nftbench.agents.programs.presets import PROGRAMS
from nftbench.commands import (
    check_endpoint,
    compare,
    export,
    play,
    redo,
    regrade,
    report,
    serve_mcp,
    serve_openenv,
    show,
    validate,
    view,
)
from nftbench.commands import list as list_command
from nftbench.commands.shells import SHELLS, Argument, Command, filled
from nftbench.report.screen import Screen
from nftbench.run.arguments import Parser, evaluate_parser
from nftbench.tasks import catalog
from nftbench.tools.standard import WITH_ORDER_BOOK


def main(argv: Sequence[str]) -> int:
    """Print the script for the shell that the arguments name."""
    flags = completion_parser().read(argv)
    if flags is None:
        return 0
    Screen(sys.stdout).line(script(flags.shell))
    return 0


def completion_parser() -> Parser:
    parser = Parser(
        prog="nftbench completion",
        description="A completion script for a shell: commands, flags and their choices, instance ids and globs, names of "
        "sessions, folders of runs.",
        epilog='bash: eval "$(nftbench completion bash)" in ~/.bashrc. zsh: the same, after compinit, in ~/.zshrc. '
        "fish: nftbench completion fish > ~/.config/fish/completions/nftbench.fish",
    )
    parser.add_argument("shell", choices=tuple(SHELLS), help=" or ".join(SHELLS))
    return parser


PARSERS: Mapping[str, Callable[[], Parser]] = {
    "evaluate": evaluate_parser,
    "redo": redo.redo_parser,
    "list": list_command.list_parser,
    "show": show.show_parser,
    "report": report.report_parser,
    "compare": compare.compare_parser,
    "view": view.view_parser,
    "regrade": regrade.regrade_parser,
    "export": export.export_parser,
    "export-tasks": export.export_tasks_parser,
    "play": play.play_parser,
    "call": play.call_parser,
    "sessions": play.sessions_parser,
    "validate": validate.validate_parser,
    "check-endpoint": check_endpoint.check_parser,
    "serve-mcp": serve_mcp.serve_mcp_parser,
    "serve-openenv": serve_openenv.openenv_parser,
    "completion": completion_parser,
}
"""The parser of each command."""


ROOT = Command(
    "",
    "",
    (
        Argument(("-h", "--help"), None, False, "the commands there are", ""),
        Argument(("--version",), None, False, "which version this is", ""),
    ),
)


def script(shell: str) -> str:
    """The completion script for one of SHELLS."""
    others = {
        "ids": " ".join(catalog.every_id()),
        "names": " ".join(f"'{name}'" for name in names()),
        "variable": play.STATE,
    }
    return filled(shell, [ROOT, *(_command(name, parser()) for name, parser in PARSERS.items())], others)


def _command(name: str, parser: Parser) -> Command:
    about = re.split("[.:;]", parser.description or name)[0]
    return Command(name, about, tuple(_argument(name, parser, action) for action in parser._actions))


def _argument(command: str, parser: Parser, action: Action) -> Argument:
    kind = None
    if action.nargs != 0:
        chosen = f"words {' '.join(map(str, action.choices))}" if action.choices else "nothing"
        kind = COMPLETED.get(f"{command} {action.dest}", COMPLETED.get(action.dest, chosen))
    many = action.nargs in ("*", "+") or isinstance(action, _AppendAction)
    told = parser._get_formatter()._expand_help(action) if action.help else ""
    return Argument(tuple(action.option_strings), kind, many, re.split("[;(]", told)[0].strip(), action.dest)


def names() -> list[str]:
    """What names instances: their ids, then a glob for each family and sub-family."""
    return [*catalog.every_id(), *(f"{name}*" for name in (*catalog.families(), *catalog.SUB_FAMILIES))]


COMPLETED: Mapping[str, str] = {
    "instances": "instances",
    "instance": "ids",
    "call session": "sessions",
    "sessions session": "sessions",
    "tool": f"words {' '.join(tool.name for tool in WITH_ORDER_BOOK)}",
    "tier": f"words {' '.join(catalog.TIERS)}",
    "evaluate agent": f"words {' '.join(BUILT_IN)}",
    "cli": f"words {' '.join(PROGRAMS)}",
    "view out": "files",
    "out": "folders",
    "run": "folders",
    "runs": "folders",
    "first": "folders",
    "second": "folders",
}
"""The kind of an argument that has no choices of its own, by the name of its value, or of its command and its value."""
