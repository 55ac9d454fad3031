"""The process that starts an agent program, and outlives whoever asked for it just long enough to end all that belongs to it.

Run by its path, with nothing of nftbench imported. One line of JSON on its input says what to start (see `Turn` in
processes.py); the input stays open as a lifeline: when it ends, however its writer went, the program is killed and its folder
removed. Two lines of JSON go out: where the program runs, and how it ended. While the program runs its output is in files.

What belongs to a program is everything that it started, with groups and sessions of their own too. Linux: this process is the
one that orphans below it are given to (PR_SET_CHILD_SUBREAPER), so nothing gets away, and the program dies with it
(PR_SET_PDEATHSIG). Windows: a job object holds all of them. Elsewhere psutil's lists, taken again and again, a mark in
their environment and their group are what tells; a process that hides from all three is not found.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol

POLL = 0.02
"""Seconds between two looks at the program."""
LIST_EVERY = 0.1
"""Seconds between two of psutil's lists."""
PATIENCE = 5.0
"""Seconds for killed processes to go."""
MARK = "TURN_MARK"
NOTHING: dict[str, str] = {}
STOPPED_FROM_OUTSIDE = "whoever asked for it is gone"
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


class Kin(Protocol):
    """How the processes that belong to a program are found and ended. `environment` marks them where that is needed."""

    environment: dict[str, str]

    def before(self) -> Callable[[], None] | None:
        """What the program's process does before it becomes the program."""
        ...

    def look(self, program: int) -> None:
        """Called again and again while the program runs."""
        ...

    def living(self) -> Iterable[int]:
        """The processes that are left of it."""
        ...

    def kill(self, process: int) -> None: ...


class Subreaper:
    """Linux: all that descends from this process. OSError where the system does not know of subreapers."""

    environment: dict[str, str] = NOTHING

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        if self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no subreaper")
        if not os.path.exists("/proc/self/stat"):
            raise OSError("no /proc")

    def before(self) -> Callable[[], None]:
        libc, keeper = self._libc, os.getpid()

        def die_with_the_keeper() -> None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != keeper:
                os._exit(1)

        return die_with_the_keeper

    def look(self, program: int) -> None:
        pass

    def living(self) -> list[int]:
        children: dict[int, list[int]] = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
                    if state not in b"ZX":
                        children.setdefault(int(parent), []).append(int(name))
        found, reached = [], [os.getpid()]
        while reached:
            below = children.pop(reached.pop(), [])
            found += below
            reached += below
        return found

    def kill(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)


class Job:
    """Windows: this process and all that it starts are in a job, which ends with the last handle on it, ours."""

    environment: dict[str, str] = NOTHING

    def __init__(self) -> None:
        self._kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
        handle = ctypes.c_void_p
        for name in ("CreateJobObjectW", "GetCurrentProcess", "OpenProcess"):
            getattr(self._kernel, name).restype = handle
        self._job = handle(self._kernel.CreateJobObjectW(None, None))
        limits = (ctypes.c_byte * (144 if ctypes.sizeof(handle) == 8 else 112))()
        ctypes.c_uint32.from_buffer(limits, 16).value = 0x2000  # LimitFlags: KILL_ON_JOB_CLOSE
        own = handle(self._kernel.GetCurrentProcess())
        if not self._kernel.SetInformationJobObject(self._job, 9, limits, len(limits)) or not (
            self._kernel.AssignProcessToJobObject(self._job, own)
        ):
            raise OSError("no job object")

    def before(self) -> None:
        return None

    def look(self, program: int) -> None:
        pass

    def living(self) -> list[int]:
        room = 4096
        listed = (ctypes.c_size_t * (room + 1))()  # two 32-bit counts, then the numbers of the processes
        self._kernel.QueryInformationJobObject(self._job, 3, listed, ctypes.sizeof(listed), None)
        count = ctypes.c_uint32.from_buffer(listed, 4).value
        first = 1 if ctypes.sizeof(ctypes.c_size_t) == 8 else 2
        return [number for number in listed[first : first + count] if number != os.getpid()]

    def kill(self, process: int) -> None:
        opened = ctypes.c_void_p(self._kernel.OpenProcess(1, False, process))
        if opened:
            self._kernel.TerminateProcess(opened, 1)
            self._kernel.CloseHandle(opened)


