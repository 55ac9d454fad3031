"""Attempts on a Ray cluster, seen from the run: a thread of the command stands behind each, and writes what its player tells."""

from __future__ import annotations

import itertools
import math
import os
import threading
from typing import Any

import ray
from msgspec.structs import replace
from ray.exceptions import RayError, RayTaskError

from nftbench.adapters.ray.cluster import TICK, Cluster, Players, Seat
from nftbench.adapters.ray.orders import (
    Answered,
    Broken,
    Finished,
    Key,
    Learnt,
    Logged,
    News,
    Order,
    Unanswered,
)
from nftbench.agents.wire.events import event_log
from nftbench.processes.worker import ElsewhereTraceback
from nftbench.run.plan import Job
from nftbench.run.playing import Elsewhere, Played, Site
from nftbench.run.reply_room import FIELD, learnt_reply_room, record_reply_room
from nftbench.run.sources import ENDPOINT_TOKEN, Endpoint

MOST_LOSSES = 5
"""Players that one attempt may cost: machines that are taken away come in groups."""


def find_players(site: Site) -> Elsewhere:
    """The players of a cluster; Refusal where there is none that fits."""
    cluster = Cluster(site.config.ray_address)
    try:
        return OnRay(site, cluster)
    except BaseException:
        cluster.close()
        raise


class _Lost(Exception):
    """A player died before it had played to the end."""


class OnRay:
    """Plays each attempt at one of the players of a cluster; an attempt whose player dies is played again at another."""

    def __init__(self, site: Site, cluster: Cluster) -> None:
        self._site, self._cluster = site, cluster
        many = min(site.config.concurrency, site.session.standing().left)
        count = min(many, cluster.processors)
        self._players = Players(count, math.ceil(many / count), site.tell)
        self._config = replace(site.config, selection=(), out=None)
        self._events = event_log(site.folder.events_path)
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._reply_tokens = self._first_reply_tokens()
        site.tell(f"Ray: {count} players on {cluster.nodes} nodes")

    def __call__(self, job: Job) -> Played:
        session = self._site.session
        for _ in range(MOST_LOSSES):
            seat = self._players.take(session.check)
            try:
                return self._at(seat, job)
            except _Lost as lost:
                session.check()
                self._players.lost(seat)
                how = str(lost)
            finally:
                self._players.give_back(seat)
        return self._site.here.lost(
            job, f"it was given up: {MOST_LOSSES} Ray workers, one after another, died in it ({how})"
        )

    def close(self) -> None:
        self._players.close()
        self._cluster.close()

    def _at(self, seat: Seat, job: Job) -> Played:
        """What a player makes of the attempt; _Lost when it dies over it."""
        order = self._order(job)
        try:
            stream = seat.player.play.options(num_returns="streaming").remote(order)
            while True:
                self._await(stream, seat, order)
                news: News = ray.get(next(stream))
                if isinstance(news, Finished):
                    return news.played
                if isinstance(news, Broken):
                    raise news.problem from ElsewhereTraceback(news.traceback)
                self._heed(news)
        except StopIteration:
            raise _Lost("it said nothing of how the attempt ended") from None
        except RayTaskError:
            raise
        except RayError as problem:
            raise _Lost(type(problem).__name__) from None

    def _await(self, stream: Any, seat: Seat, order: Order) -> None:
        """Wait for news. When the run is leaving the attempt is to end at its next turn; its calls are told until then."""
        is_told = False
        while not ray.wait([stream], timeout=TICK)[0]:
            if self._site.session.leaving and not is_told:
                is_told = True
                seat.player.leave.remote(order.number)

    def _heed(self, news: Logged | Answered | Unanswered | Learnt) -> None:
        session = self._site.session
        match news:
            case Logged(event):
                self._events.append(event)
            case Answered():
                session.answered()
            case Unanswered(detail, configuration):
                session.unanswered(detail, configuration=configuration)
            case Learnt(tokens, window):
                self._learn(tokens, window)

    def _order(self, job: Job) -> Order:
        return Order(
            number=next(self._numbers),
            config=self._config,
            job=job,
            key=Key(os.environ.get(ENDPOINT_TOKEN, "") if isinstance(self._config.source, Endpoint) else ""),
            was_answered=self._site.session.was_answered,
            reply_tokens=self._reply_tokens,
        )

    def _first_reply_tokens(self) -> int | None:
        """None where --max-tokens says it."""
        if self._config.max_tokens_given:
            return None
        learnt = learnt_reply_room(self._site.folder).get(FIELD, {})
        tokens: int = learnt.get("max_tokens", self._config.sampling["max_tokens"])
        return tokens

    def _learn(self, tokens: int, window: int | None) -> None:
        with self._lock:
            if self._reply_tokens is not None and tokens < self._reply_tokens:
                self._reply_tokens = tokens
                record_reply_room(self._site.folder, tokens, window)
