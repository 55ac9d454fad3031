"""What the starting ledger does not hold is graded too: views of the tokens that the agent named, and, in a world that is to
stay untouched, anything at all that was written."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, Change, EventEmitted, Goal, HoldsUnits, Owns, Reading, ViewEquals
from nftbench.tasks.model import Step, Trigger
from tests.world.scenes import Stand


def failed(verdict: Grade) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def finished(stand: Stand, *goals: Goal, allowed: tuple[Change, ...] = ()) -> Grade:
    stand.use("finish_task", summary="done")
    return grade(stand.task(*goals, allowed=allowed), stand.desk, "finish_task")


def declined(stand: Stand, *goals: Goal) -> Grade:
    stand.use("declare_infeasible", reason="no")
    return grade(stand.task(*goals, feasible=False, reason_classes=("locked",)), stand.desk, "declare_infeasible")


def creator() -> tuple[Stand, str]:
    """The stand with a collection of the user's own, whose tokens have metadata that can be set and frozen."""
    stand = Stand()
    art = stand.scene.contract("MetadataCollection", ("Art", "ART", At("user"), "", ""), label="Art")
    stand.scene.step("user", art, "mintBatch", At(stand.mira), (1, 2, 3))
    return stand, art


def renamed(art: str, token_id: int, value: str) -> tuple[Goal, ...]:
    """The goals of a new URI; setting one signals it."""
    return ViewEquals(Reading(art, "tokenURI", (token_id,)), value), EventEmitted(art, "MetadataUpdate")


def test_the_metadata_of_another_token_that_was_set_or_frozen_is_a_stray_change() -> None:
    """Nothing in the starting ledger speaks of either."""
    stand, art = creator()
    stand.open()
    stand.send(art, "setTokenURI", 1, "ipfs://new/1")
    mark = stand.world.engine.snapshot()
    assert failed(finished(stand, *renamed(art, 1, "ipfs://new/1"))) == []
    stand.world.engine.restore(mark)
    stand.send(art, "setTokenURI", 2, "ipfs://new/2")
    stand.send(art, "freezeToken", 3)
    names = failed(finished(stand, *renamed(art, 1, "ipfs://new/1")))
    assert "art.tokenURI(2) is left alone" in names
    assert [name for name in names if "(3)" in name] == ["art.tokenFrozen(3) is left alone"]


def test_it_may_be_allowed_and_an_actors_own_change_is_no_stray_one() -> None:
    stand, art = creator()
    stand.scene.actor(
        "studio",
        Trigger(after=100),
        Step(sender="user", target=art, function="setTokenURI", args=(2, "ipfs://theirs/2")),
    )
    stand.open()
    stand.send(art, "setTokenURI", 1, "ipfs://new/1")
    stand.send(art, "setTokenURI", 3, "ipfs://new/3")
    stand.use("wait", seconds="200")
    allowed = (Change(kind="view", contract=art, subject="tokenURI(uint256)", detail=(3,)),)
    assert failed(finished(stand, *renamed(art, 1, "ipfs://new/1"), allowed=allowed)) == []


def test_the_royalty_of_one_token_is_looked_at() -> None:
    stand = Stand()
    art = stand.scene.contract(
        "RoyaltyCollection", ("Art", "ART", At("user"), At("user"), 500, "ipfs://art/"), label="Art"
    )
    stand.scene.step("user", art, "mintBatch", At("user"), (1, 2))
    stand.open()
    stand.send(art, "transferFrom", "user", stand.mira, 1)
    stand.send(art, "setTokenRoyalty", 2, stand.thief, 9_000)
    assert failed(finished(stand, Owns(stand.mira, art, 1))) == ["art.royaltyInfo(2, 10000) is left alone"]


def wallet(stand: Stand) -> str:
    return stand.scene.contract("SmartWallet", ((At("user"), At(stand.mira)), 1, At("nobody")), label="Wallet")


def listing(stand: Stand) -> str:
    market = stand.scene.contract("SimpleMarket", (At("team"), 250), label="Market")
    stand.scene.step("user", market, "list", At(stand.cats), 1, At("nobody"), 10**18)
    return market


