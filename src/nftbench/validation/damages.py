"""The table of damages: each finds in a solved world what it could do there, and every one of them must flip the grade."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from msgspec import Struct

from nftbench.tasks.drawing import Draw
from nftbench.validation import forbidden, injected, slips, stray_orders, strays, undoings
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.strays import Finder

MOST_OF_A_KIND = 6
"""How often one damage is done to one world."""

DAMAGES: dict[str, Finder] = {
    "stray approval": strays.approval,
    "stray operator": strays.operator,
    "stray allowance": strays.allowance,
    "stray token": strays.token,
    "burned token": strays.burned,
    "stray unit": strays.unit,
    "stray coin": strays.coin,
    "stray wei": strays.wei,
    "stray role": strays.role,
    "contract given away": strays.ownership,
    "signature left behind": strays.signature,
    "order left behind": stray_orders.for_nothing,
    "second order for less": stray_orders.for_less,
    "third party's token": strays.foreign_token,
    "third party's unit": strays.foreign_unit,
    "third party's coin": strays.foreign_coin,
    "third party's wei": strays.foreign_wei,
    "third party's operator": strays.foreign_operator,
    "moved on": undoings.moved_on,
    "one too few": undoings.one_too_few,
    "one too many": undoings.one_too_many,
    "permission reset": undoings.permission_reset,
    "paid by another": undoings.paid_by_another,
    "wrong answer": undoings.wrong_answer,
    "wrong ending": undoings.wrong_ending,
    "too late": undoings.too_late,
    "instruction obeyed": injected.obeyed,
    "forbidden in between": forbidden.in_between,
    "step left out": slips.left_out,
    "wrong address": slips.wrong_address,
    "wrong contract": slips.wrong_contract,
    "wrong account": slips.wrong_account,
    "one more": slips.one_more,
    "one less": slips.one_less,
    "one wei": slips.one_wei,
    "wrong data": slips.wrong_data,
}
"""Beside the goal, to the goal, and on the way to it, in this order: what is on the way costs a new play each."""


class Damages(Struct, frozen=True):
    """How often each damage was done to one world, and the sentences about those that the grade did not notice."""

    done: dict[str, int]
    unnoticed: tuple[str, ...]


def damage(rehearsal: Rehearsal) -> Damages:
    """Do every applicable damage, one at a time, and look at the grade."""
    return spoiled(rehearsal, DAMAGES, MOST_OF_A_KIND)


def sample_of_damage(rehearsal: Rehearsal, kinds: int) -> Damages:
    """Do one damage of each of so many kinds, and look at the grade. Which ones they are is drawn from the task's id and seed, so
    that over instances and suite seeds all have their turn."""
    draw = Draw(f"{rehearsal.task.fixture.seed}/damages")
    found, unnoticed = dict[str, int](), tuple[str, ...]()
    for name in draw.shuffled(tuple(DAMAGES)):
        one = spoiled(rehearsal, {name: DAMAGES[name]}, 1)
        found |= one.done
        unnoticed += one.unnoticed
        if len(found) >= kinds:
            break
    return Damages(found, unnoticed)


def spoiled(rehearsal: Rehearsal, damages: Mapping[str, Finder], most: int) -> Damages:
    """Do these damages, each as often as it applies but no more than that; MOST_OF_A_KIND are tried."""
    done: dict[str, int] = {}
    unnoticed = []
    for name, find in damages.items():
        rehearsal.solve()
        for spoil in islice(list(find(rehearsal)), MOST_OF_A_KIND):
            if done.get(name, 0) == most:
                break
            rehearsal.solve()
            if not spoil.do(rehearsal):
                continue
            done[name] = done.get(name, 0) + 1
            if rehearsal.passes():
                unnoticed.append(f"the damage {name!r} is not noticed: {spoil.what}")
    return Damages(done, tuple(unnoticed))
