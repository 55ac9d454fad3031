"""What one command asks for, checked: flags that fit together, a source that can be reached, a folder to write to."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from nftbench.agents.chat import MAX_TOKENS_FIELDS
from nftbench.agents.verdicts.reply_room import USUAL_REPLY_TOKENS
from nftbench.conversation import PROMPT_LAYOUT
from nftbench.errors import Refusal
from nftbench.run.arguments import DEFAULT_REQUEST_TIMEOUT, LAYOUTS, LOCAL, RAY
from nftbench.run.near import near_names, quoted
from nftbench.run.reply_room import FIELD, USUAL
from nftbench.run.selection import resolve
from nftbench.run.sources import BuiltIn, Endpoint, OpenRouter, Source, chosen_source
from nftbench.tasks.family import LADDER
from nftbench.tasks.model import USUAL_TURNS, Task

DEFAULT_MAX_TOKENS = USUAL_REPLY_TOKENS
"""Of one reply, where a model answers over HTTP."""
TOOL_SET = "standard"
RAY_ADDRESS = "RAY_ADDRESS"
"""Ray's own variable, which says where its cluster is."""
SAMPLING_FLAGS = ("temperature", "top_p", "seed", "max_tokens", "enable_thinking")

_HOST_AND_PORT = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}")


class Catalog(Protocol):
    """Where tasks come from; the module tasks.catalog is one."""

    @property
    def TIERS(self) -> tuple[str, ...]: ...

    def instance_ids(self, tier: str) -> tuple[str, ...]: ...

    def control_ids(self, tier: str) -> tuple[str, ...]: ...

    def task(self, instance_id: str, suite_seed: int) -> Task: ...


class Config(Struct, frozen=True, kw_only=True):
    """A command that can be run. `sampling` holds what was given, and the token limit of a reply, which follows the server's
    window unless `max_tokens_given`.

    `max_turns` None: as many as each task allows. `request_timeout` is in seconds; `out` None stands for the usual folder of what
    is run. `executor` is who plays: threads and processes of this machine (LOCAL), or a Ray cluster at `ray_address` (None: one
    of the run's own).
    """

    tier: str
    selection: tuple[str, ...]
    source: Source
    sampling: Mapping[str, Any]
    concurrency: int
    trials: int
    suite_seed: int
    max_turns: int | None
    prompt_layout: str
    max_seconds: float | None = None
    max_tokens_given: bool = True
    max_tokens_field: str = MAX_TOKENS_FIELDS[0]
    request_timeout: float
    out: Path | None
    executor: str = LOCAL
    ray_address: str | None = None

    def identity(self, *, suite_version: str, grader_version: str) -> dict[str, Any]:
        """The fields of run.json that make this run this run, and the number of trials."""
        return {
            "tier": self.tier,
            "selection": list(self.selection),
            **self.source.identity(),
            "sampling": dict(self.sampling),
            "prompt_layout": self.prompt_layout,
            "tool_set": TOOL_SET,
            "suite_seed": self.suite_seed,
            "max_turns": self.max_turns,
            **({"max_seconds": self.max_seconds} if self.max_seconds is not None else {}),
            "suite_version": suite_version,
            "grader_version": grader_version,
            "trials": self.trials,
            **({} if self.max_tokens_given else {FIELD: USUAL}),
        }


def configure(flags: argparse.Namespace, catalog: Catalog, environment: Mapping[str, str]) -> Config:
    """The checked command behind the flags; Refusal for whatever can't be run. Looks at no file and calls nobody."""
    tier = known_tier(flags.tier, catalog.TIERS)
    source = chosen_source(flags, environment)
    _refuse_executor(flags.executor, source)
    return Config(
        tier=tier,
        selection=resolve(flags.instances, catalog.instance_ids(tier), tier=tier, controls=catalog.control_ids(tier)),
        source=source,
        sampling=_sampling(flags, source),
        concurrency=_concurrency(flags, source),
        trials=flags.trials,
        suite_seed=flags.suite_seed,
        max_turns=turns_in(tier, flags.max_turns),
        max_seconds=flags.max_seconds,
        prompt_layout=_prompt_layout(flags.tool_calls, source),
        max_tokens_given=flags.max_tokens is not None or not isinstance(source, Endpoint),
        max_tokens_field=_max_tokens_field(flags.max_tokens_field, source),
        request_timeout=_request_timeout(flags.request_timeout, source),
        out=_out(flags.out),
        executor=flags.executor,
        ray_address=_ray_address(flags, environment),
    )


