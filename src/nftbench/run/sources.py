"""Who answers in a run: a model behind an endpoint or OpenRouter, an agent program, or a built-in agent.

Keys are looked at, to refuse a run that would lack one, and never kept.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from msgspec import Struct

from nftbench.agents.builtin.catalog import BUILT_IN
from nftbench.agents.cli import program_for
from nftbench.agents.programs.presets import PROGRAMS
from nftbench.errors import Refusal
from nftbench.processes.crew import cores
from nftbench.run.near import near_names, quoted

OPENROUTER_KEY = "OPENROUTER_API_KEY"
ENDPOINT_TOKEN = "NFTB_ENDPOINT_TOKEN"
USUAL_PROCESSES = 4
"""Attempts of a built-in agent at once, on a machine with that many cores, where nobody says otherwise."""
SHORTEST_SECRET = 12
"""Characters from which on the value of a variable named like a secret is looked for among the arguments."""

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SECRET_QUERY = re.compile(r"[?&][^=&]*(key|token|secret|password|sig)[^=&]*=", re.IGNORECASE)
_KEY_SHAPE = re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}")
_KEY_TEXT = re.compile(r"[\x21-\x7e]+")


class Endpoint(Struct, frozen=True):
    """A model behind an OpenAI-compatible server; `url` is its base."""

    flag: ClassVar[str] = "--endpoint"
    usual_concurrency: ClassVar[int] = 4
    highest_concurrency: ClassVar[int] = 512

    url: str
    model: str
    served_names: tuple[str, ...] = ()

    def identity(self) -> dict[str, Any]:
        return {"provider": "endpoint", "model": self.model, **_aliases(self.served_names)}


class OpenRouter(Struct, frozen=True):
    """A model at OpenRouter. `max_usd` is what the run may spend; prices are dollars per million tokens, None for
    any.
    """

    flag: ClassVar[str] = "--model without --endpoint"
    usual_concurrency: ClassVar[int] = 4
    highest_concurrency: ClassVar[int] = 4

    model: str
    max_usd: float
    max_price_in: float | None
    max_price_out: float | None
    served_names: tuple[str, ...] = ()

    def identity(self) -> dict[str, Any]:
        return {"provider": "openrouter", "model": self.model, **_aliases(self.served_names)}


class Program(Struct, frozen=True):
    """An agent program, one process a turn; `command` is a preset's name or a command template."""

    flag: ClassVar[str] = "--cli"
    usual_concurrency: ClassVar[int] = 1
    highest_concurrency: ClassVar[int] = 4

    command: str
    model: str | None
    is_declared_isolated: bool = False

    @property
    def is_isolated(self) -> bool:
        """Whether its model has no other tools than the task's: seen to for presets, declared or not for templates."""
        return self.command in PROGRAMS or self.is_declared_isolated

    def identity(self) -> dict[str, Any]:
        named = {"model": self.model} if self.model is not None else {}
        isolated = {} if self.command in PROGRAMS else {"isolated": self.is_isolated}
        return {"provider": "cli", "cli": self.command, **named, **isolated}


class BuiltIn(Struct, frozen=True):
    """One of nftbench's own agents."""

    flag: ClassVar[str] = "--agent"
    usual_concurrency: ClassVar[int] = min(cores(), USUAL_PROCESSES)
    highest_concurrency: ClassVar[int] = 4

    agent: str

    def identity(self) -> dict[str, Any]:
        return {"provider": "agent", "agent": self.agent}


Source = Endpoint | OpenRouter | Program | BuiltIn


def _aliases(served_names: tuple[str, ...]) -> dict[str, Any]:
    return {"served_names": sorted(served_names)} if served_names else {}


def chosen_source(flags: argparse.Namespace, environment: Mapping[str, str]) -> Source:
    """The one source that the flags name, its own flags checked; Refusal for none, several, or flags of another
    source.
    """
    named = [flag for flag in ("agent", "cli") if getattr(flags, flag) is not None]
    if flags.model is not None and "cli" not in named:
        named.append("model")
    if len(named) != 1:
        found = " and ".join(f"--{flag}" for flag in named)
        raise Refusal(
            f"exactly one of --model, --agent and --cli is needed, {found + ' were' if found else 'none was'} given"
        )
    if flags.agent is not None:
        _refuse_others(
            flags, ("endpoint", "max_usd", "max_price_in", "max_price_out", "served_name", "isolated"), BuiltIn.flag
        )
        return BuiltIn(_known_agent(flags.agent))
    model = None if flags.model is None else _plain_name(flags.model)
    if flags.cli is not None:
        _refuse_others(flags, ("endpoint", "max_usd", "max_price_in", "max_price_out", "served_name"), Program.flag)
        command = _known_command(flags.cli)
        if flags.isolated and command in PROGRAMS:
            raise Refusal(
                f"--isolated declares a command template, and {command} is a preset, isolated by itself: leave it out"
            )
        return Program(command, model, bool(flags.isolated))
    assert model is not None
    _refuse_others(flags, ("isolated",), "--model without --cli")
    if flags.endpoint is None:
        return _open_router(flags, model, environment)
    _refuse_others(flags, ("max_usd", "max_price_in", "max_price_out"), Endpoint.flag)
    _check_key(ENDPOINT_TOKEN, environment.get(ENDPOINT_TOKEN, ""))
    return Endpoint(_base_url(flags.endpoint), model, _served_names(flags))


