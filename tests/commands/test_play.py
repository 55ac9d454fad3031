"""`nftbench play`, `call` and `sessions`, as a person and as a program with only a shell use them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nftbench.commands.main import main
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

Run = Callable[..., tuple[int, str, str]]
PLAYED = [sys.executable, "-m", "nftbench", "play"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("NFTB_STATE", str(tmp_path / "state"))

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


def steps(task: Task, make: Callable[[str, dict[str, Any]], str]) -> None:
    """The reference's calls, made by `make`, which gives each result's text."""
    play = catalog.policy(task)()
    call = next(play)
    with contextlib.suppress(StopIteration):
        while True:
            call = play.send(make(call.name, call.arguments))


def test_a_task_is_solved_one_call_a_command_and_recorded_like_any_agents(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, text, _ = run("play", "F1a_01", "--session", "mine", "--out", str(out), "--agent", "me", "--isolated")
    assert code == 0
    assert catalog.task("F1a_01").prompt in text

    def make(name: str, arguments: dict[str, Any]) -> str:
        code, told, _ = run("call", "mine", name, json.dumps(arguments))
        assert code == 0
        return json.dumps(json.JSONDecoder().raw_decode(told)[0])

    steps(catalog.task("F1a_01"), make)
    assert "F1a_01: right" in run("sessions")[1]
    result = json.loads((out / "F1a_01" / "result.json").read_text())
    assert (result["success"], result["isolated"], result["ended_by"]) == (True, True, "finish_task")
    record = json.loads((out / "run.json").read_text())
    assert (record["provider"], record["agent"]) == ("play", "me")
    code, _, err = run("call", "mine", "read_state")
    assert code == 1
    assert "has ended" in err


def test_what_a_player_can_look_at_tells_nothing_of_the_instance_before_the_end(run: Run, tmp_path: Path) -> None:
    shown = [run("play", "F1a_04", "--session", "dark", "--out", str(tmp_path / "run"))[1]]
    shown += [
        run("call", "dark", "read_state")[1],
        run("sessions")[1],
        run("sessions", "dark")[1],
        run("sessions", "--json")[1],
    ]
    shown += [path.read_text() for path in (tmp_path / "state" / "sessions").rglob("*") if path.is_file()]
    text = "\n".join(shown)
    text = text.replace("declare_infeasible", "")
    assert not [word for word in ("F1a", "feasible", "twin", "suite", "difficulty", "trial") if word in text]
    assert run("call", "dark", "declare_infeasible", '{"reason": "no"}')[0] == 0
    assert "F1a_04: right" in run("sessions")[1]


def test_the_world_is_rebuilt_by_replay_and_refused_where_it_comes_out_otherwise(run: Run, tmp_path: Path) -> None:
    run("play", "F1a_01", "--session", "a", "--out", str(tmp_path / "run"))
    assert json.loads(run("call", "a", "wait", '{"seconds": "60"}')[1])
    first = json.loads(run("call", "a", "read_state")[1])
    assert json.loads(run("call", "a", "wait", '{"seconds": "1000"}')[1])
    second = json.loads(run("call", "a", "read_state")[1])
    assert int(second["time"]) - int(first["time"]) == 1000
    calls = tmp_path / "state" / "sessions" / "a" / "calls.jsonl"
    calls.write_text(calls.read_text().replace('"60"', '"61"'))
    code, _, err = run("call", "a", "read_state")
    assert code == 1
    assert "call 1 (wait) has another result now" in err


def test_a_torn_line_is_a_call_that_was_never_answered(run: Run, tmp_path: Path) -> None:
    run("play", "F1a_01", "--session", "a", "--out", str(tmp_path / "run"))
    run("call", "a", "wait", '{"seconds": "60"}')
    calls = tmp_path / "state" / "sessions" / "a" / "calls.jsonl"
    with calls.open("ab") as file:
        file.write(b'{"name": "wait", "argum')
    assert run("call", "a", "wait", '{"seconds": "1"}')[0] == 0
    assert run("call", "a", "read_state")[0] == 0
    assert [json.loads(line)["name"] for line in calls.read_text().splitlines() if line.endswith("}")] == [
        "wait",
        "wait",
        "read_state",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("call", "nobody", "read_state"), "there is no session 'nobody'"),
        (("call", "a", "read_state", "[1]"), "JSON object"),
        (("call", "a", "read_state", "{"), "no JSON"),
        (("play", "F1a_01", "--session", "a"), "a session 'a' already"),
        (("play", "F1a_01", "--session", "../x"), "'../x' is no name"),
        (("play", "F1a*"), "names 8"),
        (("play", "F9z_01"), "'F9z_01'"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    run("play", "F1a_01", "--session", "a", "--out", str(tmp_path / "run"))
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert says in err
    assert len(err.splitlines()) == 1


def test_an_unknown_tool_and_bad_arguments_are_results_as_for_any_agent(run: Run, tmp_path: Path) -> None:
    run("play", "F1a_01", "--session", "a", "--out", str(tmp_path / "run"))
    code, out, _ = run("call", "a", "read_stat")
    assert code == 0
    assert "there is no tool" in json.loads(out)["error"]


def test_lines_on_standard_input_play_too(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nhelp wait\nwait seconds=60\nnonsense\nwait 60\nquit\n"))
    code, out, _ = run("play", "F1a_01", "--out", str(tmp_path / "run"))
    assert code == 0
    assert "seconds (optional)" in out
    assert "there is no tool 'nonsense'" in out
    assert "Ended by disconnected: wrong" in out
    assert json.loads((tmp_path / "run" / "F1a_01" / "result.json").read_text())["counts"]["tool_calls"] == 1


class Terminal:
    """What a pseudo terminal shows, read on from where the last look ended; what only moves the cursor is left out."""

    def __init__(self, end: int) -> None:
        self.end, self._shown = end, ""

    def until(self, wanted: str, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]", "", self._shown)
            if wanted in plain:
                self._shown = plain.partition(wanted)[2]
                return
            if select.select([self.end], [], [], 0.2)[0]:
                self._shown += os.read(self.end, 65536).decode("utf-8", "replace")
        raise AssertionError(f"{wanted!r} never came: {self._shown[-2000:]!r}")

    def type(self, keys: bytes) -> None:
        os.write(self.end, keys)

    def press_until(self, key: bytes, wanted: str, times: int = 30) -> None:
        """Press again each second until it shows: a key that comes while a line is being dropped is lost, as a person's is."""
        for _ in range(times - 1):
            self.type(key)
            with contextlib.suppress(AssertionError):
                return self.until(wanted, seconds=1)
        self.type(key)
        self.until(wanted)


