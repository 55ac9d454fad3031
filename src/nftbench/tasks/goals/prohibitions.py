"""Goals about what must not happen, in between either."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.goals.values import Reading, spoken


class SendsNothing(Struct, frozen=True, tag=True):
    """No transaction of any of the agent's accounts has been mined since the start; a reverted one was sent, too."""

    by: int | None = None

    def read_aloud(self) -> str:
        return "no transaction is sent"


class Never(Struct, frozen=True, tag=True):
    """After no block since the start did the view function return `value` (a tuple for several results; At for addresses),
    whoever brought it about."""

    reading: Reading
    value: Any
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.reading.read_aloud()} is never {spoken(self.value)}"


class Always(Struct, frozen=True, tag=True):
    """After every block since the start the view function returned `value`, as Never has it."""

    reading: Reading
    value: Any
    by: int | None = None

    def read_aloud(self) -> str:
        return f"{self.reading.read_aloud()} is {spoken(self.value)} all along"
