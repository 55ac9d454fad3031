"""L3: buying to a budget. Tokens of all wanted traits for no more than was said, which hardly any but the cheapest choice keeps."""

from __future__ import annotations

from functools import partial

from nftbench.tasks.family import Case, SubFamily, able, numbered, unable
from nftbench.tasks.ladders.l3_budget.drafts import WARM_UP
from nftbench.tasks.ladders.l3_budget.plays import careless, play
from nftbench.tasks.ladders.l3_budget.scenes import tell
from nftbench.tasks.ladders.rungs import ladder

SIZES = ((6, 12), (12, 15), (25, 18), (50, 24), (100, 36), (200, 58), (400, 110))
"""Lots that can be bought, and calls."""


def cases(size: int) -> tuple[Case, ...]:
    """Single tokens, also in bundles, some traits twice, and single tokens with too little in the purse."""
    trap = () if size == WARM_UP else ("trap:cheapest-first",)
    return numbered(
        able(partial(tell, size, False, 0), "T3", "markets", "traits", *trap),
        able(partial(tell, size, True, 0), "T3", "markets", "traits", "bundles", *trap),
        able(partial(tell, size, False, 2), "T3", "markets", "traits", *trap),
        unable(1, "funds"),
    )


L3: tuple[SubFamily, ...] = ladder("L3", "buying to a budget", SIZES, cases, play, careless=careless)
