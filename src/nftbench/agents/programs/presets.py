"""Agent programs that can answer a turn from their command line: how each is started for one turn.

Their own tools, system prompts, memory, project files and web access are switched off; the connection to their model is not.
Where a program can be pointed at a server of one's own, its base URL is taken from the variable named here. Tests run the
published programs, in the versions that docs/agent-programs.md names, and look at every request that they send.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from nftbench.agents.programs.outputs import (
    Spoken,
    read_codex,
    read_gemini,
    read_opencode,
    read_plain,
    read_result_message,
)
from nftbench.errors import Refusal

_ANSWER = "Answer the message that you are given. You have no tools of your own."


class Launch(Struct, frozen=True):
    """How to start a program for one turn: its command line, what is set in its environment beside what is passed on, and
    files that it finds in its home (by path within it)."""

    command: list[str]
    environment: dict[str, str] = {}
    files: dict[str, str] = {}


class Program(Struct, frozen=True):
    """A program: `variables` are passed on from our environment, and `launch` is given the model's name (None for the
    program's own choice) and the values of these variables. Refusal if it cannot be started so."""

    name: str
    about: str
    variables: tuple[str, ...]
    launch: Callable[[str | None, Mapping[str, str]], Launch]
    read: Callable[[str], Spoken]

    @property
    def command(self) -> list[str]:
        """Its command line, as it is for some model."""
        return self.launch("model", {}).command


def from_template(name: str, words: Sequence[str]) -> Program:
    """Any command, `{model}` in it standing for the model; its plain output is the reply."""

    def launch(model: str | None, environment: Mapping[str, str]) -> Launch:
        if model is None and any("{model}" in word for word in words):
            raise Refusal("the command holds {model}, so it needs --model")
        return Launch([word.replace("{model}", model or "") for word in words])

    return Program(name, "a command", (), launch, read_plain)


def _claude(model: str | None, environment: Mapping[str, str]) -> Launch:
    command = ["claude", "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--setting-sources", ""]
    command += ["--disable-slash-commands", "--no-session-persistence", "--system-prompt", _ANSWER]
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "DISABLE_AUTOUPDATER")
    return Launch([*command, *_named(model)], {**dict.fromkeys(quiet, "1"), "CLAUDE_CODE_MAX_RETRIES": "2"})


def _codex(model: str | None, environment: Mapping[str, str]) -> Launch:
    command = ["codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config"]
    command += ["--sandbox", "read-only", "-c", 'web_search="disabled"', "-c", "project_doc_max_bytes=0"]
    command += ["-c", 'model_instructions_file="~/instructions.md"']
    command += ["-c", "tools.experimental_request_user_input={enabled=false}"]
    command += ["-c", "skills={include_instructions=false,bundled={enabled=false}}"]
    for part in ("environment_context", "apps_instructions", "collaboration_mode_instructions"):
        command += ["-c", f"include_{part}=false"]
    for feature in ("shell_tool", "unified_exec", "multi_agent", "goals", "apps", "image_generation", "view_image"):
        command += ["--disable", feature]
    base = environment.get("OPENAI_BASE_URL")
    if base:
        fields = {"name": "own", "base_url": base, "env_key": "CODEX_API_KEY", "wire_api": "responses"}
        inline = ",".join(f"{field}={json.dumps(value)}" for field, value in fields.items())
        inline += ",request_max_retries=2,stream_max_retries=0"
        command += ["-c", 'model_provider="own"', "-c", f"model_providers.own={{{inline}}}"]
    key = environment.get("CODEX_API_KEY") or environment.get("OPENAI_API_KEY")
    return Launch([*command, *_named(model), "-"], {"CODEX_API_KEY": key} if key else {}, {"instructions.md": _ANSWER})


def _gemini(model: str | None, environment: Mapping[str, str]) -> Launch:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "tools": {"core": ["none"]},
        "context": {"fileName": "none.md", "discoveryMaxDirs": 0},
        "skills": {"enabled": False},
        "experimental": {"enableAgents": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
    }
    command = ["gemini", "--output-format", "json", "--extensions", "none", "--skip-trust"]
    files = {".gemini/settings.json": json.dumps(settings), ".gemini/system.md": _ANSWER}
    return Launch([*command, *_named(model)], {"GEMINI_SYSTEM_MD": "~/.gemini/system.md"}, files)


def _qwen(model: str | None, environment: Mapping[str, str]) -> Launch:
    command = ["qwen", "--bare", "--auth-type", "openai", "--output-format", "json", "--system-prompt", _ANSWER]
    for tool in ("read_file", "edit", "notebook_edit", "run_shell_command", "get_goal", "update_goal"):
        command += ["--exclude-tools", tool]
    return Launch([*command, *_named(model)])


def _opencode(model: str | None, environment: Mapping[str, str]) -> Launch:
    agent = {"mode": "primary", "prompt": _ANSWER, "tools": {"*": False}}
    config: dict[str, object] = {"tools": {"*": False}, "agent": {"turn": agent}, "share": "disabled"}
    config |= {"autoupdate": False, "lsp": False, "formatter": False}
    off = ["AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD", "PROJECT_CONFIG", "EXTERNAL_SKILLS", "CLAUDE_CODE"]
    base = environment.get("OPENAI_BASE_URL")
    if base and model:
        options = {"baseURL": base, "apiKey": "{env:OPENAI_API_KEY}"}
        own = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "own",
            "options": options,
            "models": {model: {"name": model}},
        }
        config["provider"], model = {"own": own}, f"own/{model}"
        off.append("MODELS_FETCH")
    command = ["opencode", "run", "--pure", "--format", "json", "--title", "turn", "--agent", "turn"]
    fixed = {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    return Launch([*command, *_named(model)], {**fixed, "OPENCODE_CONFIG_CONTENT": json.dumps(config)})


def _named(model: str | None) -> list[str]:
    return ["--model", model] if model else []


_CLAUDE = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN")
_OPENAI = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        Program("claude", "Claude Code (@anthropic-ai/claude-code)", _CLAUDE, _claude, read_result_message),
        Program("codex", "Codex CLI (@openai/codex)", (*_OPENAI, "CODEX_API_KEY"), _codex, read_codex),
        Program(
            "gemini",
            "Gemini CLI (@google/gemini-cli)",
            ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            _gemini,
            read_gemini,
        ),
        Program("qwen", "Qwen Code (@qwen-code/qwen-code)", (*_OPENAI, "OPENAI_MODEL"), _qwen, read_result_message),
        Program(
            "opencode",
            "opencode (opencode-ai)",
            (*_OPENAI, "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"),
            _opencode,
            read_opencode,
        ),
    )
}
"""The presets of `--cli`."""
