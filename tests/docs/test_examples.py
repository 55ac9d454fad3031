"""The examples run as they stand, and come to the figures that nftbench itself has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import nftbench
from nftbench.commands.main import main

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/examples/analysing-a-run.md").read_text("utf-8")


def test_the_plain_python_of_the_example_runs_and_agrees_with_the_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            assert main([word.strip("'") for word in line.split()[1:]]) == 0
    summary = json.loads(Path("runs/careless/summary.json").read_text())
    capsys.readouterr()
    names: dict[str, Any] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(compile(block, "the example", "exec"), names)
    assert len(blocks) == 5 and len(names["rows"]) == summary["tasks_scored"] == 32
    assert names["feasible"] == pytest.approx(summary["feasible"]["success_rate"])
    assert names["infeasible"] == pytest.approx(summary["infeasible"]["success_rate"])
    assert sum(names["used"].values()) == summary["counts"]["tool_calls"]
    kept = [json.loads(line) for line in Path("data/good.jsonl").read_text().splitlines()]
    assert len(kept) == summary["overall"]["success_count"] - summary["harm"]["tasks"] > 0
    assert all(row["tools"][0]["type"] == "function" and row["messages"][0]["role"] == "system" for row in kept)
    told = capsys.readouterr().out
    assert "32 attempts at 16 instances" in told and f"infeasible {names['infeasible']:.1%}" in told


def run_page(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Runs the commands and then the Python of a page in their order, in an empty folder; the names that it leaves."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for kind, block in re.findall(r"^```(sh|python)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if kind == "python":
            exec(compile(block, name, "exec"), names)
        else:
            for line in block.splitlines():
                assert main([word.strip("'") for word in line.split()[1:]]) == 0
    return names


def test_the_page_on_python_runs_and_its_table_has_every_public_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = run_page("python.md", tmp_path, monkeypatch)
    assert names["result"].success and names["train"]
    text = (ROOT / "docs/python.md").read_text("utf-8")
    told = set(re.findall(r"`(\w+)[`(]", text))
    face = {name for name in nftbench.__all__ if not name.startswith("_")}
    assert face - {"Attempt", "Answers", "Info", "RecordedRun", "Result", "TaskView", "NftbenchError"} <= told
    members = {name for name in dir(nftbench.Env) if not name.startswith("_")}
    assert members <= told | set(re.findall(r"env\.(\w+)", text))


def test_rollouts_and_the_best_of_n_run_and_the_best_is_better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = run_page("examples/rollouts.md", tmp_path, monkeypatch)
    single = [names["rollout"](name, 1, names["Policy"](0))["reward"] for name in names["names"]]
    best = [attempt["reward"] for attempt in names["best"].values()]
    assert sum(best) >= max(1, sum(single)) and set(best) == {0.0, 1.0}


def test_the_frame_of_a_run_agrees_with_its_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    names = run_page("examples/data-frame.md", tmp_path, monkeypatch)
    assert len(names["frame"]) == 32 and names["failed"].shape[0] > 0
