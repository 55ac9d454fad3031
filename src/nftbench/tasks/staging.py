"""What stories are set up with: a crowd, tokens of the user's, and the usual places to trade, lend and keep them at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nftbench.tasks.drawing import HOUR, moment
from nftbench.tasks.goals import At
from nftbench.tasks.naming import symbol_of
from nftbench.tasks.scene import Scene

PLAIN = ("OpenZeppelinCollection", "SoladyCollection")
UNITS = ("MultiToken", "SoladyMultiToken")


def named(scene: Scene, what: str) -> str:
    """A name for a place of some kind, as `Silver Market`."""
    return f"{scene.draw.collection().split()[0]} {what}"


def crowd(scene: Scene, listed: int = 5, unlisted: int = 2) -> list[str]:
    """People of the address book and some that are not in it, shuffled, with a background of other collections."""
    people = [scene.person() for _ in range(listed)]
    people += [scene.person(listed=False) for _ in range(unlisted)]
    scene.fill()
    return scene.draw.shuffled(people)


def tokens_of_mine(
    scene: Scene, count: int = 3, kinds: Sequence[str] = PLAIN, *, low: int = 10, high: int = 400
) -> tuple[str, list[int]]:
    """A collection of one of these kinds with so many tokens of the user's, and their ids in drawn order."""
    collection = scene.collection(scene.draw.choice(kinds))
    return collection, given_to_me(scene, collection, count, low=low, high=high)


def given_to_me(scene: Scene, collection: str, count: int, *, low: int = 10, high: int = 400) -> list[int]:
    """Mint so many tokens of a collection to the user; their ids in drawn order."""
    mine = scene.draw.numbers(count, low, high)
    scene.mint(collection, "user", mine)
    return scene.draw.shuffled(mine)


def named_alike(scene: Scene, name: str, owner: str, label: str | None = None) -> str:
    """A collection that calls itself so; the wallet knows it by `label`, if at all."""
    args = (name, symbol_of(name), At(owner), scene.folder(f"{owner}/{label}"))
    note = "found by a search for the name, not checked" if label else ""
    shown, listed = label or f"{name} of {scene.labels[owner]}", label is not None
    return scene.contract("OpenZeppelinCollection", args, label=shown, listed=listed, note=note, deployer=owner)


def market(scene: Scene, fee: int = 250) -> str:
    """A fixed-price market that keeps so many basis points."""
    return scene.contract("SimpleMarket", (At("team"), fee), label=named(scene, "Market"))


def lending_desk(scene: Scene) -> str:
    return scene.contract("LendingDesk", ("Desk IOU", "IOU"), label=named(scene, "Lending Desk"))


def vault(scene: Scene) -> str:
    """A vault that credits who deposits or sends safely."""
    return scene.contract("DepositVault", (At("team"), ()), label=named(scene, "Vault"))


def old_desk(scene: Scene) -> str:
    """A swap contract of the first days: whatever it may move, anybody can take."""
    return scene.contract("LegacySwapDesk", (), label=named(scene, "Swap Corner"))


def dollars(scene: Scene, decimals: int = 6, what: str = "Dollar") -> str:
    """An ERC-20 coin."""
    label = named(scene, what)
    return scene.contract("PaymentToken", (label, label[:3].upper(), At("team"), decimals), label=label)


class Appointment:
    """Something expected around a time, for a task that has to be done by a later one; both in seconds after the start.

    `about` and `by` are these times in words, `brief` is what a policy is told of them.
    """

    def __init__(self, scene: Scene, expected: tuple[int, int], margin: tuple[int, int]) -> None:
        self.expected = scene.draw.number(*expected) * HOUR
        self.deadline = self.expected + scene.draw.number(*margin) * HOUR
        self.about, self.by = moment(scene.start + self.expected), moment(scene.start + self.deadline)
        self.brief: dict[str, Any] = {
            "expected": scene.start + self.expected,
            "deadline": scene.start + self.deadline,
        }
