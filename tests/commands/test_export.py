"""`nftbench export` and `export-tasks`: rows that others can load, and nothing in a task's row that gives its answer away."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nftbench.commands.main import main
from nftbench.tasks import catalog
from tests.commands.recorded import record

LOADING = """
import sys
from datasets import load_dataset
for form, path in (("json", sys.argv[1]), ("parquet", sys.argv[2])):
    rows = load_dataset(form, data_files=path, split="train")
    print(len(rows), rows[0]["messages"][0]["role"], rows.features["tools"].dtype)
"""


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "data.jsonl").read_text("ascii").splitlines()]


def test_a_run_is_openai_messages_with_its_grades(tmp_path: Path) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01,F1a_04")
    assert main(["export", str(run), "--out", str(tmp_path / "data")]) == 0
    first, second = rows_of(tmp_path / "data")
    assert (first["instance_id"], first["success"], first["feasible"], second["feasible"]) == (
        "F1a_01",
        True,
        True,
        False,
    )
    roles = [message["role"] for message in first["messages"]]
    assert roles[:2] == ["system", "user"]
    assert roles[2:] == ["assistant", "tool"] * (len(roles) // 2 - 1)
    names = {tool["function"]["name"] for tool in json.loads(first["tools"])}
    for asked, answered in zip(first["messages"][2::2], first["messages"][3::2], strict=True):
        [call] = asked["tool_calls"]
        assert call["function"]["name"] in names
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
        assert answered["tool_call_id"] == call["id"]
    assert first["messages"][-2]["tool_calls"][0]["function"]["name"] == "finish_task"
    card = (tmp_path / "data" / "README.md").read_text()
    assert "keep 0 for evaluation" in card
    assert "data_files: data.jsonl" in card


def test_every_row_has_the_same_columns_and_messages_the_same_fields(tmp_path: Path) -> None:
    run = record(tmp_path / "run", "random", instances="F2*,F4*")
    assert main(["export", str(run), "--out", str(tmp_path / "data")]) == 0
    rows = rows_of(tmp_path / "data")
    assert len(rows) == 64
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert {tuple(m) for row in rows for m in row["messages"]} == {("role", "content", "tool_calls", "tool_call_id")}


def test_tasks_tell_no_answer_unless_asked(tmp_path: Path) -> None:
    assert main(["export-tasks", "--suite-seed", "3", "--out", str(tmp_path / "bare")]) == 0
    assert main(["export-tasks", "--suite-seed", "3", "--answers", "--out", str(tmp_path / "whole")]) == 0
    bare, whole = rows_of(tmp_path / "bare"), rows_of(tmp_path / "whole")
    assert [row["instance_id"] for row in bare] == list(catalog.instance_ids())
    telling = {"difficulty", "feasible", "twin", "reason_classes", "goals", "tags"}
    assert not telling & set(bare[0])
    assert set(whole[0]) - set(bare[0]) == telling
    assert bare[0]["messages"][1]["content"] == catalog.task("F1a_01", 3).prompt


def test_attempts_in_error_are_left_out_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path / "run", "reference", instances="F1a_01,F1a_02")
    (run / "F1a_02" / "result.json").write_text("{")
    assert main(["export", str(run), "--out", str(tmp_path / "data")]) == 0
    told = capsys.readouterr()
    assert "left out: F1a_02: damaged" in told.err
    assert "1 rows in" in told.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "{run}", "--out", "{run}"], "is there already"),
        (["export", "{run}", "--out", "{new}", "--format", "csv"], "'csv'"),
        (["export", "{new}", "--out", "{new}"], "is not there"),
        (["export", "{run}"], "--out"),
        (["export-tasks", "--instances", "F99*", "--out", "{new}"], "'F99*'"),
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = record(tmp_path / "run", "noop", instances="F1a_01")
    capsys.readouterr()
    assert main([each.format(run=run, new=tmp_path / "new") for each in arguments]) == 1
    told = capsys.readouterr().err
    assert says in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_run_of_another_suite_is_not_given_other_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = record(tmp_path / "run", "noop", instances="F1a_01")
    file = run / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"suite_version": "0"}))
    assert main(["export", str(run), "--out", str(tmp_path / "data")]) == 1
    assert "suite 0" in capsys.readouterr().err


@pytest.mark.slow
def test_both_forms_load_with_datasets(tmp_path: Path) -> None:
    """The real package, in a venv of its own."""
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "datasets"], check=True)
    run = record(tmp_path / "run", "reference", instances="F1a*,F2a*")
    assert main(["export", str(run), "--out", str(tmp_path / "lines")]) == 0
    assert main(["export", str(run), "--format", "parquet", "--out", str(tmp_path / "table")]) == 0
    files = [str(tmp_path / "lines" / "data.jsonl"), str(tmp_path / "table" / "data.parquet")]
    loaded = subprocess.run([python, "-c", LOADING, *files], check=True, capture_output=True, text=True)
    assert loaded.stdout.splitlines() == ["16 system string"] * 2
