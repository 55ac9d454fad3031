"""Which cases can be parts of a campaign: those that mean the same beside others, and are about things of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nftbench.tasks.family import SubFamily
from nftbench.tasks.ladders.l1_campaigns.composing import Offer

PARTS: Mapping[str, tuple[int, ...]] = {
    "F1a": (1, 2, 3, 5, 6, 7),
    "F1b": (1, 2, 3, 5, 6, 7),
    "F1c": (1, 2, 3, 5, 6, 7),
    "F1d": (1, 2, 3, 5, 6, 7),
    "F3a": (1, 2, 3, 5, 6, 7),
    "F3b": (1, 2, 3, 5, 7),
    "F3c": (1, 2, 3, 5),
    "F4a": (1, 2, 3, 5, 6, 7),
    "F4b": (1, 2, 3, 5, 6, 7),
    "F4c": (1, 2, 5, 6, 7),
    "F4d": (1, 2, 3, 5, 7),
    "F5a": (1, 2, 4, 5, 6, 8),
    "F5b": (1, 2, 4, 5, 7, 8),
    "F5c": (1, 2, 3, 5, 6),
    "F5d": (1, 3, 4, 5, 6, 8),
    "F6a": (1, 2, 4, 6, 7, 8),
    "F6b": (1, 2, 3, 5, 6, 8),
    "F6c": (1, 2, 4, 5, 6, 8),
    "F6d": (1, 2, 4, 5, 7, 8),
    "F7b": (1, 2, 5, 6, 7),
    "F7c": (1, 2, 3, 6),
    "F8b": (1, 2, 3, 5, 6, 7),
    "F8d": (1, 2, 3, 5, 6, 8),
    "F14b": (1, 2, 3, 5, 6, 7),
    "F14d": (1, 2, 3, 5, 6, 7),
}
"""The cases that can be done, by sub-family; the others are about the whole wallet, an answer, blocks that are counted, or the
very block in which something is done, which others in the same world push on. Each comes with its infeasible twin, where it has
one that nothing else in a campaign can make good."""

FUNDS = "funds"
"""A twin for want of funds may be made good by what other parts bring in."""


def offered(sub_families: Mapping[str, SubFamily], *, feasible: bool) -> Iterator[Offer]:
    """The cases that can be parts and can be done, or those that can't."""
    for name, numbers in PARTS.items():
        for number, case in enumerate(sub_families[name].cases, 1):
            if case.injected or case.twin_of not in (None, *numbers):
                continue
            if feasible and case.twin_of is None and number in numbers:
                yield f"{name}_{number:02d}", case, True, name
            elif not feasible and case.twin_of is not None and FUNDS not in case.reasons:
                yield f"{name}_{number:02d}", case, False, name
