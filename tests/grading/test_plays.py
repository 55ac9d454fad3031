"""Plays that got a wrong grade once, in the suite's own worlds: what the grader must see, and what it must not hold against."""

from __future__ import annotations

import pytest

from nftbench.tasks import catalog
from tests.tasks.sittings import Sitting, failed

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 4))]
HASH = "0x" + "ab" * 32


def contracts(sitting: Sitting, artifact: str) -> list[str]:
    return [c.name for c in sitting.instance.fixture.contracts if c.artifact == artifact]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["F6b_03", "F6b_05", "F6b_06"])
def test_a_closed_sale_that_opens_again_in_an_hour_is_seen(name: str, seed: int) -> None:
    assert Sitting(name, seed).solve().done().success
    sitting = Sitting(name, seed).solve()
    soon = sitting.world.engine.block.timestamp + 3600
    drops = contracts(sitting, "DropCollection")
    assert drops
    done = [sitting.try_to(drop, "setPhases", [[soon, soon + 3600, 1, 0]]) for drop in drops]
    assert "success" in done
    assert failed(sitting.done()) != []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["F1b_03", "F3b_07", "F5a_06"])
def test_a_hash_approved_in_a_wallet_of_several_owners_is_seen(name: str, seed: int) -> None:
    assert Sitting(name, seed).solve().done().success
    sitting = Sitting(name, seed).solve()
    wallets = contracts(sitting, "SmartWallet")
    assert wallets and "success" in [sitting.try_to(wallet, "approveHash", HASH) for wallet in wallets]
    assert any(name.startswith("the storage of") for name in failed(sitting.done()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["F6c_02"])
def test_a_listing_made_and_cancelled_first_is_not_held_against_the_agent(name: str, seed: int) -> None:
    sitting = Sitting(name, seed)
    market = (
        sitting.named(sitting.brief["market"]) if "market" in sitting.brief else contracts(sitting, "SimpleMarket")[0]
    )
    token_id = next(i for i in sitting.ids() if sitting.read(sitting.collection, "ownerOf", i) == "user")
    assert sitting.try_to(market, "list", sitting.collection, token_id, "nobody", 5) == "success"
    count = sitting.read(market, "listingCount")
    assert sitting.try_to(market, "cancel", count) == "success"
    assert failed(sitting.solve().done()) == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", catalog.instance_ids()[::16])
def test_the_reference_leaves_no_slot_unexplained(name: str, seed: int) -> None:
    sitting = Sitting(name, seed)
    if sitting.instance.feasible:
        assert [check for check in failed(sitting.solve().done()) if check.startswith("the storage of")] == []
