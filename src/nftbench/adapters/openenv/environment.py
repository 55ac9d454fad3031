"""One session of OpenEnv: episodes one after the other, each an attempt at one instance in a world of its own."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
)
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State

from nftbench import __version__, suites
from nftbench.environment import Env
from nftbench.episode.limits import Limits
from nftbench.errors import EpisodeRunning, Refusal
from nftbench.tools.standard import chat_tools

SPLIT = "test"
"""The one split of the Task API: the instances that are served, in their order."""


class TaskObservation(Observation):  # type: ignore[misc]
    """What `reset` gives. `messages` are what the agent is to be shown first (the system text, then the task), `task` is the
    owner's request alone."""

    messages: list[dict[str, Any]]
    task: str


class WalletState(State):  # type: ignore[misc]
    """Which episode is under way. Nothing of it is for the agent: the id of an instance names its family."""

    instance_id: str | None = None
    suite_seed: int = 0
    trial: int = 1


class WalletEnvironment(Environment[Action, Observation, WalletState]):  # type: ignore[misc]
    """Steps are `CallToolAction`, and `ListToolsAction`, which is no turn. Rewards are 0.0 until the end, then 1.0 for success
    and 0.0 for anything else; `metadata` has the rest, as `Env.step` has it in `info`.

    `names` are the instances to choose from.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, names: Sequence[str] | None = None, suite_seed: int = 0, limits: Limits | None = None) -> None:
        super().__init__()
        self._names = tuple(suites.instances() if names is None else names)
        self._suite_seed, self._limits = suite_seed, limits
        self._env: Env | None = None
        self._episode_id: str | None = None
        self._turns = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        instance_id: str | None = None,
        suite_seed: int | None = None,
        trial: int = 1,
        **others: Any,
    ) -> TaskObservation:
        """Begin an episode: of an instance by its name, or by `index` in the Task API; else the `seed`-th of those that are
        served (counted round), or any. Equal seeds are equal episodes. Columns of a dataset that say nothing to us are let be;
        Refusal, or UnknownInstance, for what says something wrong."""
        chosen = self._chosen(instance_id, seed, others)
        drawn_from = self._suite_seed if suite_seed is None else suite_seed
        if self._env is not None and (self._env.instance_id, self._env.suite_seed) == (chosen, drawn_from):
            self._env.reset(trial=trial)
        else:
            self._env = Env(chosen, drawn_from, trial=trial, limits=self._limits)
        self._turns = 0
        self._episode_id = episode_id or uuid.uuid4().hex
        messages = self._env.messages
        return TaskObservation(messages=messages, task=messages[-1]["content"], done=False, reward=None)

    def step(self, action: Action, timeout_s: float | None = None, **_: Any) -> Observation:
        """One call of a tool, whose result is text, as the agent is to read it. EpisodeRunning before the first `reset`,
        EpisodeOver after the end. The time of a call has no limit of its own."""
        if isinstance(action, ListToolsAction):
            return _tools(chat_tools() if self._env is None else self._env.tools)
        if not isinstance(action, CallToolAction):
            raise Refusal(f"steps are CallToolAction or ListToolsAction, not {type(action).__name__}")
        if self._env is None:
            raise EpisodeRunning("no episode has begun: reset() begins one")
        step = self._env.call(action.tool_name, action.arguments)
        self._turns = step.info["turns"]
        return CallToolObservation(
            tool_name=action.tool_name,
            result=step.observations[-1]["content"] if step.observations else "",
            done=step.done,
            reward=step.reward,
            metadata=dict(step.info),
        )

    @property
    def state(self) -> WalletState:
        if self._env is None:
            return WalletState(suite_seed=self._suite_seed)
        return WalletState(
            episode_id=self._episode_id,
            step_count=self._turns,
            instance_id=self._env.instance_id,
            suite_seed=self._env.suite_seed,
            trial=self._env.trial,
        )

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="nftbench",
            description="NFT work on an embedded EVM chain: a task in plain language, a wallet's tools, graded on what the "
            "chain holds afterwards.",
            version=__version__,
        )

    def list_splits(self) -> list[dict[str, str]]:
        return [{"name": SPLIT, "type": "test"}]

    def num_tasks(self, split: str) -> int:
        return len(self._of(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        return [{"index": index, "instance_id": name} for index, name in enumerate(self._of(split))]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """What may be known of a task before it is played; IndexError where there is none."""
        names = self._of(split)
        if not 0 <= index < len(names):
            raise IndexError(index)
        view = suites.task(names[index], self._suite_seed)
        return {"index": index, "instance_id": view.id, "family": view.family, "prompt": view.prompt}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        return [self.get_task(split, index) for index in range(*slice(start, stop).indices(len(self._of(split))))]

    def close(self) -> None:
        self._env = None

    def _chosen(self, instance_id: str | None, seed: int | None, others: dict[str, Any]) -> str:
        if instance_id is not None:
            if instance_id not in self._names:
                suites.task(instance_id, self._suite_seed)
                raise Refusal(f"the instance {instance_id!r} is none of those that are served here")
            return instance_id
        if others.get("index") is not None:
            names, index = self._of(others.get("split") or SPLIT), others["index"]
            if type(index) is not int or not 0 <= index < len(names):
                raise Refusal(f"tasks have an index from 0 to {len(names) - 1}, not {index!r}")
            return names[index]
        return random.choice(self._names) if seed is None else self._names[seed % len(self._names)]

    def _of(self, split: str) -> tuple[str, ...]:
        if split != SPLIT:
            raise Refusal(f"there is no split {split!r}; there is {SPLIT}")
        return self._names


def _tools(told: list[dict[str, Any]]) -> ListToolsObservation:
    """Those of a task, as chat completions take them; before there is one, those that every task has."""
    entries = [tool["function"] for tool in told]
    tools = [
        Tool(name=entry["name"], description=entry["description"], input_schema=entry["parameters"])
        for entry in entries
    ]
    return ListToolsObservation(tools=tools)