@pytest.mark.skipif(os.name == "nt", reason="a pseudo terminal")
def test_at_a_real_terminal_keys_edit_complete_and_remember(tmp_path: Path) -> None:
    """Tab completes a tool, the arrow brings the last line back, Ctrl-A and Ctrl-K edit, Ctrl-C drops a line, Ctrl-D leaves."""
    ours, theirs = pty.openpty()
    state = {"NFTB_STATE": str(tmp_path / "state"), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    player = subprocess.Popen(
        [*PLAYED, "F1a_01", "--out", str(tmp_path / "run")],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | state,
        start_new_session=True,
    )
    os.close(theirs)
    terminal = Terminal(ours)
    try:
        terminal.until("nftbench>")
        terminal.type(b"wai\t")
        terminal.until("wait")
        terminal.type(b" seconds=60\r")
        terminal.until('"utc"')
        terminal.until("nftbench>")
        terminal.type(b"\x1b[A\r")
        terminal.until('"utc"')
        terminal.until("nftbench>")
        terminal.type(b"garbage\x01\x0bhelp wait\r")
        terminal.until("seconds (optional)")
        terminal.until("nftbench>")
        terminal.type(b"half a line\x03")
        terminal.until("nftbench>")
        terminal.press_until(b"\x04", "Ended by disconnected")
        assert player.wait(timeout=30) == 0
    finally:
        player.kill()
        os.close(ours)
    result = json.loads((tmp_path / "run" / "F1a_01" / "result.json").read_text())
    assert result["counts"]["tool_calls"] == 2
    assert "+wait seconds=60" in (tmp_path / "state" / "history").read_text()
