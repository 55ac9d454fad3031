"""`nftbench evaluate` against a server on a real socket, from the command to the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate

TOKEN = "test-only-endpoint-token"


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENROUTER_API_KEY", "NFTB_ENDPOINT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def argv(server: Any, out: Path, *extra: str, instances: str = "F1a_0[1-4]") -> list[str]:
    return ["--model", "test/model", "--endpoint", server.url, "--instances", instances, "--out", str(out), *extra]


def test_only_the_turns_own_requests_are_sent(server: Any, tmp_path: Path) -> None:
    assert (
        evaluate.main(argv(server, tmp_path / "out", "--seed", "0", "--temperature", "0", "--max-tokens", "256")) == 0
    )
    assert len(server.requests) == 4
    assert all(
        {name: value for name, value in asked.items() if name != "messages"}
        == {"model": "test/model", "max_tokens": 256, "temperature": 0.0, "seed": 0}
        for asked in server.requests
    )
    run = json.loads((tmp_path / "out/run.json").read_text())
    assert run["sampling"] == {"temperature": 0.0, "seed": 0, "max_tokens": 256}
    counts = json.loads((tmp_path / "out/summary.json").read_text())["counts"]
    assert (counts["turns"], counts["prompt_tokens"], counts["completion_tokens"]) == (4, 44, 28)


def test_neither_the_token_nor_the_address_is_in_any_file_or_on_the_screen(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", TOKEN)
    server.reply = lambda asked: json.dumps({"name": "declare_infeasible", "arguments": {"reason": f"saw {TOKEN}"}})
    assert evaluate.main(argv(server, tmp_path / "out")) == 0
    assert server.headers[0]["Authorization"] == f"Bearer {TOKEN}"
    shown = capsys.readouterr()
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert TOKEN.encode() not in files and server.url.encode() not in files
    assert TOKEN not in shown.out + shown.err


def test_a_rejected_token_stops_the_run_with_one_request_a_worker(server: Any, tmp_path: Path, capsys: Any) -> None:
    server.status = 401
    assert evaluate.main(argv(server, tmp_path / "out", "--concurrency", "1")) == 1
    assert len(server.requests) == 1
    assert "Stopped: the key or the account's credit was refused" in capsys.readouterr().err
    server.status = 200
    assert evaluate.main(argv(server, tmp_path / "out", "--concurrency", "1")) == 0


def test_a_server_that_serves_another_model_stops_the_run_at_the_first_task(
    server: Any, tmp_path: Path, capsys: Any
) -> None:
    server.model = "some/other-model"
    assert evaluate.main(argv(server, tmp_path / "out", "--concurrency", "1")) == 1
    assert len(server.requests) == 1
    told = capsys.readouterr().err
    assert "Stopped: the first call failed, and every other would" in told and "some/other-model" in told


@pytest.mark.slow
def test_a_server_that_is_not_there_stops_the_run_at_the_first_task(server: Any, tmp_path: Path, capsys: Any) -> None:
    """The backend's own four attempts, 85 seconds, and no second task's."""
    server.close()
    assert evaluate.main(argv(server, tmp_path / "out", "--concurrency", "1")) == 1
    told = capsys.readouterr().err
    assert "Stopped: the first call failed" in told and "to go on: nftbench evaluate" in told
    assert not (tmp_path / "out/F1a_02").exists()


def test_what_a_model_writes_does_not_steer_the_terminal(server: Any, tmp_path: Path, capsys: Any) -> None:
    server.model = "\x1b[2Jevil\u202e\n\nmodel"
    evaluate.main(argv(server, tmp_path / "out"))
    told = capsys.readouterr()
    assert "evil" in told.err and "\x1b" not in told.err + told.out and "\u202e" not in told.err


def test_the_server_may_move_between_commands(server: Any, tmp_path: Path) -> None:
    assert evaluate.main(argv(server, tmp_path / "out")) == 0
    (tmp_path / "out/F1a_02/result.json").unlink()
    moved = [part.replace("127.0.0.1", "localhost") for part in argv(server, tmp_path / "out")]
    assert evaluate.main(moved) == 0
    assert len(server.requests) == 5


def installed(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "nftbench", "evaluate", *arguments],
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
        **options,
    )


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"NO_COLOR": "1"},
        {"COLUMNS": "40"},
    ],
)
def test_plain_terminals_get_plain_lines(tmp_path: Path, environment: dict[str, str]) -> None:
    done = installed("--agent", "decline", "--instances", "F1a_0[1-4]", "--out", str(tmp_path / "out"), env=environment)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"feasible success" in done.stdout
    if "COLUMNS" not in environment and "NO_COLOR" not in environment:
        assert (done.stdout + done.stderr).isascii()


def test_a_reader_that_leaves_does_not_end_the_run(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "nftbench", "evaluate", "--agent", "decline", "--out", str(tmp_path / "out")]
    done = subprocess.run([*command, "--instances", "F1a*"], stdout=write, stderr=write, timeout=60, check=False)
    os.close(write)
    assert done.returncode == 0
    assert json.loads((tmp_path / "out/summary.json").read_text())["complete"] is True
