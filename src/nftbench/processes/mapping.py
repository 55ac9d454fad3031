"""A function over many things in several processes, the values in the order of the things."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from nftbench.errors import BenchmarkDefect
from nftbench.processes.crew import Crew, LostAgain
from nftbench.processes.worker import CannotStart

Thing = TypeVar("Thing")
Value = TypeVar("Value")


class _Left(Exception):
    """Nobody wants the values any more."""


def mapped(
    function: Callable[[Thing], Value],
    things: Sequence[Thing],
    workers: int,
    *,
    cannot_start: Callable[[str], None] = lambda why: None,
) -> Iterator[Value]:
    """The values of a function of a module, in the order of the things; with one worker they are made here.

    What the function raises comes at the thing's turn; BenchmarkDefect for a thing that ends one process after another. Where no
    process can be started `cannot_start` is told why, once, and threads of this process do the work.
    """
    if workers <= 1 or len(things) <= 1:
        yield from map(function, things)
        return
    pool: _Pool[Thing, Value] = _Pool(function, things, cannot_start)
    threads = [threading.Thread(target=pool.work, daemon=True) for _ in range(min(workers, len(things)))]
    try:
        for thread in threads:
            thread.start()
        for number in range(len(things)):
            yield pool.value(number)
    finally:
        pool.leave()


class _Pool(Generic[Thing, Value]):
    """The things left and the values there are, shared by threads that each have a process to ask."""

    def __init__(
        self, function: Callable[[Thing], Value], things: Sequence[Thing], cannot_start: Callable[[str], None]
    ) -> None:
        self._function, self._things, self._cannot_start = function, things, cannot_start
        self._crew: Crew | None = Crew()
        self._changed = threading.Condition()
        self._next = 0
        self._made: dict[int, Callable[[], Value]] = {}
        self._left = False

    def value(self, number: int) -> Value:
        """The value of one thing, as soon as it is there."""
        with self._changed:
            self._changed.wait_for(lambda: number in self._made)
            made = self._made.pop(number)
        return made()

    def work(self) -> None:
        """Make values until there is nothing left to do."""
        with suppress(_Left):
            while (number := self._take()) is not None:
                made = self._outcome(self._things[number])
                with self._changed:
                    self._made[number] = made
                    self._changed.notify_all()

    def leave(self) -> None:
        """End the work, wherever it is."""
        with self._changed:
            self._left, crew = True, self._crew
        if crew is not None:
            crew.close()

    def _take(self) -> int | None:
        with self._changed:
            if self._left or self._next == len(self._things):
                return None
            self._next += 1
            return self._next - 1

    def _check(self) -> None:
        if self._left:
            raise _Left

    def _outcome(self, thing: Thing) -> Callable[[], Value]:
        try:
            value = self._value(thing)
        except _Left:
            raise
        except LostAgain as lost:
            return partial(_raise, BenchmarkDefect(f"{thing}: {lost}"))
        except BaseException as problem:
            return partial(_raise, problem)
        return lambda: value

    def _value(self, thing: Thing) -> Value:
        crew = self._crew
        if crew is not None:
            try:
                value: Value = crew.ask(self._function, thing, waiting=self._check)
                return value
            except CannotStart as problem:
                self._do_without(str(problem))
        return self._function(thing)

    def _do_without(self, why: str) -> None:
        with self._changed:
            is_first, self._crew = self._crew is not None, None
        if is_first:
            self._cannot_start(why)


def _raise(problem: BaseException) -> Any:
    raise problem
