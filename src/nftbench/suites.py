"""The suite from outside: which instances there are, and what may be known of each before it is played.

What gives answers away (whether a task can be done at all, what is checked) is told to those only who ask for it by name: who
trains should not let it near an agent, nor train on the suite seed that figures are reported for (0).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from nftbench.episode.limits import Limits
from nftbench.episode.prompt import system_text
from nftbench.errors import Refusal
from nftbench.run.arguments import LARGEST_SEED
from nftbench.run.selection import resolve
from nftbench.tasks import catalog

DIFFICULTIES = ("T1", "T2", "T3", "T4")


class Answers(Struct, frozen=True, kw_only=True):
    """What gives a task away. `feasible`: whether it can be done; `twin`: the id of the instance that differs by the one fact
    that decides this, None without one; `reason_classes`: the right ones to decline with; `goals`: what is checked and what
    else may change, a line each; `tags`: what the case is about, its trap among them."""

    feasible: bool
    twin: str | None
    reason_classes: tuple[str, ...]
    goals: tuple[str, ...]
    tags: tuple[str, ...]


class TaskView(Struct, frozen=True, kw_only=True):
    """A task as it may be known before it is played. `prompt` is the request in the owner's words; `difficulty` runs from T1 (one
    call) to T4 (others act meanwhile). `turns` are the replies that an agent may take, unless other limits are set; `size` is
    that of its rung, on a ladder. An agent is shown nothing but the messages and the tools."""

    id: str
    tier: str
    family: str
    sub_family: str
    difficulty: str
    suite_seed: int
    prompt: str
    turns: int
    size: int | None

    def messages(self, limits: Limits | None = None) -> list[dict[str, Any]]:
        """What an episode begins with, as chat messages: the system text, which tells the limit of turns, and the prompt."""
        system = system_text((limits or Limits()).of(self.turns).turns)
        return [{"role": "system", "content": system}, {"role": "user", "content": self.prompt}]

    def answers(self) -> Answers:
        """What an agent has to find out, and a trainer should keep apart."""
        task = catalog.task(self.id, self.suite_seed)
        return Answers(
            feasible=task.feasible,
            twin=task.twin,
            reason_classes=task.reason_classes,
            goals=tuple(task.describe()),
            tags=task.tags,
        )


def task(instance_id: str, suite_seed: int = 0) -> TaskView:
    """The task of an instance in the suite drawn from `suite_seed` (0 to 2^63-1). UnknownInstance, with the nearest ids, where
    there is none; Refusal for a suite seed out of range."""
    check_suite_seed(suite_seed)
    found = catalog.task(instance_id, suite_seed)
    return TaskView(
        id=found.id,
        tier=found.tier,
        family=found.family,
        sub_family=found.sub_family,
        difficulty=found.difficulty,
        suite_seed=suite_seed,
        prompt=found.prompt,
        turns=found.turns,
        size=found.size,
    )


def instances(
    match: str | Iterable[str] | None = None,
    *,
    tier: str = "synthetic",
    family: str | Iterable[str] | None = None,
    difficulty: str | Iterable[str] | None = None,
) -> tuple[str, ...]:
    """The ids of a tier's instances in canonical order, those that fit every filter.

    `match` holds ids and globs ("F1a_*"), `family` families and sub-families ("F1", "F3c"), `difficulty` T1 to T4: each one
    text or several. Refusal, with the choices, for a name that there is not.
    """
    known = catalog.instance_ids(tier)
    members = catalog.families(tier)
    families = _named("family", family, {*members, *(each.name for some in members.values() for each in some)})
    difficulties = _named("difficulty", difficulty, DIFFICULTIES)
    return tuple(
        name
        for name in resolve(_texts(match), known, tier=tier, controls=catalog.control_ids(tier))
        if (families is None or {name.partition("_")[0], name.partition("_")[0][:-1]} & families)
        and (difficulties is None or catalog.task(name).difficulty in difficulties)
    )


def check_suite_seed(suite_seed: object) -> None:
    """Refusal for anything that no suite can be drawn from."""
    if type(suite_seed) is not int or not 0 <= suite_seed <= LARGEST_SEED:
        raise Refusal(f"a suite seed is a whole number from 0 to {LARGEST_SEED}, not {suite_seed!r}")


def _texts(given: str | Iterable[str] | None) -> list[str] | None:
    return None if given is None else [given] if isinstance(given, str) else list(given)


def _named(what: str, given: str | Iterable[str] | None, choices: Iterable[str]) -> set[str] | None:
    names = _texts(given)
    if names is None:
        return None
    strange = [name for name in names if name not in choices]
    if strange:
        raise Refusal(f"there is no {what} {strange[0]!r}; there is {', '.join(sorted(choices))}")
    return set(names)
