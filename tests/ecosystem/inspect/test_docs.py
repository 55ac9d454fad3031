"""The agent of docs/inspect.md runs as it stands there, and gets the reference's grade."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.ecosystem.inspect import players

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "inspect.md").read_text("utf-8")


def test_the_agent_of_the_page_plays(tmp_path: Path) -> None:
    """Everything but the model, the number of samples and where the log goes."""
    (block,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    changed = block.replace('"F1a_*"}', '"F1a_01"}, log_dir=folder, display="none"').replace(
        "\neval(", "\nlogs = eval("
    )
    changed = changed.replace('model="openai/gpt-5-mini"', "model=model")
    names: dict[str, Any] = {"model": players.reference(), "folder": str(tmp_path)}
    exec(compile(changed, "the page", "exec"), names)
    (log,) = names["logs"]
    (sample,) = log.samples
    assert sample.scores["grade"].value == "C"
