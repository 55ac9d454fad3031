"""Memory does not grow with the number of episodes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 20


@pytest.mark.slow
def test_a_thousand_episodes_in_one_process_take_no_more_memory_than_a_hundred() -> None:
    """Within 20 MB, every episode in a world that was not built before."""
    script = "import json; from benchmarks.bench_validate import episodes; print(json.dumps(episodes()))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert json.loads(done.stdout)["megabytes_more_after_a_thousand"] < MEGABYTES
