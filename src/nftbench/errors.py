"""Errors, named for the boundary that broke.

Expected failures are returned values: a reverted transaction is a Receipt, a refused one a Refused, a bad tool argument a
tool result. What is raised here is a promise that could not be kept:

- Refusal: what the user asked for can't be run; one sentence for the user, exit code 1, nothing written.
- MissingExtra: a package that an optional part needs is not installed.
- RunStopped: the run ended early on purpose (spend limit, credentials, a repeated fault); what is done is kept.
- FolderLost: the run's folder was removed or taken over while the run worked in it; nothing more may be written there.
- CannotRead, CannotWrite: the system refused a file of a run; OSErrors, with the words and the name that it gave.
- NotAMessage, EpisodeOver, EpisodeRunning: what a Python program handed to an environment, or asked of it, can't be; nothing
  has happened in the world.
- BenchmarkDefect: nftbench's own fault (a fixture reverts, a reference misses); names the instance.
- Backend failures are `agents.cli.CLIFailure`, whose `kind` decides between a scored failure and a task in error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class NftbenchError(Exception):
    """The root of every error that nftbench raises on purpose."""


class Refusal(NftbenchError):
    """One clear sentence for the user: the value that was refused and the choices there are."""


class UnknownInstance(Refusal, LookupError):
    """There is no instance of this id; the nearest ids are named."""


class NotAMessage(NftbenchError, ValueError):
    """What was given is no assistant message, or no call: it says what it is and what was expected. A message whose calls a
    model got wrong is one all the same: the model is told."""


class EpisodeOver(NftbenchError, RuntimeError):
    """A step was asked of an episode that has ended; `reset` begins the next."""


class EpisodeRunning(NftbenchError, RuntimeError):
    """A result was asked of an episode that still goes on; `truncate` ends it."""


class MissingExtra(Refusal, ImportError):
    """A package is not installed that an optional part of nftbench is for; the pip command that helps is named."""


class RunStopped(NftbenchError):
    """The run must end now, cleanly; finished tasks are kept and the same command goes on."""


class FolderLost(RunStopped):
    """The folder of the run is no longer this process's to write to."""


class CannotRead(OSError):
    """A file that may be there could not be read: what it holds is unknown."""


class CannotWrite(OSError):
    """A file could not be written."""


@contextmanager
def reading() -> Iterator[None]:
    """Turns an OSError inside into CannotRead."""
    try:
        yield
    except OSError as problem:
        raise CannotRead(problem.errno, problem.strerror or str(problem), problem.filename) from problem


@contextmanager
def writing() -> Iterator[None]:
    """Turns an OSError inside into CannotWrite."""
    try:
        yield
    except CannotRead:
        raise
    except OSError as problem:
        raise CannotWrite(problem.errno, problem.strerror or str(problem), problem.filename) from problem


class BenchmarkDefect(NftbenchError):
    """A broken promise of the benchmark itself; the message names the instance and what went wrong."""
