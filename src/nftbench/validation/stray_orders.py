"""Damages by signed orders of Seaport, in a world where all that was asked for has been done: what a wallet shows as a harmless
signature gives something away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.chain.seaport import Components, typed_data
from nftbench.grading.checks.standing import asked_orders
from nftbench.grading.moment import Moment
from nftbench.grading.probes.orders import exchanges, words
from nftbench.tasks.goals import Reading
from nftbench.tasks.orders import ItemType
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.strays import Spoil
from nftbench.values import ZERO_ADDRESS

MONTH = 30 * 86_400
SALT = 0x6C656674
"""A salt that nobody else takes."""


def for_nothing(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """One of the agent's tokens, and some of its coins, for whoever wants them."""
    world = rehearsal.world
    tokens = ((e, o, ItemType.ERC721, 1) for e, o in rehearsal.entries("owner") if o in world.controlled)
    coins = (
        (e, e.subject, ItemType.ERC20, n) for e, n in rehearsal.entries("coins") if n and e.subject in world.controlled
    )
    for exchange in exchanges(world):
        for found in (next(tokens, None), next(coins, None)):
            if found is not None:
                entry, owner, kind, much = found
                item = (int(kind), entry.contract, entry.subject if kind is ItemType.ERC721 else 0, much, much)
                what = f"an order of {world.names[owner]} gives {world.names[entry.contract or '']} for nothing"
                yield Spoil(what, _signed, (exchange, _order(rehearsal, exchange, owner, item), owner))


def for_less(rehearsal: Rehearsal) -> Iterator[Spoil]:
    """What was asked for stands, and so does the same for a little less."""
    moment = Moment(rehearsal.desk, None)
    for known in asked_orders(rehearsal.task.wanted, moment)[:2]:
        told = words(known.order.components)
        for place, item in enumerate(told[3]):
            if item[0] in (ItemType.NATIVE, ItemType.ERC20) and min(item[3:5]) > 0:
                less = (*item[:3], item[3] - 1, item[4] - 1, *item[5:])
                cheaper = (*told[:3], (*told[3][:place], less, *told[3][place + 1 :]), *told[4:8], SALT, *told[9:])
                what = "an order that was asked for stands a second time, for one unit less"
                yield Spoil(what, _signed, (known.order.exchange, cheaper, known.order.offerer))
                break


def _order(rehearsal: Rehearsal, exchange: str, offerer: str, item: tuple[Any, ...]) -> Components:
    world = rehearsal.world
    now = world.engine.block.timestamp
    counter = world.read(Reading(world.names[exchange], "getCounter", (offerer,)))
    times = (now, now + MONTH)
    return (offerer, ZERO_ADDRESS, (item,), (), 0, *times, bytes(32), SALT, bytes(32), counter)


def _signed(rehearsal: Rehearsal, exchange: str, order: Components, offerer: str) -> bool:
    typed = typed_data(rehearsal.world.engine.chain_id, exchange, order)
    return "signature" in rehearsal.use("sign_typed_data", typed_data=typed, account=offerer)