class Listed:
    """Elsewhere: what psutil has seen below the program, what carries its mark, and what is in its group."""

    def __init__(self) -> None:
        self._psutil: Any = importlib.import_module(
            "psutil"
        )  # only where needed: it takes as long to load as all the rest
        self.environment = {MARK: f"{os.getpid()}-{time.time_ns()}"}
        self._seen: dict[int, Any] = {}
        self._program = 0
        self._due = 0.0

    def before(self) -> None:
        return None

    def look(self, program: int) -> None:
        if time.monotonic() < self._due and self._program:
            return
        self._program, self._due = program, time.monotonic() + LIST_EVERY
        for process in self._below(self._psutil.Process()):
            self._seen.setdefault(process.pid, process)

    def living(self) -> list[int]:
        for process in self._psutil.process_iter():
            with contextlib.suppress(self._psutil.Error, OSError):
                if process.pid != os.getpid() and self._belongs(process):
                    self._seen[process.pid] = process
        for process in list(self._seen.values()):
            self._seen.update({child.pid: child for child in self._below(process)})
        return [number for number, process in self._seen.items() if self._lives(process)]

    def kill(self, process: int) -> None:
        with contextlib.suppress(self._psutil.Error):
            self._seen[process].kill()  # psutil looks whether the number is still that process's

    def _below(self, process: Any) -> list[Any]:
        with contextlib.suppress(self._psutil.Error):
            return list(process.children(recursive=True))
        return []

    def _belongs(self, process: Any) -> bool:
        if self._program and hasattr(os, "getpgid") and os.getpgid(process.pid) == self._program:
            return True
        return bool(process.environ().get(MARK) == self.environment[MARK])

    def _lives(self, process: Any) -> bool:
        with contextlib.suppress(self._psutil.Error):
            return bool(process.is_running() and process.status() != self._psutil.STATUS_ZOMBIE)
        return False


class Group:
    """Where nothing better is there: the program and its group."""

    environment: dict[str, str] = NOTHING

    def __init__(self) -> None:
        self._program = 0

    def before(self) -> None:
        return None

    def look(self, program: int) -> None:
        self._program = program

    def living(self) -> list[int]:
        if not self._program:
            return []
        with contextlib.suppress(OSError):
            os.killpg(self._program, 0)
            return [self._program]
        return []

    def kill(self, process: int) -> None:
        os.killpg(process, signal.SIGKILL)


KINS: dict[str, Callable[[], Kin]] = {"subreaper": Subreaper, "job": Job, "listed": Listed, "group": Group}
"""By the name that a test may ask for; the first one that the system has is taken otherwise."""


def kin_for(asked: str | None) -> Kin:
    """The best way that this system has; the asked one, for tests."""
    usual = ("job", "listed") if sys.platform == "win32" else ("subreaper", "listed", "group")
    if not sys.platform.startswith("linux"):
        usual = tuple(name for name in usual if name != "subreaper")
    for name in (asked,) if asked else usual:
        with contextlib.suppress(OSError, AttributeError, ImportError):
            return KINS[name]()
    return Group()


class Lifeline:
    """Whether somebody still wants the program: the input is open, and no signal has asked to leave."""

    def __init__(self) -> None:
        self.gone = threading.Event()
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda number, frame: self.gone.set())

    def hold(self) -> None:
        """From here on the input is watched. Only now, so that no thread is there when the program is started."""
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        self.gone.set()


