"""`nftbench serve-mcp --http`: many attempts to many clients, from one process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from nftbench.errors import Refusal
from nftbench.report.screen import Screen, printable
from nftbench.run import plan
from nftbench.run.arguments import Parser, decimal, whole
from nftbench.serving import place
from nftbench.serving.address import Address, Names, address_in, listening, names_for
from nftbench.serving.door import Door
from nftbench.serving.identity import Served
from nftbench.serving.seats import Offer, Seats
from nftbench.serving.tokens import Access, Gate, given_token, tickets

USUAL_PORT = 8750
VARIABLE = "NFTB_MCP_TOKEN"
IDLE_SECONDS = 1800.0
_ONLY_HTTP = ("trials", "token_file", "tickets", "allow_host", "idle_seconds")


class Hosted(Struct, frozen=True):
    """What was asked for, looked through and found to go together."""

    address: Address
    names: Names
    offer: Offer
    open_jobs: tuple[plan.Job, ...]
    token_file: Path | None
    ticket_file: Path | None
    idle_seconds: float


def add_http_flags(parser: Parser) -> None:
    """The flags that belong to --http."""
    group = parser.add_argument_group("over HTTP")
    group.add_argument(
        "--http",
        nargs="?",
        const="",
        metavar="HOST:PORT",
        help="serve over streamable HTTP, to each session of a client the next attempt that is left, until all are made "
        f"(default: 127.0.0.1:{USUAL_PORT}; port 0: any that is free); other hosts need a token",
    )
    group.add_argument(
        "--trials", type=whole(1, 1000), metavar="N", help="attempts at each instance (default: 1), instead of --trial"
    )
    group.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"the token that clients have to send; made where it is not there. Or it stands in ${VARIABLE}",
    )
    group.add_argument(
        "--tickets",
        metavar="FILE",
        help="write a token for each attempt there, a JSON line each with the URL: it opens that attempt and nothing else",
    )
    group.add_argument(
        "--allow-host",
        action="append",
        metavar="NAME",
        help="a name by which clients reach this server, such as host.docker.internal; repeatable",
    )
    group.add_argument(
        "--idle-seconds",
        type=decimal(0, 86_400, above=True),
        metavar="N",
        help=f"without a request a client counts as gone (default: {IDLE_SECONDS:g})",
    )


def refuse_http_flags(flags: argparse.Namespace) -> None:
    """Refusal where a flag that belongs to --http is given without it."""
    given = [f"--{name.replace('_', '-')}" for name in _ONLY_HTTP if getattr(flags, name) is not None]
    if given:
        raise Refusal(f"{', '.join(given)} can only be used with --http")


def hosted(flags: argparse.Namespace, served: Served, names: Sequence[str], order: Sequence[str]) -> Hosted:
    """What the flags ask for; Refusal if that can't be, and before anything is written."""
    address = address_in(flags.http, USUAL_PORT)
    if flags.trials is not None and flags.trial != 1:
        raise Refusal("--trial and --trials can't be used together: give one")
    if flags.token_file and flags.tickets:
        raise Refusal("--token-file and --tickets can't be used together: give one")
    if not (address.is_loopback or flags.token_file or flags.tickets or VARIABLE in os.environ):
        raise Refusal(
            f"--http {address} can be reached from other machines and needs a token: give --tickets FILE (one for each "
            f"attempt), or --token-file FILE or ${VARIABLE} (one for all)"
        )
    numbers = [flags.trial] if flags.trials is None else range(1, flags.trials + 1)
    jobs = tuple(plan.Job(name, number) for number in numbers for name in names)
    offer = Offer(served, jobs, tuple(order), Path(flags.out) if flags.out else None)
    left = place.open_jobs(served.identity(), jobs, offer.out)
    if not left:
        raise Refusal(
            "all of these attempts are recorded already: give more --trials, other instances or another --out"
        )
    return Hosted(
        address,
        names_for(address, flags.allow_host or ()),
        offer,
        tuple(left),
        Path(flags.token_file) if flags.token_file else None,
        Path(flags.tickets) if flags.tickets else None,
        flags.idle_seconds or IDLE_SECONDS,
    )


def serve_over_http(protocol: ModuleType, wanted: Hosted) -> int:
    """0: every attempt is recorded; 1: some are left, and the same command goes on with them."""
    err = Screen(sys.stderr)

    def tell(text: str) -> None:
        for line in text.splitlines():
            err.line(f"nftbench: {printable(line, 2000)}")

    token = None if wanted.ticket_file else given_token(os.environ, VARIABLE, wanted.token_file)
    taken, address = listening(wanted.address)
    with taken:
        url = f"http://{address}/mcp"
        seats = Seats(wanted.offer, wanted.open_jobs, tell)
        gate = _gate(wanted, token, url)
        tell(f"serving {_attempts(len(wanted.open_jobs))} at {url}; {_entry(wanted, token)}")
        protocol.serve(taken, seats, Door(gate, wanted.names), wanted.idle_seconds)
    return _conclude(seats, tell)


def _gate(wanted: Hosted, token: str | None, url: str) -> Gate:
    jobs = wanted.offer.jobs
    if wanted.ticket_file is not None:
        return Gate(tickets(wanted.ticket_file, jobs, url))
    access = Access("client", jobs[0] if len(jobs) == 1 else None)
    return Gate({}, open_to=access) if token is None else Gate({token: access})


def _entry(wanted: Hosted, token: str | None) -> str:
    if wanted.ticket_file is not None:
        return f"the tokens are in {wanted.ticket_file}"
    if token is None:
        return "anybody on this machine may come in"
    return "clients need the token " + (f"in {wanted.token_file}" if wanted.token_file else f"of ${VARIABLE}")


def _conclude(seats: Seats, tell: Callable[[str], None]) -> int:
    left = seats.planned - seats.recorded
    if left:
        tell(f"stopped, {_attempts(left)} of {seats.planned} left: the same command goes on with them")
        return 1
    tell("every attempt is recorded")
    return 0


def _attempts(number: int) -> str:
    return "1 attempt" if number == 1 else f"{number} attempts"
