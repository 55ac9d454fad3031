"""The place of a served attempt: a folder that grows, an attempt that is made once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.agents.builtin.baselines import DeclineAgent
from nftbench.agents.builtin.scripted import ScriptedBackend
from nftbench.agents.failure import CLIFailure
from nftbench.calls import Call
from nftbench.episode.limits import Limits
from nftbench.errors import Refusal
from nftbench.run.runner import Attempt, attempt
from nftbench.serving import place
from nftbench.tasks import catalog

ORDER = ("F1a_01", "F1a_02", "F1a_03", "F1a_04")


def wanted(instance_id: str, trial: int = 1, **changed: Any) -> dict[str, Any]:
    identity = {
        "tier": "synthetic",
        "selection": [instance_id],
        "provider": "mcp",
        "isolated": False,
        "sampling": {},
        "prompt_layout": "mcp_v1",
        "tool_set": "standard",
        "suite_seed": 0,
        "max_turns": 60,
        "suite_version": "1",
        "grader_version": "1",
        "trials": trial,
    }
    return identity | changed


def made(instance_id: str, trial: int = 1, **changed: Any) -> Attempt:
    played = attempt(catalog.task(instance_id), DeclineAgent(), trial=trial)
    return Attempt(replace(played.result, **changed), played.trajectory)


def serve(out: Path, instance_id: str, trial: int = 1, **changed: Any) -> None:
    with place.held(wanted(instance_id, trial), instance_id, ORDER, out) as taken:
        taken.write(made(instance_id, trial, **changed))


def record_of(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "run.json").read_text()))


def test_a_folder_grows_by_instances_in_the_catalogs_order_and_by_trials(tmp_path: Path) -> None:
    out = tmp_path / "run"
    for instance_id, trial in (("F1a_03", 1), ("F1a_01", 2), ("F1a_04", 1)):
        serve(out, instance_id, trial)
    assert (record_of(out)["selection"], record_of(out)["trials"]) == (["F1a_01", "F1a_03", "F1a_04"], 2)
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["tasks_scored"], summary["tasks_planned"]) == (3, 6)


def test_a_recorded_attempt_is_not_made_again(tmp_path: Path) -> None:
    serve(tmp_path / "run", "F1a_01")
    with pytest.raises(Refusal, match="--trial 2"):
        serve(tmp_path / "run", "F1a_01")


def test_a_client_that_left_without_a_call_may_come_again(tmp_path: Path) -> None:
    """Programs start their servers once to see whether they start."""
    out = tmp_path / "run"
    nothing = attempt(catalog.task("F1a_01"), DeclineAgent(), limits=Limits(max_turns=0))
    with place.held(wanted("F1a_01"), "F1a_01", ORDER, out) as taken:
        taken.write(Attempt(replace(nothing.result, ended_by="disconnected"), nothing.trajectory))
    serve(out, "F1a_01")


def test_one_that_left_after_a_call_may_not(tmp_path: Path) -> None:
    once = attempt(
        catalog.task("F1a_01"),
        ScriptedBackend([Call("read_state", {}), CLIFailure("context_limit", "")]),
        limits=Limits(max_turns=1),
    )
    with place.held(wanted("F1a_01"), "F1a_01", ORDER, tmp_path / "run") as taken:
        taken.write(Attempt(replace(once.result, ended_by="disconnected"), once.trajectory))
    with pytest.raises(Refusal):
        serve(tmp_path / "run", "F1a_01")


@pytest.mark.parametrize("changed", [{"isolated": True}, {"provider": "endpoint"}, {"suite_seed": 3}, {"agent": "x"}])
def test_another_run_is_refused_with_what_differs(changed: dict[str, Any], tmp_path: Path) -> None:
    serve(tmp_path / "run", "F1a_01")
    other = wanted("F1a_02", **changed)
    (name,) = changed
    with pytest.raises(Refusal, match=name), place.held(other, "F1a_02", ORDER, tmp_path / "run"):
        pass
    assert record_of(tmp_path / "run")["selection"] == ["F1a_01"]


def test_an_attempt_under_way_is_refused_and_names_no_instance(tmp_path: Path) -> None:
    with place.held(wanted("F1a_01"), "F1a_01", ORDER, tmp_path / "run"):
        with pytest.raises(Refusal, match="another process") as refusal:
            serve(tmp_path / "run", "F1a_01")
        assert "F1a_01" not in str(refusal.value)
        serve(tmp_path / "run", "F1a_02")


def test_the_usual_folder_is_one_for_all_instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for instance_id in ("F1a_01", "F1a_02"):
        with place.held(wanted(instance_id), instance_id, ORDER, None) as taken:
            taken.write(made(instance_id))
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("mcp-") and record_of(folder)["selection"] == ["F1a_01", "F1a_02"]
    with place.held(wanted("F1a_01", agent="other"), "F1a_01", ORDER, None):
        pass
    assert len(list((tmp_path / "runs").iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"selection": 3}'])
def test_a_folder_that_is_no_run_is_refused_and_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_bytes(content)
    with pytest.raises(Refusal):
        serve(tmp_path / "run", "F1a_01")
    assert (tmp_path / "run" / "run.json").read_bytes() == content
