"""A program and all that it starts end with its turn, and with whoever asked for it, on systems of every kind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from nftbench.agents.programs import processes
from nftbench.agents.programs.processes import NotStarted, Turn, run_program

PATH = {"PATH": os.environ["PATH"]}
KINDS = ("child", "own session", "orphan", "orphan with a session", "daemon")
FAMILY = """
import os, subprocess, sys, time
kind, note = sys.argv[1:]
sleep = "import os, time; open({!r}, 'w').write(str(os.getpid())); time.sleep(120)".format(note)
if kind == "child":
    subprocess.Popen([sys.executable, "-c", sleep])
elif kind == "own session":
    subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
elif kind.startswith("orphan"):
    between = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {!r}], start_new_session={})"
    subprocess.run([sys.executable, "-c", between.format(sleep, "session" in kind)])
else:  # a daemon by the book: fork, session, fork, all descriptors closed
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            os.execv(sys.executable, [sys.executable, "-c", sleep])
        os._exit(0)
while not os.path.exists(note) or not open(note).read():
    time.sleep(0.01)
"""


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def assert_gone(process: int, patience: float = 20) -> None:
    deadline = time.monotonic() + patience
    while is_there(process):
        assert time.monotonic() < deadline, "it lives on"
        time.sleep(0.02)


def family(kind: str, note: Path, *, last: str = "print('done')") -> list[str]:
    return [sys.executable, "-c", FAMILY + last, kind, str(note)]


@pytest.mark.parametrize("kin", ["subreaper", "listed"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_program_leaves_behind_is_gone_with_its_turn(kind: str, kin: str, tmp_path: Path) -> None:
    """With Linux's own means, and with those of systems that have no subreaper."""
    ended = run_program(Turn(command=family(kind, tmp_path / "note"), environment=PATH, kin=kin))
    assert (ended.returncode, ended.stdout, ended.stopped, ended.left) == (0, "done\n", "", 0)
    assert not is_there(int((tmp_path / "note").read_text()))


@pytest.mark.parametrize("kin", ["subreaper", "listed", "group"])
def test_a_program_whose_time_is_over_is_gone_with_its_children(kin: str, tmp_path: Path) -> None:
    command = family("child", tmp_path / "note", last="time.sleep(120)")
    ended = run_program(Turn(command=command, environment=PATH, timeout=2, kin=kin))
    assert ended.stopped == "no end within 2 seconds"
    assert_gone(int((tmp_path / "note").read_text()))


def test_a_program_that_ignores_signals_and_stops_itself_is_gone_all_the_same(tmp_path: Path) -> None:
    code = f"import os, signal; signal.signal(15, signal.SIG_IGN); open({str(tmp_path / 'n')!r}, 'w').write(str(os.getpid()))"
    code += "; os.kill(os.getpid(), signal.SIGSTOP)"
    assert run_program(Turn(command=[sys.executable, "-c", code], environment=PATH, timeout=1)).stopped
    assert_gone(int((tmp_path / "n").read_text()))


def test_many_children_that_go_on_forking_are_gone(tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "for _ in range(30):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        while True:\n"
        "            if os.fork() == 0: os._exit(0)\n"
        "            os.wait(); time.sleep(0.001)\n"
        "print(os.getpid())"
    )
    ended = run_program(Turn(command=[sys.executable, "-c", code], environment={**PATH, "FORKER": "1"}))
    assert ended.left == 0 and ended.returncode == 0
    holding = [name for name in os.listdir("/proc") if name.isdigit() and _environment_holds(name, b"FORKER=1")]
    assert holding == []


def _environment_holds(process: str, words: bytes) -> bool:
    try:
        return words in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("missing", [("waitid",), ("waitid", "killpg"), ("waitid", "killpg", "setsid", "getpgid")])
def test_systems_without_these_calls_run_programs_too(
    missing: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS with Python 3.11 or 3.12, which has no waitid, and on Windows, with all of it taken from the keeper too."""
    for name in missing:
        monkeypatch.delattr(os, name)
    without = f"import os, runpy\nfor name in {missing!r}: delattr(os, name)\n"
    without += f"runpy.run_path({processes.KEEPER[-1]!r}, run_name='__main__')"
    monkeypatch.setattr(processes, "KEEPER", (sys.executable, "-c", without))
    ended = run_program(Turn(command=family("own session", tmp_path / "note"), environment=PATH, kin="listed"))
    assert (ended.returncode, ended.stdout, ended.stopped) == (0, "done\n", "")
    assert_gone(int((tmp_path / "note").read_text()))


ASKING = """
import json, os, sys
from nftbench.agents.programs.processes import Turn, run_program
run_program(Turn(command=json.loads(sys.argv[1]), environment={"PATH": os.environ["PATH"]}, kin=sys.argv[2]))
"""


@pytest.mark.parametrize("kin", ["subreaper", "listed"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_program_does_not_outlive_whoever_asked_for_it(number: signal.Signals, kin: str, tmp_path: Path) -> None:
    """Nor do its children with sessions of their own, nor the folder that it ran in; kill -9 included."""
    turns = tmp_path / "turns"
    turns.mkdir()
    command = family(
        "own session",
        tmp_path / "note",
        last=f"open({str(tmp_path / 'up')!r}, 'w').write(str(os.getpid())); time.sleep(120)",
    )
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKING, json.dumps(command), kin],
        env={**os.environ, "TMPDIR": str(turns)},
        stderr=subprocess.DEVNULL,
    )
    wait_for(tmp_path / "up")
    assert len(os.listdir(turns)) == 1
    asking.send_signal(number)
    asking.wait(30)
    assert_gone(int((tmp_path / "up").read_text()))
    assert_gone(int((tmp_path / "note").read_text()))
    deadline = time.monotonic() + 20
    while os.listdir(turns) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert os.listdir(turns) == []


def wait_for(note: Path) -> None:
    deadline = time.monotonic() + 30
    while not note.exists() or not note.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_keeper_that_is_killed_takes_the_program_along_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = f"import os, time; open({str(tmp_path / 'n')!r}, 'w').write(str(os.getpid()))"
    code += "; os.kill(os.getppid(), 9); time.sleep(120)"
    ended = run_program(Turn(command=[sys.executable, "-c", code], environment=PATH))
    assert "was killed" in ended.stopped
    assert_gone(int((tmp_path / "n").read_text()))
    assert os.listdir(tmp_path) == ["n"]


@pytest.mark.parametrize("command", [["no-such-program"], ["/"], ["a\0b"]])
def test_what_cannot_be_started_is_told(command: list[str]) -> None:
    with pytest.raises(NotStarted):
        run_program(Turn(command=command, environment=PATH))


def test_a_folder_that_cannot_be_made_is_the_disks_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(processes, "KEEPER", (*processes.KEEPER[:-1], "-c", NO_FOLDER % processes.KEEPER[-1]))
    with pytest.raises(OSError, match="No space"):
        run_program(Turn(command=["true"], environment=PATH))


NO_FOLDER = """
import os, errno, runpy, tempfile
def full(*a, **k): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/x")
tempfile.mkdtemp = full
runpy.run_path(%r, run_name="__main__")
"""


def test_a_program_cannot_read_our_keys_from_the_process_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-above-0123456789")
    code = "import os; print(b'sk-above' in open(f'/proc/{os.getppid()}/environ', 'rb').read())"
    assert run_program(Turn(command=[sys.executable, "-c", code], environment=PATH)).stdout == "False\n"
