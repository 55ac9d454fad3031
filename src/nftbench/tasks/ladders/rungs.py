"""How a ladder is declared: the same cases at one size after another, a sub-family a rung."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from nftbench.tasks.family import Case, Derivation, Play, Rung, SubFamily

LETTERS = "abcdefg"
"""The rungs from the smallest up."""


class Plays(TypedDict, total=False):
    """Who plays besides the reference, and by which rules that computes: see SubFamily."""

    careless: Callable[[dict[str, Any]], Play] | None
    derivations: tuple[Derivation, ...]


def ladder(
    name: str,
    title: str,
    sizes: Sequence[tuple[int, int]],
    cases: Callable[[int], tuple[Case, ...]],
    policy: Callable[[dict[str, Any]], Play],
    **plays: Unpack[Plays],
) -> tuple[SubFamily, ...]:
    """The rungs of the ladder of this name. `sizes` are, from the smallest up, the size of each rung and how many calls its
    reference makes at most; `cases` makes the cases of one size. ValueError where the sizes do not grow."""
    if sorted({size for size, _ in sizes}) != [size for size, _ in sizes] or len(sizes) > len(LETTERS):
        raise ValueError(f"the rungs of {name} are at most {len(LETTERS)}, each larger than the one before: {sizes}")
    return tuple(
        SubFamily(
            name=f"{name}{letter}",
            title=f"{title}, {size}",
            cases=cases(size),
            policy=policy,
            rung=Rung(size=size, calls=calls),
            **plays,
        )
        for letter, (size, calls) in zip(LETTERS, sizes, strict=False)
    )