def prepare(folder: str, turn: dict[str, Any]) -> dict[str, str]:
    """The folders and files that the program finds, and what its input holds; the environment that names them."""
    for name in ("home", "work", "streams"):
        os.mkdir(os.path.join(folder, name))
    home = os.path.join(folder, "home")
    for name, text in {**turn["files"]}.items():
        place = os.path.join(home, *name.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    with open(os.path.join(folder, "streams", "in"), "wb") as given:
        given.write(turn["given"].encode("utf-8", "replace"))
    names = ("HOME", "TMPDIR", "USERPROFILE", "TEMP", "TMP") if sys.platform == "win32" else ("HOME", "TMPDIR")
    return dict.fromkeys(names, home)


def start(folder: str, turn: dict[str, Any], kin: Kin, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """The program, with its streams in files."""
    streams = os.path.join(folder, "streams")
    given = {**environment, **turn["environment"], **kin.environment}
    command = list(turn["command"])
    if sys.platform == "win32":  # where `claude` is claude.cmd, and is not found by that name
        command[0] = shutil.which(command[0], path=given.get("PATH")) or command[0]
    with (
        open(os.path.join(streams, "in"), "rb") as stdin,
        open(os.path.join(streams, "out"), "wb") as stdout,
        open(os.path.join(streams, "err"), "wb") as stderr,
    ):
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=os.path.join(folder, "work"),
            env=given,
            preexec_fn=kin.before(),  # noqa: PLW1509 - there is no other thread yet
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )


def attend(program: subprocess.Popen[bytes], folder: str, turn: dict[str, Any], kin: Kin, line: Lifeline) -> str:
    """Waits for the end of the program; why it has to be ended otherwise, "" if it ended itself."""
    deadline = time.monotonic() + turn["timeout"]
    outputs = [os.path.join(folder, "streams", name) for name in ("out", "err")]
    while True:
        kin.look(program.pid)
        if program.poll() is not None:
            return ""
        if time.monotonic() > deadline:
            return f"no end within {turn['timeout']:g} seconds"
        if any(os.path.getsize(output) > turn["longest_output"] for output in outputs):
            return f"more than {turn['longest_output']} bytes of output"
        if line.gone.wait(POLL):
            return STOPPED_FROM_OUTSIDE


def end_all(program: subprocess.Popen[bytes], kin: Kin) -> int:
    """Kills what belongs to the program until nothing of it is left; how many could not be killed."""
    deadline = time.monotonic() + PATIENCE
    while living := list(kin.living()):
        for process in living:
            with contextlib.suppress(OSError):
                kin.kill(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(0.01)
        if program.returncode is not None:
            _bury()
        if time.monotonic() > deadline:
            return len(living)
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(PATIENCE)
    _bury()
    return 0


def _bury() -> None:
    """Takes note of the dead that were given to this process; the program's own end has been noted before."""
    if hasattr(os, "WNOHANG"):
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def tell(**facts: Any) -> None:
    """One line for whoever asked; one who is gone hears nothing."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(facts).encode() + b"\n")


def keep(turn: dict[str, Any], line: Lifeline) -> None:
    """The whole life of one program; its folder is there until the lifeline ends."""
    with tempfile.TemporaryDirectory(prefix="nftbench-turn-", ignore_cleanup_errors=True) as folder:
        kin = kin_for(turn["kin"])
        environment = prepare(folder, turn)
        try:
            program = start(folder, turn, kin, environment)
        except (OSError, ValueError) as problem:
            tell(not_started=getattr(problem, "strerror", None) or str(problem))
            return
        line.hold()
        tell(program=program.pid, folder=folder)
        stopped = attend(program, folder, turn, kin, line)
        left = end_all(program, kin)
        tell(returncode=program.returncode, stopped=stopped, left=left)
        line.gone.wait()


def main() -> None:
    """Serves the one line on the input."""
    line = Lifeline()
    text = bytearray()
    while not text.endswith(b"\n"):
        chunk = os.read(0, 65_536)
        if not chunk:
            return
        text += chunk
    try:
        keep(json.loads(text), line)
    except OSError as problem:
        tell(no_folder=problem.strerror or str(problem), number=problem.errno, name=str(problem.filename or ""))


if __name__ == "__main__":
    main()
