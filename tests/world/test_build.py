"""The same fixture and seed give the same world, in any process; what can't be built is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from nftbench.errors import BenchmarkDefect
from nftbench.tasks import catalog
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.model import Step
from nftbench.world.build import build_world
from tests.world.scenes import Stand

SCRIPT = """
from nftbench.tasks import catalog
from nftbench.world.build import build_world
for name in ("F1a_03", "F1c_02", "F1d_07"):
    print(build_world(catalog.task(name, 5).fixture).hash())
"""


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_world_hash_is_the_same_in_every_process(hash_seed: str) -> None:
    here = [build_world(catalog.task(name, 5).fixture).hash() for name in ("F1a_03", "F1c_02", "F1d_07")]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    there = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert there.stdout.split() == here


def test_other_seeds_and_the_twins_one_fact_change_the_hash() -> None:
    names = [("F1a_03", 0), ("F1a_03", 1), ("F1a_04", 0)]
    assert len({build_world(catalog.task(name, seed).fixture).hash() for name, seed in names}) == 3


def test_the_agent_begins_exactly_at_the_start_time() -> None:
    world = build_world(catalog.task("F1b_05", 3).fixture)
    assert world.engine.block.timestamp == world.fixture.start_time
    assert world.elapsed == 0


def test_accounts_begin_with_the_ether_that_the_fixture_declares() -> None:
    stand = Stand().open()
    for account in stand.world.fixture.accounts:
        assert stand.world.engine.balance(stand.address(account.name)) == account.ether


def test_proxies_and_clones_stand_where_the_scene_says_and_answer_as_what_they_run() -> None:
    stand = Stand()
    scene = stand.scene
    factory = scene.factory()
    made = [
        scene.proxied("Amber Lanterns"),
        scene.cloned(factory, "Opal Otters"),
        scene.cloned(factory, "Opal Otters II"),
    ]
    for number, collection in enumerate(made):
        scene.mint(collection, "user", [10 + number])
    world = stand.open().world
    for number, collection in enumerate(made):
        assert world.address(collection) == scene.contract_address(collection)
        assert world.read(Reading(collection, "name")) == scene.labels[collection]
        assert world.read(Reading(collection, "ownerOf", (10 + number,))) == world.user
        uri = world.read(Reading(collection, "tokenURI", (10 + number,)))
        assert json.loads(world.fixture.uris[uri])["name"] == f"{scene.labels[collection]} #{10 + number}"
    held = {
        h["contract"]: h["token_ids"] for h in stand.use("read_state")["accounts"][0]["holdings"] if "token_ids" in h
    }
    assert (held["Amber Lanterns"], held["Opal Otters II"]) == (["10"], ["12"])
    shown = stand.use("get_contract", address=world.address(made[0]))
    assert "safeTransferFrom" in shown["standard_functions"]["ERC721"].split()
    assert any(line.startswith("mintBatch(") for line in shown["functions"])


def test_a_factory_that_makes_nothing_is_named() -> None:
    stand = Stand()
    stand.scene.contract("UpgradeableCollection", ("A", "A", At("team"), ""), label="A", factory=stand.cats)
    with pytest.raises(BenchmarkDefect, match="the contract 'a' cannot be deployed"):
        stand.open()


def test_a_step_that_reverts_is_named() -> None:
    stand = Stand()
    stand.scene.step("user", stand.cats, "mint", "user_has_no_right", 9)
    with pytest.raises((BenchmarkDefect, ValueError)):
        stand.open()
    stand = Stand()
    stand.scene.step("user", stand.gold, "transfer", "0x" + "11" * 20, 10**9)
    with pytest.raises(BenchmarkDefect, match=r"test_gold\.transfer by 'user' fails: ERC20InsufficientBalance"):
        stand.open()


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    stand = Stand().open()
    with pytest.raises(BenchmarkDefect, match="no account or contract is named 'nowhere'; there are mira, nobody"):
        stand.world.transaction(Step(sender="user", target="nowhere"))


def test_every_world_has_a_background_to_get_lost_in() -> None:
    """At least three collections, five other accounts and thirty tokens (design, section 3)."""
    for name in catalog.instance_ids():
        world = build_world(catalog.task(name, 0).fixture)
        collections = {e.contract for e in world.start if e.kind in ("owner", "units")}
        tokens = {
            (e.contract, e.subject if e.kind == "owner" else e.detail)
            for e in world.start
            if e.kind in ("owner", "units")
        }
        others = [a for a in world.fixture.accounts if a.name not in ("user", "team")]
        assert (len(collections) >= 3, len(others) >= 5, len(tokens) >= 30) == (True, True, True), name
