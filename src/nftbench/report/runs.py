"""A recorded run as reports read it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.records.model import Result


class Damaged(Struct, frozen=True):
    """An attempt whose result can't be read or trusted, and why. It stands among the run's results as one in error."""

    instance_id: str
    trial: int
    reason: str


class Run(Struct, frozen=True, kw_only=True):
    """One run: its record (run.json), the results of its attempts in the order of its selection, and what is missing.

    `results` holds an attempt in error for each damaged one, so that no rate leaves it out. `planned` counts all attempts that
    the record asks for; `active` says that a process is still at work on them.
    """

    name: str
    record: dict[str, Any]
    results: tuple[Result, ...]
    damaged: tuple[Damaged, ...] = ()
    planned: int = 0
    active: bool = False

    @property
    def compared(self) -> tuple[Result, ...]:
        """The attempts that figures are made of: those of isolated agents, at what is no control."""
        return tuple(result for result in self.results if result.isolated and result.control_of is None)

    @property
    def apart(self) -> tuple[Result, ...]:
        """The attempts of agents that were not isolated: comparable with nothing."""
        return tuple(result for result in self.results if not result.isolated)

    @property
    def who(self) -> str:
        """Who played: the model, the built-in agent or the program."""
        record = self.record
        return str(
            record.get("model") or record.get("agent") or record.get("cli") or record.get("provider") or "unknown"
        )
