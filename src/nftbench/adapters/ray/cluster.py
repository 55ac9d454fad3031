"""The Ray cluster of a run, and its players: one for each processor that the run can use, replaced when it is lost."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import ray
from ray.exceptions import RayActorError, RayError

from nftbench.adapters.ray.orders import Fitness
from nftbench.adapters.ray.player import VERSIONS, Player
from nftbench.errors import Refusal

TICK = 0.2
"""Seconds between two looks at whether there is news."""
REST = 1.0
"""Seconds before a player that could not begin is tried again."""
KNOCK = 10.0
"""Seconds that a cluster's control store may take to take a connection."""
PATIENCE = 10.0
"""Seconds after which it is said that the cluster has no room yet."""

_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DISABLE_IMPORT_WARNING": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""For Ray workers of this machine's own: nothing is reported to anybody, and nothing is said that a user can't act on."""


class Cluster:
    """A connection to Ray. One that was there before, in a program that uses Ray itself, is left as it is."""

    def __init__(self, address: str | None) -> None:
        """Connect, or start Ray workers of this machine; Refusal where there is no cluster."""
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _connect(address)

    @property
    def processors(self) -> int:
        """How many there are by now."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    @property
    def nodes(self) -> int:
        return sum(bool(node["Alive"]) for node in ray.nodes())

    def close(self) -> None:
        if self._is_ours:
            ray.shutdown()


def _connect(address: str | None) -> None:
    silent: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": True}
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        if address is None:
            where = "Ray workers of this machine can't be started"
            ray.init(address="local", include_dashboard=False, _node_ip_address="127.0.0.1", **silent)
        else:
            where = f"there is no Ray cluster at {address}"
            _knock(address)
            ray.init(address=address, **silent)
    except (RuntimeError, ValueError, OverflowError, OSError, RayError) as problem:
        raise Refusal(f"{where}: {' '.join(str(problem).split())[:300]}") from None


def _knock(address: str) -> None:
    """OSError where nobody listens: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK).close()


class Seat:
    """A player, and how many attempts it is at."""

    def __init__(self, threads: int) -> None:
        # one more for `leave`; lost ones are replaced here, since Ray's own restart would not say what was lost
        options = {"num_cpus": 1, "max_concurrency": threads + 2, "max_restarts": 0, "max_task_retries": 0}
        made: Any = ray.remote(Player)
        self.player = cast(Any, made.options(scheduling_strategy="SPREAD", **options).remote())
        self.hello = self.player.fitness.remote()
        self.is_ready = False
        self.load = 0
        self.born = time.monotonic()


class Players:
    """The players of a run. Thread-safe."""

    def __init__(self, count: int, threads: int, tell: Callable[[str], None]) -> None:
        """`threads` is how many attempts each plays at once. Refusal where they can't play for this command; else the first is
        ready."""
        self._lock = threading.Lock()
        self._threads, self._tell = threads, tell
        self._seats = [Seat(threads) for _ in range(count)]
        self._has_complained = False
        self._begun = time.monotonic()
        try:
            while not self._look():
                self._complain()
                time.sleep(0.02)
        except BaseException:
            self.close()
            raise

    def ready(self) -> int:
        """How many can play by now."""
        with self._lock:
            self._look()
            return sum(seat.is_ready for seat in self._seats)

    def take(self, waiting: Callable[[], None]) -> Seat:
        """A place at the player that is at the fewest attempts. `waiting` is called while there is none, and may raise."""
        while True:
            waiting()
            with self._lock:
                self._look()
                free = [seat for seat in self._seats if seat.is_ready and seat.load < self._threads]
                if free:
                    seat = min(free, key=lambda each: each.load)
                    seat.load += 1
                    return seat
            time.sleep(TICK)

    def give_back(self, seat: Seat) -> None:
        with self._lock:
            seat.load -= 1

    def lost(self, seat: Seat) -> None:
        """The player of a seat died: another takes it, wherever there is room for it."""
        with self._lock:
            if seat in self._seats:
                self._replace(seat)

    def close(self) -> None:
        """End them all, whatever they are at."""
        for seat in self._seats:
            _kill(seat)

    def _look(self) -> bool:
        """Whether any player is ready, by what they have said by now."""
        new = {seat.hello: seat for seat in self._seats if not seat.is_ready}
        if new:
            said, _ = ray.wait(list(new), num_returns=len(new), timeout=0)
            for hello in said:
                self._hear(new[hello])
        return any(seat.is_ready for seat in self._seats)

    def _hear(self, seat: Seat) -> None:
        try:
            fitness: Fitness = ray.get(seat.hello)
        except RayActorError as problem:
            if "ModuleNotFoundError" in str(problem) or "ImportError" in str(problem):
                raise Refusal(_unfit("they have no nftbench, or another one")) from None
            if time.monotonic() - seat.born > REST:
                self._replace(seat)
            return
        if fitness.versions != VERSIONS:
            raise Refusal(_unfit(f"they have {fitness.versions}, and this is {VERSIONS}"))
        seat.is_ready = True

    def _replace(self, seat: Seat) -> None:
        self._seats.remove(seat)
        _kill(seat)
        self._seats.append(Seat(self._threads))

    def _complain(self) -> None:
        if not self._has_complained and time.monotonic() - self._begun > PATIENCE:
            self._has_complained = True
            self._tell("The Ray cluster has no free processor yet: waiting for one")


def _unfit(why: str) -> str:
    return f"the workers of the Ray cluster can't play for this command: {why}; install the same nftbench on every node"


def _kill(seat: Seat) -> None:
    with suppress(RayError, ValueError):
        ray.kill(seat.player)
