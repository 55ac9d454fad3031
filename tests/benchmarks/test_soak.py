"""The soak at a small scale, and that it can fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import report, soak
from benchmarks.faulty_model import OUTCOMES, Due, Note, expected, extra_faults
from nftbench.testing import FAULTS


def test_every_fault_has_its_outcome() -> None:
    assert set(OUTCOMES) == {"reply", *FAULTS, *extra_faults()}


@pytest.mark.parametrize(
    ("did", "due"),
    [
        ("reply reply reply", Due("declare_infeasible", 3, 0)),
        ("reply chunked", Due("finish_task", 2, 0)),
        ("reply reset html_502 reply reply", Due("declare_infeasible", 3, 2)),
        ("reset reset reset empty", Due("incomplete_output", 0, 4)),
        ("reset reset reset loading loading html_502", Due("cli_error", 0, 4)),
        ("reply redirect", Due("cli_error", 1, 1)),
        ("reply overflow", Due("context_limit", 1, 1)),
        ("reply huge reply reply reply", Due("declare_infeasible", 3, 0)),
        ("reply key_refused reply cut_at_the_limit reply reply", Due("declare_infeasible", 3, 1)),
        ("says_nothing says_nothing says_nothing says_nothing", Due("model_format", 0, 4)),
    ],
)
def test_what_is_due_follows_from_what_the_server_did(did: str, due: Due) -> None:
    """Worked out by hand: four attempts a turn, some faults end a task at once, loading counts for nothing, and the last go
    at a task is what stands."""
    notes, turn = [], 0
    for name in did.split():
        notes.append(Note(turn, name))
        what = OUTCOMES[name][0]
        turn = turn + 1 if what == "good" else 0 if what in ("at once", "stops the run") else turn
    assert expected(notes, 3) == due


def test_a_result_that_is_otherwise_than_due_is_found() -> None:
    notes = [Note(turn, "reply") for turn in range(soak.TURNS_A_TASK)]
    right: dict[str, Any] = {
        "error": None,
        "ended_by": "declare_infeasible",
        "success": True,
        "feasible": False,
        "counts": {"turns": soak.TURNS_A_TASK, "retried_attempts": 0},
    }
    assert soak.compared("F1a_04", right, notes) == []
    wrong = [
        {"ended_by": "turn_limit"},
        {"error": "cli_error: lost"},
        {"success": False},
        {"feasible": True},
        {"counts": {"turns": 3, "retried_attempts": 0}},
        {"counts": {"turns": soak.TURNS_A_TASK, "retried_attempts": 1}},
    ]
    assert all(soak.compared("F1a_04", right | change, notes) for change in wrong)


@pytest.mark.slow
def test_a_thousand_turns_with_a_third_of_faults_end_as_they_must(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setenv("NFTB_ENDPOINT_TOKEN", "")
    assert soak.main(["--turns", "1000", "--share", "0.3", "--seed", "5"]) == 0, capsys.readouterr().out
    figures = json.loads((tmp_path / "soak.json").read_text())["figures"]
    assert figures["turns"] >= 1000 and figures["faults"] > 200
    assert figures["tasks_that_ended_otherwise_than_due"] == figures["files_or_screens_with_the_key"] == 0
