"""`nftbench serve-mcp`: the tools of a task as an MCP server, for a program that acts through its own loop: of one task on
standard input and output, which then carries the protocol alone; or of many over HTTP. What is said meanwhile tells nothing about
a task.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from nftbench.commands.serve_http import add_http_flags, hosted, refuse_http_flags, serve_over_http
from nftbench.episode.limits import Limits
from nftbench.errors import NftbenchError, Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import CALLS_HELP, DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier, turns_in
from nftbench.run.near import quoted
from nftbench.run.selection import resolve
from nftbench.run.sources import refuse_secrets
from nftbench.serving import place
from nftbench.serving.apart import run_apart
from nftbench.serving.identity import Served
from nftbench.serving.session import Session
from nftbench.tasks import catalog

_MISSING = "serve-mcp needs version 2 of the mcp package, which is not installed: pip install 'nftbench[mcp]'"


def main(argv: Sequence[str]) -> int:
    """Serve the task that the arguments name. 0: the attempt is scored and recorded; 1: it is not."""
    refuse_secrets(argv, os.environ)
    flags = serve_mcp_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    known, controls = catalog.instance_ids(tier), catalog.control_ids(tier)
    names = resolve([flags.instance], known, tier=tier, controls=controls)
    order = (*known, *controls)
    if flags.http is not None:
        wanted = hosted(flags, _served(flags, tier, names[0]), names, order)
        return serve_over_http(_protocol("http"), wanted)
    refuse_http_flags(flags)
    if len(names) != 1:
        raise Refusal(f"serve-mcp serves one instance without --http, {quoted(flags.instance)} names {len(names)}")
    protocol = _protocol("stdio")
    if sys.stdin is None or sys.stdin.isatty():
        raise Refusal(
            "serve-mcp speaks MCP on its input and output: have an agent program start it, not a person; or give --http"
        )
    identity = _served(flags, tier, names[0]).identity()
    out = Path(flags.out) if flags.out else None
    return run_apart(lambda: _serve(protocol, flags, place.held(identity, names[0], order, out)))


def _serve(protocol: ModuleType, flags: Any, place_held: AbstractContextManager[place.Place]) -> int:
    err = Screen(sys.stderr)
    try:
        with place_held as taken:
            session = Session(
                catalog.task(taken.instance_id, flags.suite_seed),
                trial=flags.trial,
                limits=Limits(max_turns=turns_in(flags.tier, flags.max_turns)),
                isolated=flags.isolated,
                record=taken.write,
            )
            protocol.serve(session)
    except NftbenchError as refusal:
        err.line(f"nftbench: {printable(str(refusal), 2000)}")
        return 1
    return _conclude(session, err)


def _conclude(session: Session, err: Screen) -> int:
    if session.fault is not None:
        for line in "".join(traceback.format_exception(session.fault)).splitlines():
            err.line(printable(line))
        err.line(
            f"nftbench: {session.name} broke down and is not recorded: this is a fault of nftbench, or of the disk"
        )
        return 1
    if session.result is None:
        err.line(f"nftbench: no client came to {session.name}, so nothing is recorded")
        return 1
    err.line(f"nftbench: {session.name} is over ({session.result.ended_by}) and recorded")
    return 0


def _served(flags: Any, tier: str, instance_id: str) -> Served:
    return Served(
        provider="mcp",
        tier=tier,
        instance_id=instance_id,
        suite_seed=flags.suite_seed,
        trial=flags.trial,
        max_turns=turns_in(tier, flags.max_turns),
        isolated=flags.isolated,
        agent=flags.agent,
        model=flags.model,
    )


def _protocol(transport: str) -> ModuleType:
    """The module that speaks MCP over a transport, imported only now: it is slow to load, and its package is optional."""
    try:
        if metadata.version("mcp").partition(".")[0] != "2":
            raise Refusal(f"{_MISSING.partition(',')[0]}, and {metadata.version('mcp')} is installed")
        return importlib.import_module(f"nftbench.serving.protocol.{transport}")
    except ModuleNotFoundError:
        raise Refusal(_MISSING) from None


def serve_mcp_parser() -> Parser:
    parser = Parser(
        prog="nftbench serve-mcp",
        description="Tasks as an MCP server: one on standard input and output, to be started by an agent program; or many over "
        "HTTP, a world for each client.",
        epilog="An attempt is graded and recorded when the client ends it, leaves, or reaches a limit.",
    )
    parser.add_argument(
        "instance",
        help="an id such as F1a_04, with --http ids and globs such as 'F1*,F3a_01'; clients are never told them",
    )
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    parser.add_argument("--trial", type=whole(1, 1000), default=1, metavar="K", help="which attempt (default: 1)")
    parser.add_argument("--max-turns", type=whole(1, 10_000), metavar="N", help=CALLS_HELP)
    parser.add_argument("--out", metavar="FOLDER", help="the run's folder; it may hold many instances")
    parser.add_argument("--agent", metavar="NAME", help="the program that plays, as you want it recorded")
    parser.add_argument("--model", metavar="NAME", help="its model, as you want it recorded")
    parser.add_argument(
        "--isolated",
        action="store_true",
        help="you declare that the client has no other tools, and can read neither this package nor the run's files; "
        "without it the attempt is recorded as not isolated and kept out of comparisons",
    )
    add_http_flags(parser)
    return parser
