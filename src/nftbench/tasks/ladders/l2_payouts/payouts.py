"""L2: payouts. Sums that follow from long lists of events are paid to the wei, to all who are due something and to nobody else."""

from __future__ import annotations

from functools import partial

from nftbench.tasks.family import Case, SubFamily, able, numbered, unable
from nftbench.tasks.ladders.l2_payouts import persons, refunds, rewards
from nftbench.tasks.ladders.l2_payouts.plays import careless, play
from nftbench.tasks.ladders.rungs import ladder

SIZES = ((6, 8), (12, 8), (25, 9), (50, 12), (100, 20), (200, 38), (400, 70))
"""Entries that count, and calls: with three times as many and forty every payee can also be paid by a transaction of their own."""


def cases(size: int) -> tuple[Case, ...]:
    """Refunds, rewards and payments a person over so many entries, and refunds for which the purse is too small."""
    return numbered(
        able(partial(refunds.tell, size), "T3", "logs", "payments", "trap:paid-already"),
        able(partial(rewards.tell, size), "T3", "logs", "payments", "trap:holders-now"),
        able(partial(persons.tell, size), "T3", "logs", "payments", "trap:wallets-as-people"),
        unable(1, "funds"),
    )


L2: tuple[SubFamily, ...] = ladder(
    "L2",
    "payouts worked out from logs",
    SIZES,
    cases,
    play,
    careless=careless,
    derivations=("owed", "held", "together", "units"),
)
