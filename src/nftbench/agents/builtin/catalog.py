"""The built-in agents by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from msgspec import Struct

from nftbench.agents.backend import Backend
from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.agents.builtin.random_agent import RandomAgent
from nftbench.agents.builtin.reference import Policy, ReferenceAgent
from nftbench.errors import BenchmarkDefect, Refusal


class Plays(Struct, frozen=True):
    """What a task hands to the agents that play by its plans."""

    reference: Policy
    careless: Policy | None = None


def _careless(plays: Plays) -> Backend:
    if plays.careless is None:
        raise BenchmarkDefect("the task has no careless play")
    return ReferenceAgent(plays.careless)


BUILT_IN: dict[str, tuple[str, Callable[[Plays], Backend]]] = {
    "reference": (
        "solves every task through the agent's own tools, by a known plan",
        lambda p: ReferenceAgent(p.reference),
    ),
    "noop": ("says at once that the task is done", lambda p: NoopAgent()),
    "decline": ("says at once that the task cannot be done", lambda p: DeclineAgent()),
    "careless": ("does the first obvious thing, reads nothing but names, and says that it is done", _careless),
    "random": (
        "makes valid calls with values that it has seen, at random, the same ones every time",
        lambda p: RandomAgent(),
    ),
}
"""What each is, and how it is made for one episode from the task's plans."""


def built_in(name: str, policy: Policy, careless: Policy | None = None) -> Backend:
    """A built-in agent for one episode; Refusal with the near names for one that does not exist."""
    check_agent_name(name)
    return BUILT_IN[name][1](Plays(policy, careless))


def check_agent_name(name: str) -> None:
    """Refusal unless there is a built-in agent of this name."""
    if name not in BUILT_IN:
        near = difflib.get_close_matches(name, BUILT_IN, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else ""
        raise Refusal(f"there is no agent {name!r}; {hint} the agents are {', '.join(BUILT_IN)}".replace("  ", " "))
