"""What a served attempt is part of: the identity of a run whose client makes the calls itself."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench import __version__
from nftbench.grading import GRADER_VERSION
from nftbench.run.config import TOOL_SET
from nftbench.tasks.catalog import SUITE_VERSION


class Served(Struct, frozen=True, kw_only=True):
    """One attempt to serve; `provider` is how it reaches the client ("mcp", "play"), `agent` and `model` are what the client
    is to be recorded as."""

    provider: str
    tier: str
    instance_id: str
    suite_seed: int
    trial: int
    max_turns: int | None
    isolated: bool
    agent: str | None = None
    model: str | None = None
    out: str | None = None

    def identity(self) -> dict[str, Any]:
        """The record of a run of this attempt alone."""
        named = {name: getattr(self, name) for name in ("agent", "model") if getattr(self, name) is not None}
        return {
            "tier": self.tier,
            "selection": [self.instance_id],
            "provider": self.provider,
            **named,
            "isolated": self.isolated,
            "sampling": {},
            "prompt_layout": f"{self.provider}_v1",
            "tool_set": TOOL_SET,
            "suite_seed": self.suite_seed,
            "max_turns": self.max_turns,
            "suite_version": SUITE_VERSION,
            "grader_version": GRADER_VERSION,
            "trials": self.trial,
            "nftbench_version": __version__,
        }
