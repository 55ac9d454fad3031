"""What can't be run is refused in one sentence, with exit code 1, nothing written and nobody called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate

KEY = "sk-or-v1-0123456789abcdef"
ENDPOINT = ["--model", "test/model", "--endpoint", "URL"]
ROUTER = ["--model", "test/model", "--max-usd", "1"]
AGENT = ["--agent", "reference"]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENROUTER_API_KEY", "NFTB_ENDPOINT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def refusal(argv: list[str], tmp_path: Path, server: Any, capsys: pytest.CaptureFixture[str]) -> str:
    """Run it where every trace would be seen; the one sentence that it says."""
    arguments = [server.url + part[3:] if part.startswith("URL") else part for part in argv]
    assert evaluate.main([*arguments, "--out", str(tmp_path / "out")]) == 1
    assert list(tmp_path.iterdir()) == [] and server.requests == []
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith("nftbench: ") and shown.err.count("\n") == 1
    return shown.err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "exactly one of --model, --agent and --cli is needed, none was given"),
        ([*AGENT, "--model", "m"], "--agent and --model were given"),
        ([*AGENT, "--cli", "claude"], "--agent and --cli were given"),
        ([*AGENT, "--tier", "synthetik"], "'synthetik' is unknown (near names: synthetic); choose one of: synthetic"),
        ([*AGENT, "--instances", "F1a_99"], "'F1a_99' is no instance of tier synthetic (near names: F1a_0"),
        ([*AGENT, "--instances", "Z*"], "'Z*' matches no instance"),
        ([*AGENT, "--instances", "F1a_01", "--instances", "F1a_01"], "'F1a_01' is named twice"),
        (
            ["--agent", "referense"],
            "'referense' is unknown (near names: reference); choose one of: reference, noop, decline",
        ),
        (["--cli", "cluade"], "claude"),
        (["--cli", "no-such-program-here --flag"], "'no-such-program-here' is not found on the PATH"),
        (["--cli", "unbalanced 'quote"], "unbalanced"),
        (
            [*AGENT, "--temprature", "1"],
            "'--temprature' is no argument of nftbench evaluate (near names: --temperature",
        ),
        ([*AGENT, "stray"], "'stray' is no argument"),
        ([*AGENT, "--trials"], "--trials: expected one argument"),
        ([*AGENT, "--trials", "0"], "--trials: '0' is no whole number from 1 to 1000"),
        ([*AGENT, "--trials", "1.5"], "'1.5' is no whole number"),
        ([*AGENT, "--trials", "9" * 5000], "... (5000 characters) is no whole number"),
        ([*AGENT, "--suite-seed", "-1"], "'-1' is no whole number"),
        ([*AGENT, "--max-turns", "0"], "'0' is no whole number from 1 to 10000"),
        ([*AGENT, "--concurrency", "5"], "--concurrency 5 is too high: 1 to 4 with --agent"),
        ([*AGENT, "--concurrency", "0"], "'0' is no whole number from 1 to 32"),
        ([*ENDPOINT, "--concurrency", "33"], "'33' is no whole number from 1 to 32"),
        ([*AGENT, "--seed", "1"], "--seed serve models over HTTP only"),
        ([*AGENT, "--max-tokens", "10"], "--max-tokens serve models over HTTP only"),
        ([*AGENT, "--enable-thinking"], "--enable-thinking"),
        ([*AGENT, "--endpoint", "URL"], "--endpoint can't be used with --agent"),
        ([*AGENT, "--max-usd", "1"], "--max-usd can't be used with --agent"),
        ([*AGENT, "--request-timeout", "5"], "--request-timeout"),
        ([*ENDPOINT, "--max-usd", "1"], "--max-usd can't be used with --endpoint"),
        ([*ENDPOINT, "--temperature", "nan"], "--temperature: 'nan' is no number from 0 to 2"),
        ([*ENDPOINT, "--temperature", "inf"], "'inf' is no number"),
        ([*ENDPOINT, "--temperature=-0.1"], "'-0.1' is no number"),
        ([*ENDPOINT, "--temperature", "2.1"], "'2.1' is no number"),
        ([*ENDPOINT, "--temperature", "1e400"], "'1e400' is no number"),
        ([*ENDPOINT, "--top-p", "0"], "'0' is no number above 0, at most 1"),
        ([*ENDPOINT, "--seed", "9223372036854775808"], "is no whole number"),
        ([*ENDPOINT, "--max-tokens", "0"], "'0' is no whole number from 1"),
        ([*ENDPOINT, "--request-timeout", "0"], "'0' is no number above 0"),
        (["--model", "", "--endpoint", "URL"], "'' is no model's name"),
        (["--model", "a\x1b[2Jb", "--endpoint", "URL"], "is no model's name"),
        (["--model", "m", "--endpoint", "localhost:8000"], "'localhost:8000' does not begin with http:// or https://"),
        (["--model", "m", "--endpoint", "ftp://host"], "does not begin with http:// or https://"),
        (["--model", "m", "--endpoint", "http://"], "names no host"),
        (["--model", "m", "--endpoint", "http://host:99999"], "malformed host or port"),
        (["--model", "m", "--endpoint", "http://[::1"], "malformed host or port"),
        (["--model", "m", "--endpoint", ""], "--endpoint is empty"),
        (["--model", "m", "--endpoint", "http://ho st"], "holds a space"),
        (["--model", "m"], "needs --max-usd"),
        (ROUTER, "the environment has no OPENROUTER_API_KEY"),
        (["--model", "m", "--max-usd", "nan"], "'nan' is no number above 0"),
        (["--model", "m", "--max-usd", "0"], "'0' is no number above 0"),
    ],
)
def test_refused(argv: list[str], words: str, tmp_path: Path, server: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in refusal(argv, tmp_path, server, capsys)


@pytest.mark.parametrize(
    "url", ["http://user:hunter2secret@host/v1", "user:hunter2secret@host", "http://host/v1?api_key=hunter2secret"]
)
def test_a_url_with_credentials_is_refused_without_being_repeated(
    url: str, tmp_path: Path, server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "hunter2secret" not in refusal(["--model", "m", "--endpoint", url], tmp_path, server, capsys)


@pytest.mark.parametrize(("argv", "name"), [(ROUTER, "OPENROUTER_API_KEY"), (ENDPOINT, "NFTB_ENDPOINT_TOKEN")])
@pytest.mark.parametrize("key", ["two words here", "line\nend-of-key", "schl\u00fcssel-lang"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_repeated(
    argv: list[str], name: str, key: str, tmp_path: Path, server: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, key)
    told = refusal(argv, tmp_path, server, capsys)
    assert name in told and key not in told


def test_a_key_among_the_arguments_is_refused_without_being_repeated(
    tmp_path: Path, server: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    told = refusal(["--cli", f"tool --key {KEY}"], tmp_path, server, capsys)
    assert KEY not in told and "$OPENROUTER_API_KEY" in told
    other = "sk-ant-abcdefghijklmnop0123"
    assert other not in refusal(["--cli", f"tool --key={other}"], tmp_path, server, capsys)


def test_openrouter_takes_four_at_once_and_no_thinking_flag(
    tmp_path: Path, server: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    assert "1 to 4" in refusal([*ROUTER, "--concurrency", "5"], tmp_path, server, capsys)
    assert "endpoints only" in refusal([*ROUTER, "--enable-thinking"], tmp_path, server, capsys)


def test_help_is_no_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["--help"]) == 0
    assert "--instances" in capsys.readouterr().out


def test_a_folder_without_write_permission_is_refused(tmp_path: Path, server: Any, capsys: Any) -> None:
    """As a user who may not write there: another user when the tests run as root."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o001:
            os.chmod(folder, 0o755)
    with lesser_user():
        for out in (closed, closed / "new"):
            assert evaluate.main([*ENDPOINT[:3], server.url, "--out", str(out)]) == 1
            told = capsys.readouterr().err
            assert "can't be written (Permission denied)" in told and told.count("\n") == 1
    assert list(closed.iterdir()) == [] and server.requests == []


@contextmanager
def lesser_user() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
