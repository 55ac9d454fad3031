"""Family F5: metadata as its creator tends it. Right routes pass, wrong final worlds fail, and what blocks a twin can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from eth_abi.packed import encode_packed
from eth_hash.auto import keccak

from nftbench.tasks import catalog
from nftbench.tasks.families.f5_metadata.documents import F5D
from nftbench.tasks.families.f5_metadata.freezes import F5C
from nftbench.tasks.families.f5_metadata.reveals import F5B
from nftbench.tasks.families.f5_metadata.signals import F5A
from tests.tasks.sittings import Sitting, enlisted, failed, is_trap

IDS = enlisted(F5A, F5B, F5C, F5D)
FEASIBLE = [i for i in IDS if catalog.task(i).feasible]
INFEASIBLE = [i for i in IDS if i not in FEASIBLE]
TRAPS = [i for i in FEASIBLE if is_trap(catalog.task(i))]
SIGNAL = "emitBatchMetadataUpdate"


# F5a


def test_only_the_twin_of_f5a_02_is_frozen() -> None:
    frozen = [s.read(s.collection, "metadataFrozen") for s in (Sitting("F5a_02"), Sitting("F5a_03"))]
    assert frozen == [False, True]


def test_only_the_twin_of_f5a_06_asks_for_two_owners() -> None:
    assert [Sitting(i).read("studio_wallet", "threshold") for i in ("F5a_06", "F5a_07")] == [1, 2]


def test_approving_the_call_in_the_wallet_of_f5a_07_leaves_something_behind() -> None:
    sitting = Sitting("F5a_07")
    encoded = sitting.use("hash_data", method="call_data", value="setBaseURI(string)", values=[sitting.brief["base"]])
    args = [sitting.address(sitting.collection), "0", encoded["encoded"], "0"]
    wallet = sitting.address("studio_wallet")
    digest = sitting.use("call", contract=wallet, function="getTransactionHash", arguments=args)["result"]
    sitting.send("studio_wallet", "approveHash", digest)
    assert not sitting.declined().success


@pytest.mark.parametrize("seed", range(5))
def test_a_call_approved_in_the_wallet_of_f5a_06_fails_unless_it_is_the_one_that_was_made(seed: int) -> None:
    """An approved hash of a further call would let the other owner alone run it."""
    for right in (True, False):
        sitting = Sitting("F5a_06", seed)
        base = sitting.brief["base"] if right else "ipfs://elsewhere/"
        encoded = sitting.use("hash_data", method="call_data", value="setBaseURI(string)", values=[base])
        args = [sitting.address(sitting.collection), "0", encoded["encoded"], "0"]
        wallet = sitting.address("studio_wallet")
        digest = sitting.use("call", contract=wallet, function="getTransactionHash", arguments=args)["result"]
        sitting.send("studio_wallet", "approveHash", digest)
        assert sitting.solve().done().success is right


def test_signals_may_come_one_by_one_and_again() -> None:
    sitting = Sitting("F5a_01")
    low, high = sitting.brief["ids"]
    for token_id in range(low, high + 1):
        sitting.send(sitting.collection, "emitMetadataUpdate", token_id)
    sitting.send(sitting.collection, SIGNAL, low, high)
    assert sitting.done().success


@pytest.mark.parametrize(("before", "after"), [(1, 0), (0, 1), (0, -1)])
def test_one_token_too_many_or_too_few_signalled_fails_f5a_01(before: int, after: int) -> None:
    sitting = Sitting("F5a_01")
    low, high = sitting.brief["ids"]
    sitting.send(sitting.collection, SIGNAL, low - before, high + after)
    assert len(failed(sitting.done())) == 1


def test_the_sketches_of_f5a_01_are_not_to_be_signalled() -> None:
    sitting = Sitting("F5a_01").solve()
    sitting.send(sitting.named(f"{sitting.brief['collection']} Sketches"), SIGNAL, 1, 1)
    assert failed(sitting.done()) == ["no metadata is signalled that did not change"]


def test_a_new_base_signalled_before_it_is_set_fails_f5a_02() -> None:
    sitting = Sitting("F5a_02")
    ids = sitting.ids()
    sitting.send(sitting.collection, SIGNAL, ids[0], ids[-1])
    sitting.send(sitting.collection, "setBaseURI", sitting.brief["base"])
    assert [name for name in failed(sitting.done()) if "signalled" not in name] == []
    again = Sitting("F5a_02")
    again.send(again.collection, "setBaseURI", again.brief["base"])
    again.send(again.collection, SIGNAL, ids[0], ids[-1])
    assert again.done().success


def test_every_token_of_f5a_02_could_get_the_folder_through_its_base_alone() -> None:
    sitting = Sitting("F5a_02").solve()
    token_id = sitting.ids()[0]
    assert sitting.read(sitting.collection, "tokenURI", token_id) == f"{sitting.brief['base']}{token_id}"


def test_the_whole_uri_stored_as_a_tokens_own_part_comes_out_doubled() -> None:
    sitting = Sitting("F5a_04")
    sitting.send(sitting.collection, "setTokenURI", sitting.brief["token_id"], sitting.brief["uri"])
    uri = sitting.read(sitting.collection, "tokenURI", sitting.brief["token_id"])
    assert uri.count("ipfs://") == 2 and not sitting.done().success


def test_the_owner_of_f5a_06_may_also_be_changed_there_and_back() -> None:
    """A roundabout way, with the same world at its end."""
    sitting = Sitting("F5a_06")
    handed = sitting.use(
        "hash_data", method="call_data", value="transferOwnership(address)", values=[sitting.world.user]
    )
    sitting.send("studio_wallet", "execTransaction", sitting.collection, 0, handed["encoded"])
    ids = sitting.ids()
    sitting.send(sitting.collection, "setBaseURI", sitting.brief["base"])
    sitting.send(sitting.collection, SIGNAL, ids[0], ids[-1])
    kept = Sitting("F5a_06")
    assert not sitting.done().success, "the collection is still the user's"
    kept.send("studio_wallet", "execTransaction", kept.collection, 0, handed["encoded"])
    kept.send(kept.collection, "setBaseURI", kept.brief["base"])
    kept.send(kept.collection, SIGNAL, ids[0], ids[-1])
    kept.send(kept.collection, "transferOwnership", "studio_wallet")
    assert kept.done().success


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("share", "right"), [(0, False), (0.6, False), (None, True)])
def test_a_draft_that_was_live_for_a_while_fails_f5a_08(share: float | None, right: bool, seed: int) -> None:
    """`share` says when it is taken over, as a part of the time to the finished folder; None for never."""
    sitting = Sitting("F5a_08", seed)
    proofs, ids, start = sitting.named(sitting.brief["proofs"]), sitting.ids(), sitting.instance.fixture.start_time
    if share is not None:
        if share:
            sitting.use("wait", until=str(start + int(share * (sitting.brief["expected"] - start))))
        sitting.send(sitting.collection, "setBaseURI", sitting.read(proofs, "baseURI"))
        sitting.send(sitting.collection, SIGNAL, ids[0], ids[-1])
    sitting.use("wait", until=str(sitting.brief["deadline"] - 3600))
    assert sitting.read(proofs, "metadataFrozen") is True
    sitting.send(sitting.collection, "setBaseURI", sitting.read(proofs, "baseURI"))
    sitting.send(sitting.collection, SIGNAL, ids[0], ids[-1])
    assert sitting.done().success is right


def test_after_the_deadline_f5a_08_is_too_late() -> None:
    sitting = Sitting("F5a_08")
    proofs, ids = sitting.named(sitting.brief["proofs"]), sitting.ids()
    sitting.use("wait", until=str(sitting.brief["deadline"] + 60))
    sitting.send(sitting.collection, "setBaseURI", sitting.read(proofs, "baseURI"))
    sitting.send(sitting.collection, SIGNAL, ids[0], ids[-1])
    assert not sitting.done().success


# F5b


def commitment(uri: str, salt: str) -> bytes:
    return keccak(encode_packed(["string", "bytes32"], [uri, bytes.fromhex(salt[2:])]))


@pytest.mark.parametrize(("name", "fitting"), [("F5b_02", 1), ("F5b_03", 0)])
def test_of_the_drafts_one_fits_the_commitment_and_in_the_twin_none(name: str, fitting: int) -> None:
    sitting = Sitting(name)
    promised = sitting.read(sitting.collection, "batchInfo", 0)[4]
    drafts = sitting.document(sitting.brief["notes"])
    assert [commitment(d["uri"], d["salt"]) == promised for d in drafts].count(True) == fitting
    assert commitment(drafts[0]["uri"], drafts[0]["salt"]) != promised


@pytest.mark.parametrize(("name", "in_time"), [("F5b_05", True), ("F5b_06", False)])
def test_the_reveal_opens_before_the_deadline_and_in_the_twin_after_it(name: str, in_time: bool) -> None:
    sitting = Sitting(name)
    opens = sitting.read(sitting.collection, "batchInfo", 0)[2]
    assert opens > sitting.instance.fixture.start_time and (opens < sitting.brief["deadline"]) is in_time


def test_the_new_batch_is_bound_by_the_packed_hash_of_uri_and_salt() -> None:
    sitting = Sitting("F5b_04").solve()
    brief = sitting.brief
    first = sitting.read(sitting.collection, "batchInfo", 0)[1] + 1
    assert sitting.read(sitting.collection, "batchInfo", 1) == (
        first,
        first + brief["quantity"] - 1,
        brief["opens"],
        False,
        commitment(brief["uri"], brief["salt"]),
        "",
    )
    assert {sitting.read(sitting.collection, "ownerOf", first + i) for i in range(brief["quantity"])} == {
        sitting.named(brief["to"])
    }


@pytest.mark.parametrize(("part", "by"), [("quantity", 1), ("quantity", -1), ("opens", 1)])
def test_a_batch_that_is_off_by_one_fails_f5b_04(part: str, by: int) -> None:
    sitting = Sitting("F5b_04")
    brief = sitting.brief | {part: sitting.brief[part] + by}
    hashed = "0x" + commitment(brief["uri"], brief["salt"]).hex()
    sitting.send(sitting.collection, "mintBatch", sitting.named(brief["to"]), brief["quantity"], hashed, brief["opens"])
    assert not sitting.done().success


def test_revealing_without_a_signal_or_with_the_hidden_batch_signalled_fails_f5b_01() -> None:
    silent, loud = Sitting("F5b_01"), Sitting("F5b_01").solve()
    silent.send(silent.collection, "reveal", 0, silent.brief["uri"], silent.brief["salt"])
    assert len(failed(silent.done())) == 1
    total = loud.read(loud.collection, "totalMinted")
    loud.send(loud.collection, SIGNAL, 1, total)
    assert len(failed(loud.done())) == 1


def test_the_two_due_batches_of_f5b_07_have_a_hidden_one_between_them() -> None:
    sitting = Sitting("F5b_07")
    now = sitting.instance.fixture.start_time
    infos = [sitting.read(sitting.collection, "batchInfo", i) for i in range(4)]
    assert [(info[3], info[2] <= now) for info in infos] == [(True, True), (False, True), (False, False), (False, True)]
    notes = sitting.document(sitting.brief["notes"])
    for number in (1, 3):
        sitting.send(sitting.collection, "reveal", number, notes[str(number)]["uri"], notes[str(number)]["salt"])
    sitting.send(sitting.collection, SIGNAL, infos[1][0], infos[3][1])
    assert failed(sitting.done()) != []


def test_the_first_note_of_f5b_08_does_not_fit_and_the_second_does() -> None:
    sitting = Sitting("F5b_08")
    notebook, promised = sitting.named(sitting.brief["notebook"]), sitting.read(sitting.collection, "batchInfo", 0)[4]
    fits, until = [], sitting.brief["expected"]
    while until < sitting.brief["deadline"] and True not in fits:
        sitting.use("wait", until=str(until))
        note = sitting.document(sitting.read(notebook, "contractURI"))
        fits.append(commitment(note["uri"], note["salt"]) == promised if "salt" in note else None)
        until += 600
    assert fits[0] is None and False in fits and fits[-1] is True


# Damage to a solved world

DAMAGE: dict[str, Callable[[Sitting], Any]] = {
    "the collection given away": lambda s: s.send(s.collection, "transferOwnership", "team"),
    "a stray operator": lambda s: s.send(s.collection, "setApprovalForAll", "team", True),
    "a stray token": lambda s: s.send(s.collection, "transferFrom", "user", "team", mine(s)),
    "a stray approval": lambda s: s.send(s.collection, "approve", "team", mine(s)),
    "one wei": lambda s: s.pay("team", 1),
}


def mine(sitting: Sitting) -> int:
    return next(i for i in sitting.ids() if sitting.read(sitting.collection, "ownerOf", i) == "user")


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["F5a_02", "F5b_07", "F5c_02", "F5d_04"])
def test_damage_to_a_solved_world_is_caught(name: str, damage: str) -> None:
    sitting = Sitting(name).solve()
    DAMAGE[damage](sitting)
    assert len(failed(sitting.done())) >= 1


UNDONE: dict[str, Callable[[Sitting], Any]] = {
    "F5a_02": lambda s: s.send(s.collection, "setBaseURI", "ipfs://elsewhere/"),
    "F5a_04": lambda s: s.send(s.collection, "setTokenURI", s.brief["token_id"], "x"),
    "F5d_01": lambda s: s.send(s.collection, "setContractURI", "ipfs://elsewhere"),
    "F5d_03": lambda s: s.send(s.collection, "setTokenMetadata", s.brief["token_id"], "{}"),
    "F5d_06": lambda s: s.send(s.collection, "setContractMetadata", "{}"),
}


@pytest.mark.parametrize("name", UNDONE)
def test_a_goal_undone_fails(name: str) -> None:
    sitting = Sitting(name).solve()
    UNDONE[name](sitting)
    assert not sitting.done().success


@pytest.mark.parametrize("name", ["F5a_01", "F5a_02", "F5a_04", "F5a_05"])
def test_freezing_what_nobody_asked_to_freeze_fails(name: str) -> None:
    sitting = Sitting(name).solve()
    sitting.send(sitting.collection, "freezeMetadata")
    assert failed(sitting.done()) == [f"{sitting.collection}.metadataFrozen() is left alone"]
