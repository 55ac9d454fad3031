"""`nftbench serve-openenv`: the instances as an environment of OpenEnv, a world for each session."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from nftbench.episode.limits import Limits
from nftbench.errors import Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run.arguments import CALLS_HELP, DEFAULT_TIER, LARGEST_SEED, Parser, whole
from nftbench.run.config import known_tier, turns_in
from nftbench.run.selection import resolve
from nftbench.run.sources import refuse_secrets
from nftbench.serving.address import address_in, listening, names_for
from nftbench.serving.door import Door
from nftbench.serving.tokens import Access, Gate, given_token
from nftbench.tasks import catalog

USUAL_PORT = 8000
USUAL_SESSIONS = 64
VARIABLE = "NFTB_OPENENV_TOKEN"


def main(argv: Sequence[str]) -> int:
    """Serve what the arguments name until a signal asks to leave."""
    refuse_secrets(argv, os.environ)
    flags = openenv_parser().read(argv)
    if flags is None:
        return 0
    tier = known_tier(flags.tier, catalog.TIERS)
    names = resolve(flags.instances, catalog.instance_ids(tier), tier=tier)
    wanted = address_in(flags.http, USUAL_PORT)
    allowed = names_for(wanted, flags.allow_host or ())
    server = _server()
    token = given_token(os.environ, VARIABLE, Path(flags.token_file) if flags.token_file else None)
    if token is None and not wanted.is_loopback:
        raise Refusal(
            f"--http {wanted} can be reached from other machines and needs a token: give --token-file FILE, or ${VARIABLE}"
        )
    everybody = Access("client")
    gate = Gate({}, open_to=everybody) if token is None else Gate({token: everybody})
    taken, address = listening(wanted)
    with taken:
        app = server.application(
            names, flags.suite_seed, Limits(max_turns=turns_in(tier, flags.max_turns)), flags.sessions
        )
        entry = "clients need the token" if token else "anybody on this machine may come in"
        Screen(sys.stderr).line(
            f"nftbench: serving {len(names)} instances at http://{address}, {flags.sessions} sessions at once; "
            + printable(entry)
        )
        server.serve(taken, app, Door(gate, allowed))
    return 0


def _server() -> ModuleType:
    """The adapter, imported only now: it is slow to load, and its package is optional."""
    return importlib.import_module("nftbench.adapters.openenv.server")


def openenv_parser() -> Parser:
    parser = Parser(
        prog="nftbench serve-openenv",
        description="The instances as an environment of OpenEnv, over HTTP and WebSocket: a world for each session.",
        epilog="Nothing is recorded: rewards and grades go to the client. Needs pip install 'nftbench[openenv]'.",
    )
    parser.add_argument(
        "--http",
        default="",
        metavar="HOST:PORT",
        help=f"where to listen (default: 127.0.0.1:{USUAL_PORT}; port 0: any that is free); other hosts need a token",
    )
    parser.add_argument("--tier", default=DEFAULT_TIER, help="default: %(default)s")
    parser.add_argument(
        "--instances",
        action="append",
        metavar="NAMES",
        help="ids and globs, comma-separated, repeatable (default: all)",
    )
    parser.add_argument("--suite-seed", type=whole(0, LARGEST_SEED), default=0, metavar="N")
    parser.add_argument("--max-turns", type=whole(1, 10_000), metavar="N", help=CALLS_HELP)
    parser.add_argument(
        "--sessions", type=whole(1, 4096), default=USUAL_SESSIONS, metavar="N", help="at once (default: %(default)s)"
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"the token that clients have to send; made where it is not there. Or it stands in ${VARIABLE}",
    )
    parser.add_argument(
        "--allow-host", action="append", metavar="NAME", help="a name by which clients reach this server; repeatable"
    )
    return parser
