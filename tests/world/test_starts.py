"""Worlds that are put up again: to the bit what building gives, of their own, and bounded in number."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.chain.moments import KeptChain
from nftbench.run.runner import open_attempt
from nftbench.tasks import catalog
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world
from nftbench.world.starts import STARTS, Starts, start_of
from nftbench.world.world import World


def played(world: World, name: str) -> Iterator[str]:
    """The texts of all results of the reference in a world."""
    box = standard_toolbox(Desk(world))
    plan = catalog.policy(catalog.task(name, 1))()
    call = next(plan)
    while box.desk.ending is None:
        text = box.call(call.name, call.arguments).text
        yield text
        if box.desk.ending is None:
            call = plan.send(text)


def chain(world: World) -> KeptChain:
    """What the chain is, but for pyrevm's own objects and the order in which it names what one block changed."""
    kept: KeptChain = world.engine.keep()  # type: ignore[attr-defined]
    spans = zip(kept.starts, (*kept.starts[1:], len(kept.state.changes)), strict=True)
    changes = tuple(change for a, b in spans for change in sorted(kept.state.changes[a:b], key=repr))
    addresses = tuple(sorted(address for address, _ in kept.state.analysed))
    return replace(kept, state=replace(kept.state, analysed=addresses, changes=changes))


def told(world: World) -> dict[str, Any]:
    """Everything else that a world holds."""
    known = world.surveyor
    return {
        "names": (world.addresses, world.names, world.contracts, world.user, list(world.controlled)),
        "start": (world.start_block, world.start, world.signatures, world.memories),
        "all": (set(vars(world)), set(vars(known))),
        "orders": (world.orders, world.order_book.entries),
        "known": (known._calls, known.ranges, known._counted, known._seen_logs, known._seen_receipts),
        "decoders": set(known._decoders),
    }


SUB_FAMILIES = sorted({name.partition("_")[0] for name in catalog.instance_ids()})


@pytest.mark.parametrize("sub_family", SUB_FAMILIES)
def test_a_world_that_is_put_up_again_is_the_one_that_building_gives(sub_family: str) -> None:
    """One of each sub-family; the slow test has all."""
    compare([f"{sub_family}_07"])


@pytest.mark.slow
@pytest.mark.parametrize("sub_family", SUB_FAMILIES)
def test_every_world_that_is_put_up_again_is_the_one_that_building_gives(sub_family: str) -> None:
    compare([name for name in catalog.instance_ids() if name.startswith(f"{sub_family}_")])


def compare(names: list[str]) -> None:
    """At the start, after the reference has played in it (actors, documents and all), and for a second time after that."""
    for name in names:
        fixture = catalog.task(name, 1).fixture
        built = build_world(fixture)
        start = start_of(build_world(fixture))
        first = start.world()
        assert (chain(first), told(first), first.hash()) == (chain(built), told(built), start.hash)
        assert first.surveyor.capture() == built.surveyor.capture() == built.start
        assert list(played(first, name)) == list(played(built, name))
        assert (chain(first), told(first)) == (chain(built), told(built))
        assert first.changes(first.start, first.start_block) == built.changes(built.start, built.start_block)
        second = start.world()
        assert (second.hash(), chain(second)) == (start.hash, chain(start_of(build_world(fixture)).world()))
        assert list(played(second, name)) == list(played(start.world(), name))


def test_worlds_of_one_start_do_not_touch_each_other() -> None:
    starts = Starts()
    task = catalog.task("F1a_01", 1)
    worlds = [starts.world("a", task.fixture)[0] for _ in range(4)]
    hashes = [world.hash() for world in worlds]
    assert len(set(hashes)) == 1
    with ThreadPoolExecutor(2) as threads:
        texts = list(threads.map(lambda world: list(played(world, "F1a_01")), worlds[:2]))
    worlds[1].addresses["more"] = "0x"
    assert texts[0] == texts[1] and worlds[0].engine.block.number > worlds[2].engine.block.number
    assert [chain(world) for world in worlds[2:]] == [chain(build_world(task.fixture))] * 2
    assert "more" not in starts.world("a", task.fixture)[0].addresses


def test_another_fixture_under_the_same_key_is_built() -> None:
    """The key is the task's name; who changes a fixture by hand keeps the name."""
    starts = Starts()
    fixture = catalog.task("F1a_01", 1).fixture
    richer = replace(fixture, accounts=tuple(replace(account, ether=account.ether + 1) for account in fixture.accounts))
    world, before = starts.world("a", fixture)
    other, after = starts.world("a", richer)
    assert after == build_world(richer).hash() != before
    assert other.engine.balance(other.user) == world.engine.balance(world.user) + 1
    equal = replace(fixture)
    assert starts.world("a", fixture)[1] == starts.world("a", equal)[1] == before


def test_what_is_kept_is_bounded_and_what_was_wanted_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    fixtures = {name: catalog.task(name, 1).fixture for name in ("F1a_01", "F1a_02", "F1a_03")}
    sizes = {name: start_of(build_world(fixture)).size for name, fixture in fixtures.items()}
    starts = Starts(most_bytes=sizes["F1a_01"] + max(sizes["F1a_02"], sizes["F1a_03"]))
    built: list[str] = []
    monkeypatch.setattr("nftbench.world.starts.build_world", lambda f: built.append(f.seed) or build_world(f))
    for name in ("F1a_01", "F1a_02", "F1a_01", "F1a_03", "F1a_01", "F1a_02"):
        starts.world(name, fixtures[name])
    assert [seed[-2:] for seed in built] == ["01", "02", "03", "02"] and len(starts) <= 2
    none = Starts(most_bytes=0)
    assert none.world("x", fixtures["F1a_01"])[1] == starts.world("y", fixtures["F1a_01"])[1] and len(none) == 0


def test_the_attempts_of_a_process_share_the_starts_and_none_sees_another() -> None:
    STARTS.clear()
    task = catalog.task("F1c_03", 2)
    opened = [open_attempt(task) for _ in range(3)]
    assert len({each.world_hash for each in opened}) == 1
    assert len({id(each.desk.world.engine) for each in opened}) == 3
    assert opened[0].desk.world.signatures is not opened[1].desk.world.signatures
