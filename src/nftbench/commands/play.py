"""`nftbench play`, `nftbench call` and `nftbench sessions`: a person, or a program that has only a shell, plays a task with an
agent's tools, graded and recorded like any agent.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from nftbench.episode.limits import Limits
from nftbench.errors import Refusal
from nftbench.records import codec
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import CALLS_HELP, DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier, turns_in
from nftbench.run.near import quoted
from nftbench.run.selection import resolve
from nftbench.serving import place
from nftbench.serving.identity import Served
from nftbench.serving.session import Session
from nftbench.serving.shell import ShellSessions
from nftbench.serving.typed_calls import json_arguments
from nftbench.tasks import catalog

STATE = "NFTB_STATE"
"""The variable that names the folder for sessions, their keys and the history of what was typed."""


def main(argv: Sequence[str]) -> int:
    """Play the task that the arguments name. 0: recorded, or the session has begun; 1: it is not."""
    flags = play_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    names = resolve([flags.instance], catalog.instance_ids(tier), tier=tier, controls=catalog.control_ids(tier))
    if len(names) != 1:
        raise Refusal(f"play takes one instance, {quoted(flags.instance)} names {len(names)}; nftbench list shows all")
    served = Served(
        provider="play",
        tier=tier,
        instance_id=names[0],
        suite_seed=flags.suite_seed,
        trial=flags.trial,
        max_turns=turns_in(tier, flags.max_turns),
        isolated=flags.isolated,
        agent=flags.agent,
        model=flags.model,
        out=str(Path(flags.out).resolve()) if flags.out else None,
    )
    return _begin(served, flags.session) if flags.session else _play(served)


def main_call(argv: Sequence[str]) -> int:
    """Make one call in a session and print its result. 0: the call was made, whatever came of it; 1: refused."""
    flags = call_parser().read(argv)
    if flags is None:
        return 0
    arguments = json_arguments(flags.arguments)
    result, over = _sessions().call(flags.session, flags.tool, arguments)
    out = Screen(sys.stdout)
    out.line(_pretty(result.text))
    if over:
        out.line("The session is over and recorded.")
    return 0


def main_sessions(argv: Sequence[str]) -> int:
    """List the sessions, or show one's task again."""
    flags = sessions_parser().read(argv)
    if flags is None:
        return 0
    out = Screen(sys.stdout)
    if flags.session:
        out.line(_sessions().task_text(flags.session))
        return 0
    standings = list(_sessions().standings())
    if flags.json:
        told = [{name: getattr(each, name) for name in each.__struct_fields__} for each in standings]
        out.line(codec.encode(told, indent=2).decode())
        return 0
    for each in standings:
        grade = "" if each.success is None else f", {each.instance_id}: {'right' if each.success else 'wrong'}"
        state = "open" if each.ended_by is None else f"ended by {each.ended_by}{grade}"
        out.line(printable(f"{each.name:<24}{each.calls:>4} calls  {state}"))
    if not standings:
        out.line("no sessions; nftbench play INSTANCE --session NAME begins one")
    return 0


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where sessions and history are kept: NFTB_STATE, else where the system keeps such things for the user."""
    given = environment.get(STATE)
    if given:
        return Path(given)
    base = environment.get("XDG_STATE_HOME") or environment.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "state") / "nftbench"


def _sessions() -> ShellSessions:
    state = state_folder(os.environ)
    return ShellSessions(state / "sessions", state / "keys")


def _begin(served: Served, name: str) -> int:
    session = _sessions().begin(name, served)
    out = Screen(sys.stdout)
    out.line(session.task_text)
    out.line("\nThe tools, as JSON schemas:")
    for tool in session.catalogue:
        out.line(json.dumps(tool))
    turns = Limits(max_turns=served.max_turns).of(catalog.task(served.instance_id, served.suite_seed).turns).turns
    out.line(f"\nOne call a command; you have {turns} calls:\n  nftbench call {name} read_state '{{}}'")
    return 0


def _play(served: Served) -> int:
    """At the terminal; where the input is none, its lines are taken as typed."""
    terminal: Any = import_module("nftbench.serving.terminal")
    out = Screen(sys.stdout)
    order = (*catalog.instance_ids(served.tier), *catalog.control_ids(served.tier))
    with place.held(served.identity(), served.instance_id, order, Path(served.out) if served.out else None) as taken:
        session = Session(
            catalog.task(served.instance_id, served.suite_seed),
            trial=served.trial,
            limits=Limits(max_turns=served.max_turns, max_seconds=None),
            isolated=served.isolated,
            record=taken.write,
        )
        session.connect({"name": served.agent or "terminal"})
        if sys.stdin.isatty():
            terminal.play(session, out, state_folder(os.environ) / "history")
        else:
            terminal.play_lines(session, out, _lines_of(sys.stdin.readline), {})
        path = taken.path
    if session.fault is not None or session.result is None:
        raise Refusal(f"the session broke down and is not recorded: {session.fault}")
    result = session.result
    out.line(f"\nEnded by {result.ended_by}: {'right' if result.success else 'wrong'}")
    for check in result.checks:
        if not check.passed:
            out.line(printable(f"  failed: {check.name}: expected {check.expected}, found {check.actual}", 400))
    out.line(printable(f"Files: {path}"))
    return 0


def _lines_of(read: Callable[[], str]) -> Callable[[], str]:
    def ask() -> str:
        line = read()
        if not line:
            raise EOFError
        return line

    return ask


def _pretty(text: str) -> str:
    return json.dumps(json.loads(text), indent=2)


def play_parser() -> Parser:
    parser = Parser(
        prog="nftbench play",
        description="Play one task yourself, with an agent's tools: at the terminal, or with --session one call a command.",
        epilog=f"Sessions and history are kept in the folder that {STATE} names (default: the user's own state folder).",
    )
    parser.add_argument("instance", help="an id, such as F1a_04; a session never shows it before its end")
    parser.add_argument("--session", metavar="NAME", help="begin a session for `nftbench call NAME TOOL ARGUMENTS`")
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    parser.add_argument("--trial", type=whole(1, 1000), default=1, metavar="K", help="which attempt (default: 1)")
    parser.add_argument("--max-turns", type=whole(1, 10_000), metavar="N", help=CALLS_HELP)
    parser.add_argument("--out", metavar="FOLDER", help="the run's folder; it may hold many instances")
    parser.add_argument("--agent", metavar="NAME", help="who plays, as you want it recorded")
    parser.add_argument("--model", metavar="NAME", help="the model that plays, if one does")
    parser.add_argument(
        "--isolated",
        action="store_true",
        help="you declare that the player has no other tools, and can read neither this package nor the run's files",
    )
    return parser


def call_parser() -> Parser:
    parser = Parser(
        prog="nftbench call",
        description="Make one call in a session and print its result. The world is rebuilt from the session's earlier calls.",
    )
    parser.add_argument("session", metavar="NAME", help="the session's name")
    parser.add_argument("tool", metavar="TOOL", help="the tool to call")
    parser.add_argument("arguments", metavar="ARGUMENTS", nargs="?", default="{}", help="a JSON object (default: {})")
    return parser


def sessions_parser() -> Parser:
    parser = Parser(
        prog="nftbench sessions", description="The sessions there are; of those that have ended, the grade."
    )
    parser.add_argument("session", metavar="NAME", nargs="?", help="show this session's task again")
    parser.add_argument("--json", action="store_true", help="as JSON")
    return parser
