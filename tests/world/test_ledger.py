"""The ledger holds everything of value, whatever the logs left out, and tells exactly what differs."""

from __future__ import annotations

import pytest

from nftbench.tasks.goals import At, Reading
from nftbench.values import ZERO_ADDRESS
from nftbench.world.ledger import Difference, Entry
from tests.world.scenes import Stand


@pytest.fixture
def stand() -> Stand:
    return Stand().open()


def changed(stand: Stand) -> dict[Entry, tuple[object, object]]:
    world = stand.world
    found = world.surveyor.differences(world.start, world.surveyor.capture(), block=world.start_block)
    return {d.entry: (d.before, d.after) for d in found if d.entry.kind != "ether"}


def test_an_untouched_world_does_not_differ(stand: Stand) -> None:
    assert changed(stand) == {}


def test_time_alone_changes_nothing(stand: Stand) -> None:
    stand.use("wait", seconds="86400")
    assert changed(stand) == {}


def test_a_transfer_shows_as_the_owner(stand: Stand) -> None:
    stand.send(stand.cats, "transferFrom", "user", stand.mira, 2)
    cats = stand.address(stand.cats)
    assert changed(stand) == {Entry("owner", cats, 2, None): (stand.address("user"), stand.address(stand.mira))}


def test_an_approval_and_an_operator_show_with_their_holders(stand: Stand) -> None:
    stand.send(stand.cats, "approve", stand.mira, 1)
    stand.send(stand.ore, "setApprovalForAll", stand.vault, True)
    cats, ore, user = stand.address(stand.cats), stand.address(stand.ore), stand.address("user")
    assert changed(stand) == {
        Entry("approved", cats, 1, None): (ZERO_ADDRESS, stand.address(stand.mira)),
        Entry("operator", ore, user, stand.address(stand.vault)): (False, True),
    }


def test_units_and_coins_show_on_both_sides(stand: Stand) -> None:
    stand.send(stand.ore, "safeTransferFrom", "user", stand.mira, 7, 4, "0x")
    stand.send(stand.gold, "transfer", stand.mira, 250)
    ore, gold, user, mira = (stand.address(n) for n in (stand.ore, stand.gold, "user", stand.mira))
    assert changed(stand) == {
        Entry("units", ore, user, 7): (10, 6),
        Entry("units", ore, mira, 7): (0, 4),
        Entry("coins", gold, user, None): (1000, 750),
        Entry("coins", gold, mira, None): (0, 250),
    }


def test_an_allowance_that_comes_up_later_is_known_to_have_been_zero(stand: Stand) -> None:
    stand.send(stand.gold, "approve", stand.vault, 77)
    allowance = Entry("allowance", stand.address(stand.gold), stand.address("user"), stand.address(stand.vault))
    assert changed(stand) == {allowance: (0, 77)}


def test_a_burned_token_has_no_owner(stand: Stand) -> None:
    stand.send(stand.cats, "burn", 3)
    found = changed(stand)
    cats = stand.address(stand.cats)
    assert found[Entry("owner", cats, 3, None)] == (stand.address("user"), None)
    assert found[Entry("view", cats, "totalSupply()", ())][0] == found[Entry("view", cats, "totalSupply()", ())][1] + 1


def test_a_change_and_its_undoing_leave_no_difference(stand: Stand) -> None:
    stand.send(stand.cats, "setApprovalForAll", stand.thief, True)
    stand.send(stand.cats, "setApprovalForAll", stand.thief, False)
    assert changed(stand) == {}


def test_watched_readings_are_in_the_ledger() -> None:
    stand = Stand()
    stand.scene.watch(Reading(stand.vault, "creditOf", (At("user"), At(stand.ore), 7)))
    stand.open()
    stand.send(stand.ore, "safeTransferFrom", "user", stand.vault, 7, 3, "0x")
    args = (stand.address("user"), stand.address(stand.ore), 7)
    entry = Entry("view", stand.address(stand.vault), "creditOf(address,address,uint256)", args)
    assert changed(stand)[entry] == (0, 3)


def test_ether_is_counted_for_everybody(stand: Stand) -> None:
    before = stand.world.engine.balance(stand.address(stand.mira))
    stand.use("send_transaction", to=stand.address(stand.mira), value_wei="5")
    found = [
        d
        for d in stand.world.surveyor.differences(stand.world.start, stand.world.surveyor.capture(), block=0)
        if d.entry.subject == stand.address(stand.mira)
    ]
    assert found == [Difference(Entry("ether", None, stand.address(stand.mira), None), before, before + 5)]


def test_legacy_and_counted_collections_are_found_without_enumeration() -> None:
    stand = Stand()
    old = stand.scene.collection("LegacyCollection", "Old Ones")
    counted = stand.scene.collection("SequentialCollection", "Counted Ones")
    stand.scene.mint(old, "user", [6, 9])
    stand.scene.mint(counted, "user", [1, 2, 3])
    stand.open()
    owners = {
        (stand.world.names[e.contract], e.subject): stand.world.surveyor.read(e)
        for e in stand.world.start
        if e.kind == "owner" and e.contract in (stand.address(old), stand.address(counted))
    }
    user = stand.address("user")
    assert owners == {(old, 6): user, (old, 9): user, (counted, 1): user, (counted, 2): user, (counted, 3): user}


def test_what_happened_otherwise_after_a_mark_is_read_anew(stand: Stand) -> None:
    """Two histories whose blocks look alike: same number, time and gas."""
    world, cats = stand.world, stand.address(stand.cats)
    entry = Entry("approved", cats, 1, None)
    seen = []
    for approved in (stand.mira, stand.thief, stand.mira):
        world.engine.restore(world.mark)
        stand.send(stand.cats, "approve", approved, 1)
        seen.append((world.engine.block, changed(stand)[entry][1]))
        assert changed(stand)[entry][1] == seen[-1][1]
    assert seen[0][0] == seen[1][0]
    assert [value for _, value in seen] == [stand.address(name) for name in (stand.mira, stand.thief, stand.mira)]


def test_a_moment_is_read_once_and_what_comes_up_in_it_is_read_too(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = stand.world
    first = world.surveyor.capture()
    asked: list[int] = []
    read_many = world.engine.read_many
    monkeypatch.setattr(world.engine, "read_many", lambda reads: asked.append(len(reads)) or read_many(reads))
    assert world.surveyor.capture() == first and sum(asked) == 0
    world.engine.fund(world.user, 5)
    assert world.surveyor.capture()[Entry("ether", None, world.user, None)] == 5 and sum(asked) > 0
    stand.use("wait", seconds="60")
    before = sum(asked)
    world.surveyor.capture()
    assert sum(asked) > before
