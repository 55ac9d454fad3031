"""The example of an analysis runs as it stands, and comes to the figures that nftbench itself has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

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
