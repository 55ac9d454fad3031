"""The flags of `nftbench evaluate`, and a parser that refuses in one sentence instead of leaving the process."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from nftbench.agents.builtin.catalog import BUILT_IN
from nftbench.agents.chat import MAX_TOKENS_FIELDS
from nftbench.agents.layouts.native import NATIVE_LAYOUT
from nftbench.agents.programs.presets import PROGRAMS
from nftbench.conversation import PROMPT_LAYOUT
from nftbench.errors import Refusal
from nftbench.run.near import near_names, quoted
from nftbench.tasks.model import USUAL_TURNS

DEFAULT_REQUEST_TIMEOUT = 600.0
DEFAULT_TIER = "synthetic"
CALLS_HELP = f"calls (default: {USUAL_TURNS}; on a ladder, what the size of the task allows)"
LOCAL, RAY = EXECUTORS = ("local", "ray")
"""Who plays: what --executor takes."""
USUAL_CONCURRENCY = 32
HIGH_CONCURRENCIES = (64, 128, 256, 512)
LAYOUTS = {"items": PROMPT_LAYOUT, "native": NATIVE_LAYOUT}
"""What --tool-calls takes, and the layout that is recorded for it."""
LARGEST_SEED = 2**63 - 1

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]*)?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?")


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose complaints are Refusals. Abbreviated flags are not taken."""

    def __init__(self, *, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message[:1].lower()}{message[1:]}; see {self.prog} --help")

    def read(self, argv: Sequence[str]) -> argparse.Namespace | None:
        """The parsed flags, or None when help was asked for and has been shown."""
        try:
            known, unknown = self.parse_known_args(argv)
        except SystemExit:
            return None
        if unknown:
            flag = unknown[0].partition("=")[0]
            raise Refusal(
                f"{quoted(flag)} is no argument of {self.prog}{near_names(flag, self._flags())}; see {self.prog} --help"
            )
        return known

    def _flags(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    """A converter to a whole number from lowest to highest, both included."""

    def convert(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(f"{quoted(text)} is no whole number from {lowest} to {highest}")
        return int(text)

    return convert


def _tasks_at_once(text: str) -> int:
    """Up to USUAL_CONCURRENCY any number; beyond, where a slip of the finger would cost a server dear, a round one."""
    if _WHOLE.fullmatch(text) and (1 <= int(text) <= USUAL_CONCURRENCY or int(text) in HIGH_CONCURRENCIES):
        return int(text)
    high = ", ".join(map(str, HIGH_CONCURRENCIES))
    raise argparse.ArgumentTypeError(
        f"{quoted(text)} is no whole number from 1 to {USUAL_CONCURRENCY}, and none of {high}"
    )


def decimal(lowest: float, highest: float, *, above: bool = False) -> Callable[[str], float]:
    """A converter to a finite number from lowest (or, with `above`, anything above it) to highest."""

    def convert(text: str) -> float:
        number = float(text) if _DECIMAL.fullmatch(text) else math.nan
        if not lowest <= number <= highest or (above and number == lowest):
            words = f"above {lowest:g}, at most {highest:g}" if above else f"from {lowest:g} to {highest:g}"
            raise argparse.ArgumentTypeError(f"{quoted(text)} is no number {words}")
        return number

    return convert


def evaluate_parser() -> Parser:
    """The flags of `nftbench evaluate`."""
    parser = Parser(
        prog="nftbench evaluate",
        description="Run tasks with a model, an agent program or a built-in agent, and grade what the chain then holds.",
        epilog="The same command goes on where a run was stopped. Exit code: 0 every task scored, 1 refused, stopped or "
        "a task in error, 130 Ctrl-C. Keys come from the environment: OPENROUTER_API_KEY, and NFTB_ENDPOINT_TOKEN if "
        "the endpoint wants one.",
    )
    _add_tasks(parser)
    _add_source(parser)
    _add_sampling(parser)
    _add_conversation(parser)
    _add_running(parser)
    return parser


def _add_tasks(parser: Parser) -> None:
    group = parser.add_argument_group("tasks")
    group.add_argument("--tier", default=DEFAULT_TIER, help="where worlds come from (default: %(default)s)")
    group.add_argument(
        "--instances",
        action="append",
        metavar="NAMES",
        help="ids and globs such as F1a_04 or 'F1*', comma-separated, repeatable (default: all)",
    )
    group.add_argument(
        "--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N", help="what the worlds are drawn from"
    )
    group.add_argument(
        "--trials", type=whole(1, 1000), default=1, metavar="N", help="attempts at each instance (default: 1)"
    )
    group.add_argument(
        "--max-turns",
        type=whole(1, 10_000),
        metavar="N",
        help=f"replies in a task (default: {USUAL_TURNS}; on a ladder, what the size of the task allows)",
    )
    group.add_argument(
        "--max-seconds",
        type=decimal(0, 1e9, above=True),
        metavar="N",
        help="working time of a task, waits for a server's leave not counted; its end is a scored failure (default: none)",
    )


def _add_source(parser: Parser) -> None:
    group = parser.add_argument_group("who answers (exactly one of --model, --agent, --cli; --cli may take --model)")
    group.add_argument("--model", help="model name; without --endpoint it is OpenRouter's and needs --max-usd")
    group.add_argument("--endpoint", metavar="URL", help="base URL of an OpenAI-compatible server")
    group.add_argument("--agent", help=f"a built-in agent: {', '.join(BUILT_IN)}")
    group.add_argument(
        "--cli", metavar="NAME|COMMAND", help=f"an agent program: {', '.join(PROGRAMS)}, or a command template"
    )
    group.add_argument(
        "--isolated",
        action="store_const",
        const=True,
        help="with a command template: you declare that what it starts has no tools of its own and can read neither this "
        "package nor the run's files; without it the attempts are recorded as not isolated and kept out of comparisons",
    )
    group.add_argument(
        "--max-usd", type=decimal(0, 1e9, above=True), metavar="X", help="OpenRouter: stop before spending more"
    )
    price = "OpenRouter: highest price taken, in dollars per million {} tokens"
    group.add_argument("--max-price-in", type=decimal(0, 1e9), metavar="X", help=price.format("input"))
    group.add_argument("--max-price-out", type=decimal(0, 1e9), metavar="X", help=price.format("output"))


def _add_sampling(parser: Parser) -> None:
    group = parser.add_argument_group("sampling (models over HTTP only; what is not given is left to the server)")
    group.add_argument("--temperature", type=decimal(0, 2), metavar="X", help="0 to 2")
    group.add_argument("--top-p", type=decimal(0, 1, above=True), metavar="X", help="above 0, at most 1")
    group.add_argument(
        "--seed",
        type=whole(0, LARGEST_SEED),
        metavar="N",
        help="sampling seed of the model; each trial after the first gets one derived from it",
    )
    group.add_argument(
        "--max-tokens",
        type=whole(1, 2**31 - 1),
        metavar="N",
        help="per reply (default: 32000, or less where an endpoint tells that its window holds less)",
    )
    group.add_argument(
        "--max-tokens-field",
        choices=MAX_TOKENS_FIELDS,
        help="endpoints: the name under which --max-tokens is sent (default: max_tokens; OpenAI's newer models want the other)",
    )
    group.add_argument(
        "--enable-thinking", action="store_true", help="endpoints: send chat_template_kwargs.enable_thinking=true"
    )


def _add_conversation(parser: Parser) -> None:
    group = parser.add_argument_group("conversation (models over HTTP only)")
    group.add_argument(
        "--tool-calls",
        choices=tuple(LAYOUTS),
        default="items",
        help="items: calls as JSON text, for any server (default); native: the server's own tool calling",
    )
    group.add_argument(
        "--served-name",
        action="append",
        metavar="NAME",
        help="a name under which the right model answers, such as an alias of the server's; repeatable",
    )


def _add_running(parser: Parser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument(
        "--concurrency",
        type=_tasks_at_once,
        metavar="N",
        help="tasks at once: for endpoints 1 to 32, or 64, 128, 256 or 512; "
        "1 to 4 otherwise (default: 4 over HTTP, one a core for built-in agents, else 1)",
    )
    group.add_argument(
        "--executor",
        choices=EXECUTORS,
        default=LOCAL,
        help="local: this machine (default); ray: a Ray cluster, for endpoints and built-in agents (needs nftbench[ray])",
    )
    group.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        help="with --executor ray: host:port of the cluster that this machine is part of, or auto (default: $RAY_ADDRESS, or "
        "Ray workers of this machine, started for the run and ended with it)",
    )
    group.add_argument(
        "--request-timeout",
        type=decimal(0, 86_400, above=True),
        metavar="SECONDS",
        help=f"of one model request or agent program turn (default: {DEFAULT_REQUEST_TIMEOUT:g})",
    )
    group.add_argument(
        "--out", metavar="FOLDER", help="the run's folder (default: one under runs/ named after what is run)"
    )
    group.add_argument(
        "--quiet",
        action="store_true",
        help="nothing on standard error but errors, and the last sentence where not all is done",
    )
    group.add_argument(
        "--json",
        action="store_true",
        help="the summary as one JSON document on standard output, and nothing else there",
    )


def command_line(argv: Sequence[str] | None) -> list[str]:
    """The given arguments, by default those of the process."""
    return list(sys.argv[1:] if argv is None else argv)
