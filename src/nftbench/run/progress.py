"""What a person sees while a run is under way: a bar on a terminal, lines of bounded number elsewhere."""

from __future__ import annotations

from typing import IO, Protocol, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from nftbench.records.model import Result
from nftbench.report.screen import Screen, printable
from nftbench.run.session import Standing

LINES_PER_TASK_UP_TO = 100
"""Attempts up to which each gets a line of its own; beyond, lines come every SPACING seconds."""
SPACING = 5.0
HEARTBEAT = 60.0
"""Seconds without a line after which one says that the run is alive."""
REDRAW = 0.25
"""Seconds between two drawings of the bar."""
LONGEST_ERROR = 160


class Display(Protocol):
    """Shows how a session stands. `show` is called several times a second, from one thread."""

    def show(self, standing: Standing) -> None: ...

    def say(self, text: str) -> None: ...

    def close(self) -> None: ...


def display_for(screen: Screen, total: int) -> Display:
    """The display that fits the screen, for a session of that many attempts."""
    return Bar(screen, total) if screen.is_terminal else Lines(screen, total)


class Silence:
    """Nothing, for scripts; progress.jsonl tells the same."""

    def show(self, standing: Standing) -> None:
        return

    def say(self, text: str) -> None:
        return

    def close(self) -> None:
        return


class Lines:
    """Plain lines: one for each attempt, or for larger runs one every few seconds."""

    def __init__(self, screen: Screen, total: int) -> None:
        self._screen = screen
        self._total = total
        self._each = total <= LINES_PER_TASK_UP_TO
        self._last = 0.0

    def show(self, standing: Standing) -> None:
        since = standing.seconds - self._last
        if standing.latest and self._each:
            for result in standing.latest[:-1]:
                self._screen.line(described(result))
            self._line(standing, f"{described(standing.latest[-1])} | ")
        elif since >= HEARTBEAT or (standing.latest and (since >= SPACING or standing.done == self._total)):
            self._line(standing, "")

    def say(self, text: str) -> None:
        self._screen.line(text)

    def close(self) -> None:
        return

    def _line(self, standing: Standing, text: str) -> None:
        self._last = standing.seconds
        how = f"{standing.done}/{self._total}: {tallied(standing)}, {paced(standing, self._total)}"
        self._screen.line(text + how)


class Bar:
    """A live bar, redrawn in place; attempts in error get a line above it."""

    def __init__(self, screen: Screen, total: int) -> None:
        self._total = total
        self._drawn = -REDRAW
        console = Console(file=cast("IO[str]", screen), markup=False, highlight=False)
        ascii_only = console.options.ascii_only
        self._progress = Progress(
            SpinnerColumn("line" if ascii_only else "dots"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[tally]} | {task.fields[pace]}", markup=False),
            console=console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task("", total=total, tally="", pace="")
        self._progress.start()

    def show(self, standing: Standing) -> None:
        for result in standing.latest:
            if result.status == "error":
                self._progress.console.print(described(result))
        if standing.seconds - self._drawn < REDRAW and standing.done < self._total:
            return
        self._drawn = standing.seconds
        self._progress.update(
            self._task, completed=standing.done, tally=tallied(standing), pace=paced(standing, self._total)
        )
        self._progress.refresh()

    def say(self, text: str) -> None:
        self._progress.console.print(text)

    def close(self) -> None:
        self._progress.stop()


def described(result: Result) -> str:
    """An attempt in one line: which, how it ended, in how many turns."""
    name = result.instance_id if result.trial == 1 else f"{result.instance_id} trial {result.trial}"
    if result.status == "error":
        return f"{name} ERROR {printable(result.error or '', LONGEST_ERROR)}"
    outcome = "right" if result.success else "wrong"
    return (
        f"{name} {outcome} ({result.ended_by}, {_counted(result.counts.turns, 'turn')}, {result.counts.seconds:.1f} s)"
    )


def tallied(standing: Standing) -> str:
    """How many attempts of this session came out how."""
    errors = f", {_counted(standing.errors, 'error')}" if standing.errors else ""
    return f"{standing.right} right, {standing.wrong} wrong{errors}"


def paced(standing: Standing, total: int) -> str:
    """How fast attempts end, and how long the rest will take at that rate."""
    if not standing.done or standing.seconds <= 0:
        return f"{standing.running} running"
    rate = standing.done / standing.seconds
    speed = f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min"
    left = total - standing.done
    return f"{speed}, about {duration(left / rate)} left" if left else f"{speed}, {duration(standing.seconds)} in all"


def duration(seconds: float) -> str:
    """Seconds in the two largest fitting units, such as `3 min 20 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
