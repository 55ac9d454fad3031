"""Damages are found where they apply, all of them are noticed, and what is allowed is not held against anybody."""

from __future__ import annotations

from collections import Counter

import pytest

from nftbench.tasks import catalog
from nftbench.validation.damages import DAMAGES, damage, sample_of_damage
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


def test_a_sample_is_of_so_many_kinds_once_each_and_of_others_in_another_suite() -> None:
    """Of the 36 kinds a good dozen apply to a plain transfer."""
    one = rehearsal("F1a_01")
    all_of_it = damage(one)
    found = sample_of_damage(one, 6)
    assert list(found.done.values()) == [1] * 6 and set(found.done) < set(all_of_it.done)
    assert sample_of_damage(one, 6).done == found.done and found.unnoticed == ()
    assert set(sample_of_damage(one, len(DAMAGES)).done) == set(all_of_it.done)
    task = catalog.task("F1a_01", 1)
    other = Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)
    assert set(sample_of_damage(other, 6).done) != set(found.done)


def test_a_sample_tells_what_is_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Rehearsal, "passes", lambda self: True)
    found = sample_of_damage(rehearsal("F1a_01"), 3)
    assert len(found.unnoticed) == len(found.done) == 3


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
