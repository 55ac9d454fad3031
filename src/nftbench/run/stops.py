"""When a run ends before its tasks do, and in which words."""

from __future__ import annotations

from nftbench.records.model import Result

REPEATED_LIMIT = 8


class StopRule:
    """Counts attempts that end in error, as they end. For one thread at a time."""

    def __init__(self) -> None:
        self._kind: str | None = None
        self._streak = 0

    def after(self, result: Result) -> str | None:
        """Why the run should stop now, None to go on: REPEATED_LIMIT tasks in a row ended by the same unscored kind."""
        if result.status == "scored":
            self._kind, self._streak = None, 0
            return None
        kind = error_kind(result)
        self._streak = self._streak + 1 if kind == self._kind else 1
        self._kind = kind
        if self._streak < REPEATED_LIMIT:
            return None
        return f"{REPEATED_LIMIT} tasks in a row ended in {result.error}"


def error_kind(result: Result) -> str:
    """The failure kind that begins the error of a result, such as cli_error."""
    return (result.error or "unnamed").partition(":")[0]
