"""`nftbench completion`: a script with which a shell completes commands, flags, their choices, instances, sessions and folders.

The scripts are made by shtab from the parsers that the commands use, and answer from what is written in them: a key press starts
no Python. Only the names of sessions are looked up, as folders in the place where `nftbench play` keeps them.
"""

from __future__ import annotations

import re
import sys
from argparse import Action, ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import shtab

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
    show,
    validate,
    view,
)
from nftbench.commands import list as list_command
from nftbench.report.screen import Screen
from nftbench.run.arguments import Parser, evaluate_parser
from nftbench.tasks import catalog
from nftbench.tools.standard import STANDARD

SHELLS = ("bash", "zsh", "fish")

_REPEATED = re.compile(r'"\(\*\)::?(?=[^:])')
"""How shtab begins an argument that may be repeated: in zsh that completes the first one only, `*:` every one."""

Completer = dict[str, Any]
"""What completes an argument: for each shell the name or text of its function, and under `preamble` what defines it."""


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
    parser.add_argument("shell", choices=SHELLS, help=" or ".join(SHELLS))
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
    "completion": completion_parser,
}
"""The parser of each command."""


def script(shell: str) -> str:
    """The completion script for one of SHELLS."""
    root = ArgumentParser(prog="nftbench")
    root.add_argument("--version", action="store_true", help="which version this is")
    commands = root.add_subparsers()
    for name, parser in PARSERS.items():
        own = parser()
        about = re.split("[.:;]", own.description or name)[0]
        told = commands.add_parser(name, description=about, help=about, parents=[own], add_help=False)
        for action in told._actions:
            completer = _completer(action, name)
            if completer is not None:
                action.complete = completer  # type: ignore[attr-defined]
    text: str = shtab.complete(root, shell)
    return _REPEATED.sub('"*:', text) if shell == "zsh" else text


def _completer(action: Action, command: str) -> Completer | None:
    """What completes this argument of this command, beside its own choices."""
    completer = COMPLETED.get(f"{command} {action.dest}", COMPLETED.get(action.dest))
    return completer() if completer is not None else None


def names() -> list[str]:
    """What names instances: their ids, then a glob for each family and sub-family."""
    sub_families = list(catalog.SUB_FAMILIES)
    families = dict.fromkeys(name[:-1] for name in sub_families)
    return [*catalog.instance_ids(), *(f"{name}*" for name in (*families, *sub_families))]


def _words(name: str, words: Iterable[str]) -> Completer:
    """One of some words, none of which a shell would read as anything else."""
    return _named(f"_nftbench_{name}", f"printf '%s\\n' {' '.join(words)}")


def _instances() -> Completer:
    """Names of instances, separated by commas: what stands before the last comma stays. A `*` is told as the shell takes it
    for itself."""
    told = " ".join(f"'{word}'" for word in names())
    function = "_nftbench_instances"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "preamble": {
            "bash": f"""
{function}() {{
  local typed="${{1//[\\"\\'\\\\]/}}" before="" word
  [[ $typed == *,* ]] && before="${{typed%,*}},"
  for word in {told}; do
    word=$before$word
    [[ $word == "$typed"* ]] && printf '%s\\n' "${{word//\\*/\\\\*}}"
  done
}}""",
            "zsh": f"{function}() {{ compset -P '*,'; compadd -S '' -- {told} }}",
            "fish": f"""
function {function}
  set -l before (string match -r '.*,' -- (commandline -ct | string replace -ra '[\\'"]' ''))
  for each in {told}
    printf '%s\\n' "$before$each"
  end
end""",
        },
    }


def _sessions() -> Completer:
    """The names of the sessions of play, from their folders."""
    state = f'"${{{play.STATE}:-${{XDG_STATE_HOME:-$HOME/.local/state}}/nftbench}}"'
    posix = f"ls {state}/sessions 2>/dev/null"
    fish = f"""
  set -l state $HOME/.local/state/nftbench
  set -q XDG_STATE_HOME; and test -n "$XDG_STATE_HOME"; and set state $XDG_STATE_HOME/nftbench
  set -q {play.STATE}; and test -n "${play.STATE}"; and set state ${play.STATE}
  ls $state/sessions 2>/dev/null"""
    return _named("_nftbench_sessions", posix, fish)


def _named(function: str, posix: str, fish: str | None = None) -> Completer:
    """The lines that a command prints, as a function of the script's."""
    return {
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "$({posix})" -- "$1"; }}',
            "zsh": f'{function}() {{ compadd -- ${{(f)"$({posix})"}} }}',
            "fish": f"function {function}\n  {fish or posix}\nend",
        },
    }


COMPLETED: Mapping[str, Callable[[], Completer]] = {
    "instances": _instances,
    "instance": lambda: _words("ids", catalog.instance_ids()),
    "call session": _sessions,
    "sessions session": _sessions,
    "tool": lambda: _words("tools", [tool.name for tool in STANDARD]),
    "tier": lambda: _words("tiers", catalog.TIERS),
    "evaluate agent": lambda: _words("agents", BUILT_IN),
    "cli": lambda: _words("programs", PROGRAMS),
    "view out": lambda: dict(shtab.FILE),
    "out": lambda: dict(shtab.DIRECTORY),
    "run": lambda: dict(shtab.DIRECTORY),
    "runs": lambda: dict(shtab.DIRECTORY),
    "first": lambda: dict(shtab.DIRECTORY),
    "second": lambda: dict(shtab.DIRECTORY),
}
"""What completes an argument that has no choices, by the name of its value, or of its command and its value."""