def refuse_secrets(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """Refusal when an argument holds the value of a variable that is named like a secret: arguments reach files and
    screens.
    """
    for name, value in environment.items():
        if len(value) >= SHORTEST_SECRET and _SECRET_NAME.search(name) and any(value in argument for argument in argv):
            raise Refusal(
                f"an argument holds the value of ${name}: leave it in the environment, arguments are shown and recorded"
            )
    if any(_KEY_SHAPE.search(argument) for argument in argv):
        raise Refusal(
            "an argument holds what looks like a key (sk-...): put it in the environment, arguments are recorded"
        )


def _refuse_others(flags: argparse.Namespace, names: Sequence[str], source: str) -> None:
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(flags, name) is not None]
    if given:
        raise Refusal(f"{', '.join(given)} can't be used with {source}: leave out")


def _open_router(flags: argparse.Namespace, model: str, environment: Mapping[str, str]) -> OpenRouter:
    if flags.max_usd is None:
        raise Refusal(
            "--model without --endpoint is OpenRouter's and needs --max-usd, the most that the run may spend; "
            "or give --endpoint"
        )
    key = environment.get(OPENROUTER_KEY, "")
    if not key.strip():
        raise Refusal(
            f"the environment has no {OPENROUTER_KEY}, which a model without --endpoint needs; "
            "set it, or give --endpoint"
        )
    _check_key(OPENROUTER_KEY, key)
    return OpenRouter(model, flags.max_usd, flags.max_price_in, flags.max_price_out, _served_names(flags))


def _check_key(name: str, key: str) -> None:
    if key and not _KEY_TEXT.fullmatch(key):
        raise Refusal(f"${name} holds a space, a line end or a character outside ASCII, which no key has; set it anew")


def _plain_name(model: str) -> str:
    if model and model == model.strip() and model.isprintable():
        return model
    raise Refusal(f"--model {quoted(model)} is no model's name")


def _served_names(flags: argparse.Namespace) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_plain_name(name) for name in flags.served_name or ()))


def _base_url(url: str) -> str:
    """The endpoint's base URL as given. One that may hold a secret is refused without being repeated."""
    wanted = "give a base URL such as http://localhost:8000"
    if not _KEY_TEXT.fullmatch(url):
        raise Refusal(f"--endpoint is empty, or holds a space or a character outside ASCII: {wanted}")
    if "@" in url:
        raise Refusal(f"--endpoint holds credentials: leave them out and set {ENDPOINT_TOKEN} in the environment")
    if _SECRET_QUERY.search(url):
        raise Refusal(f"--endpoint holds a key in its query: leave it out and set {ENDPOINT_TOKEN} in the environment")
    try:
        parts = urlsplit(url)
        port_fits = parts.port != 0
    except ValueError:
        raise Refusal(f"--endpoint {quoted(url)} has a malformed host or port: {wanted}") from None
    if parts.scheme not in ("http", "https"):
        raise Refusal(f"--endpoint {quoted(url)} does not begin with http:// or https://: {wanted}")
    if not parts.hostname or not port_fits:
        raise Refusal(f"--endpoint {quoted(url)} names no host, or port 0: {wanted}")
    if parts.fragment:
        raise Refusal(f"--endpoint {quoted(url)} has a fragment: {wanted}")
    return url


def _known_agent(name: str) -> str:
    if name in BUILT_IN:
        return name
    raise Refusal(
        f"--agent {quoted(name)} is unknown{near_names(name, BUILT_IN)}; choose one of: {', '.join(BUILT_IN)}"
    )


def _known_command(command: str) -> str:
    """A preset's name or a command template whose program can be found."""
    program = program_for(command).command[0]
    if shutil.which(program) is None:
        raise Refusal(
            f"--cli {quoted(command)}: the program {quoted(program)} is not found on the PATH; install it, or give its path"
        )
    return command
