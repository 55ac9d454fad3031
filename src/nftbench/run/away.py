"""Who plays a run's attempts where this process does not: processes of this machine, or a Ray cluster."""

from __future__ import annotations

import importlib

from nftbench.run.arguments import RAY
from nftbench.run.config import Config
from nftbench.run.parallel import find_processes
from nftbench.run.playing import FindElsewhere

_ADAPTER = "nftbench.adapters.ray.playing"
"""Loaded only where it is asked for: it needs the extra `ray`."""


def elsewhere_for(config: Config) -> FindElsewhere:
    """What finds them, by the command; MissingExtra where Ray is asked for and not installed."""
    if config.executor != RAY:
        return find_processes
    found: FindElsewhere = importlib.import_module(_ADAPTER).find_players
    return found
