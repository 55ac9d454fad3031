"""Starting is quick, and nothing heavy comes along."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys, time
began = time.process_time()
import nftbench.evaluate
print(json.dumps([time.process_time() - began, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def test_importing_evaluate_is_quick_and_brings_no_statistics_or_plotting() -> None:
    """At most 0.5 s, of processor time so that a busy machine makes no difference; the best of three."""
    found = [
        json.loads(subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, timeout=60).stdout)
        for _ in range(3)
    ]
    assert min(seconds for seconds, _ in found) <= 0.5
    assert not {"numpy", "scipy", "pandas", "matplotlib", "statistics", "statsmodels"} & set(found[0][1])


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["list", "F1a_01"]])
def test_short_commands_answer_at_once(argv: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "nftbench", *argv], capture_output=True, timeout=10, check=False)
    assert done.returncode == 0
