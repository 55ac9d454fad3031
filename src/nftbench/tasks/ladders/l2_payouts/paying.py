"""What all payouts have: people with and without a name, a way to pay many at once, and goals to the wei."""

from __future__ import annotations

from collections.abc import Mapping

from nftbench.tasks.drawing import Draw
from nftbench.tasks.goals import At, EtherChange
from nftbench.tasks.scene import BLOCK_SECONDS, Scene
from nftbench.values import format_ether

MILLIETHER = 10**15
LISTED = 4
"""How many of the people stand in the address book; the others are addresses only."""


def wallets(scene: Scene, count: int, ether: int = 50) -> list[str]:
    """So many people with a background of other collections, in drawn order; some stand in the address book."""
    listed = min(LISTED, count)
    people = [scene.person(ether=ether) for _ in range(listed)]
    people += [scene.person(f"Wallet {n}", listed=False, ether=ether) for n in range(listed + 1, count + 1)]
    scene.fill()
    return scene.draw.shuffled(people)


def bulk_payments(scene: Scene) -> str:
    """A contract that pays many accounts in one transaction and keeps nothing."""
    return scene.contract(
        "BulkPayments", (), label="Bulk Payments", note="pays many accounts in one transaction, all or none"
    )


def payments(scene: Scene, sender: str, bulk: str, amounts: Mapping[str, int]) -> None:
    """One transaction by which somebody pays each of these so many wei."""
    payees = tuple(map(At, amounts))
    scene.step(sender, bulk, "pay", payees, tuple(amounts.values()), value=sum(amounts.values()))


def payment_goals(due: Mapping[str, int]) -> tuple[EtherChange, ...]:
    """Each has exactly so many wei more, and the user as many less as all of them together."""
    return (*(EtherChange(who, wei) for who, wei in due.items()), EtherChange("user", -sum(due.values())))


def ether(wei: int) -> str:
    return f"{format_ether(wei)} ether"


def slack(draw: Draw, total: int) -> int:
    """One to three per cent of a sum and some thousandths of an ether: by how much a purse is larger or smaller than it."""
    return total * draw.number(10, 30) // 1_000 + draw.number(31, 90) * MILLIETHER


class Clock:
    """A scene's time, kept along with its steps: seconds, the newest block's.

    `after` lets so many seconds go by before a next step; `at` tells the time of the block of the step that comes now.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.time = scene.time

    def after(self, seconds: int) -> None:
        self._scene.passing(seconds)
        self.time += seconds

    def until(self, moment: int) -> None:
        self.after(moment - self.time)

    def at(self) -> int:
        self.time += BLOCK_SECONDS
        return self.time


def about(draw: Draw, mean: int) -> int:
    """Seconds between two steps, half to one and a half times the mean."""
    return draw.number(mean // 2, mean + mean // 2)
