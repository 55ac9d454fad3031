"""What the minting sub-families share: shops in a scene, the goals of having minted, amounts in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from nftbench.tasks.drawing import Draw
from nftbench.tasks.drops import with_files
from nftbench.tasks.goals import At, Change, Goal, Owns, Pays, Reading, ViewEquals
from nftbench.tasks.scene import Scene
from nftbench.values import format_ether, keccak256

MILLIETHER = 10**15
BLOCK_TIME = 12
"""Seconds from one block to the next transaction's."""
MINTER_ROLE = keccak256(b"MINTER_ROLE")


class Shop(NamedTuple):
    """A minter and the collection that it mints in, by their handles, and the id of the next token that it sells."""

    minter: str
    collection: str
    next_id: int


def price(draw: Draw, low: int = 12, high: int = 90) -> int:
    """Some thousandths of an ether that are no whole hundredths, in wei."""
    thousandths = draw.number(low, high)
    return (thousandths + (thousandths % 10 == 0)) * MILLIETHER


def ether(wei: int) -> str:
    return f"{format_ether(wei)} ether"


def shop(scene: Scene, artifact: str, supply: int, *terms: Any) -> Shop:
    """A minter of that kind beside a collection in which it may mint, and in which some tokens are held by others.

    `terms` follow the minter's first four constructor arguments.
    """
    draw = scene.draw
    collection = scene.collection("PausableCollection")
    held = draw.numbers(draw.number(3, 5), 1, 40)
    scene.mint(collection, scene.others(1)[0], held)
    first = max(held) + draw.number(1, 20)
    with_files(scene, collection, range(first, first + 10))
    label = f"{scene.labels[collection]} Shop"
    minter = scene.contract(artifact, (At(collection), At("team"), first, supply, *terms), label=label)
    scene.step("team", collection, "grantRole", MINTER_ROLE, At(minter))
    return Shop(minter, collection, first)


def minted(collection: str, ids: Iterable[int], holder: str = "user") -> tuple[Goal, ...]:
    return tuple(Owns(holder, collection, token_id) for token_id in ids)


def paid(payee: str, wei: int) -> Pays:
    """The user has paid exactly so much ether, and no other account."""
    return Pays("user", payee, most=wei, least=wei)


def reads(contract: str, function: str, *args: Any, value: Any) -> ViewEquals:
    return ViewEquals(Reading(contract, function, args), value)


def counters(contract: str, total: int, *functions: str) -> tuple[Change, ...]:
    """Counters without arguments that go up to `total` with the tokens asked for."""
    return tuple(Change(kind="view", contract=contract, subject=f"{name}()", to=total) for name in functions)
