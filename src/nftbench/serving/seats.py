"""The attempts that one server gives to its clients. Each has a world, a thread and a place in the run's folder of its own, so
that clients neither see nor wait for each other.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from nftbench.episode.limits import Limits
from nftbench.errors import NftbenchError
from nftbench.run.plan import Job
from nftbench.serving import place
from nftbench.serving.identity import Served
from nftbench.serving.session import Session
from nftbench.tasks import catalog

Answer = TypeVar("Answer")


class Offer(Struct, frozen=True):
    """What a server has to give: `served` says of which run (its instance and trial are those of each job in turn), `order` is
    the catalog's."""

    served: Served
    jobs: tuple[Job, ...]
    order: tuple[str, ...]
    out: Path | None


class Seat:
    """One attempt being served, from `open` to `leave`. Whatever touches its world is done by `do`, in one thread."""

    def __init__(self, job: Job, offer: Offer) -> None:
        self.job, self._offer = job, offer
        self._session: Session | None = None
        self._holding = ExitStack()
        self._thread = ThreadPoolExecutor(1, "seat")
        self._under_way = 0
        self._used = time.monotonic()
        self._left = False

    @property
    def session(self) -> Session:
        if self._session is None:
            raise RuntimeError("the seat has not been opened")
        return self._session

    @property
    def idle(self) -> float:
        """Seconds since a client last wanted something."""
        return 0.0 if self._under_way else time.monotonic() - self._used

    async def open(self) -> None:
        """Take the attempt's place and build its world; NftbenchError as `place.held` and the catalog have it."""
        try:
            await self._in_thread(self._open)
        except BaseException:
            self._thread.shutdown(wait=False)
            raise

    async def do(self, work: Callable[[], Answer]) -> Answer:
        """What `work` gives, done when nothing else is being done here. It is done to its end even if nobody waits for it. What
        comes after `leave` meets a session that is over."""
        if self._left:
            return work()
        self._under_way += 1
        try:
            return await self._in_thread(lambda: self._done(work))
        finally:
            self._under_way -= 1
            self._used = time.monotonic()

    async def look(self) -> None:
        """End the session where a limit is reached."""
        await self._in_thread(lambda: self._done(self.session.check))

    async def leave(self) -> None:
        """End the session as one whose client is gone, unless it is over."""
        self._left = True
        try:
            await self._in_thread(lambda: self._done(lambda: self.session.end("disconnected")))
            await self._in_thread(self._holding.close)
        finally:
            self._thread.shutdown(wait=False)

    def _open(self) -> None:
        offer, job = self._offer, self.job
        served = replace(offer.served, instance_id=job.instance_id, trial=job.trial)
        with ExitStack() as holding:
            taken = holding.enter_context(place.held(served.identity(), job.instance_id, offer.order, offer.out))
            self._session = Session(
                catalog.task(job.instance_id, served.suite_seed),
                trial=job.trial,
                limits=Limits(max_turns=served.max_turns),
                isolated=served.isolated,
                record=taken.write,
            )
            self._holding = holding.pop_all()

    def _done(self, work: Callable[[], Answer]) -> Answer:
        """The place is free again as soon as the attempt is recorded."""
        try:
            return work()
        finally:
            if self.session.over:
                self._holding.close()

    async def _in_thread(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


class Seats:
    """Who sits where: attempts that are still to be made, and those under way. For one event loop; `tell` gets a sentence for
    whoever runs the server whenever a session ends."""

    def __init__(self, offer: Offer, open_jobs: Sequence[Job], tell: Callable[[str], None]) -> None:
        self._offer, self.tell = offer, tell
        self._open = list(open_jobs)
        self._live: dict[Job, Seat] = {}
        self._told: set[Seat] = set()
        self._taking = asyncio.Lock()
        self.recorded = len(offer.jobs) - len(open_jobs)

    @property
    def live(self) -> tuple[Seat, ...]:
        return tuple(self._live.values())

    @property
    def planned(self) -> int:
        return len(self._offer.jobs)

    @property
    def is_used_up(self) -> bool:
        """Whether there is nothing left to do: every attempt is over."""
        return not self._open and all(seat.session.over for seat in self._live.values())

    async def take(self, job: Job | None) -> Seat | None:
        """The seat of an attempt, opened if need be, or for None a new one at the next attempt that is left. None where there
        is none to be had."""
        async with self._taking:
            if job is not None and job in self._live:
                return self._live[job]
            for chosen in [each for each in self._open if job in (None, each)]:
                seat = Seat(chosen, self._offer)
                try:
                    await seat.open()
                except NftbenchError as refusal:
                    self.tell(str(refusal))
                    continue
                self._open.remove(chosen)
                self._live[chosen] = seat
                return seat
            return None

    async def give_up(self, seat: Seat) -> None:
        """Its client is gone. An attempt without one call is left for another client."""
        if self._live.get(seat.job) is not seat:
            return
        async with self._taking:
            self._live.pop(seat.job, None)
            await seat.leave()
            self.note(seat)
            result = seat.session.result
            if seat.session.fault is None and (result is None or place.is_unplayed(result)):
                self._open.insert(0, seat.job)

    def note(self, seat: Seat) -> None:
        """Say so, once, if a session is over."""
        session = seat.session
        if not session.over or seat in self._told:
            return
        self._told.add(seat)
        if session.fault is not None:
            self.tell("".join(traceback.format_exception(session.fault)))
            self.tell(f"{session.name} broke down and is not recorded: this is a fault of nftbench, or of the disk")
        elif session.result is not None and session.result.status == "error":
            self.tell(f"{session.name} ended in an error ({session.result.cause}): the same command makes it again")
        elif session.result is not None and not place.is_unplayed(session.result):
            self.recorded += 1
            ended = session.result.ended_by
            self.tell(f"{session.name} is over ({ended}) and recorded, {self.recorded} of {self.planned}")
