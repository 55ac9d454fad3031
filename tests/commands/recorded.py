"""Small real runs for the commands that read runs."""

from __future__ import annotations

from pathlib import Path

from nftbench import evaluate


def record(out: Path, agent: str, *more: str, instances: str = "F1a*") -> Path:
    """A run of a built-in agent in a folder."""
    code = evaluate.main(["--agent", agent, "--instances", instances, "--out", str(out), *more])
    assert code == 0
    return out
