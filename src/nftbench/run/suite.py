"""A whole run: its folder is settled and held, what is left to do is done, and what came of it is summed up."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from nftbench.agents.backend import Backend
from nftbench.episode.limits import Limits
from nftbench.errors import CannotRead, FolderLost, Refusal
from nftbench.records import codec
from nftbench.records.owner import Stray, owner_of
from nftbench.records.store import REPLACED, SUMMARY, RunFolder
from nftbench.report.screen import Screen, printable
from nftbench.report.summary import summarise
from nftbench.run import place, plan
from nftbench.run.arguments import USUAL_CONCURRENCY
from nftbench.run.closing import files_of, how_to_check, show_figures
from nftbench.run.config import Catalog, Config
from nftbench.run.descriptors import make_room, needed
from nftbench.run.executors import ThreadExecutor, refused_file
from nftbench.run.interrupts import Interrupts
from nftbench.run.perform import Performer
from nftbench.run.playing import AttemptFunction, Elsewhere, FindElsewhere, PlayedHere, Site
from nftbench.run.progress import Display, Silence, display_for
from nftbench.run.reply_room import learnt_reply_room
from nftbench.run.session import Session
from nftbench.run.sources import Program
from nftbench.tasks.model import Task

TICK = 0.1
"""Seconds between two looks at how the session stands."""
GRACE = 10.0
"""Seconds that calls under way get to end after Ctrl-C, so that what they cost is known."""

OK, FAILED, INTERRUPTED = 0, 1, 130

MOST_STRAYS = 10

BackendFactory = Callable[[Config, RunFolder, Session], Callable[[Task, int], Backend]]


class Parts(Struct, frozen=True, kw_only=True):
    """What a run is put together from; with `elsewhere`, its attempts may be played in other processes."""

    catalog: Catalog
    backends: BackendFactory
    attempt: AttemptFunction
    elsewhere: FindElsewhere = lambda site: None
    suite_version: str
    grader_version: str
    nftbench_version: str


class Terminal(Struct, frozen=True):
    """`out` takes the figures, with `as_json` as the summary's document; `err` what happens meanwhile, with `quiet` only what
    went wrong; `command` are the arguments that go on with the run."""

    out: Screen
    err: Screen
    command: Sequence[str]
    quiet: bool = False
    as_json: bool = False

    def tell(self, news: str) -> None:
        """A line about how the run goes, where somebody wants to know."""
        if not self.quiet:
            self.err.line(news)


class Course(Struct, frozen=True):
    """What the run is (its record) and what is to do in it."""

    record: Mapping[str, Any]
    todo: plan.Plan


def run_suite(config: Config, parts: Parts, terminal: Terminal) -> int:
    """Begin the run or go on with it. Returns the exit code; Refusal while nothing has been played yet."""
    identity = config.identity(suite_version=parts.suite_version, grader_version=parts.grader_version)
    wanted = identity | {"nftbench_version": parts.nftbench_version}
    path = config.out or place.usual_folder(wanted)
    order = (*parts.catalog.instance_ids(config.tier), *parts.catalog.control_ids(config.tier))
    make_room(config.concurrency)
    place.record_for(path, wanted, order)
    with place.held(path) as hold:
        record = place.record_for(path, wanted, order)
        folder = RunFolder(path, owner_of(record), hold.check)
        todo = _plan(folder, config)
        try:
            for line in (*_growth(place.newcomers(path, record)), *_strays(todo.strays)):
                terminal.tell(line)
            folder.sweep(record["selection"])
            folder.write_record(record)
            return _go(config, parts, terminal, folder, Course(record, todo))
        except (OSError, FolderLost) as problem:
            what = refused_file(problem) if isinstance(problem, OSError) else str(problem)
            terminal.err.line(_how_to_go_on(f"Stopped: {printable(what)}", terminal))
            return FAILED


def _plan(folder: RunFolder, config: Config) -> plan.Plan:
    """What is to do; Refusal where a result may stand that can't be read: to play it again could cost its money twice."""
    try:
        return plan.make(folder, config.selection, config.trials)
    except CannotRead as problem:
        raise Refusal(
            f"{problem.filename} can't be read ({problem.strerror}) and may hold a result, so nothing is played: make it "
            "readable, or choose another --out"
        ) from None


def _go(config: Config, parts: Parts, terminal: Terminal, folder: RunFolder, course: Course) -> int:
    todo = course.todo
    terminal.tell(_opening(todo, config, folder.path))
    session, interrupted = None, False
    if todo.pending:
        if folder.has_summary():
            folder.write_summary(_summary(folder, course.record))
        session, interrupted = _work_off(config, parts, terminal, folder, todo)
        folder.check()
    summary = _summary(folder, course.record)
    if not terminal.as_json:
        show_figures(summary, terminal.out)
    folder.write_summary(summary)
    terminal.out.line(codec.encode(summary, indent=2).decode() if terminal.as_json else files_of(folder))
    if session is not None and not session.was_answered and not interrupted:
        for line in how_to_check(config):
            terminal.err.line(line)
    return _conclude(plan.make(folder, config.selection, config.trials), session, terminal, interrupted=interrupted)


