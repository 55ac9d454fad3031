"""The guard of a run's money, made from what its folder tells was spent, by more than one file."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from pathlib import Path

from nftbench.agents.spend import SpendGuard
from nftbench.errors import Refusal
from nftbench.records.model import Result
from nftbench.records.store import RunFolder
from nftbench.run.sources import OpenRouter

_CHUNK = 1024 * 1024
_ROUNDING = 1e-6


def guard_for(source: OpenRouter, folder: RunFolder, results: Sequence[Result]) -> SpendGuard:
    """The guard of a run that goes on in a folder with these results. Refusal when spending.jsonl can't be trusted: it was
    changed, or tells of fewer calls than events.jsonl, or of less money than the results.
    """
    guard = SpendGuard(
        source.max_usd,
        max_price_in=source.max_price_in,
        max_price_out=source.max_price_out,
        journal=folder.spending_path,
        check=folder.check,
    )
    made = _lines_of(folder.events_path)
    paid = fsum(result.counts.cost_usd or 0.0 for result in results)
    if guard.calls < made:
        raise _missing(folder, f"{guard.calls} calls, and {folder.events_path.name} of {made}")
    if guard.spent + _ROUNDING < paid:
        raise _missing(folder, f"${guard.spent:.4f}, and the results of ${paid:.4f}")
    return guard


def _missing(folder: RunFolder, what: str) -> Refusal:
    return Refusal(
        f"{folder.spending_path} tells of {what}: lines are missing, so what was spent is unknown and nothing more is "
        "spent; restore the file, or choose another --out"
    )


def _lines_of(path: Path) -> int:
    """How many lines a file has; 0 where there is none."""
    count = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                count += chunk.count(b"\n")
    except FileNotFoundError:
        return 0
    except OSError as problem:
        raise Refusal(f"{path} can't be read ({problem.strerror}), so what was spent is unknown") from None
    return count
