"""`--tool-calls native` and `--served-name`, from the command to the files, against a server on a real socket."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate
from nftbench.tasks import catalog
from nftbench.testing.faults import reply
from nftbench.testing.server import Behaviour, FaultServer, Received
from nftbench.testing.tool_rules import RULES, picky


class NativeServer:
    """Plays the reference policy of one task by native tool calls: its first reply makes two calls at once, its second
    thinks aloud."""

    def __init__(self, instance_id: str, model: str) -> None:
        self.requests: list[dict[str, Any]] = []
        self.model = model
        self._plan = catalog.policy(catalog.task(instance_id))()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(server.reply(asked)).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def reply(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.requests.append(asked)
        first = len(self.requests) == 1
        step = next(self._plan) if first else self._plan.send(asked["messages"][-1]["content"])
        made = {"type": "function", "function": {"name": step.name, "arguments": json.dumps(step.arguments)}}
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [{"id": "same", **made}]}
        if first:
            message["tool_calls"].append({"id": "same", **made})
        if len(self.requests) == 2:
            message["reasoning_content"] = "I think."
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        return {"model": self.model, "choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage}


@pytest.fixture
def native() -> Iterator[NativeServer]:
    server = NativeServer("F1a_05", "test/model")
    thread = threading.Thread(target=server.http.serve_forever, daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NFTB_ENDPOINT_TOKEN", raising=False)


def argv(server: NativeServer | FaultServer, out: Path, *extra: str) -> list[str]:
    return ["--model", "test/model", "--endpoint", server.url, "--instances", "F1a_05", "--out", str(out), *extra]


def test_a_task_is_solved_by_native_calls_with_a_history_that_any_server_accepts(
    native: NativeServer, tmp_path: Path
) -> None:
    assert evaluate.main(argv(native, tmp_path / "out", "--tool-calls", "native")) == 0
    result = json.loads((tmp_path / "out/F1a_05/result.json").read_text())
    assert result["success"] is True
    assert result["counts"]["tool_calls"] == result["counts"]["turns"] + 1 == len(native.requests) + 1
    assert json.loads((tmp_path / "out/run.json").read_text())["prompt_layout"] == "native_v1"
    messages = native.requests[-1]["messages"]
    assert [m["role"] for m in messages[:2]] == ["system", "user"]
    assert {t["function"]["name"] for t in native.requests[0]["tools"]} >= {"read_state", "finish_task"}
    waiting: list[str] = []
    seen: list[str] = []
    for message in messages[2:]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert message["role"] == "assistant" and waiting == []
            waiting = [call["id"] for call in message["tool_calls"]]
            assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in message["tool_calls"])
            seen += waiting
    assert waiting == [] and len(seen) == len(set(seen))
    assert [m.get("reasoning_content") for m in messages if m["role"] == "assistant"][1] == "I think."


def test_the_layout_is_part_of_the_identity(native: NativeServer, tmp_path: Path, capsys: Any) -> None:
    assert evaluate.main(argv(native, tmp_path / "out", "--tool-calls", "native")) == 0
    asked = len(native.requests)
    assert evaluate.main(argv(native, tmp_path / "out")) == 1
    assert "prompt_layout" in capsys.readouterr().err and len(native.requests) == asked


def test_an_alias_is_right_only_where_it_is_declared_and_is_part_of_the_identity(
    native: NativeServer, tmp_path: Path, capsys: Any
) -> None:
    native.model = "my-adapter"
    assert evaluate.main(argv(native, tmp_path / "strict", "--tool-calls", "native")) == 1
    error = json.loads((tmp_path / "strict/F1a_05/result.json").read_text())["error"]
    assert error.startswith("model_mismatch: ")
    native._plan = catalog.policy(catalog.task("F1a_05"))()
    native.requests.clear()
    declared = argv(native, tmp_path / "out", "--tool-calls", "native", "--served-name", "my-adapter")
    assert evaluate.main(declared) == 0
    assert json.loads((tmp_path / "out/run.json").read_text())["served_names"] == ["my-adapter"]
    capsys.readouterr()
    assert evaluate.main(declared[:-2]) == 1
    assert "served_names" in capsys.readouterr().err


@pytest.mark.parametrize("extra", [("--tool-calls", "native"), ("--served-name", "x")])
def test_conversation_flags_serve_models_over_http_only(extra: tuple[str, str], tmp_path: Path, capsys: Any) -> None:
    assert evaluate.main(["--agent", "noop", "--out", str(tmp_path / "out"), *extra]) == 1
    assert extra[0] in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_time_limit_of_a_task_is_part_of_the_identity_and_ends_it_scored(tmp_path: Path, capsys: Any) -> None:
    common = ["--agent", "reference", "--instances", "F1a_01", "--out", str(tmp_path / "out")]
    assert evaluate.main([*common, "--max-seconds", "0.000001"]) == 0
    result = json.loads((tmp_path / "out/F1a_01/result.json").read_text())
    assert (result["status"], result["ended_by"], result["success"]) == ("scored", "time_limit", False)
    capsys.readouterr()
    assert evaluate.main(common) == 1
    assert "max_seconds" in capsys.readouterr().err


def played_by(instance_id: str, *, as_text: bool = False) -> Callable[[Received], Behaviour]:
    """Answers with the reference policy's calls; `as_text` writes every list and object as one JSON text, as programs do."""
    plan = catalog.policy(catalog.task(instance_id))()
    started: list[bool] = []

    def answer(asked: Received) -> Behaviour:
        step = plan.send(asked.json()["messages"][-1]["content"]) if started else next(plan)
        started.append(True)
        given = {k: json.dumps(v) if as_text and isinstance(v, list | dict) else v for k, v in step.arguments.items()}
        made = {"name": step.name, "arguments": json.dumps(given)}
        return reply(None, tool_calls=[{"id": "a", "type": "function", "function": made}])

    return answer


