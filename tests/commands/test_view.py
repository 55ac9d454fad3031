"""`nftbench view`: the file it writes, what it serves, and what it refuses."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from nftbench.commands.main import main
from nftbench.commands.view import handler_for
from tests.commands.recorded import record


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("runs") / "mine", "careless", instances="F1a*")


def test_the_page_lies_beside_the_run_unless_told_otherwise(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(run)]) == 0
    assert "mine.html" in capsys.readouterr().out
    text = (run.parent / "mine.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert text.count('type="application/octet-stream"') == 8


def test_some_instances_make_a_smaller_page(run: Path, tmp_path: Path) -> None:
    assert main(["view", str(run), "--instances", "F1a_01,F1a_02", "--out", str(tmp_path / "p.html")]) == 0
    assert (tmp_path / "p.html").read_text("utf-8").count('type="application/octet-stream"') == 2


def test_bad_input_is_one_sentence(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, says in (
        ([str(tmp_path)], "no folder of a run"),
        ([str(run), "--out", str(tmp_path)], "can't be written"),
        ([str(run), "--instances", "F2*"], "'F2*'"),
        ([str(run), "--serve", "--port", "70000"], "'70000'"),
    ):
        capsys.readouterr()
        assert main(["view", *arguments]) == 1
        told = capsys.readouterr()
        assert says in told.err
        assert len(told.err.splitlines()) == 1
        assert told.out == ""


@pytest.fixture
def port(run: Path) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for([run], None))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def asked(port: int, path: str, host: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Host": host})
    reply = connection.getresponse()
    return reply.status, reply.read()


def test_a_served_page_is_for_this_machine_alone(port: int, run: Path) -> None:
    """Another site's name for this address (DNS rebinding) gets nothing."""
    own = f"127.0.0.1:{port}"
    assert asked(port, "/", own)[0] == 200
    assert asked(port, "/", f"localhost:{port}")[0] == 200
    status, body = asked(port, "/", f"evil.example:{port}")
    assert status == 403
    assert b"F1a" not in body
    assert asked(port, "/../run.json", own)[0] == 404
    state = json.loads(asked(port, "/state", own)[1])
    assert state["done"] == 8
    (run / "F1a_02" / "result.json").touch()
    assert json.loads(asked(port, "/state", own)[1])["stamp"] != state["stamp"]
