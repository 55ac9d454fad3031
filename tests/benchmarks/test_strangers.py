"""A stranger's bytes at a small scale, and that the search can find something."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from benchmarks import strangers
from nftbench.tools.standard import STANDARD
from nftbench.tools.toolbox import Toolbox


def empty() -> strangers.Tally:
    return strangers.Tally(tools=Counter(), findings=[])


@pytest.mark.slow
def test_nothing_raises_and_nothing_takes_long() -> None:
    tally = strangers.worked((7, 2_000, 15))
    assert tally.findings == []
    assert set(tally.tools) == {tool.name for tool in STANDARD}
    assert tally.plays == 15 and tally.transactions > 20 and 0 < tally.refused < tally.calls


def test_what_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Toolbox, name: str, given: Any) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr(Toolbox, "call", broken)
    tally = empty()
    strangers.calls_in(tally, random.Random(0), ["F1a_01"], 1)
    (finding,) = tally.findings
    assert "RecursionError" in finding.why and finding.instance == "F1a_01"
