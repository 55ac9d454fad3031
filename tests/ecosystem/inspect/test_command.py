"""Inspect's own command line, with a provider that asks a real server over a real socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from nftbench.commands.main import main
from nftbench.testing import Behaviour, FaultServer, Received, faults
from nftbench.tools.standard import chat_tools
from tests.commands.recorded import record

INSPECT = str(Path(sys.executable).with_name("inspect"))


def behaviour(asked: Received) -> Behaviour:
    """Reads first, then says that it is done."""
    read = any(message["role"] == "tool" for message in asked.json()["messages"])
    name, arguments = ("finish_task", '{"summary": "done"}') if read else ("read_state", "{}")
    call = {"id": "call_abc", "type": "function", "function": {"name": name, "arguments": arguments}}
    return faults.reply(None, tool_calls=[call])


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(behaviour) as running:
        yield running


def inspect(folder: Path, *arguments: str, server: FaultServer | None = None) -> subprocess.CompletedProcess[str]:
    address = {"LOCAL_BASE_URL": f"{server.url}/v1", "LOCAL_API_KEY": "none"} if server else {}
    return subprocess.run(
        [INSPECT, *arguments, "--display", "plain"],
        check=False,
        cwd=folder,
        env={**os.environ, **address},
        capture_output=True,
        text=True,
        timeout=300,
    )


def logged(folder: Path) -> EvalLog:
    (found,) = list_eval_logs(str(folder / "logs"))
    return read_eval_log(found)


@pytest.mark.parametrize("solver", [[], ["--solver", "nftbench/in_react"]], ids=["own", "react"])
def test_a_model_behind_a_server_is_evaluated(server: FaultServer, solver: list[str], tmp_path: Path) -> None:
    """Two samples of two turns each: graded, with the server's own counts of tokens (11 and 7 a turn)."""
    options = ["--model", "openai-api/local/tiny", "-T", "instances=F1a_0[12]", "-T", "suite_seed=3", *solver]
    done = inspect(tmp_path, "eval", "nftbench/synthetic", *options, server=server)
    assert done.returncode == 0, done.stdout + done.stderr
    log = logged(tmp_path)
    assert log.status == "success"
    assert [(s.id, (s.scores or {})["grade"].value, s.turn_count) for s in log.samples or ()] == [
        ("F1a_01", "I", 2),
        ("F1a_02", "I", 2),
    ]
    (used,) = log.stats.model_usage.values()
    assert (used.input_tokens, used.output_tokens) == (4 * 11, 4 * 7)
    assert {(s.metadata or {})["suite_seed"] for s in log.samples or ()} == {3}


def test_the_server_is_sent_the_tools_of_a_run(server: FaultServer, tmp_path: Path) -> None:
    """Names, descriptions and schemas are those that `nftbench evaluate --tool-calls native` sends; Inspect adds no more than an
    empty list of what is required."""
    inspect(
        tmp_path,
        "eval",
        "nftbench/synthetic",
        "--model",
        "openai-api/local/tiny",
        "-T",
        "instances=F1a_01",
        server=server,
    )
    body = server.received[0].json()
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert [_bare(tool) for tool in body["tools"]] == [_bare(tool) for tool in chat_tools()]


def _bare(tool: dict[str, Any]) -> dict[str, Any]:
    function = {key: tool["function"][key] for key in ("name", "description", "parameters")}
    function["parameters"] = {"required": [], **function["parameters"]}
    return json.loads(json.dumps(function))  # type: ignore[no-any-return]


def test_what_can_not_be_is_told_in_a_sentence(tmp_path: Path) -> None:
    done = inspect(tmp_path, "eval", "nftbench/synthetic", "--model", "none/none", "-T", "instances=F9z_01")
    told = done.stdout + done.stderr
    assert done.returncode != 0
    assert "'F9z_01' is no instance of tier synthetic" in told and "Traceback" not in told


def test_an_exported_log_is_scored_again_by_the_command(tmp_path: Path) -> None:
    run = record(tmp_path / "run", "careless", instances="F1a_0[12]")
    assert main(["export", str(run), "--format", "inspect", "--out", str(tmp_path / "logs")]) == 0
    before = [(s.scores or {})["grade"].value for s in logged(tmp_path).samples or ()]
    scoring = ["--scorer", "nftbench/grade", "--action", "overwrite", "--overwrite"]
    done = inspect(tmp_path, "score", "logs/run.eval", *scoring)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(s.scores or {})["grade"].value for s in logged(tmp_path).samples or ()] == before == ["C", "I"]
