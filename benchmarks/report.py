"""How benchmarks show their figures: a table on the screen and a JSON file beside the scripts."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def table(figures: dict[str, Any]) -> str:
    """Two columns, aligned."""
    width = max(map(len, figures))
    return "\n".join(f"{name.replace('_', ' '):<{width}}  {value}" for name, value in figures.items())


def write_json(name: str, figures: dict[str, Any]) -> Path:
    """Write the figures, with what machine they are from, to results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.system(), "cpus": os.cpu_count()}
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine, "figures": figures}, indent=2) + "\n")
    return path