@pytest.mark.parametrize("api", RULES)
def test_an_api_that_checks_its_tools_takes_a_whole_run(api: str, tmp_path: Path) -> None:
    with FaultServer(picky(api, played_by("F1a_05"))) as server:
        assert evaluate.main(argv(server, tmp_path / "out", "--tool-calls", "native")) == 0
    assert set(server.behaved) == {"reply"}
    result = json.loads((tmp_path / "out/F1a_05/result.json").read_text())
    assert (result["success"], result["recoveries"]) == (True, {})


@pytest.mark.parametrize("api", RULES)
def test_the_same_api_refuses_a_list_that_does_not_say_what_it_holds(api: str, tmp_path: Path) -> None:
    """Else the test before would hold with a server that checks nothing."""
    bad = {"name": "look", "parameters": {"type": "object", "properties": {"ids": {"type": "array"}}, "anyOf": []}}
    request = {"model": "m", "messages": [], "tools": [{"type": "function", "function": bad}]}
    with FaultServer(picky(api, played_by("F1a_05"))) as server:
        asked = urllib.request.Request(server.url, json.dumps(request).encode(), {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(asked)
        assert refused.value.code == 400 and b"look" in refused.value.read()


def test_lists_that_come_as_json_text_are_read_and_noted(tmp_path: Path) -> None:
    with FaultServer(picky("openai", played_by("F1a_05", as_text=True))) as server:
        assert evaluate.main(argv(server, tmp_path / "out", "--tool-calls", "native")) == 0
    result = json.loads((tmp_path / "out/F1a_05/result.json").read_text())
    turns = json.loads((tmp_path / "out/F1a_05/trajectory.json").read_text())["turns"]
    noted = [turn for turn in turns if turn.get("recovered") == "argument_text"]
    assert result["success"] is True and result["recoveries"] == {"argument_text": len(noted)}
    assert noted and all(turn["calls"][0]["from_text"] == ["arguments"] for turn in noted)
