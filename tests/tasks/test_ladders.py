"""Ladders: a tier of its own, the same cases at one size after another, and turns that follow from the size."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import nftbench
from nftbench.errors import Refusal
from nftbench.run.config import turns_in
from nftbench.run.selection import resolve
from nftbench.tasks import catalog
from nftbench.tasks.family import Case, SubFamily, able, unable
from nftbench.tasks.family import numbered as cases
from nftbench.tasks.ladders.rungs import ladder
from nftbench.validation.instance import examine
from tests.validation.families import careless, lynx, play


def four(size: int) -> tuple[Case, ...]:
    return cases(*(able(lynx, "T1") for _ in range(3)), unable(1, "locked"))


def rungs(calls: int = 5) -> tuple[SubFamily, ...]:
    return ladder("L99", "lynxes", [(1, calls), (2, 30)], four, play, careless=careless)


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[SubFamily, ...]]:
    made = rungs()
    catalog.task.cache_clear()
    for rung in made:
        monkeypatch.setitem(catalog.SUB_FAMILIES, rung.name, rung)
    monkeypatch.setattr(catalog, "TIERS", ("synthetic", "ladder"))
    yield made
    catalog.task.cache_clear()


def test_a_ladder_is_a_sub_family_a_rung_in_a_tier_of_its_own(placed) -> None:
    assert [(rung.name, rung.rung.size, rung.tier) for rung in placed] == [("L99a", 1, "ladder"), ("L99b", 2, "ladder")]
    there = catalog.instance_ids("ladder")
    assert there[-8:] == tuple(f"L99{letter}_{number:02d}" for letter in "ab" for number in range(1, 5))
    assert not [name for name in catalog.instance_ids() if name.startswith("L")]
    assert set(catalog.every_id()) == {*there, *catalog.instance_ids()}
    assert catalog.families("ladder")["L99"] == placed and "L99" not in catalog.families("synthetic")


def test_a_task_of_a_ladder_tells_its_tier_its_size_and_its_turns(placed) -> None:
    """Three times the calls of the reference, and forty."""
    task = catalog.task("L99b_02")
    assert (task.tier, task.family, task.sub_family, task.size, task.turns) == ("ladder", "L99", "L99b", 2, 130)
    assert (catalog.task("L99a_04").turns, catalog.task("L99a_04").twin) == (55, "L99a_01")
    plain = catalog.task("F1a_01")
    assert (plain.tier, plain.size, plain.turns) == ("synthetic", None, 60)


def test_an_agent_is_told_the_turns_of_its_task_and_has_them_unless_a_run_says_otherwise(placed) -> None:
    assert "You have 130 turns;" in nftbench.task("L99b_01").messages()[0]["content"]
    for limits, turns in ((None, 55), (nftbench.Limits(max_turns=3), 3)):
        env = nftbench.Env("L99a_01", limits=limits)
        assert f"You have {turns} turns;" in env.messages[0]["content"]
        for taken in range(1, turns + 1):
            step = env.call("read_state")
            assert step.done is (taken == turns)
        assert env.result().ended_by == "turn_limit" and env.result().size == 1
    assert nftbench.Env("F1a_01").messages[0]["content"].count("You have 60 turns;") == 1


def test_turns_are_each_tasks_own_on_ladders_only() -> None:
    assert (turns_in("synthetic", None), turns_in("synthetic", 9)) == (60, 9)
    assert (turns_in("ladder", None), turns_in("ladder", 9)) == (None, 9)


def test_ladders_are_chosen_by_ids_and_globs_as_families_are(placed) -> None:
    known = catalog.instance_ids("ladder")
    assert resolve(["L99*"], known, tier="ladder") == known[-8:]
    assert resolve(["L99b_*,L99a_04"], known, tier="ladder") == (known[-5], *known[-4:])
    assert nftbench.instances(tier="ladder", family="L99b") == known[-4:]
    with pytest.raises(Refusal, match=r"there is no family 'F1'"):
        nftbench.instances(tier="ladder", family="F1")
    with pytest.raises(Refusal, match=r"'L99\*' matches no instance of tier synthetic"):
        resolve(["L99*"], catalog.instance_ids(), tier="synthetic")


def test_a_reference_that_takes_longer_than_its_rung_says_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads the wallet, looks at the lock, tries, sends and ends: five calls."""
    for calls, problems in ((5, []), (4, ["the reference makes 5 calls, and its rung is said to take 4"])):
        catalog.task.cache_clear()
        monkeypatch.setitem(catalog.SUB_FAMILIES, "L99a", rungs(calls)[0])
        assert examine("L99a_01", 0, scores_only=True).problems == problems
    catalog.task.cache_clear()


@pytest.mark.parametrize("sizes", [[(2, 5), (1, 5)], [(1, 5), (1, 5)], [(n, 5) for n in range(1, 9)]])
def test_rungs_must_grow_and_have_a_letter_each(sizes: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="the rungs of L99 are at most 7, each larger"):
        ladder("L99", "lynxes", sizes, four, play)
