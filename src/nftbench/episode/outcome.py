"""What an episode came to, before grading."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.agents.failure import CLIFailure
from nftbench.episode.fault import Fault
from nftbench.records.model import EndedBy


class Outcome(Struct, frozen=True, kw_only=True):
    """`turns` holds one record a reply: what was asked for, what came back, what it cost. `failure` is why the
    backend gave no reply, if it gave none, `fault` what broke in a tool; `unscored` then says that it says nothing about
    the model."""

    ended_by: EndedBy
    messages: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    failure: CLIFailure | None = None
    fault: Fault | None = None
    unscored: bool = False