def turns_in(tier: str, asked: int | None) -> int | None:
    """The limit of replies in the tasks of a tier; None where each task has its own, and nothing else was asked for."""
    return USUAL_TURNS if asked is None and tier != LADDER else asked


def known_tier(tier: str, tiers: Sequence[str]) -> str:
    """The tier, or a Refusal that lists those there are."""
    if tier in tiers:
        return tier
    raise Refusal(f"--tier {quoted(tier)} is unknown{near_names(tier, tiers)}; choose one of: {', '.join(tiers)}")


def _sampling(flags: argparse.Namespace, source: Source) -> dict[str, Any]:
    flagged = {name: getattr(flags, name) for name in SAMPLING_FLAGS}
    given = {name: value for name, value in flagged.items() if value is not None and value is not False}
    if isinstance(source, (Endpoint, OpenRouter)):
        if "enable_thinking" in given and not isinstance(source, Endpoint):
            raise Refusal("--enable-thinking serves endpoints only: leave it out, or give --endpoint")
        return given | {"max_tokens": given.get("max_tokens", DEFAULT_MAX_TOKENS)}
    if given:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise Refusal(f"{named} serve models over HTTP only: leave out with {source.flag}")
    return {}


def _prompt_layout(asked: str, source: Source) -> str:
    if LAYOUTS[asked] != PROMPT_LAYOUT and not isinstance(source, Endpoint | OpenRouter):
        raise Refusal(f"--tool-calls {asked} serves models over HTTP only: leave it out with {source.flag}")
    return LAYOUTS[asked]


def _max_tokens_field(asked: str | None, source: Source) -> str:
    if asked is not None and not isinstance(source, Endpoint):
        raise Refusal("--max-tokens-field serves endpoints only: leave it out, or give --endpoint")
    return asked or MAX_TOKENS_FIELDS[0]


def _concurrency(flags: argparse.Namespace, source: Source) -> int:
    asked = flags.concurrency
    if asked is None:
        return source.usual_concurrency
    if flags.executor == RAY or asked <= source.highest_concurrency:
        return int(asked)
    raise Refusal(f"--concurrency {asked} is too high: 1 to {source.highest_concurrency} with {source.flag}")


def _refuse_executor(executor: str, source: Source) -> None:
    """Refusal where others than this machine can't play."""
    if executor == LOCAL or isinstance(source, Endpoint | BuiltIn):
        return
    if isinstance(source, OpenRouter):
        why = "what a run spends at OpenRouter is watched over in one process: give --endpoint, or leave --executor out"
    else:
        why = "agent programs run on this machine, where they are installed: leave --executor out"
    raise Refusal(f"--executor {executor} can't be used with {source.flag}: {why}")


def _ray_address(flags: argparse.Namespace, environment: Mapping[str, str]) -> str | None:
    asked: str | None = flags.ray_address
    if flags.executor != RAY:
        if asked is not None:
            raise Refusal("--ray-address goes with --executor ray: give that, or leave it out")
        return None
    if asked is None:
        asked = environment.get(RAY_ADDRESS) or None
    if asked is None or asked == "auto" or _HOST_AND_PORT.fullmatch(asked):
        return asked
    raise Refusal(
        f"--ray-address {quoted(asked)} is neither auto nor host:port of a cluster that this machine is part of "
        "(`ray start --address=host:port` makes it one)"
    )


def _request_timeout(asked: float | None, source: Source) -> float:
    if asked is not None and isinstance(source, BuiltIn):
        raise Refusal(f"--request-timeout serves models and agent programs only: leave it out with {source.flag}")
    return DEFAULT_REQUEST_TIMEOUT if asked is None else asked


def _out(asked: str | None) -> Path | None:
    if asked is None:
        return None
    if not asked or "\0" in asked:
        raise Refusal(f"--out {quoted(asked)} is no folder's name")
    return Path(asked)