def _summary(folder: RunFolder, record: Mapping[str, Any]) -> dict[str, Any]:
    """What the folder holds by now, so that no summary ever claims more than is true."""
    there = plan.recorded(folder, record["selection"], record["trials"])
    summary = summarise(
        there.results,
        planned=len(record["selection"]) * record["trials"],
        strays=there.strays,
        replaced=there.replaced,
    )
    return summary | learnt_reply_room(folder)


def _work_off(
    config: Config, parts: Parts, terminal: Terminal, folder: RunFolder, todo: plan.Plan
) -> tuple[Session, bool]:
    """Make the pending attempts; the session they were made in, and whether somebody interrupted it."""
    log = folder.progress()
    session = Session(todo.pending, log.append, kept=len(todo.kept))
    if any(result.counts.turns for result in todo.kept):
        session.answered()
    elsewhere: Elsewhere | None = None
    try:
        here = PlayedHere(
            seed=config.sampling.get("seed"),
            session=session,
            task=lambda instance_id: parts.catalog.task(instance_id, config.suite_seed),
            backend=parts.backends(config, folder, session),
            attempt=parts.attempt,
            limits=Limits(max_turns=config.max_turns, max_seconds=config.max_seconds),
        )
        elsewhere = parts.elsewhere(Site(config, folder, session, here, terminal.tell))
        performer = Performer(
            session=session,
            folder=folder,
            play=elsewhere or here,
            isolated=not isinstance(config.source, Program) or config.source.is_isolated,
        )
        workers = min(config.concurrency, len(todo.pending))
        executor = ThreadExecutor(session, performer, workers, shared_out=elsewhere is not None)
        with Interrupts() as interrupts:
            executor.start()
            display = Silence() if terminal.quiet else display_for(terminal.err, len(todo.pending))
            _watch(session, executor, interrupts, display)
            return session, interrupts.count > 0
    finally:
        session.close()
        if elsewhere is not None:
            elsewhere.close()
        log.close()


def _watch(session: Session, executor: ThreadExecutor, interrupts: Interrupts, display: Display) -> None:
    """Show how things go until all workers have ended, or have been left behind."""
    leave_at: float | None = None
    try:
        while not executor.wait(TICK):
            standing = session.standing()
            display.show(standing)
            if interrupts.count and leave_at is None:
                session.stop("interrupted", at_once=True)
                display.say(f"Stopping: up to {GRACE:.0f} s for calls under way; Ctrl-C again leaves at once.")
            if session.leaving and leave_at is None:
                leave_at = standing.seconds + GRACE
            if interrupts.count > 1 or (leave_at is not None and standing.seconds > leave_at):
                return
        display.show(session.standing())
    finally:
        display.close()


def _opening(todo: plan.Plan, config: Config, path: Path) -> str:
    kept = f", {len(todo.kept)} kept from before" if todo.kept else ""
    at_once = min(config.concurrency, len(todo.pending))
    many = f", {at_once} at once with up to {needed(at_once)} open files" if at_once > USUAL_CONCURRENCY else ""
    return f"{len(todo.pending)} to do{kept}{many}; files go to {printable(str(path))}"


def _growth(names: Sequence[str]) -> Iterator[str]:
    if names:
        told = " ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        yield f"The run grows by {len(names)} instances: {printable(told)}"


def _strays(strays: Sequence[Stray]) -> Iterator[str]:
    """A line for each file that stands in a result's place and does not count; of many, for the first few."""
    for stray in strays[:MOST_STRAYS]:
        yield printable(
            f"{stray.file} does not count ({stray.kind}: {stray.why}): its task is to do, and the file is kept, then "
            f"under {REPLACED}/"
        )
    if len(strays) > MOST_STRAYS:
        yield f"{len(strays) - MOST_STRAYS} more files do not count: see not_counted in {SUMMARY}"


def _conclude(left: plan.Plan, session: Session | None, terminal: Terminal, *, interrupted: bool) -> int:
    """The last sentence, when not all is done, and the exit code."""
    if not left.pending:
        return OK
    reason = f"{len(left.pending)} in error"
    if session is not None and session.crash is not None:
        for line in "".join(traceback.format_exception(session.crash)).splitlines():
            terminal.err.line(printable(line))
    if session is not None and session.stop_reason is not None:
        reason = f"Stopped: {printable(session.stop_reason)}"
    terminal.err.line(_how_to_go_on(reason, terminal))
    return INTERRUPTED if interrupted else FAILED


def _how_to_go_on(what: str, terminal: Terminal) -> str:
    command = printable(shlex.join(["nftbench", "evaluate", *terminal.command]))
    return f"{what.rstrip('.')}. Finished tasks are kept; to go on: {command}"
