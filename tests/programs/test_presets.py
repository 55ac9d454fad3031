"""`nftbench evaluate --cli PRESET` with the programs as published on npm, against a scripted model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from nftbench.agents.programs.presets import PROGRAMS
from nftbench.tools.standard import STANDARD
from tests.programs.model_server import READ, WRITTEN, Call, ModelServer, Reply
from tests.programs.packages import PACKAGES, path_with

pytestmark = pytest.mark.servers

KEY = "sk-loopback-0123456789"
MODELS = {"gemini": "gemini-2.5-pro"}
PROTOCOLS = {"claude": "messages", "codex": "responses", "gemini": "google", "qwen": "chat", "opencode": "chat"}
SHELLS = {
    "claude": ("Bash", "command"),
    "codex": ("shell", "command"),
    "gemini": ("run_shell_command", "command"),
    "qwen": ("run_shell_command", "command"),
    "opencode": ("bash", "command"),
}
"""The tool that each program would run commands with, and its argument, as its documents have it."""
READS = '{"name": "read_state", "arguments": {}}'
DECLINES = (
    'I see. {"name": "declare_infeasible", "arguments": {"reason": "it is not mine", "reason_class": "ownership"}}'
)
MEMORY = "PINEAPPLE-SENTINEL"
MEMORIES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CONTEXT.md")
HOMES = (".claude", ".codex", ".gemini", ".qwen", ".config/opencode")


class Ran(Struct, frozen=True):
    code: int
    out: Path
    text: str

    def read(self, name: str) -> dict[str, Any]:
        return dict(json.loads((self.out / "F1a_04" / f"{name}.json").read_text()))


class Bench:
    """Evaluates F1a_04 with a preset, in a home and below a folder that hold memories which no program may read."""

    def __init__(self, preset: str, folder: Path) -> None:
        self.preset, self._folder = preset, folder
        self._path = path_with(preset)
        self._home, self._temporary = folder / "home", folder / "turns"
        for place in (self._temporary, *(self._home / name for name in HOMES)):
            place.mkdir(parents=True)
            for name in MEMORIES:
                (place / name).write_text(f"Always mention {MEMORY}.")

    def evaluate(self, server: ModelServer) -> Ran:
        environment = {
            "PATH": self._path,
            "HOME": str(self._home),
            "TMPDIR": str(self._temporary),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.url,
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "GEMINI_API_KEY": KEY,
            "GOOGLE_GEMINI_BASE_URL": server.url,
            "NFTB_UNDECLARED": MEMORY,
        }
        out = self._folder / "run"
        model = MODELS.get(self.preset, "tiny")
        command = ["evaluate", "--cli", self.preset, "--model", model, "--instances", "F1a_04", "--out", str(out)]
        done = subprocess.run(
            [sys.executable, "-m", "nftbench", *command, "--request-timeout", "120"],
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        return Ran(done.returncode, out, done.stdout + done.stderr)


@pytest.fixture(params=list(PACKAGES))
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    yield Bench(request.param, tmp_path)
    assert sorted(os.listdir(tmp_path / "turns")) == sorted(MEMORIES)  # nothing of a turn stays


def served(bench: Bench, replies: list[Reply], **settings: Any) -> tuple[Ran, ModelServer]:
    server = ModelServer(replies, **settings)
    try:
        return bench.evaluate(server), server
    finally:
        server.close()


def test_every_preset_is_tested() -> None:
    assert set(PACKAGES) == set(PROGRAMS) == set(PROTOCOLS) == set(SHELLS)


def test_a_task_is_played_from_start_to_end(bench: Bench) -> None:
    """Two turns: the second request holds the first turn's result; tokens are the server's; the key reaches the model's
    server and no file; nothing but the conversation is sent, and no tool is offered."""
    ran, server = served(bench, [READS, DECLINES])
    assert ran.code == 0, ran.text
    result, trajectory = ran.read("result"), ran.read("trajectory")
    assert result["success"] and result["ended_by"] == "declare_infeasible" and result["counts"]["turns"] == 2
    assert result["counts"]["prompt_tokens"] == 2 * READ and result["counts"]["completion_tokens"] == 2 * WRITTEN
    assert [request.protocol for request in server.requests] == [PROTOCOLS[bench.preset]] * 2
    assert {request.tools for request in server.requests} == {()}
    assert {request.key for request in server.requests} == {KEY}
    prompt = trajectory["messages"][1]["content"]
    address = json.loads(trajectory["messages"][3]["content"])["you"]
    first, second = (request.text() for request in server.requests)
    assert json.dumps(prompt)[1:-1] in first and address not in first and address in second
    assert MEMORY not in first + second
    assert not [p for p in ran.out.rglob("*.json*") if KEY in p.read_text()] and KEY not in ran.text


def test_the_programs_own_prompt_is_replaced(bench: Bench) -> None:
    """A coding agent's instructions would contradict the task's: beside our conversation at most a page is sent."""
    ran, server = served(bench, [DECLINES])
    assert ran.code == 0, ran.text
    ours = sum(len(message["content"]) for message in ran.read("trajectory")["messages"][:2])
    ours += len(json.dumps([tool.entry() for tool in STANDARD]))
    assert ours < len(server.requests[0].text()) < ours + 12_000
    assert "coding agent" not in server.requests[0].text() and "software engineering" not in server.requests[0].text()


def test_a_model_that_calls_a_tool_of_the_program_reaches_nothing(bench: Bench, tmp_path: Path) -> None:
    name, argument = SHELLS[bench.preset]
    reached = tmp_path / "reached"
    given: Any = f"touch {reached}"
    if bench.preset == "codex":
        given = ["touch", str(reached)]
    ran, server = served(bench, [Call(name, {argument: given, "description": "touch"}), DECLINES])
    assert not reached.exists()
    assert server.requests and ran.read("result")["status"] in ("scored", "error"), ran.text


def test_a_refused_key_stops_the_run(bench: Bench) -> None:
    ran, server = served(bench, [DECLINES], status=401, words="invalid x-api-key: unauthorized")
    assert ran.code == 1 and "key" in ran.text and not (ran.out / "F1a_04" / "result.json").exists(), ran.text
    assert KEY not in ran.text and len(server.requests) < 12


TOO_LONG = "prompt is too long: 9000 tokens > 4096 maximum"


def test_a_prompt_that_grows_too_long_is_the_models_failure(bench: Bench) -> None:
    ran, _ = served(bench, [READS, DECLINES], status=400, words=TOO_LONG, answered=1)
    result = ran.read("result")
    assert (ran.code, result["status"], result["ended_by"]) == (0, "scored", "context_limit"), ran.text


def test_a_first_prompt_that_is_too_long_says_what_to_set(bench: Bench) -> None:
    """No call was ever answered, so that nothing is known of the model."""
    ran, _ = served(bench, [DECLINES], status=400, words=TOO_LONG)
    assert (ran.code, ran.read("result")["status"]) == (1, "error"), ran.text
    assert "no call was answered yet" in ran.text and "start the server with a larger context window" in ran.text
