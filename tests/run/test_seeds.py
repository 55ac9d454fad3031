"""Trials of one instance are attempts of their own: each gets a sampling seed of its own, which is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench import evaluate
from nftbench.run.seeds import seed_of


@given(st.integers(0, 2**63 - 1), st.integers(2, 1000))
def test_the_first_trial_has_the_seed_itself_and_further_ones_derived_ones(seed: int, trial: int) -> None:
    assert seed_of(seed, "F1a_01", 1) == seed
    derived = seed_of(seed, "F1a_01", trial)
    assert 0 <= derived < 2**31 and derived == seed_of(seed, "F1a_01", trial)
    assert derived != seed_of(seed, "F1a_02", trial) and derived != seed_of(seed, "F1a_01", trial + 1)


def test_each_trial_sends_its_own_seed_and_says_so(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NFTB_ENDPOINT_TOKEN", raising=False)
    out = tmp_path / "out"
    command = ["--model", "test/model", "--endpoint", server.url, "--instances", "F1a_01,F1a_02", "--out", str(out)]
    assert evaluate.main([*command, "--seed", "42", "--trials", "3", "--concurrency", "1"]) == 0
    sent = [request["seed"] for request in server.requests]
    assert sent[:2] == [42, 42] and len(set(sent)) == 5
    recorded = [
        json.loads((out / instance / folder / "trajectory.json").read_text())["seed"]
        for folder in (".", "trial_2", "trial_3")
        for instance in ("F1a_01", "F1a_02")
    ]
    assert recorded == sent
    assert json.loads((out / "run.json").read_text())["sampling"]["seed"] == 42
