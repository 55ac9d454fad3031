"""Errors, named for the boundary that broke.

Expected failures are returned values: a reverted transaction is a Receipt, a refused one a Refused, a bad tool argument a
tool result. What is raised here is a promise that could not be kept:

- Refusal: what the user asked for can't be run; one sentence for the user, exit code 1, nothing written.
- RunStopped: the run ended early on purpose (spend limit, credentials, a repeated fault); what is done is kept.
- BenchmarkDefect: nftbench's own fault (a fixture reverts, a reference misses); names the instance.
- Backend failures are `agents.cli.CLIFailure`, whose `kind` decides between a scored failure and a task in error.
"""

from __future__ import annotations


class NftbenchError(Exception):
    """The root of every error that nftbench raises on purpose."""


class Refusal(NftbenchError):
    """One clear sentence for the user: the value that was refused and the choices there are."""


class RunStopped(NftbenchError):
    """The run must end now, cleanly; finished tasks are kept and the same command goes on."""


class BenchmarkDefect(NftbenchError):
    """A broken promise of the benchmark itself; the message names the instance and what went wrong."""
