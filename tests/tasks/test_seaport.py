"""Signed orders of a scene on the real exchange: hashes, signatures, payments to the wei, and each way of being dead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nftbench.chain.abi import decode_revert
from nftbench.chain.engine import Receipt
from nftbench.tasks.goals import At, Reading
from nftbench.tasks.scene import ETHER
from nftbench.tasks.seaport import criteria_proof, criteria_root
from nftbench.world.world import World
from tests.tasks.exchange import Stand

DAY = 86_400


def owner(world: World, collection: str, token_id: int) -> str:
    return world.names[str(world.read(Reading(collection, "ownerOf", (token_id,))))]


def test_every_hash_is_the_contracts_own() -> None:
    stand = Stand()
    stand.sea.list(stand.mira, stand.cats, 1, ETHER, last=ETHER // 2, royalty=(stand.ada, 500))
    stand.sea.bid(stand.vera, stand.cats, [1, 2, 3], ETHER)
    stand.sea.raise_counter(stand.mira)
    stand.sea.list(stand.mira, stand.cats, 2, ETHER, buyer=stand.ivo)
    world = stand.world()
    assert len(world.orders) == 3
    for order in world.orders.values():
        assert world.read(Reading(stand.sea.seaport, "getOrderHash", (order.components,))) == order.hash
    counters = [order.components[10] for order in world.orders.values()]
    assert counters[0] == 0 != counters[2], "a raised counter comes of a block hash"


def test_a_listing_pays_exactly_price_fee_and_royalty() -> None:
    stand = Stand()
    name = stand.sea.list(stand.mira, stand.cats, 1, 8 * ETHER // 10, royalty=(stand.ada, 500))
    world = stand.world()
    people = (stand.mira, stand.ada, "team")
    before = {who: world.engine.balance(world.address(who)) for who in people}
    assert stand.fill(world, name, stand.vera).success
    gained = [world.engine.balance(world.address(who)) - before[who] for who in people]
    assert gained == [740_000_000_000_000_000, 40_000_000_000_000_000, 20_000_000_000_000_000]  # 0.8 less 5 % and 2.5 %
    assert owner(world, stand.cats, 1) == stand.vera
    assert world.read(stand.sea.status(name)) == (True, False, 1, 1)


def test_a_bid_pays_its_fee_out_of_the_price() -> None:
    stand = Stand()
    ids = [2, 3, 5, 7]
    name = stand.sea.bid(stand.vera, stand.cats, ids, 2 * ETHER)
    stand.sea.approve(stand.mira, stand.sea.weth)
    world = stand.world()
    wrong = ((0, 1, 0, 4, criteria_proof(ids, 5)),)
    assert revert(world, stand.fill(world, name, stand.mira, resolvers=wrong)) == "InvalidProof"
    right = ((0, 1, 0, 5, criteria_proof(ids, 5)),)
    assert stand.fill(world, name, stand.mira, resolvers=right).success
    assert owner(world, stand.cats, 5) == stand.vera
    assert world.read(Reading(stand.sea.weth, "balanceOf", (At(stand.mira),))) == 195 * ETHER // 100
    assert world.read(Reading(stand.sea.weth, "balanceOf", (At("team"),))) == 5 * ETHER // 100


def test_units_are_sold_in_parts_and_in_other_currencies() -> None:
    stand = Stand()
    name = stand.sea.list(
        stand.ivo, stand.ore, 7, 9_000_000, amount=9, partial=True, currency=stand.dollars, conduit=None, fee=0
    )
    stand.scene.step(stand.ivo, stand.ore, "setApprovalForAll", At(stand.sea.seaport), True)
    world = stand.world()
    assert stand.fill(world, name, stand.vera, part=(1, 3)).success
    assert world.read(Reading(stand.ore, "balanceOf", (At(stand.vera), 7))) == 3
    assert world.read(Reading(stand.dollars, "balanceOf", (At(stand.ivo),))) == 3_000_000
    assert world.read(stand.sea.status(name)) == (True, False, 1, 3)


@pytest.mark.parametrize("form", ["full", "compact"])
def test_signatures_of_every_form_are_taken(form: str) -> None:
    stand = Stand()
    name = stand.sea.list(stand.mira, stand.cats, 1, ETHER, form=form)  # type: ignore[typeddict-item]
    world = stand.world()
    assert len(world.order(name).signature) == {"full": 65, "compact": 64}[form]
    assert stand.fill(world, name, stand.vera).success


def test_each_order_of_a_bulk_signature_can_be_filled_alone() -> None:
    stand = Stand()
    drafts = [
        stand.sea.draft(stand.mira, *stand.sea.listing(stand.mira, stand.cats, i, ETHER), name=f"b{i}")
        for i in range(1, 6)
    ]
    stand.sea.sign_bulk(drafts)
    world = stand.world()
    assert len({order.signature[:65] for order in world.orders.values()}) == 1
    for i in range(1, 6):
        assert stand.fill(world, f"b{i}", stand.vera).success
        assert owner(world, stand.cats, i) == stand.vera


def test_an_order_that_was_validated_needs_no_signature() -> None:
    stand = Stand()
    name = stand.sea.list(stand.mira, stand.cats, 1, ETHER, form="none")
    stand.sea.validate(name)
    world = stand.world()
    assert world.order(name).signature == b""
    assert stand.fill(world, name, stand.vera).success


DEAD: dict[str, tuple[Callable[[Stand], str], str]] = {}


def dead(error: str) -> Callable[[Callable[[Stand], str]], Callable[[Stand], str]]:
    def taken(make: Callable[[Stand], str]) -> Callable[[Stand], str]:
        DEAD[make.__name__] = (make, error)
        return make

    return taken


def _listed(stand: Stand, **terms: object) -> str:
    return stand.sea.list(stand.mira, stand.cats, 1, ETHER, **terms)  # type: ignore[arg-type]


@dead("OrderIsCancelled")
def cancelled(stand: Stand) -> str:
    name = _listed(stand)
    stand.sea.cancel(name)
    return name


@dead("InvalidSigner")
def counter_raised(stand: Stand) -> str:
    name = _listed(stand)
    stand.sea.raise_counter(stand.mira)
    return name


@dead("OrderAlreadyFilled")
def filled(stand: Stand) -> str:
    name = _listed(stand)
    stand.sea.fill(name, by=stand.ivo)
    return name


@dead("InvalidTime")
def expired(stand: Stand) -> str:
    return _listed(stand, ends=stand.scene.start - 1)


@dead("InvalidTime")
def not_open_yet(stand: Stand) -> str:
    return _listed(stand, starts=stand.scene.start + DAY)


@dead("InvalidSigner")
def forged(stand: Stand) -> str:
    return _listed(stand, signer=stand.ada)


@dead("InvalidSigner")
def of_another_counter(stand: Stand) -> str:
    return _listed(stand, counter=1)


@dead("InvalidConduit")
def of_no_conduit(stand: Stand) -> str:
    return _listed(stand, conduit_key=b"\x01" * 32)


@dead("ChannelClosed")
def of_a_retired_conduit(stand: Stand) -> str:
    name = _listed(stand, conduit=stand.other)
    stand.sea.retire(stand.other)
    return name


@dead("FulfillerNotAllowed")
def restricted(stand: Stand) -> str:
    return _listed(stand, zone=stand.zone, restricted=True)


@dead("ZonePaused")
def paused(stand: Stand) -> str:
    stand.scene.step("team", stand.zone, "setAllowed", At(stand.vera), True)
    stand.scene.step("team", stand.zone, "setPaused", True)
    return _listed(stand, zone=stand.zone, restricted=True)


@dead("ERC721InsufficientApproval")
def moved(stand: Stand) -> str:
    stand.scene.step(stand.mira, stand.cats, "transferFrom", At(stand.mira), At(stand.ada), 1)
    return _listed(stand)


@dead("ERC721InsufficientApproval")
def approval_gone(stand: Stand) -> str:
    name = _listed(stand)
    stand.sea.revoke(stand.mira, stand.cats)
    return name


@dead("NoContract")
def in_a_currency_that_is_no_contract(stand: Stand) -> str:
    return _listed(stand, currency=stand.ada)


def revert(world: World, receipt: Receipt) -> str:
    assert not receipt.success
    return world.explain(receipt.output, receipt.halt).split("(")[0].split(":")[0].split()[-1]


@pytest.mark.parametrize("kind", DEAD)
def test_what_is_dead_fails_with_the_contracts_own_error(kind: str) -> None:
    make, error = DEAD[kind]
    stand = Stand()
    name = make(stand)
    world = stand.world()
    found = world.order_book.find(world.order(name).hash)
    assert found is not None and found.status == "active", "the book has not noticed"
    receipt = stand.fill(world, name, stand.vera)
    assert not receipt.success
    assert error in world.explain(receipt.output, receipt.halt)


def test_a_zone_lets_those_on_its_list_fill() -> None:
    stand = Stand()
    stand.scene.step("team", stand.zone, "setAllowed", At(stand.vera), True)
    name = _listed(stand, zone=stand.zone, restricted=True)
    assert stand.fill(stand.world(), name, stand.vera).success


def test_a_private_listing_is_for_its_buyer() -> None:
    stand = Stand()
    name = _listed(stand, buyer=stand.ada)
    world = stand.world()
    assert world.order(name).components[3][-1] == (2, world.address(stand.cats), 1, 1, 1, world.address(stand.ada))
    assert not stand.fill(world, name, stand.vera).success


def test_conduits_stand_where_the_scene_says_and_tell_their_errors_by_name() -> None:
    """CREATE2 with the key as salt; also a conduit that somebody makes later and that nobody has named."""
    stand = Stand()
    world = stand.world()
    for conduit in (stand.sea.conduit, stand.other):
        assert world.address(conduit) == stand.scene.contract_address(conduit)
        assert world.read(Reading(stand.sea.controller, "getKey", (At(conduit),))) == stand.sea.key(conduit)
    from_nowhere = decode_revert(
        bytes.fromhex("93daadf2") + bytes(32), [world.interfaces[world.address(stand.sea.seaport)]]
    )
    assert "ChannelClosed" not in from_nowhere.text
    del world.interfaces[world.address(stand.sea.conduit)], world.interfaces[world.address(stand.other)]
    assert "ChannelClosed" in world.explain(bytes.fromhex("93daadf2") + bytes(32), None)


def test_two_builds_of_a_scene_are_one_world_and_orders_are_part_of_it() -> None:
    first, second, third = Stand(), Stand(), Stand()
    for stand in (first, second, third):
        _listed(stand, posted=stand is not third)
    assert first.world().hash() == second.world().hash() != third.world().hash()


def test_steps_off_chain_take_no_block_and_no_time() -> None:
    stand = Stand()
    block, time = stand.scene.block, stand.scene.time
    _listed(stand)
    assert (stand.scene.block, stand.scene.time) == (block, time)
    stand.sea.raise_counter(stand.mira)
    assert (stand.scene.block, stand.scene.time) == (block + 1, time + 12)


def test_the_criteria_root_is_of_sorted_pairs() -> None:
    """Worked out with the contract in test_a_bid_pays_its_fee_out_of_the_price; one id is its own root."""
    assert criteria_root([7]).hex() == "a66cc928b5edb82af9bd49922954155ab7b0942694bea4ce44661d9a8736c688"
