"""How a refusal names what it refuses, and hints at what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_QUOTE = 100
"""Characters of a refused value that a sentence repeats."""


def quoted(value: str) -> str:
    """The value in quotes, control characters escaped, cut where it is long."""
    shown = repr(value[:LONGEST_QUOTE])
    return shown if len(value) <= LONGEST_QUOTE else f"{shown}... ({len(value)} characters)"


def near_names(wrong: str, choices: Iterable[str]) -> str:
    """Words for a sentence, ` (near names: a, b)`; empty when nothing comes near. Case does not count."""
    if len(wrong) > LONGEST_QUOTE:
        return ""
    by_lower = {choice.lower(): choice for choice in choices}
    near = [by_lower[name] for name in get_close_matches(wrong.lower(), by_lower, n=3, cutoff=0.6)]
    return f" (near names: {', '.join(near)})" if near else ""
