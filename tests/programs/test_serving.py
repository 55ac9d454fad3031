"""`nftbench serve-mcp` in the programs as published on npm: each plays a task in its own loop, with its own tools off, as
docs/agent-programs.md tells.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nftbench.tools.standard import STANDARD
from tests.programs.model_server import Call, ModelServer
from tests.programs.packages import PACKAGES, path_with

pytestmark = pytest.mark.servers

KEY = "sk-loopback-0123456789"
ASK = "Carry out the task that get_task gives you, with the tools of the same server."
OURS = ("get_task", *(tool.name for tool in STANDARD))
HARMLESS = {
    "list_mcp_resources",
    "list_mcp_resource_templates",
    "read_mcp_resource",
    "DeferredToolPlaceholder",
}
"""What some programs add for the very servers that they were given, of which ours has no resources."""
Start = tuple[list[str], dict[str, str], dict[str, str]]
"""A command, variables, and files of its home."""


def claude(server: list[str], url: str) -> Start:
    servers = {"mcpServers": {"nft": {"command": server[0], "args": server[1:]}}}
    command = ["claude", "-p", ASK, "--output-format", "json", "--tools", "", "--setting-sources", ""]
    command += ["--strict-mcp-config", "--mcp-config", json.dumps(servers), "--allowedTools", "mcp__nft"]
    command += ["--model", "tiny"]
    return command, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}, {}


def codex(server: list[str], url: str) -> Start:
    command = ["codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only"]
    for feature in ("shell_tool", "unified_exec", "multi_agent", "goals", "apps", "image_generation", "view_image"):
        command += ["--disable", feature]
    options = f"command={json.dumps(server[0])},args={json.dumps(server[1:])},required=true"
    options += ',startup_timeout_sec=60,default_tools_approval_mode="approve"'
    provider = f'name="own",base_url="{url}/v1",env_key="CODEX_API_KEY",wire_api="responses"'
    settings = ['web_search="disabled"', "tools.experimental_request_user_input={enabled=false}"]
    settings += [f"mcp_servers.nft={{{options}}}", 'model_provider="own"', f"model_providers.own={{{provider}}}"]
    for setting in settings:
        command += ["-c", setting]
    return [*command, "--model", "tiny", ASK], {"CODEX_API_KEY": KEY}, {}


def gemini(server: list[str], url: str) -> Start:
    off = ["update_topic", "list_directory", "read_file", "read_many_files", "grep_search", "glob", "web_fetch"]
    off += ["google_web_search", "enter_plan_mode", "invoke_agent", "run_shell_command", "write_file", "replace"]
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "tools": {"exclude": off},
        "mcpServers": {"nft": {"command": server[0], "args": server[1:], "trust": True}},
    }
    command = ["gemini", "--output-format", "json", "--extensions", "none", "--skip-trust"]
    command += ["--model", "gemini-2.5-pro", "-p", ASK]
    variables = {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY}
    return command, variables, {".gemini/settings.json": json.dumps(settings)}


def qwen(server: list[str], url: str) -> Start:
    servers = {"mcpServers": {"nft": {"command": server[0], "args": server[1:], "trust": True}}}
    command = ["qwen", "--bare", "--auth-type", "openai", "--output-format", "json", "--model", "tiny"]
    command += ["--mcp-config", json.dumps(servers)]
    for tool in ("read_file", "edit", "notebook_edit", "run_shell_command", "get_goal", "update_goal"):
        command += ["--exclude-tools", tool]
    return [*command, "-p", ASK], {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY}, {}


def opencode(server: list[str], url: str) -> Start:
    options = {"baseURL": f"{url}/v1", "apiKey": "{env:OPENAI_API_KEY}"}
    own = {"npm": "@ai-sdk/openai-compatible", "name": "own", "options": options, "models": {"tiny": {"name": "tiny"}}}
    config = {
        "tools": {"*": False, "nft_*": True},
        "mcp": {"nft": {"type": "local", "command": server, "enabled": True, "timeout": 60_000}},
        "provider": {"own": own},
    }
    off = ("AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "PROJECT_CONFIG", "MODELS_FETCH")
    variables = {f"OPENCODE_DISABLE_{name}": "1" for name in off} | {"OPENAI_API_KEY": KEY}
    variables["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
    command = ["opencode", "run", "--pure", "--format", "json", "--title", "t", "--model", "own/tiny", ASK]
    return command, variables, {}


STARTS: dict[str, Callable[[list[str], str], Start]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "qwen": qwen,
    "opencode": opencode,
}


def play(preset: str, folder: Path, replies: list[Any]) -> tuple[ModelServer, Path, str]:
    model = ModelServer(replies)
    out, home, work = folder / "run", folder / "home", folder / "work"
    server = [sys.executable, "-m", "nftbench", "serve-mcp", "F1a_04", "--out", str(out), "--agent", preset]
    command, variables, files = STARTS[preset](server, model.url)
    work.mkdir()
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
    home.mkdir(exist_ok=True)
    environment = {"PATH": path_with(preset), "HOME": str(home), "TMPDIR": str(home), **variables}
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return model, out, done.stdout + done.stderr
    finally:
        model.close()


def result_in(out: Path) -> dict[str, Any]:
    """The result, which may come a moment after the program has gone."""
    deadline = time.monotonic() + 20
    while not (out / "summary.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    return dict(json.loads((out / "F1a_04" / "result.json").read_text()))


@pytest.mark.parametrize("preset", list(PACKAGES))
def test_a_program_plays_a_task_in_its_own_loop(preset: str, tmp_path: Path) -> None:
    """It sees the tools of the task and none of its own, reads a state, and declares; that is graded and recorded."""
    calls = [Call("get_task", {}), Call("read_state", {}), Call("declare_infeasible", {"reason": "not mine"}), "Done."]
    model, out, said = play(preset, tmp_path, calls)
    result = result_in(out)
    assert result["success"] and result["ended_by"] == "declare_infeasible", said
    assert result["isolated"] is False and result["counts"]["turns"] == 2
    for request in model.requests:
        foreign = {tool for tool in request.tools if not tool.endswith(OURS)} - HARMLESS
        assert not foreign
        assert all(
            any(tool.endswith(name) for tool in request.tools) for name in ("get_task", "call_many", "finish_task")
        )
        assert "Standing rule" in request.text() and "F1a_04" not in request.text()


@pytest.mark.parametrize("preset", list(PACKAGES))
def test_a_program_that_gives_up_is_a_scored_failure(preset: str, tmp_path: Path) -> None:
    """It leaves its server as it leaves any other: closed, or killed with little patience."""
    _, out, said = play(preset, tmp_path, [Call("read_state", {}), "I give up."])
    result = result_in(out)
    assert (result["status"], result["success"], result["ended_by"]) == ("scored", False, "disconnected"), said
    assert result["counts"]["turns"] == 1
