"""A player: the object in a Ray worker that plays attempts, several at once in threads, and tells what happens meanwhile.

It writes no file. It knows nothing of Ray, so that its tests need none.
"""

from __future__ import annotations

import os
import queue
import socket
import threading
import traceback
from collections.abc import Callable, Iterator

from nftbench import __version__
from nftbench.adapters.ray.orders import (
    Answered,
    Broken,
    Finished,
    Fitness,
    Learnt,
    Logged,
    News,
    Order,
    Unanswered,
)
from nftbench.agents.backend import Backend
from nftbench.agents.builtin.catalog import built_in
from nftbench.agents.failure import CURRENT_TASK
from nftbench.agents.verdicts.reply_room import ReplyRoom
from nftbench.agents.wire.events import Event
from nftbench.grading import GRADER_VERSION
from nftbench.processes.child import portable
from nftbench.run.backends import Means, endpoint_backends, refuse_redirects
from nftbench.run.parallel import played
from nftbench.run.playing import WatchedBackend
from nftbench.run.session import Abandoned
from nftbench.run.sources import ENDPOINT_TOKEN, BuiltIn, Endpoint
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

VERSIONS = {"nftbench": __version__, "suite": catalog.SUITE_VERSION, "grader": GRADER_VERSION}
Tell = Callable[[News], None]


class Player:
    """Plays attempts for one command. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[int, threading.Event] = {}

    def fitness(self) -> Fitness:
        return Fitness(VERSIONS, socket.gethostname())

    def play(self, order: Order) -> Iterator[News]:
        """The news of an attempt, the last of them what came of it."""
        news: queue.SimpleQueue[News] = queue.SimpleQueue()
        leaving = threading.Event()
        with self._lock:
            self._under_way[order.number] = leaving
        threading.Thread(target=_play, args=(order, leaving, news.put), daemon=True).start()
        try:
            while True:
                told = news.get()
                yield told
                if isinstance(told, Finished | Broken):
                    return
        finally:
            leaving.set()
            with self._lock:
                del self._under_way[order.number]

    def leave(self, number: int) -> None:
        """End an attempt at its next turn, or in the pause that it makes."""
        with self._lock:
            leaving = self._under_way.get(number)
        if leaving is not None:
            leaving.set()


def _play(order: Order, leaving: threading.Event, tell: Tell) -> None:
    try:
        _take_key(order)
        watch = _Watch(leaving, tell, was_answered=order.was_answered)
        CURRENT_TASK.set(order.job.instance_id)
        make = _backends(order, watch, tell)
        tell(Finished(played(order.config, order.job, lambda task: WatchedBackend(make(task), watch))))
    except BaseException as problem:
        tell(Broken(portable(problem), "".join(traceback.format_exception(problem))))


def _take_key(order: Order) -> None:
    """Where backends look for it, at each call. The command's key, or that it has none, is every attempt's here."""
    key = order.key.reveal()
    if key:
        os.environ[ENDPOINT_TOKEN] = key
    else:
        os.environ.pop(ENDPOINT_TOKEN, None)


def _backends(order: Order, watch: _Watch, tell: Tell) -> Callable[[Task], Backend]:
    config, source = order.config, order.config.source
    if isinstance(source, BuiltIn):
        return lambda task: built_in(source.agent, catalog.policy(task), catalog.careless(task))
    assert isinstance(source, Endpoint), "the command refuses other sources"
    refuse_redirects(config)
    tokens = order.reply_tokens
    room = None if tokens is None else ReplyRoom(tokens, lambda fewer, window: tell(Learnt(fewer, window)))
    make = endpoint_backends(config, source, Means(sleep=watch.pause, room=room, events=_Telling(tell)))
    return lambda task: make(task, order.job.trial)


class _Telling:
    """An event log that writes nothing."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def append(self, event: Event) -> None:
        self._tell(Logged(event))


class _Watch:
    """What run.session.Session is to an attempt of its own process."""

    def __init__(self, leaving: threading.Event, tell: Tell, *, was_answered: bool) -> None:
        self._leaving, self._tell = leaving, tell
        self._was_answered = was_answered
        self._has_told = was_answered

    @property
    def was_answered(self) -> bool:
        return self._was_answered

    def check(self) -> None:
        if self._leaving.is_set():
            raise Abandoned

    def pause(self, seconds: float) -> None:
        if self._leaving.wait(seconds):
            raise Abandoned

    def answered(self) -> None:
        self._was_answered = True
        if not self._has_told:
            self._has_told = True
            self._tell(Answered())

    def unanswered(self, detail: str, *, configuration: bool) -> None:
        self._tell(Unanswered(detail, configuration))
