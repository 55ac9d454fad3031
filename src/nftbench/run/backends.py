"""From a checked command to the backends that answer in it: one for each attempt, sharing the run's money and event log."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.agents.backend import Backend
from nftbench.agents.builtin.catalog import built_in
from nftbench.agents.chat import HttpOptions
from nftbench.agents.cli import CommandLineBackend, CommandLineSettings, program_for
from nftbench.agents.layouts.items import ItemsLayout, Layout
from nftbench.agents.layouts.native import NATIVE_LAYOUT, NativeLayout
from nftbench.agents.openai_compat import OpenAICompatBackend
from nftbench.agents.openrouter import OpenRouterBackend, SpendGuard
from nftbench.agents.verdicts.reply_room import ReplyRoom
from nftbench.agents.wire.events import EventLog, EventSink, event_log
from nftbench.agents.wire.opener import TOTAL_TIMEOUT, install_redirect_refusal
from nftbench.records.store import RunFolder
from nftbench.run import plan
from nftbench.run.config import Config
from nftbench.run.money import guard_for
from nftbench.run.reply_room import FIELD, learnt_reply_room, record_reply_room
from nftbench.run.seeds import seed_of
from nftbench.run.session import Session
from nftbench.run.sources import BuiltIn, Endpoint, OpenRouter, Program
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

BackendFor = Callable[[Task, int], Backend]
"""Of a task and the number of the trial."""


def backend_factory(config: Config, folder: RunFolder, session: Session) -> BackendFor:
    """What makes the backend of each attempt. For a source over HTTP this installs the process's refusal of redirects."""
    make, log = _factory(config, folder, session), event_log(folder.events_path)
    log.check = folder.check

    def made(task: Task, trial: int, _log: EventLog = log) -> Backend:
        """Holds on to the log, which all backends share by its path."""
        return make(task, trial)

    return made


def _factory(config: Config, folder: RunFolder, session: Session) -> BackendFor:
    source = config.source
    if isinstance(source, Endpoint | OpenRouter):
        refuse_redirects(config)
        means = Means(events_path=folder.events_path, sleep=session.pause, room=_reply_room(config, folder))
        if isinstance(source, Endpoint):
            return endpoint_backends(config, source, means)
        return _open_router(source, _options(config, source, means), _layout(config), _guard(config, source, folder))
    if isinstance(source, Program):
        return _by_program(source, config, folder, session)
    return _built_in(source)


def refuse_redirects(config: Config) -> None:
    """Installs the process's refusal of redirects, which bounds a whole reply's time as well."""
    install_redirect_refusal(total_timeout=max(TOTAL_TIMEOUT, 1.5 * config.request_timeout))


class Means(Struct, frozen=True, kw_only=True):
    """What a run lends to backends over HTTP: where attempts are logged, or who takes their events; how to wait; and, where
    nobody said how long a reply may be, who knows."""

    sleep: Callable[[float], Any]
    room: ReplyRoom | None
    events_path: Path | None = None
    events: EventSink | None = None


def endpoint_backends(config: Config, source: Endpoint, means: Means) -> BackendFor:
    """What makes the backend of each attempt at an endpoint."""
    options, layout = _options(config, source, means), _layout(config)
    url, model = source.url, source.model
    return lambda task, trial: OpenAICompatBackend(url, model, layout=layout(), **_seeded(options, task, trial))


def _layout(config: Config) -> Callable[[], Layout]:
    return NativeLayout if config.prompt_layout == NATIVE_LAYOUT else ItemsLayout


def _open_router(
    source: OpenRouter, options: HttpOptions, layout: Callable[[], Layout], guard: SpendGuard
) -> BackendFor:
    model = source.model
    return lambda task, trial: OpenRouterBackend(model, guard=guard, layout=layout(), **_seeded(options, task, trial))


def _seeded(options: HttpOptions, task: Task, trial: int) -> HttpOptions:
    """The options with the seed of that trial, where one was given."""
    seed = options.get("seed")
    return options if seed is None else HttpOptions(**{**options, "seed": seed_of(seed, task.id, trial)})


def _guard(config: Config, source: OpenRouter, folder: RunFolder) -> SpendGuard:
    return guard_for(source, folder, plan.recorded(folder, config.selection, config.trials).results)


def _options(config: Config, source: Endpoint | OpenRouter, means: Means) -> HttpOptions:
    given = config.sampling
    return HttpOptions(
        temperature=given.get("temperature"),
        top_p=given.get("top_p"),
        seed=given.get("seed"),
        max_tokens=given["max_tokens"],
        extra={"chat_template_kwargs": {"enable_thinking": True}} if given.get("enable_thinking") else None,
        events_path=means.events_path,
        events=means.events,
        sleep=means.sleep,
        timeout=config.request_timeout,
        served_names=source.served_names,
        max_tokens_field=config.max_tokens_field,
        room=means.room,
    )


def _reply_room(config: Config, folder: RunFolder) -> ReplyRoom | None:
    if config.max_tokens_given:
        return None
    learnt = learnt_reply_room(folder).get(FIELD, {})
    return ReplyRoom(learnt.get("max_tokens", config.sampling["max_tokens"]), partial(record_reply_room, folder))


def _by_program(source: Program, config: Config, folder: RunFolder, session: Session) -> BackendFor:
    program = program_for(source.command)
    settings = CommandLineSettings(timeout=config.request_timeout, events_path=folder.events_path, sleep=session.pause)
    return lambda task, trial: CommandLineBackend(program, source.model, settings)


def _built_in(source: BuiltIn) -> BackendFor:
    return lambda task, trial: built_in(source.agent, catalog.policy(task), catalog.careless(task))
