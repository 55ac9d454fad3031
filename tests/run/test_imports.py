"""Starting is quick, and nothing heavy comes along."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import nftbench.evaluate
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_importing_evaluate_brings_no_statistics_or_plotting() -> None:
    """How long it takes is measured by `python -m benchmarks.bench_concurrency`."""
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, timeout=60)
    heavy = {"numpy", "scipy", "pandas", "matplotlib", "statistics", "statsmodels", "prompt_toolkit", "pyarrow", "mcp"}
    assert not heavy & set(json.loads(found.stdout))


@pytest.mark.parametrize("argv", [["--help"], ["--version"], ["list", "F1a_01"]])
def test_short_commands_answer_at_once(argv: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "nftbench", *argv], capture_output=True, timeout=10, check=False)
    assert done.returncode == 0
