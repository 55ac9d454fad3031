"""The worlds of the samples that are running. A sample's state is copied as Inspect goes along, which no world survives; so a
world stands here, and the sample's store says which one is its own.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.util import store
from msgspec import Struct

from nftbench.adapters.inspect.replies import reply_of
from nftbench.agents.failure import CLIFailure
from nftbench.episode.limits import Limits
from nftbench.records.model import EndedBy
from nftbench.run.runner import Attempt, open_attempt
from nftbench.run.sitting import Sitting
from nftbench.tasks.model import Task

_KEY = "nftbench:world"
_NO_LIMITS = Limits(max_turns=sys.maxsize, max_seconds=None, max_repairs=sys.maxsize)


class LiveWorld:
    """One sample's world, and what is played in it. `limits` hold for an agent that tells its replies (`begin_turn`); for any
    other each call is a turn, and only Inspect's own limits hold."""

    def __init__(self, task: Task, trial: int, limits: Limits) -> None:
        self.task, self.trial, self.limits = task, trial, limits
        self._opened = open_attempt(task)
        self._sitting: Sitting | None = None
        self._in_turn = False

    @property
    def over(self) -> EndedBy | None:
        """How the agent ended the episode, or which limit is reached; None while it goes on."""
        return self._sitting.episode.over() if self._sitting else None

    def begin_turn(self, output: ModelOutput) -> Turn:
        """A turn begins with this reply of the model; `end_turn` must follow."""
        episode = self._sat(self.limits).episode
        calls = episode.begin(reply_of(output, len(episode.turns)))
        self._in_turn = True
        if calls:
            return Turn(tuple(calls))
        said, told = episode.messages[-2:]
        return Turn((), str(said["content"]), str(told["content"]))

    def end_turn(self) -> None:
        """The turn that began is over."""
        self._in_turn = False
        self._sat(self.limits).episode.end()

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The result of the turn's next call, or of one that is a turn of its own."""
        sitting = self._sat(_NO_LIMITS)
        result = sitting.episode.perform(name, arguments) if self._in_turn else sitting.call(name, arguments)
        return json.dumps({"error": result}) if isinstance(result, str) else result.text

    def close(self, ended_by: EndedBy, failure: CLIFailure | None = None) -> Attempt:
        """Grade what is there; see Sitting.close."""
        return self._sat(_NO_LIMITS).close(ended_by, failure)

    def _sat(self, limits: Limits) -> Sitting:
        """The sitting, which begins with these limits unless it has begun."""
        if self._sitting is None:
            self._sitting = Sitting(self._opened, trial=self.trial, limits=limits)
        return self._sitting


class Turn(Struct, frozen=True):
    """What a reply of a model was read as: its calls, to be run in this order (`id`, `name`, `arguments`); or none, and then what
    stays of it in the conversation (`said`) and what the model is told."""

    calls: tuple[dict[str, Any], ...]
    said: str = ""
    told: str = ""


_STANDING: dict[str, LiveWorld] = {}


def stand(uuid: str, world: LiveWorld) -> None:
    """From here on it is the world of the sample that is running, whose uuid this is."""
    _STANDING[uuid] = world
    store().set(_KEY, uuid)


def here() -> LiveWorld:
    """The world of the sample that is running; LookupError where no sample of nftbench is."""
    world = _STANDING.get(store().get(_KEY, ""))
    if world is None:
        raise LookupError("no world of nftbench stands here: its tools work in samples of its own tasks only")
    return world


def standing(uuid: str) -> LiveWorld | None:
    """The world of a sample; None where there is none, or none any more."""
    return _STANDING.get(uuid)


def leave(uuid: str) -> None:
    """The world of a sample is needed no longer."""
    _STANDING.pop(uuid, None)
