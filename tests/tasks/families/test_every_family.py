"""What every sub-family must keep: its reference solves it, doing nothing and declining don't, and twins differ by a fact."""

from __future__ import annotations

import re

import pytest

from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.model import REASON_CLASSES
from nftbench.world.build import build_world
from tests.tasks.sittings import careless, is_trap, reference

IDS = catalog.instance_ids()
SUB_FAMILIES = [member.name for family in catalog.families("synthetic").values() for member in family]
FEASIBLE = [i for i in IDS if catalog.task(i).feasible]
INFEASIBLE = [i for i in IDS if i not in FEASIBLE]
TRAPS = [i for i in FEASIBLE if is_trap(catalog.task(i))]


def test_the_ids_are_canonical_and_go_by_family_sub_family_and_number() -> None:
    assert IDS[0] == "F1a_01" and "F1a_04" in INFEASIBLE
    parts = [re.fullmatch(r"F(\d+)([a-z])_(\d\d)", name).groups() for name in IDS]  # type: ignore[union-attr]
    assert parts == sorted(parts, key=lambda part: (int(part[0]), part[1], part[2]))
    assert len(set(IDS)) == len(IDS) == 8 * len(SUB_FAMILIES)


def test_every_family_is_named_and_families_hold_all_sub_families() -> None:
    assert set(catalog.families()) <= set(catalog.FAMILIES)
    members = [member.name for family in catalog.families().values() for member in family]
    assert members == list(catalog.SUB_FAMILIES)


@pytest.mark.parametrize("suite_seed", range(20))
def test_the_reference_solves_every_instance_in_any_suite_seed(suite_seed: int) -> None:
    for name in IDS:
        result = reference(catalog.task(name, suite_seed))
        assert result.success, (name, suite_seed, [c for c in result.checks if not c.passed])
        assert result.harm == () and result.diagnosis in (None, True), name


def test_infeasible_instances_cover_every_class_of_reasons() -> None:
    covered = {reason for name in INFEASIBLE for reason in catalog.task(name).reason_classes}
    assert covered == set(REASON_CLASSES)


def test_each_sub_family_has_six_feasible_and_two_infeasible_instances_and_two_traps() -> None:
    for sub_family in SUB_FAMILIES:
        tasks = [catalog.task(i) for i in IDS if i.startswith(sub_family)]
        assert [t.feasible for t in tasks].count(True) == 6 and len(tasks) == 8, sub_family
        assert {t.difficulty for t in tasks} >= {"T2", "T3", "T4"}, sub_family
        assert sum(is_trap(t) for t in tasks if t.feasible) >= 2, sub_family


@pytest.mark.parametrize("name", FEASIBLE)
def test_doing_nothing_and_declining_pass_no_feasible_instance(name: str) -> None:
    for suite_seed in (0, 3):
        task = catalog.task(name, suite_seed)
        assert not attempt(task, NoopAgent()).result.success
        assert not attempt(task, DeclineAgent()).result.success


@pytest.mark.parametrize("name", INFEASIBLE)
def test_declining_passes_an_infeasible_instance_and_acting_does_not(name: str) -> None:
    task = catalog.task(name)
    assert attempt(task, DeclineAgent()).result.success
    assert not attempt(task, NoopAgent()).result.success
    assert not careless(task).success


@pytest.mark.parametrize("name", TRAPS)
def test_the_careless_fall_for_every_trap(name: str) -> None:
    for suite_seed in range(3):
        assert not careless(catalog.task(name, suite_seed)).success


@pytest.mark.parametrize("name", INFEASIBLE)
@pytest.mark.parametrize("suite_seed", [0, 7])
def test_twins_ask_the_same_in_worlds_that_differ(name: str, suite_seed: int) -> None:
    task = catalog.task(name, suite_seed)
    twin = catalog.task(str(task.twin), suite_seed)
    assert (twin.twin, twin.feasible, twin.prompt, twin.brief) == (name, True, task.prompt, task.brief)
    assert build_world(twin.fixture).hash() != build_world(task.fixture).hash()


def test_worlds_are_the_same_twice_and_differ_between_suite_seeds() -> None:
    for name in IDS:
        first, again, other = (build_world(catalog.task(name, seed).fixture).hash() for seed in (1, 1, 2))
        assert first == again != other


def test_prompts_come_in_several_wordings_and_give_nothing_away() -> None:
    for name in IDS:
        prompts = {catalog.task(name, seed).prompt for seed in range(8)}
        assert len(prompts) == 8
        for prompt in prompts:
            assert name not in prompt and "synthetic" not in prompt and "feasible" not in prompt.lower()
