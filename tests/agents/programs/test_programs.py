"""Agent programs: how each is started, and what is read from what it prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.agents.cli import CommandLineBackend, CommandLineSettings
from nftbench.agents.failure import CLIFailure
from nftbench.agents.programs.outputs import Spoken, read_codex, read_gemini, read_opencode, read_result_message
from nftbench.agents.programs.presets import PROGRAMS, Launch, Program


def lines(*events: Any) -> str:
    return "\n".join(json.dumps(event) for event in events)


def counts(prompt: int, completion: int, **more: Any) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **more}


CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "hello",
    "total_cost_usd": 0.0123,
    "usage": {"input_tokens": 3, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7},
    "modelUsage": {"claude-x": {"inputTokens": 3}},
}
QWEN = [
    {"type": "system", "subtype": "init"},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "hello"}]}},
    {
        "type": "result",
        "is_error": False,
        "result": "hello",
        "usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
    },
]
GEMINI = {
    "response": "hello",
    "stats": {
        "models": {"gemini-x": {"tokens": {"prompt": 10, "candidates": 3, "thoughts": 4, "cached": 2, "tool": 0}}}
    },
}
CODEX = (
    {"type": "thread.started", "thread_id": "0"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "hello"}},
    {"type": "turn.completed", "usage": {"input_tokens": 50, "cached_input_tokens": 40, "output_tokens": 6}},
)
OPENCODE = (
    {"type": "step_start", "part": {}},
    {"type": "text", "part": {"text": "hel"}},
    {"type": "text", "part": {"text": "lo"}},
    {
        "type": "step_finish",
        "part": {"cost": 0.5, "tokens": {"input": 9, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 0}}},
    },
)

SPOKEN: list[tuple[Callable[[str], Spoken], str, Spoken]] = [
    (read_result_message, json.dumps(CLAUDE), Spoken("hello", "", counts(123, 7, spent=0.0123), "claude-x")),
    (read_result_message, json.dumps(QWEN), Spoken("hello", "", counts(5, 2))),
    (read_result_message, lines(*QWEN), Spoken("hello", "", counts(5, 2))),
    (
        read_result_message,
        "a warning\n" + json.dumps(CLAUDE),
        Spoken("hello", "", counts(123, 7, spent=0.0123), "claude-x"),
    ),
    (read_gemini, json.dumps(GEMINI, indent=2), Spoken("hello", "", counts(10, 7), "gemini-x")),
    (read_codex, lines(*CODEX), Spoken("hello", "", counts(50, 6))),
    (read_opencode, lines(*OPENCODE), Spoken("hello", "", counts(13, 3, spent=0.5))),
]
ERRORS: list[tuple[Callable[[str], Spoken], str, str]] = [
    (
        read_result_message,
        json.dumps({**CLAUDE, "is_error": True, "result": "Prompt is too long"}),
        "Prompt is too long",
    ),
    (
        read_result_message,
        json.dumps({"type": "result", "is_error": True, "subtype": "error_max_turns"}),
        "error_max_turns",
    ),
    (read_gemini, json.dumps({"error": {"type": "ApiError", "message": "quota", "code": 429}}), "quota"),
    (read_codex, lines({"type": "turn.failed", "error": {"message": "stream lost"}}), "stream lost"),
    (read_codex, lines({"type": "error", "message": "401 Unauthorized"}), "401 Unauthorized"),
    (read_opencode, lines({"type": "error", "error": {"name": "APIError", "data": {"message": "bad key"}}}), "bad key"),
    (read_codex, "", "no message"),
    (read_opencode, "", "no text"),
    (read_result_message, "", "no result"),
]
RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "program_outputs.jsonl").read_text(encoding="utf-8").splitlines()
]
"""What the published programs printed when they were pointed at a server of ours; trimmed."""
READERS = [read_result_message, read_gemini, read_codex, read_opencode]


@pytest.mark.parametrize(("read", "stdout", "spoken"), SPOKEN)
def test_the_reply_and_its_tokens_are_read(read: Callable[[str], Spoken], stdout: str, spoken: Spoken) -> None:
    assert read(stdout) == spoken


@pytest.mark.parametrize(("read", "stdout", "words"), ERRORS)
def test_a_programs_own_error_is_no_reply(read: Callable[[str], Spoken], stdout: str, words: str) -> None:
    assert words in read(stdout).error and not read(stdout).text


def replayed(record: dict[str, Any]) -> CommandLineBackend:
    """A process that prints what the program printed, and ends as it did."""
    shown = {stream: record[stream] for stream in ("stdout", "stderr")}
    code = f"import sys; sys.stdout.write({shown['stdout']!r}); sys.stderr.write({shown['stderr']!r})"
    code += f"; sys.exit({0 if record['case'] == 'a reply' else 1})"
    read = PROGRAMS[record["program"]].read
    program = Program(record["program"], "", (), lambda model, environment: Launch([sys.executable, "-c", code]), read)
    return CommandLineBackend(program, None, CommandLineSettings(sleep=lambda seconds: None))


@pytest.mark.parametrize("record", RECORDED, ids=[f"{r['program']} {r['version']}: {r['case']}" for r in RECORDED])
def test_what_the_published_programs_printed_is_understood(record: dict[str, Any]) -> None:
    """The server counted 11 tokens read (Claude Code: and 120 from and for its cache) and 7 written."""
    backend = replayed(record)
    if record["case"] == "a reply":
        invocation = backend.invoke("S", "P")
        assert json.loads(invocation.text) == {"name": "finish_task", "arguments": {"summary": "done"}}
        read = 131 if record["program"] == "claude" else 11
        assert invocation.usage["usage"]["prompt_tokens"] == read
        assert invocation.usage["usage"]["completion_tokens"] == 7
    else:
        with pytest.raises(CLIFailure) as failure:
            backend.invoke("S", "P")
        assert failure.value.kind == ("auth_or_quota" if record["case"] == "wrong key" else "context_limit")


def test_a_base_url_of_ones_own_reaches_the_programs_that_take_one() -> None:
    own = {"OPENAI_BASE_URL": "http://h:1/v1", "OPENAI_API_KEY": "k"}
    codex = PROGRAMS["codex"].launch("m", own)
    assert (
        any('base_url="http://h:1/v1"' in part for part in codex.command) and codex.environment["CODEX_API_KEY"] == "k"
    )
    opencode = PROGRAMS["opencode"].launch("m", own)
    assert opencode.command[-1] == "own/m" and "http://h:1/v1" in opencode.environment["OPENCODE_CONFIG_CONTENT"]
    assert "k" not in json.loads(opencode.environment["OPENCODE_CONFIG_CONTENT"])["provider"]["own"]["options"].values()
    assert "OPENAI_BASE_URL" in PROGRAMS["qwen"].variables and "ANTHROPIC_BASE_URL" in PROGRAMS["claude"].variables


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_is_named_only_where_one_is_given(name: str) -> None:
    launch = PROGRAMS[name].launch
    assert "--model" in launch("m", {}).command and "--model" not in launch(None, {}).command


NAMES = sorted(
    {"type", "result", "item", "text", "part", "tokens", "usage", "error", "data", "message", "stats", "models"}
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["result", "text", "item.completed", "error"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)


@given(st.lists(VALUES, max_size=4), st.sampled_from(READERS))
def test_no_output_crashes_a_reader(values: list[Any], read: Callable[[str], Spoken]) -> None:
    for stdout in (lines(*values), json.dumps(values)):
        assert isinstance(read(stdout), Spoken)


@given(st.text(), st.sampled_from(READERS))
def test_no_text_crashes_a_reader(stdout: str, read: Callable[[str], Spoken]) -> None:
    assert isinstance(read(stdout), Spoken)
