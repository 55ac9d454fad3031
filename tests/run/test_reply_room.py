"""Where no --max-tokens is given, the length of a reply follows from what the server refuses; a run in which no call was ever
answered stops and says what to set. All over real sockets."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate
from nftbench.agents.verdicts.reply_room import ReplyRoom, fitting_reply_tokens
from tests.run.conftest import ChatServer

Refuse = Callable[[dict[str, Any], int], str | None]
PROMPT = 2900


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENROUTER_API_KEY", "NFTB_ENDPOINT_TOKEN"):
        monkeypatch.delenv(name, raising=False)


class WindowServer(ChatServer):
    """Refuses with HTTP 400 what `refuse` gives a text for; each prompt counts as `prompt` tokens."""

    refuse: Refuse = staticmethod(lambda asked, prompt: None)
    prompt = PROMPT
    param: str | None = "input_tokens"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers["Content-Length"]))
        asked = json.loads(raw)
        words = self.refuse(asked, self.prompt)
        if words is None:
            handler.rfile = io.BytesIO(raw)
            super().answer(handler)
            return
        self.requests.append(asked)
        error = {"message": words, "type": "BadRequestError", "param": self.param, "code": 400}
        body = json.dumps({"error": error}).encode()
        handler.send_response(400)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def windowed() -> Iterator[WindowServer]:
    server = WindowServer()
    yield server
    server.close()


def vllm(window: int) -> Refuse:
    def refuse(asked: dict[str, Any], prompt: int) -> str | None:
        reply = asked.get("max_tokens") or asked.get("max_completion_tokens")
        if prompt + reply <= window:
            return None
        return (
            f"This model's maximum context length is {window} tokens. However, you requested {reply} output tokens and your"
            f" prompt contains {prompt} input tokens, for a total of {prompt + reply} tokens."
            f" (parameter=input_tokens, value={prompt})"
        )

    return refuse


def argv(server: ChatServer, out: Path, *extra: str, instances: str = "F1a_0[1-4]") -> list[str]:
    given = ["--model", "test/model", "--endpoint", server.url, "--instances", instances, "--out", str(out), *extra]
    return [*given, *(() if "--concurrency" in extra else ("--concurrency", "1"))]


def record(out: Path, name: str) -> Any:
    return json.loads((out / name).read_text())


@pytest.mark.parametrize(("window", "tokens"), [(32768, 8192), (16384, 4096), (20000, 4096)])
def test_the_length_of_a_reply_follows_from_the_window_at_the_first_refusal(
    windowed: WindowServer, tmp_path: Path, window: int, tokens: int
) -> None:
    windowed.refuse = vllm(window)
    assert evaluate.main(argv(windowed, tmp_path / "out")) == 0
    asked = [request["max_tokens"] for request in windowed.requests]
    assert asked == [32000, *[tokens] * 4], "one refusal, and from then on what fits"
    run, summary = record(tmp_path / "out", "run.json"), record(tmp_path / "out", "summary.json")
    assert run["sampling"] == {"max_tokens": tokens}
    assert run["reply_room"] == summary["reply_room"] == {"max_tokens": tokens, "context_window": window}
    assert summary["tasks_scored"] == 4 and summary["notes"] == {"reply_room_lowered": 1}


def test_the_same_command_goes_on_with_what_was_learnt(windowed: WindowServer, tmp_path: Path) -> None:
    windowed.refuse = vllm(32768)
    assert evaluate.main(argv(windowed, tmp_path / "out")) == 0
    (tmp_path / "out/F1a_02/result.json").write_text("cut")
    before = len(windowed.requests)
    assert evaluate.main(argv(windowed, tmp_path / "out")) == 0
    assert [request["max_tokens"] for request in windowed.requests[before:]] == [8192]
    assert evaluate.main(argv(windowed, tmp_path / "out", "--max-tokens", "8192")) == 0
    assert evaluate.main(argv(windowed, tmp_path / "out", "--max-tokens", "4096")) == 1


def test_a_prompt_that_grew_gets_the_room_that_is_left(windowed: WindowServer, tmp_path: Path) -> None:
    windowed.refuse, windowed.prompt = vllm(32768), 30000
    assert evaluate.main(argv(windowed, tmp_path / "out", instances="F1a_01")) == 0
    assert [request["max_tokens"] for request in windowed.requests] == [32000, 2768]


@pytest.mark.parametrize(
    ("words", "limit", "tokens"),
    [
        ("max_tokens=32000 cannot be greater than max_model_len=max_total_tokens=16384.", 4096, 4096),
        ("max_tokens is too large: 32000. This model supports at most 16384 completion tokens.", 16384, 16384),
        ("Invalid max_tokens value, the valid range is [1, 8192]", 8192, 8192),
        ("`max_tokens` must be less than or equal to `16384`", 16384, 16384),
    ],
)
def test_a_longest_reply_that_is_told_is_asked_for(
    windowed: WindowServer, tmp_path: Path, words: str, limit: int, tokens: int
) -> None:
    windowed.refuse, windowed.param = lambda asked, prompt: words if asked["max_tokens"] > limit else None, None
    assert evaluate.main(argv(windowed, tmp_path / "out", instances="F1a_01")) == 0
    assert [request["max_tokens"] for request in windowed.requests] == [32000, tokens]
    assert record(tmp_path / "out", "run.json")["sampling"]["max_tokens"] == tokens


def test_what_nobody_refuses_stays_as_it_is(server: ChatServer, tmp_path: Path) -> None:
    assert evaluate.main(argv(server, tmp_path / "out", instances="F1a_01")) == 0
    run = record(tmp_path / "out", "run.json")
    assert run["sampling"] == {"max_tokens": 32000} and run["reply_room"] == "usual"
    assert "reply_room" not in record(tmp_path / "out", "summary.json")


def test_a_given_length_is_kept_and_a_run_that_it_does_not_fit_stops_with_what_to_set(
    windowed: WindowServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    windowed.refuse = vllm(32768)
    assert evaluate.main(argv(windowed, tmp_path / "out", "--max-tokens", "32000")) == 1
    assert len(windowed.requests) == 1, "the other three tasks are not even begun"
    result = record(tmp_path / "out", "F1a_01/result.json")
    assert result["status"] == "error" and result["error"].startswith("cli_error")
    assert "--max-tokens 8192" in capsys.readouterr().err


def test_a_window_that_no_first_turn_fits_stops_the_run(
    windowed: WindowServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    windowed.refuse = vllm(2048)
    assert evaluate.main(argv(windowed, tmp_path / "out")) == 1
    assert len(windowed.requests) == 1 and not (tmp_path / "out/F1a_02").exists()
    assert "larger context window" in capsys.readouterr().err
    assert record(tmp_path / "out", "summary.json")["tasks_scored"] == 0


def test_once_a_call_was_answered_a_full_context_is_the_models_own(windowed: WindowServer, tmp_path: Path) -> None:
    windowed.refuse = lambda asked, prompt: vllm(2048)(asked, prompt) if "F1a_02" in marked(asked) else None
    seen: list[str] = []

    def marked(asked: dict[str, Any]) -> str:
        key = json.dumps(asked["messages"])
        if key not in seen:
            seen.append(key)
        return f"F1a_0{seen.index(key) + 1}"

    assert evaluate.main(argv(windowed, tmp_path / "out")) == 0
    result = record(tmp_path / "out", "F1a_02/result.json")
    assert (result["status"], result["ended_by"], result["prompt_fits"]) == ("scored", "context_limit", False)


@pytest.mark.parametrize("content", ["", None])
def test_replies_that_are_cut_in_thinking_stop_a_run_that_never_got_one(
    server: ChatServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    content: Any,
) -> None:
    monkeypatch.setattr("nftbench.run.session.Session.pause", lambda session, seconds: None)
    server.reply = lambda asked: "<think>on and on"
    assert evaluate.main(argv(server, tmp_path / "out")) == 1
    assert record(tmp_path / "out", "F1a_01/result.json")["cause"] == "reasoning_only"
    assert len(server.requests) == 4 and "no call was answered yet" in capsys.readouterr().err


def test_the_other_name_of_the_length_is_sent_where_it_is_asked_for(server: ChatServer, tmp_path: Path) -> None:
    given = ("--max-tokens-field", "max_completion_tokens")
    assert evaluate.main(argv(server, tmp_path / "out", *given, instances="F1a_01")) == 0
    assert server.requests[0]["max_completion_tokens"] == 32000 and "max_tokens" not in server.requests[0]
    assert evaluate.main(["--agent", "decline", "--instances", "F1a_01", "--out", str(tmp_path / "x"), *given]) == 1


def test_no_room_is_given_that_a_reply_could_not_use() -> None:
    room = ReplyRoom()
    assert room.after({"context_window": 3000, "prompt_tokens": 2900, "prompt_fits": True}, 32000) is None
    assert room.after({"context_window": 3000, "prompt_tokens": 3900, "prompt_fits": False}, 32000) is None
    assert room.after({}, 32000) is None and room.tokens == 32000
    assert [fitting_reply_tokens(window) for window in (4096, 32768, 40960, 131072)] == [1024, 8192, 8192, 32768]
