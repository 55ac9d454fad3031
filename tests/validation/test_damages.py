"""Damages are found where they apply, all of them are noticed, and what is allowed is not held against anybody."""

from __future__ import annotations

from collections import Counter

import pytest

from nftbench.tasks import catalog
from nftbench.validation.damages import DAMAGES, damage
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play
from nftbench.validation.variations import VARIATIONS, vary

# What must at least be done to a world of each kind.
EXPECTED = {
    "F1a_01": {
        "stray approval",
        "stray operator",
        "stray token",
        "stray wei",
        "third party's token",
        "moved on",
        "wrong address",
    },
    "F1a_04": {
        "stray approval",
        "stray operator",
        "stray wei",
        "signature left behind",
        "third party's token",
        "wrong ending",
    },
    "F1a_07": {"stray role", "too late", "step left out", "wrong contract"},
    "F1c_03": {"stray unit", "third party's unit", "one too few", "one too many", "one more", "one less"},
    "F1c_05": {"paid by another"},
    "F2a_02": {"wrong answer", "stray approval", "signature left behind"},
    "F3a_06": {"stray allowance", "stray coin", "third party's coin", "permission reset"},
    "F4a_01": {"one wei"},
    "F4c_01": {"wrong data"},
    "F5a_01": {"contract given away"},
}


def rehearsal(name: str) -> Rehearsal:
    task = catalog.task(name)
    return Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_damages_that_fit_a_world_are_done_to_it_and_noticed(name: str) -> None:
    found = damage(rehearsal(name))
    assert set(found.done) >= EXPECTED[name], EXPECTED[name] - set(found.done)
    assert found.unnoticed == ()


@pytest.mark.parametrize("name", ["F1a_03", "F1b_01", "F1c_02", "F1d_02", "F1d_08", "F2a_02"])
def test_variations_pass(name: str) -> None:
    found = vary(rehearsal(name))
    assert found.unnoticed == () and {"extra reads", "reverted transactions", "a little later"} <= set(found.done)


def test_a_world_is_the_same_after_all_of_it() -> None:
    one = rehearsal("F1d_06")
    one.solve()
    before = one.effect()
    damage(one)
    vary(one)
    one.solve()
    assert one.effect() == before and one.grade().success


@pytest.mark.slow
def test_no_damage_or_variation_stands_in_its_table_for_nothing() -> None:
    done: Counter[str] = Counter()
    for name in catalog.instance_ids():
        if catalog.task(name).feasible:
            one = rehearsal(name)
            done.update(damage(one).done)
            done.update(vary(one).done)
    assert {*DAMAGES, *VARIATIONS} - set(done) == set()
