"""Worlds built in other processes, under other hash seeds, are the same; other suite seeds are not."""

from __future__ import annotations

from nftbench.validation import building

IDS = ("F1a_01", "F1c_02", "F2a_02")


def test_other_processes_build_the_same_and_a_difference_is_told() -> None:
    here = building.fingerprints(IDS, 3)
    assert len(set(here.values())) == 3
    assert building.collect(building.start(IDS, 3), here) == {name: [] for name in IDS}
    wrong = here | {"F1c_02": "0" * 64}
    problems = building.collect(building.start(IDS, 3), wrong)
    assert problems["F1c_02"] == [
        f"another process, under PYTHONHASHSEED={seed}, builds another world of it" for seed in building.HASH_SEEDS
    ]
    assert problems["F1a_01"] == []


def test_what_another_process_cant_build_is_told() -> None:
    problems = building.collect(building.start(["F99z_01"], 0), {"F99z_01": "0"})
    assert len(problems["F99z_01"]) == 2 and "there is no instance 'F99z_01'" in problems["F99z_01"][0]


def test_another_suite_seed_builds_another_world() -> None:
    one, other = (building.fingerprints(IDS, seed) for seed in (3, 4))
    assert all(one[name] != other[name] for name in IDS)
