"""Reading what agent programs print: the model's reply, the tokens it took, or the program's own error.

Checked against what the published programs print: Claude Code 2.1, Codex 0.171, Gemini CLI 0.61, Qwen Code 0.15, opencode 1.18.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

_API_ERROR = re.compile(r"\[API Error: (.*)\]", re.DOTALL)


class Spoken(Struct, frozen=True):
    """What a program said: the model's text, or its own error. `usage` in the names of chat servers, {} where the output
    does not tell; `cost` in dollars."""

    text: str = ""
    error: str = ""
    usage: dict[str, Any] = {}
    served_model: str | None = None


def read_plain(stdout: str) -> Spoken:
    """The output as it is."""
    return Spoken(text=stdout.strip())


def read_result_message(stdout: str) -> Spoken:
    """Claude Code and Qwen Code: a `result` message, alone or last of a list, with the tokens of the whole turn. Qwen Code
    calls a failed request a success, with the error in place of the reply."""
    for message in reversed(_values(stdout)):
        if message.get("type") == "result":
            usage = _dict(message.get("usage"))
            read = sum(_count(usage.get(f"{part}input_tokens")) for part in ("", "cache_creation_", "cache_read_"))
            counted = _counts(read, _count(usage.get("output_tokens")), message.get("total_cost_usd")) if usage else {}
            models = list(_dict(message.get("modelUsage")) or _dict(_dict(message.get("stats")).get("models")))
            text = message.get("result")
            text = text if type(text) is str else ""
            served = models[0] if len(models) == 1 else None
            if message.get("is_error") is True:
                error = _dict(message.get("error")).get("message") or text or str(message.get("subtype", ""))
                return Spoken(error=str(error), usage=counted, served_model=served)
            failed = _API_ERROR.fullmatch(text.strip())
            if failed:
                return Spoken(error=failed.group(1), usage=counted, served_model=served)
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
    """The JSON objects of an output: of one value, of one that stands last after other lines, or of one a line."""
    _, found, last = f"\n{stdout}".rpartition("\n{\n")
    for text in (stdout, "{\n" + last if found else ""):
        try:
            whole = json.loads(text)
            break
        except (ValueError, RecursionError):
            continue
    else:
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
