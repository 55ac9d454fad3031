"""The attempts of built-in agents in processes, one a core: they compute without a pause, and threads would share one core."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec.structs import replace

from nftbench.agents.backend import Backend
from nftbench.agents.builtin.catalog import built_in
from nftbench.episode.limits import Limits
from nftbench.processes.crew import Crew, LostAgain, without_processes
from nftbench.processes.worker import CannotStart
from nftbench.records import codec
from nftbench.run.config import Config
from nftbench.run.plan import Job
from nftbench.run.playing import Elsewhere, Played, Site, sampled
from nftbench.run.runner import attempt
from nftbench.run.sources import BuiltIn
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

FEWEST = 24
"""Attempts from which on it pays to start processes, which takes about half a second."""


def find_processes(site: Site) -> Elsewhere | None:
    """Processes for a run of a built-in agent that may use several, and has enough to do for them."""
    if not isinstance(site.config.source, BuiltIn) or site.config.concurrency == 1:
        return None
    return InProcesses(site) if site.session.standing().left >= FEWEST else None


class InProcesses:
    """Plays each attempt in one of as many processes as threads ask. Where none can be started, the threads play themselves."""

    def __init__(self, site: Site, function: Callable[[Config, Job], Played] | None = None) -> None:
        """`function` of a module plays one attempt there; `play` where None is given."""
        self._site, self._function = site, function or play
        self._config = replace(site.config, selection=(), out=None)
        self._lock = threading.Lock()
        self._crew = Crew()
        self._is_of_use = True

    def __call__(self, job: Job) -> Played:
        if self._is_of_use:
            try:
                played: Played = self._crew.ask(self._function, self._config, job, waiting=self._site.session.check)
                return played
            except LostAgain as lost:
                return self._site.here.lost(job, f"it was given up: {lost}")
            except CannotStart as problem:
                self._do_without(str(problem))
        return self._site.here(job)

    def pids(self) -> list[int]:
        """The processes there are now."""
        return self._crew.pids()

    def close(self) -> None:
        self._crew.close()

    def _do_without(self, why: str) -> None:
        with self._lock:
            was_of_use, self._is_of_use = self._is_of_use, False
        if was_of_use:
            self._site.tell(without_processes(why))


def play(config: Config, job: Job) -> Played:
    """Play an attempt of a built-in agent, in whatever process this is."""
    source = config.source
    assert isinstance(source, BuiltIn)
    return played(config, job, lambda task: built_in(source.agent, catalog.policy(task), catalog.careless(task)))


def played(config: Config, job: Job, backend: Callable[[Task], Backend]) -> Played:
    """Play an attempt with the backend for its task, for another process to record: encoding the trajectory takes time, so that
    is done here."""
    task = catalog.task(job.instance_id, config.suite_seed)
    limits = Limits(max_turns=config.max_turns, max_seconds=config.max_seconds)
    attempted = attempt(task, backend(task), trial=job.trial, limits=limits)
    seed = sampled(config.sampling.get("seed"), job)
    return Played(attempted.result, codec.encode({**attempted.trajectory, **seed}))
