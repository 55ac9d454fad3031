"""The frame by slot: what no view of a known argument shows is seen in the storage, and right ways are not held against."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.grading.slots import mapping_slots
from nftbench.tasks.goals import At, Change, Goal, Owns, Reading, SoleListing, ViewEquals
from nftbench.values import keccak256
from tests.grading.test_signatures import Desk, coin_permit
from tests.world.scenes import Stand


def failed(stand: Stand, *goals: Goal, allowed: tuple[Change, ...] = (), feasible: bool = True) -> list[str]:
    ending: Any = "finish_task" if feasible else "declare_infeasible"
    stand.use(ending, **({"summary": "done"} if feasible else {"reason": "no"}))
    task = stand.task(*goals, allowed=allowed, feasible=feasible, reason_classes=() if feasible else ("locked",))
    verdict: Grade = grade(task, stand.desk, ending)
    return [check.name for check in verdict.checks if not check.passed]


def drop(until: int = -3600) -> tuple[Stand, str, tuple[int, ...]]:
    """A drop of the user's whose one phase ends so many seconds after the start: it is over, unless told otherwise."""
    stand = Stand()
    start = stand.scene.start
    phase = (start - 7200, start + until, 5, 0)
    args = ("Larks", "LRK", At("user"), 100, (phase,), "")
    larks = stand.scene.contract("DropCollection", args, label="Larks")
    return stand.open(), larks, phase


def test_a_sale_that_is_to_open_again_is_seen_though_the_task_speaks_of_the_contract() -> None:
    for reopened in (False, True):
        stand, larks, _ = drop()
        stand.world.engine.fund(stand.address(larks), 50)
        stand.send(larks, "withdraw", stand.mira)
        if reopened:
            soon = stand.world.engine.block.timestamp + 3600
            stand.send(larks, "setPhases", [[str(soon), str(soon + 60), "1", "0"]])
        goals = (ViewEquals(Reading(larks, "phaseCount"), 1),)
        money = (
            Change(kind="ether", contract=None, subject=larks),
            Change(kind="ether", contract=None, subject="mira"),
        )
        found = failed(stand, *goals, allowed=money)
        assert found == (["the storage of larks is left alone"] if reopened else [])


def test_phases_that_are_asked_for_may_be_set_and_those_put_back_were_never_changed() -> None:
    stand, larks, phase = drop()
    stand.send(larks, "setPhases", [["7", "9", "1", "0"]])
    asked = ViewEquals(Reading(larks, "phaseTerms", (0,)), (7, 9, 1, 0))
    assert failed(stand, asked) == []
    other = ViewEquals(Reading(larks, "phaseCount"), 1)
    assert failed(stand, other) == ["the storage of larks is left alone"]
    view = Change(kind="view", contract=larks, subject="phaseTerms(uint256)", detail=(0,), to=(7, 9, 1, 0))
    assert failed(stand, other, allowed=(view,)) == []
    stand.send(larks, "setPhases", [[str(v) for v in phase]])
    assert failed(stand, other) == []


def test_a_hash_approved_in_a_wallet_is_seen() -> None:
    stand = Stand()
    wallet = stand.scene.contract("SmartWallet", ((At("user"), At(stand.mira)), 2, At("nobody")), label="Vault Two")
    stand.open()
    stand.send(wallet, "approveHash", "0x" + "ab" * 32)
    owners = ViewEquals(Reading(wallet, "isOwner", (At("user"),)), True)
    assert failed(stand, owners) == ["the storage of vault_two is left alone"]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1), (2, 1, 3)])
def test_the_order_of_moves_is_left_open_in_collections_that_keep_lists(order: tuple[int, ...]) -> None:
    """The lists of an enumerable collection, and the places in them, come out otherwise; who owns what does not."""
    stand = Stand().open()
    for token_id in order:
        stand.send(stand.cats, "transferFrom", "user", stand.mira, token_id)
    assert failed(stand, *(Owns(stand.mira, stand.cats, i) for i in (1, 2, 3))) == []


@pytest.mark.parametrize(
    "collection", ["SoladyCollection", "SequentialCollection", "RentableCollection", "PermitCollection"]
)
def test_a_token_moves_without_a_stray_slot_in_every_kind_of_collection(collection: str) -> None:
    stand = Stand()
    birds = stand.scene.collection(collection, "Birds")
    stand.scene.mint(birds, "user", [1, 2, 3, 4])
    stand.open()
    stand.send(birds, "transferFrom", "user", stand.mira, 2)
    assert failed(stand, Owns(stand.mira, birds, 2)) == []
    stand.send(birds, "approve", stand.thief, 3)
    assert failed(stand, Owns(stand.mira, birds, 2)) == ["the approved account of birds #3 is left alone"]


