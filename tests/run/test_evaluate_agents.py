"""The built-in agents and agent programs, from the command to the figures."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from nftbench import evaluate


def run(out: Path, *argv: str) -> dict[str, Any]:
    assert evaluate.main([*argv, "--out", str(out)]) == 0
    summary: dict[str, Any] = json.loads((out / "summary.json").read_text())
    assert summary["complete"] is True
    return summary


def test_the_reference_agent_solves_every_task(tmp_path: Path) -> None:
    summary = run(tmp_path / "out", "--agent", "reference", "--instances", "F1*", "--concurrency", "2")
    assert summary["tasks_scored"] == summary["overall"]["success_count"] == 32
    assert summary["pairs"]["success_rate"] == 1.0
    assert summary["harm"]["tasks"] == summary["honesty"]["false_declines"] == 0


@pytest.mark.parametrize(("agent", "infeasible_rate"), [("noop", 0.0), ("decline", 1.0)])
def test_agents_that_do_not_try_pass_no_feasible_task(tmp_path: Path, agent: str, infeasible_rate: float) -> None:
    summary = run(tmp_path / "out", "--agent", agent, "--instances", "F1*")
    assert summary["feasible"]["success_count"] == 0
    assert summary["infeasible"]["success_rate"] == infeasible_rate
    assert summary["overall"]["success_rate"] == summary["baselines"][agent]


def test_two_runs_of_the_reference_agent_leave_equal_results(tmp_path: Path) -> None:
    """Equal but for times, the run's id, and the digest over all of it."""
    found = []
    for folder in ("one", "two"):
        run(tmp_path / folder, "--agent", "reference", "--instances", "F1a*", "--suite-seed", "5")
        results = [json.loads(path.read_text()) for path in sorted((tmp_path / folder).glob("*/result.json"))]
        for result in results:
            for name in ("seconds", "model_seconds", "tool_seconds", "wait_seconds"):
                result["counts"].pop(name)
            assert result.pop("run_id") and result.pop("digest")
        found.append(results)
    assert found[0] == found[1] and len(found[0]) == 8


def test_an_agent_program_answers_turn_by_turn(tmp_path: Path) -> None:
    """A program of the test's own: what it prints is its reply."""
    said = json.dumps({"name": "declare_infeasible", "arguments": {"reason": "no"}})
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nassert 'declare_infeasible' in sys.stdin.read()\nprint({said!r})\n")
    command = shlex.join([sys.executable, str(program)])
    flags = ("--cli", command, "--model", "m", "--instances", "F1a_03,F1a_04", "--concurrency", "2", "--isolated")
    summary = run(tmp_path / "out", *flags)
    assert summary["overall"]["success_count"] == 1
    record = json.loads((tmp_path / "out/run.json").read_text())
    assert (record["provider"], record["cli"], record["model"], record["sampling"]) == ("cli", command, "m", {})
    events = [json.loads(line) for line in (tmp_path / "out/events.jsonl").read_text().splitlines()]
    assert {event["instance_id"] for event in events} == {"F1a_03", "F1a_04"}


def test_a_program_that_fails_is_no_wrong_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = shlex.join([sys.executable, "-c", "import sys; sys.exit(3)"])
    assert evaluate.main(["--cli", command, "--instances", "F1a_04", "--out", str(tmp_path / "out")]) == 1
    result = json.loads((tmp_path / "out/F1a_04/result.json").read_text())
    assert (result["status"], result["success"]) == ("error", False)
    assert "1 in error. Finished tasks are kept" in capsys.readouterr().err


def test_a_command_template_counts_as_isolated_only_when_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it starts may have tools of its own: its results stand apart, and the two kinds never share a folder."""
    said = json.dumps({"name": "declare_infeasible", "arguments": {"reason": "no"}})
    flags = ("--cli", shlex.join([sys.executable, "-c", f"print({said!r})"]), "--instances", "F1a_04")
    for declared in (False, True):
        out = tmp_path / str(declared)
        summary = run(out, *flags, *(("--isolated",) if declared else ()))
        result = json.loads((out / "F1a_04/result.json").read_text())
        assert (result["isolated"], json.loads((out / "run.json").read_text())["isolated"]) == (declared, declared)
        assert (summary["overall"]["scored"], "not_isolated" in summary) == ((1, False) if declared else (0, True))
    assert evaluate.main([*flags, "--isolated", "--out", str(tmp_path / "False")]) == 1
    assert "isolated false there, true here" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--agent", "noop"), "--isolated can't be used with --agent"),
        (("--model", "m", "--endpoint", "http://127.0.0.1:9"), "--isolated can't be used with --model"),
    ],
)
def test_only_a_command_template_can_be_declared_isolated(
    flags: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate.main([*flags, "--isolated", "--out", str(tmp_path / "out")]) == 1
    assert words in capsys.readouterr().err


def test_a_preset_is_isolated_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert evaluate.main(["--cli", "claude", "--isolated", "--out", str(tmp_path / "out")]) == 1
    assert "claude is a preset, isolated by itself" in capsys.readouterr().err
