"""One worker process, seen from its driver.

It is a program of its own (`python -m nftbench.processes.child`) and no copy of the driver: nothing is forked while threads run,
the driver's main script is not run again as it would be by multiprocessing's start methods, and a script that calls nftbench
needs no guard. It has a session of its own, so that a terminal's Ctrl-C reaches the driver alone.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

from nftbench.processes.child import DONE, HELLO, RAISED

TICK = 0.05
"""Seconds between two looks at whether an answer is still wanted."""
LAST_BREATH = 5.0
"""Seconds that a process gets to end once it has closed its socket."""
PATIENCE = 120.0
"""Seconds that a process may take to say hello."""


class CannotStart(Exception):
    """A process could not be started, or can't work; the message says why."""


class Lost(Exception):
    """A process ended before it had answered; the message says how."""


class ElsewhereTraceback(Exception):
    """The cause of an exception that came from a worker process: where it was raised there."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class Worker:
    """A process that answers one question at a time. For one thread at a time; it must be ended."""

    def __init__(self) -> None:
        self._connection, there = Pipe()
        path = os.pathsep.join(dict.fromkeys(os.path.abspath(place) for place in sys.path))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "nftbench.processes.child", str(there.fileno())],
                pass_fds=[there.fileno()],
                env=os.environ | {"PYTHONPATH": path},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            self._connection.close()
            raise CannotStart(str(problem)) from None
        finally:
            there.close()
        self._works = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def works(self) -> bool:
        """Whether it has said hello and was not ended."""
        return self._works

    def ask(self, function: Callable[..., Any], *arguments: Any, waiting: Callable[[], None] = lambda: None) -> Any:
        """What the function returns there, or raises. `waiting` is called now and then, and may raise to give up: the
        process is then ended, as it is with CannotStart and Lost.
        """
        message = pickle.dumps((function, arguments))
        try:
            if not self._works:
                self._greet(waiting)
            kind, *told = self._exchange(message, waiting)
            if kind not in (DONE, RAISED):
                raise CannotStart(told[0])
        except BaseException:
            self.end()
            raise
        if kind == DONE:
            return told[0]
        raise told[0] from ElsewhereTraceback(told[1])

    def kill(self) -> None:
        """End the process, whatever it is doing; whoever waits for its answer gets Lost."""
        self._works = False
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Kill the process when nobody waits for it."""
        self.kill()
        self._connection.close()

    def _greet(self, waiting: Callable[[], None]) -> None:
        left = PATIENCE
        while not self._connection.poll(TICK):
            waiting()
            left -= TICK
            if left <= 0:
                raise CannotStart(f"a process said nothing for {PATIENCE:.0f} s")
        try:
            self._works = self._connection.recv_bytes() == HELLO
        except (EOFError, OSError):
            raise CannotStart(f"a process ended as it began: {self._ending()}") from None

    def _exchange(self, message: bytes, waiting: Callable[[], None]) -> Any:
        try:
            self._connection.send_bytes(message)
        except OSError:
            raise Lost(self._ending()) from None
        while not self._connection.poll(TICK):
            waiting()
        try:
            answer = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise Lost(self._ending()) from None
        return pickle.loads(answer)

    def _ending(self) -> str:
        """How it ended, whose socket is closed."""
        try:
            code = self._process.wait(LAST_BREATH)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"