@pytest.mark.parametrize("order", [(1,), (2,), (3,), (1, 2), (2, 1, 3), (3, 2, 1)])
def test_the_places_of_tokens_that_are_burned_are_empty_and_no_strays(order: tuple[int, ...]) -> None:
    stand = Stand().open()
    for token_id in order:
        stand.send(stand.cats, "burn", token_id)
    gone = tuple(Change(kind="owner", contract=stand.cats, subject=i, to=None) for i in order)
    bare = tuple(Change(kind="approved", contract=stand.cats, subject=i, to=None) for i in order)
    fewer = Change(kind="view", contract=stand.cats, subject="totalSupply()", to=5 - len(order))
    assert failed(stand, Owns(stand.mira, stand.cats, 4), allowed=(*gone, *bare, fewer)) == []


@pytest.mark.parametrize("locked", [1, 3])
@pytest.mark.parametrize("others", [1, 2, 3])
def test_what_is_kept_by_token_id_beside_the_places_in_lists_is_seen(locked: int, others: int) -> None:
    """A collection that lists its tokens, and keeps a lock for each (1 for a holder's) that its known interface says nothing of:
    a 1 for #3, which is in place 1 of the list once #2 is gone, is a place by accident."""
    lock = keccak256(b"lock(uint256)")[:4] + locked.to_bytes(32, "big")
    for spoiled in (False, True):
        stand = Stand()
        base = ("Birds", "BRD", At("team"), "")
        birds = stand.scene.contract("LockableCollection", base, label="Birds", interface="OpenZeppelinCollection")
        stand.scene.mint(birds, "user", [1, 2, 3])
        stand.scene.mint(birds, stand.mira, [4, 5, 6][:others])
        stand.open()
        stand.send(birds, "transferFrom", "user", stand.mira, 2)
        if spoiled:
            sent = stand.use("send_transaction", to=stand.address(birds), data="0x" + lock.hex())
            assert sent["status"] == "success"
        assert failed(stand, Owns(stand.mira, birds, 2)) == (["the storage of birds is left alone"] if spoiled else [])


def test_a_slot_that_a_reading_looks_at_and_does_not_depend_on_is_not_explained_by_it() -> None:
    """Times and price of a phase lie in one slot; which phase is open depends on the times alone."""
    for cheaper in (False, True):
        stand, larks, (opens, closes, price, most) = drop(7200)
        stand.send(larks, "setPhases", [[str(v) for v in (opens, closes, 1 if cheaper else price, most)]])
        goal = ViewEquals(Reading(larks, "activePhase"), 0)
        assert failed(stand, goal) == (["the storage of larks is left alone"] if cheaper else [])


def bazaar() -> tuple[Stand, str]:
    stand = Stand()
    market = stand.scene.contract("SimpleMarket", (At("team"), 0), label="Market")
    return stand.open(), market


@pytest.mark.parametrize("feasible", [True, False])
def test_a_listing_that_was_made_and_cancelled_leaves_a_number_behind_and_no_harm(feasible: bool) -> None:
    stand, market = bazaar()
    stand.send(market, "list", stand.cats, 1, "nobody", 5)
    stand.send(market, "cancel", 1)
    goal = Owns("user" if feasible else stand.mira, stand.cats, 1)
    assert failed(stand, goal, feasible=feasible) == []
    stand.send(market, "list", stand.cats, 1, "nobody", 5)
    assert failed(stand, goal, feasible=feasible) == ["the storage of market is left alone"]


def test_the_listing_that_was_asked_for_stands_at_any_number() -> None:
    for undone in (0, 2):
        stand, market = bazaar()
        for i in range(undone):
            stand.send(market, "list", stand.cats, 1, "nobody", 5)
            stand.send(market, "cancel", i + 1)
        stand.send(market, "list", stand.cats, 1, "nobody", 7)
        assert failed(stand, SoleListing(market, stand.cats, 1)) == []


def test_a_nonce_that_went_up_is_no_harm_and_its_contract_is_looked_at_all_the_same() -> None:
    desk = Desk()
    stand = desk.stand
    stand.send(stand.gold, "permit", *coin_permit(desk))
    stand.send(stand.gold, "approve", stand.vault, 0)
    assert failed(stand, Owns("user", stand.cats, 1)) == []


@pytest.mark.parametrize("key", [0, 5, 2**255])
def test_the_values_of_mappings_lie_where_solidity_says(key: int) -> None:
    """keccak256 of the key and the mapping's own position, each in a word (Solidity's storage layout)."""
    at = int.from_bytes(keccak256(key.to_bytes(32, "big") + (7).to_bytes(32, "big")), "big")
    assert at in mapping_slots(key) and len(mapping_slots(key)) == 32
