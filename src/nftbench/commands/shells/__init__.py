"""The scripts with which shells complete `nftbench`: one text a shell, whose @gaps@ are filled from the commands' parsers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from importlib import resources

from msgspec import Struct


class Argument(Struct, frozen=True):
    """What may stand in a command's line."""

    flags: tuple[str, ...]
    """Its names; none for one that is known by its place."""
    kind: str | None
    """The function that completes its value, by what follows `_nftbench_`, with its words; None where it takes no value."""
    many: bool
    """Whether it may be given more than once."""
    about: str
    label: str
    """What its value is called."""


class Command(Struct, frozen=True):
    """A command as the shells know it; the empty name stands for `nftbench` itself."""

    name: str
    about: str
    arguments: tuple[Argument, ...]

    def flagged(self) -> list[Argument]:
        return [each for each in self.arguments if each.flags]

    def placed(self) -> list[Argument]:
        return [each for each in self.arguments if not each.flags]


def bash_gaps(commands: Sequence[Command]) -> dict[str, str]:
    """A row of `case` for each flag that takes a value, each place, and the flags of each command."""
    rows = [('" 0"', f"words {' '.join(command.name for command in commands if command.name)}")]
    for command in commands:
        rows += [
            (f'"{command.name} {flag}"', each.kind) for each in command.flagged() for flag in each.flags if each.kind
        ]
        for place, each in enumerate(command.placed()):
            rows.append((f'"{command.name} "' + ("[0-9]*" if each.many else str(place)), each.kind or "nothing"))
        flags = " ".join(flag for each in command.flagged() for flag in each.flags)
        rows.append((f'"{command.name} -"', f"words {flags}"))
    return {"rows": "\n".join(f"    {pattern}) kind={shlex.quote(kind)} ;;" for pattern, kind in rows)}


def zsh_gaps(commands: Sequence[Command]) -> dict[str, str]:
    """A call of `_arguments` for each command."""
    named = [command for command in commands if command.name]
    return {
        "commands": "\n".join(f"    {shlex.quote(f'{command.name}:{command.about}')}" for command in named),
        "root": " ".join(
            flag for command in commands if not command.name for each in command.flagged() for flag in each.flags
        ),
        "rows": "\n".join(
            f"    {command.name}) _arguments -s \\\n      "
            + " \\\n      ".join(shlex.quote(spec) for spec in _zsh_specs(command))
            + " ;;"
            for command in named
        ),
    }


def _zsh_specs(command: Command) -> list[str]:
    specs = []
    for each in command.flagged():
        once = "*" if each.many else f"({' '.join(each.flags)})"
        about = "[" + re.sub(r"([\[\]\\])", r"\\\1", each.about) + "]" if each.about else ""
        value = "" if each.kind is None else f":{each.label}:_nftbench_{each.kind}"
        specs += [f"{once}{flag}{'=' if value else ''}{about}{value}" for flag in each.flags]
    for place, each in enumerate(command.placed(), 1):
        specs.append(f"{'*' if each.many else place}:{each.label}:_nftbench_{each.kind}")
    return specs


def fish_gaps(commands: Sequence[Command]) -> dict[str, str]:
    """A call of `complete` for each command, flag and place, and which flags take a value."""
    rows = [
        f"complete -c nftbench -n '_nftbench_at \"\"' -a {command.name} -d {_fish(command.about)}"
        for command in commands
        if command.name
    ]
    valued = []
    for command in commands:
        for each in command.flagged():
            names = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in each.flags)
            value = "" if each.kind is None else f" -x -k -a {_fish(f'(_nftbench_{each.kind})')}"
            within = _fish(f'_nftbench_at "{command.name}"')
            rows.append(f"complete -c nftbench -n {within} {names}{value} -d {_fish(each.about)}")
            valued += [_fish(f"{command.name} {flag}") for flag in each.flags if each.kind is not None]
        for place, each in enumerate(command.placed()):
            at = _fish(f'_nftbench_at "{command.name}" {place}{" +" * each.many}')
            rows.append(f"complete -c nftbench -n {at} -k -a {_fish(f'(_nftbench_{each.kind})')}")
    return {"rows": "\n".join(rows), "valued": " ".join(valued)}


def _fish(text: str) -> str:
    """A word as fish quotes it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[Sequence[Command]], dict[str, str]]] = {
    "bash": bash_gaps,
    "zsh": zsh_gaps,
    "fish": fish_gaps,
}
"""The shells, and what fills the gaps of each one's script."""


def filled(shell: str, commands: Sequence[Command], others: Mapping[str, str]) -> str:
    """The script for one of SHELLS; `others` are the gaps that the commands do not tell."""
    text = resources.files("nftbench").joinpath(f"commands/shells/nftbench.{shell}").read_text("utf-8")
    for gap, value in {**others, **SHELLS[shell](commands)}.items():
        text = text.replace(f"@{gap}@", value)
    return text
