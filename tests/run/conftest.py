"""A run put together from the real catalog and the real attempt, with backends of the tests' own."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from nftbench.agents.backend import Backend
from nftbench.grading import GRADER_VERSION
from nftbench.report.screen import Screen
from nftbench.run.config import Config
from nftbench.run.runner import attempt
from nftbench.run.sources import BuiltIn
from nftbench.run.suite import Parts, Terminal, run_suite
from nftbench.tasks import catalog
from nftbench.tasks.model import Task

DECLINE = json.dumps(
    {
        "tool_calls": [{"id": "1", "name": "declare_infeasible", "arguments": {"reason": "\ud800\x1b[2J no"}}],
        "text": "",
        "usage": {"usage": {"prompt_tokens": 11, "completion_tokens": 7}},
    }
)


class Answering:
    """Gives each request to a function of the instance and how many calls it has had."""

    def __init__(self, instance_id: str, answer: Callable[[str, int], str]) -> None:
        self._instance_id, self._answer, self._calls = instance_id, answer, 0

    def complete(self, request: str) -> str:
        self._calls += 1
        return self._answer(self._instance_id, self._calls)


class Ran(Struct, frozen=True):
    code: int
    out: str
    err: str


class Bench:
    """Runs suites in one folder. `calls` are the instances that were asked about, in order."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.calls: list[str] = []
        self.config = Config(
            tier="synthetic",
            selection=("F1a_01", "F1a_04", "F1b_01"),
            source=BuiltIn("decline"),
            sampling={},
            concurrency=1,
            trials=1,
            suite_seed=0,
            max_turns=60,
            prompt_layout="items_v1",
            max_seconds=None,
            request_timeout=600.0,
            out=out,
        )

    def run(
        self,
        answer: Callable[[str, int], str] = lambda name, call: DECLINE,
        *,
        terminal: dict[str, bool] | None = None,
        **changed: Any,
    ) -> Ran:
        def noted(name: str, call: int) -> str:
            self.calls.append(name)
            return answer(name, call)

        def backends(config: object, folder: object, session: object) -> Callable[[Task, int], Backend]:
            return lambda task, trial: Answering(task.id, noted)

        parts = Parts(
            catalog=catalog,
            backends=backends,
            attempt=attempt,
            suite_version=catalog.SUITE_VERSION,
            grader_version=GRADER_VERSION,
            nftbench_version="0",
        )
        out, err = io.StringIO(), io.StringIO()
        self.calls = []
        shown = Terminal(Screen(out), Screen(err), ["--out", "x y"], **(terminal or {}))
        code = run_suite(replace(self.config, **changed), parts, shown)
        return Ran(code, out.getvalue(), err.getvalue())

    def json(self, name: str) -> Any:
        return json.loads((self.out / name).read_text())

    def tree(self) -> dict[str, bytes]:
        """Every file below the folder's parent, and what is in it."""
        top = self.out.parent
        return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "out")


DECLINING = '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'


class ChatServer:
    """A chat server on a socket of this machine. `reply` makes the text of each answer from the request; it may sleep.
    `requests` holds what was asked, `headers` how."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.model = "test/model"
        self.reply: Callable[[dict[str, Any]], str] = lambda asked: (
            '{"name": "declare_infeasible", "arguments": {"reason": "no"}}'
        )
        self.usage: dict[str, Any] = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests.append(asked)
        self.headers.append(dict(handler.headers))
        message = {"role": "assistant", "content": self.reply(asked)}
        reply = {"model": self.model, "choices": [{"message": message, "finish_reason": "stop"}], "usage": self.usage}
        body = json.dumps(reply if self.status == 200 else {"error": {"message": f"status {self.status}"}}).encode()
        with suppress(OSError):
            handler.send_response(self.status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    running = ChatServer()
    yield running
    running.close()
