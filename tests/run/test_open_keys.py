"""A key that anybody on the way can read is told of, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from nftbench import evaluate
from nftbench.run.open_keys import is_open, open_keys
from nftbench.run.sources import BuiltIn, Endpoint, Program

KEY = "sk-open-0123456789"
FAR = (
    "http://10.0.0.7:8000/v1",
    "http://gpu-node-07:8000",
    "HTTP://Example.com",
    "http://[2001:db8::1]:80/",
    "http://0.0.0.0:8000",
)
SAFE = ("https://gpu-node-07/v1", "http://localhost:8000", "http://127.0.0.1", "http://127.9.9.9:1/", "http://[::1]:8000/v1", "http://LOCALHOST.",
        "http://x.localhost", "", "nonsense")  # fmt: skip


@pytest.mark.parametrize("url", FAR)
def test_plain_http_to_another_machine_is_open(url: str) -> None:
    assert is_open(url)
    assert ["NFTB_ENDPOINT_TOKEN" in told for told in open_keys(Endpoint(url, "m"), {"NFTB_ENDPOINT_TOKEN": KEY})] == [
        True
    ]
    assert list(open_keys(Endpoint(url, "m"), {"NFTB_ENDPOINT_TOKEN": " "})) == []


@pytest.mark.parametrize("url", SAFE)
def test_what_is_encrypted_or_stays_here_is_not(url: str) -> None:
    assert not is_open(url)
    assert list(open_keys(Endpoint(url, "m"), {"NFTB_ENDPOINT_TOKEN": KEY})) == []


@pytest.mark.parametrize(
    ("program", "address", "key"),
    [
        ("claude", "ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN"),
        ("codex", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
        ("qwen", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
        ("opencode", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
        ("gemini", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
    ],
)
def test_the_servers_of_agent_programs_count_too(program: str, address: str, key: str) -> None:
    far = {address: "http://gpu-node-07:8000/v1", key: KEY}
    (told,) = open_keys(Program(program, "m"), far)
    assert key in told and address in told and KEY not in told and "gpu-node-07" not in told
    assert list(open_keys(Program(program, "m"), {**far, address: "https://gpu-node-07/v1"})) == []
    assert list(open_keys(Program(program, "m"), {address: far[address]})) == []


def test_agents_of_our_own_send_nothing() -> None:
    assert list(open_keys(BuiltIn("noop"), {"NFTB_ENDPOINT_TOKEN": KEY})) == []


def test_a_run_says_so_before_it_sends_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a name that no resolver knows."""
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", KEY)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    command = [
        "--model",
        "m",
        "--endpoint",
        "http://nobody.invalid:9",
        "--instances",
        "F1a_04",
        "--out",
        str(tmp_path / "out"),
    ]
    stopped = []
    monkeypatch.setattr(evaluate, "run_suite", lambda *given: stopped.append(capsys.readouterr().err) or 1)
    assert evaluate.main(command) == 1
    assert "unencrypted" in stopped[0] and KEY not in stopped[0]
