"""Goals about the state of contracts that no other kind knows."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.goals.values import Reading, spoken


class ViewEquals(Struct, frozen=True, tag=True):
    """A view function returns `value` (a tuple for several results; `At` for addresses)."""

    reading: Reading
    value: Any
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.reading.read_aloud()} is {spoken(self.value)}"


class Probe(Struct, frozen=True, tag=True):
    """On a copy of the final world, this transaction of `sender` succeeds (or, with `succeeds` False, fails).

    The transactions in `first` are sent before it, on the same copy, and must turn out as they say.
    """

    sender: str
    contract: str
    function: str
    args: tuple[Any, ...] = ()
    value: int = 0
    succeeds: bool = True
    by: int | None = None
    first: tuple[Probe, ...] = ()

    def read_aloud(self) -> str:
        call = Reading(self.contract, self.function, self.args).read_aloud()
        before = "".join(f"{probe.read_aloud()}; then " for probe in self.first)
        return f"{before}{self.sender} {'can' if self.succeeds else 'cannot'} call {call} afterwards"


class EventEmitted(Struct, frozen=True, tag=True):
    """The contract emitted this event since the start, with these argument values (those not named may be anything)."""

    contract: str
    event: str
    args: dict[str, Any] = {}
    by: int | None = None

    def read_aloud(self) -> str:
        named = ", ".join(f"{name}={spoken(value)}" for name, value in self.args.items())
        return f"{self.contract} has emitted {self.event}({named})"
