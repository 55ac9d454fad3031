"""Agent programs that can answer a turn from their command line: how each is called, and how its output is read.

Their own tools, memory and web access are switched off as far as their flags allow; the connection to their model is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from nftbench.errors import Refusal


class Spoken(Struct, frozen=True):
    """What a program said: the model's text, or its own error. `usage` in the names of chat servers, {} where the output
    does not tell; `cost` in dollars."""

    text: str = ""
    error: str = ""
    usage: dict[str, Any] = {}
    served_model: str | None = None


class Program(Struct, frozen=True):
    """A program: its `command` (which may hold `{model}`), with `model_arguments` at its end where a model is named;
    `variables` are passed on from our environment; `fixed` are set."""

    name: str
    about: str
    command: tuple[str, ...]
    model_arguments: tuple[str, ...]
    variables: tuple[str, ...]
    fixed: dict[str, str]
    read: Callable[[str], Spoken]

    def arguments(self, model: str | None) -> list[str]:
        """The whole command line; Refusal if it needs a model and there is none."""
        if model is None and any("{model}" in part for part in self.command):
            raise Refusal(f"the command of {self.name} holds {{model}}, so it needs --model")
        parts = (*self.command, *self.model_arguments) if model else self.command
        return [part.replace("{model}", model or "") for part in parts]


def read_plain(stdout: str) -> Spoken:
    """The output as it is."""
    return Spoken(text=stdout.strip())


def read_result_message(stdout: str) -> Spoken:
    """Claude Code and Qwen Code: a `result` message, alone or last of a list, with the tokens of the whole turn."""
    for message in reversed(_values(stdout)):
        if message.get("type") == "result":
            usage = _dict(message.get("usage"))
            read = sum(_count(usage.get(f"{part}input_tokens")) for part in ("", "cache_creation_", "cache_read_"))
            counted = _counts(read, _count(usage.get("output_tokens")), message.get("total_cost_usd")) if usage else {}
            models = [name for name in _dict(message.get("modelUsage")) if type(name) is str]
            text = message.get("result")
            text = text if type(text) is str else ""
            served = models[0] if len(models) == 1 else None
            if message.get("is_error") is True:
                error = _dict(message.get("error")).get("message") or text or str(message.get("subtype", ""))
                return Spoken(error=str(error), usage=counted, served_model=served)
            return Spoken(text=text, usage=counted, served_model=served)
    return read_gemini(stdout)


def read_gemini(stdout: str) -> Spoken:
    """Gemini CLI: one object with `response`, and tokens by model in `stats`."""
    for message in reversed(_values(stdout)):
        if "response" in message or "error" in message:
            models = _dict(_dict(message.get("stats")).get("models"))
            tokens = [_dict(_dict(entry).get("tokens")) for entry in models.values()]
            read = sum(_count(entry.get("prompt")) + _count(entry.get("tool")) for entry in tokens)
            written = sum(_count(entry.get("candidates")) + _count(entry.get("thoughts")) for entry in tokens)
            usage = _counts(read, written, None) if tokens else {}
            error = message.get("error")
            if error:
                return Spoken(error=str(_dict(error).get("message") or error), usage=usage)
            text = message.get("response")
            served = next(iter(models)) if len(models) == 1 else None
            return Spoken(text=text if type(text) is str else "", usage=usage, served_model=served)
    return Spoken(error="the output holds no result")


def read_codex(stdout: str) -> Spoken:
    """Codex: a JSON line for each event; the last agent message is the reply."""
    text, error, read, written = "", "", 0, 0
    for event in _values(stdout):
        kind, item = event.get("type"), _dict(event.get("item"))
        if kind == "item.completed" and item.get("type") in ("agent_message", "assistant_message"):
            text = str(item.get("text") or "")
        elif kind == "turn.completed":
            usage = _dict(event.get("usage"))
            read, written = read + _count(usage.get("input_tokens")), written + _count(usage.get("output_tokens"))
        elif kind == "turn.failed":
            error = str(_dict(event.get("error")).get("message") or "the turn failed")
        elif kind == "error":
            error = error or str(event.get("message") or "an error without words")
    usage = _counts(read, written, None) if read or written else {}
    return Spoken(text=text, usage=usage) if text else Spoken(error=error or "the output holds no message", usage=usage)


def read_opencode(stdout: str) -> Spoken:
    """opencode: a JSON line for each event, the reply in text parts, tokens and cost in finished steps."""
    texts: list[str] = []
    error, read, written, cost = "", 0, 0, 0.0
    for event in _values(stdout):
        part = _dict(event.get("part"))
        if event.get("type") == "text":
            texts.append(str(part.get("text") or ""))
        elif event.get("type") == "step_finish":
            tokens = _dict(part.get("tokens"))
            cache = _dict(tokens.get("cache"))
            read += _count(tokens.get("input")) + _count(cache.get("read")) + _count(cache.get("write"))
            written += _count(tokens.get("output")) + _count(tokens.get("reasoning"))
            cost += part["cost"] if type(part.get("cost")) in (int, float) else 0
        elif event.get("type") == "error":
            details = _dict(event.get("error"))
            error = str(_dict(details.get("data")).get("message") or details.get("name") or "an error without words")
    usage = _counts(read, written, cost or None) if read or written else {}
    text = "".join(texts).strip()
    return Spoken(text=text, usage=usage) if text else Spoken(error=error or "the output holds no text", usage=usage)


def _values(stdout: str) -> list[dict[str, Any]]:
    """The JSON objects of an output: of one value, or of one a line between other lines."""
    try:
        whole = json.loads(stdout)
    except (ValueError, RecursionError):
        whole = [value for line in stdout.splitlines() if (value := _line_value(line)) is not None]
    flat = whole if type(whole) is list else [whole]
    return [value for value in flat if type(value) is dict]


def _line_value(line: str) -> Any:
    if not line.startswith("{"):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _dict(value: object) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _count(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


def _counts(read: int, written: int, cost: object) -> dict[str, Any]:
    usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    if type(cost) in (int, float):
        usage["spent"] = cost
    return usage


PROGRAMS: dict[str, Program] = {
    program.name: program
    for program in (
        Program(
            "claude",
            "Claude Code (@anthropic-ai/claude-code)",
            ("claude", "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--setting-sources", ""),
            ("--model", "{model}"),
            ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"),
            {
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            },
            read_result_message,
        ),
        Program(
            "codex",
            "Codex CLI (@openai/codex)",
            (
                *("codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--sandbox", "read-only"),
                *("-c", "tools.web_search=false", "-c", "features.shell_tool=false", "-"),
            ),
            ("--model", "{model}"),
            ("OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"),
            {},
            read_codex,
        ),
        Program(
            "gemini",
            "Gemini CLI (@google/gemini-cli)",
            ("gemini", "--output-format", "json", "--extensions", "none"),
            ("--model", "{model}"),
            ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            {"GEMINI_TELEMETRY_ENABLED": "false"},
            read_gemini,
        ),
        Program(
            "qwen",
            "Qwen Code (@qwen-code/qwen-code)",
            ("qwen", "--output-format", "json", "--extensions", "none"),
            ("--model", "{model}"),
            ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
            {},
            read_result_message,
        ),
        Program(
            "opencode",
            "opencode (opencode-ai)",
            ("opencode", "run", "--format", "json"),
            ("--model", "{model}"),
            ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENROUTER_API_KEY", "OPENCODE_CONFIG_CONTENT"),
            {"OPENCODE_DISABLE_AUTOUPDATE": "1"},
            read_opencode,
        ),
    )
}
"""The presets of `--cli`."""
