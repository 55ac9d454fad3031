"""The loop: ask the backend, run the call, tell it what happened, until the agent ends or a limit is reached."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from nftbench.agents.backend import Backend
from nftbench.agents.failure import STOPPING_KINDS, CLIFailure
from nftbench.episode.episode import Episode
from nftbench.episode.limits import Limits
from nftbench.episode.outcome import Outcome
from nftbench.tools.toolbox import Toolbox


def run_episode(
    task: str, toolbox: Toolbox, backend: Backend, limits: Limits, clock: Callable[[], float] = time.monotonic
) -> Outcome:
    """Play one episode. CLIFailure of a kind in STOPPING_KINDS passes through; any other ends the episode."""
    episode = Episode(task, toolbox, limits, clock)
    while (ended_by := episode.over()) is None:
        try:
            reply = json.loads(backend.complete(episode.request()))
        except CLIFailure as failure:
            if failure.kind in STOPPING_KINDS:
                raise
            return episode.failed(failure)
        episode.take(reply)
    return episode.outcome(ended_by)