UNSEEN: dict[str, tuple[Any, str, tuple[Any, ...]]] = {
    "a listing's price": (listing, "setPrice", (1, 1)),
    "a listing": (listing, "cancel", (1,)),
    "a hash approved for a wallet": (wallet, "approveHash", ("0x" + "11" * 32,)),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_a_world_in_which_anything_was_written_is_not_untouched(name: str) -> None:
    build, function, args = UNSEEN[name]
    stand = Stand()
    contract = build(stand)
    stand.open()
    assert declined(stand, Owns(stand.mira, stand.cats, 4)).success
    stand.send(contract, function, *args)
    verdict = declined(stand, Owns(stand.mira, stand.cats, 4))
    assert failed(verdict) == [f"the storage of {contract} is left alone"]


def test_what_was_put_back_as_it_was_is_untouched() -> None:
    stand = Stand()
    market = listing(stand)
    stand.open()
    stand.send(market, "setPrice", 1, 5)
    stand.send(market, "setPrice", 1, 10**18)
    stand.send(stand.cats, "approve", stand.mira, 1)
    stand.send(stand.cats, "approve", "nobody", 1)
    stand.send(stand.gold, "approve", stand.mira, 5)
    stand.send(stand.gold, "approve", stand.mira, 0)
    assert declined(stand, Owns(stand.mira, stand.cats, 4)).success


def delivery() -> Stand:
    """Mira sends the user cat #4 and two units of ore #7 after a while."""
    stand = Stand()
    stand.scene.mint_units(stand.ore, stand.mira, {7: 2})
    units = "safeTransferFrom(address,address,uint256,uint256,bytes)"
    stand.scene.actor(
        "delivery",
        Trigger(after=100),
        Step(sender=stand.mira, target=stand.cats, function="transferFrom", args=(At(stand.mira), At("user"), 4)),
        Step(sender=stand.mira, target=stand.ore, function=units, args=(At(stand.mira), At("user"), 7, 2, b"")),
    )
    stand.open()
    stand.use("wait", seconds="200")
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    return stand


def test_what_an_actor_did_and_the_agent_undid_is_a_stray_change() -> None:
    """The world looks as at the start then, and what was delivered is gone."""
    stand = delivery()
    assert failed(finished(stand, Owns(stand.mira, stand.cats, 2))) == []
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 4)
    stand.send(stand.ore, "safeTransferFrom", "user", stand.mira, 7, 2, "0x")
    assert sorted(failed(finished(stand, Owns(stand.mira, stand.cats, 2)))) == [
        "the owner of test_cats #4 is left alone",
        "the units of test_ore #7 held by mira is left alone",
        "the units of test_ore #7 held by user is left alone",
    ]


def test_undoing_it_may_be_what_is_asked() -> None:
    stand = delivery()
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 4)
    stand.send(stand.ore, "safeTransferFrom", "user", stand.mira, 7, 1, "0x")
    goals = (Owns(stand.mira, stand.cats, 2), Owns(stand.mira, stand.cats, 4), HoldsUnits(stand.mira, stand.ore, 7, 1))
    assert failed(finished(stand, *goals, HoldsUnits("user", stand.ore, 7, 11))) == []


def test_an_actors_write_after_the_agents_is_the_actors() -> None:
    stand = Stand()
    market = listing(stand)
    stand.scene.actor(
        "bidder", Trigger(after=100), Step(sender="user", target=market, function="setPrice", args=(1, 7))
    )
    stand.open()
    stand.send(market, "setPrice", 1, 10**18 + 1)
    stand.send(market, "setPrice", 1, 10**18)
    stand.use("wait", seconds="200")
    assert declined(stand, Owns(stand.mira, stand.cats, 4)).success


def test_an_actors_change_is_no_cover_for_a_write_in_the_same_contract() -> None:
    stand = Stand()
    market = listing(stand)
    stand.scene.actor(
        "seller",
        Trigger(after=100),
        Step(sender=stand.mira, target=market, function="list", args=(At(stand.cats), 4, At("nobody"), 5)),
    )
    stand.open()
    stand.use("wait", seconds="200")
    stand.send(market, "cancel", 1)
    assert failed(declined(stand, Owns(stand.mira, stand.cats, 5))) == ["the storage of market is left alone"]
