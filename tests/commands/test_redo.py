"""`nftbench redo`: finished attempts are set aside, never deleted, and played again as the run was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nftbench.commands.main import main
from tests.commands.recorded import record


def told(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    capsys.readouterr()
    assert main(["redo", *arguments]) == code
    out, err = capsys.readouterr()
    return out + err


def played(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.glob("F*/**/*.json")}


def summary(run: Path) -> dict[str, Any]:
    return dict(json.loads((run / "summary.json").read_text()))


def test_attempts_are_set_aside_and_played_again_with_the_run_s_own_settings(tmp_path: Path, capsys: Any) -> None:
    run = record(
        tmp_path / "run", "decline", "--trials", "2", "--suite-seed", "4", "--max-turns", "7", instances="F1a_0[1-3]"
    )
    before, identity = played(run), (run / "run.json").read_bytes()
    text = told(capsys, 0, str(run), "F1a_02", "F1a_0[3-3]", "--trial", "2")
    assert "Set aside under" in text and "F1a_02/2 F1a_03/2" in text and "2 to do, 2 kept from before" in text
    after = played(run)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {f"F1a_0{n}/trial_2/{name}.json" for n in (2, 3) for name in ("result",)} | (
        changed & {f"F1a_0{n}/trial_2/trajectory.json" for n in (2, 3)}
    )
    for n in (2, 3):
        kept = run / f"replaced/F1a_0{n}/trial_2_1"
        for name in ("result.json", "trajectory.json"):
            assert (kept / name).read_bytes() == before[f"F1a_0{n}/trial_2/{name}"]
    assert (run / "run.json").read_bytes() == identity
    found = summary(run)
    assert (found["complete"], found["tasks_scored"], found["replaced"]) == (True, 6, 2)


def test_later_sets_aside_only_and_the_run_s_own_command_plays_again(tmp_path: Path, capsys: Any) -> None:
    run = record(tmp_path / "run", "decline", instances="F1a_0[1-3]")
    told(capsys, 0, str(run), "F1a_02", "--later")
    found = summary(run)
    assert (found["complete"], found["tasks_scored"], found["replaced"]) == (False, 2, 1)
    assert not (run / "F1a_02/result.json").exists()
    record(run, "decline", instances="F1a_0[1-3]")
    assert (summary(run)["complete"], summary(run)["tasks_scored"]) == (True, 3)


def test_redone_again_and_again_all_are_kept(tmp_path: Path, capsys: Any) -> None:
    run = record(tmp_path / "run", "decline", instances="F1a_01")
    for number in range(1, 4):
        told(capsys, 0, str(run), "F1a_01")
        assert sorted(path.name for path in (run / "replaced/F1a_01").iterdir()) == [
            f"trial_1_{n}" for n in range(1, number + 1)
        ]


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ({"provider": "endpoint", "model": "m"}, ["F1a_01"], "give --endpoint, or --later"),
        ({"provider": "openrouter", "model": "m"}, ["F1a_01"], "give --max-usd, or --later"),
        ({"provider": "mcp"}, ["F1a_01"], "give --later, to set aside only"),
        ({}, ["F1a_09"], "'F1a_09' is no instance"),
        ({}, ["F1a_01", "--trial", "x"], "'x' is no whole number"),
    ],
)
def test_what_cannot_be_played_is_refused_with_nothing_set_aside(
    change: dict[str, Any], arguments: list[str], words: str, tmp_path: Path, capsys: Any
) -> None:
    run = record(tmp_path / "run", "decline", instances="F1a_01")
    file = run / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    before = played(run)
    assert words in told(capsys, 1, str(run), *arguments)
    assert played(run) == before and not (run / "replaced").exists()


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: Any) -> None:
    assert "is no folder of a run" in told(capsys, 1, str(tmp_path), "F1a_01")
