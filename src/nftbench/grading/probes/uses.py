"""What strangers can do with an order that nobody asked for, now or later, without the agent's doing anything more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from nftbench.grading.probes.choices import MOST_TRIED, others_tokens, proof_of, with_criteria
from nftbench.grading.probes.fills import (
    ERC1155,
    RESTRICTED,
    Choice,
    Effect,
    Taking,
    fill,
    prepare,
)
from nftbench.grading.probes.means import STRANGER, a_copy
from nftbench.grading.probes.moments import later, move_to
from nftbench.grading.probes.orders import Order
from nftbench.values import ZERO_ADDRESS
from nftbench.world.ledger import Entry
from nftbench.world.world import World

PARTIAL = (1, 3)
"""Order types that may be filled in parts."""
MOST_PARTS = 16


class Use(Struct, frozen=True):
    """Somebody can use what was left: `when` in Unix seconds (None: at once), and what it comes to for everybody."""

    when: int | None
    taker: str
    effect: Effect


def use_of(world: World, order: Order) -> Use | None:
    """How somebody else can fill the order, now or at a later moment; None where nobody can as things are. Where its terms get
    worse for its maker with time the latest moment is told, otherwise the first."""
    components = order.components
    moments = [None, *later(world, components["startTime"], components["endTime"])]
    takings = list(_takings(world, order))
    for when in reversed(moments) if _worsens(order) else moments:
        with a_copy(world):
            if when is not None and not move_to(world, when):
                continue
            for taking in takings:
                with a_copy(world):
                    if not prepare(world, order, taking):
                        effect = fill(world, order, taking).effect
                        if effect is not None:
                            return Use(when, taking.taker, effect)
    return None


def _worsens(order: Order) -> bool:
    """Whether it asks for less, or gives more, at its end than at its start."""
    asks, gives = order.components["consideration"], order.components["offer"]
    falls = any(item["endAmount"] < item["startAmount"] for item in asks)
    return falls or any(item["endAmount"] > item["startAmount"] for item in gives)


def _takings(world: World, order: Order) -> Iterator[Taking]:
    takers = [STRANGER]
    zone = order.components["zone"]
    if order.components["orderType"] in RESTRICTED and zone != ZERO_ADDRESS and not world.engine.code(zone):
        takers.append(zone)
    for choices in _choices(world, order):
        for taker in takers:
            yield from (Taking(taker, part, choices) for part in _parts(world, order))


def _parts(world: World, order: Order) -> Iterator[tuple[int, int]]:
    """All of it, or as much as its maker still has."""
    yield 1, 1
    if order.components["orderType"] not in PARTIAL:
        return
    for item in order.components["offer"]:
        if item["itemType"] == ERC1155:
            entry = Entry("units", item["token"], order.offerer, item["identifierOrCriteria"])
            held, whole = world.surveyor.read(entry) or 0, item["startAmount"]
            yield from ((part, whole) for part in range(min(held, whole - 1), 0, -1)[:MOST_PARTS])


def _choices(world: World, order: Order) -> Iterator[tuple[Choice, ...]]:
    """What an order with criteria may be filled with, a choice for each such item; nothing to choose without any."""
    options: list[list[Choice]] = []
    for side, index, item in with_criteria(order):
        collection, root = str(item["token"]), int(str(item["identifierOrCriteria"]))
        there = (
            _held(world, collection, order.offerer)
            if side == 0
            else list(others_tokens(world, collection, order.offerer))
        )
        known = world.surveyor.token_ids(collection)
        found = ((i, proof_of(root, i, known) or proof_of(root, i, [i])) for i in there)
        able = (Choice(side, index, i, proof) for i, proof in found if proof is not None)
        options.append(list(islice(able, MOST_TRIED)))
    if all(options):
        for place in range(max(map(len, options), default=1)):
            yield tuple(each[place % len(each)] for each in options)


def _held(world: World, collection: str, holder: str) -> list[int]:
    ids = world.surveyor.token_ids(collection)
    own = [i for i in ids if world.surveyor.read(Entry("owner", collection, i, None)) == holder]
    units = world.surveyor.entries("units", collection)
    return own + [entry.detail for entry in units if entry.subject == holder and world.surveyor.read(entry)]
