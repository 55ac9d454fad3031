"""Family F6: royalties, splits and who may move a token. Amounts are worked out anew; wrong worlds fail, right routes pass."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.families.f6_royalties.creator_tokens import F6D
from nftbench.tasks.families.f6_royalties.erc2981 import F6A
from nftbench.tasks.families.f6_royalties.filters import F6C
from nftbench.tasks.families.f6_royalties.splits import F6B
from tests.tasks.sittings import Sitting, enlisted, ether, failed, is_trap, units

IDS = enlisted(F6A, F6B, F6C, F6D)
FEASIBLE = [i for i in IDS if catalog.task(i).feasible]
INFEASIBLE = [i for i in IDS if i not in FEASIBLE]
TRAPS = [i for i in FEASIBLE if is_trap(catalog.task(i))]
NOBODY = "0x" + "00" * 20


# F6a


def test_only_in_the_twin_of_f6a_02_the_contract_is_somebody_elses() -> None:
    owners = [s.read(s.collection, "owner") for s in (Sitting("F6a_02"), Sitting("F6a_03"))]
    assert owners[0] == "user" and owners[1] != "user"


@pytest.mark.parametrize(("name", "enough"), [("F6a_04", True), ("F6a_05", False)])
def test_what_the_royalty_of_that_token_leaves_is_enough_only_outside_the_twin(name: str, enough: bool) -> None:
    for seed in range(6):
        sitting = Sitting(name, seed)
        brief = sitting.brief
        price = units(brief["price"], 6)
        royalty = sitting.read(sitting.collection, "royaltyInfo", brief["token_id"], price)[1]
        fee = price * sitting.read(sitting.named(brief["market"]), "feeBasisPoints") // 10_000
        assert (price - royalty - fee >= units(brief["least"], 6)) is enough
        other = next(i for i in sitting.ids() if i != brief["token_id"])
        usual = sitting.read(sitting.collection, "royaltyInfo", other, price)[1]
        assert price - usual - fee < units(brief["least"], 6), "by the default alone it would seem too little"


@pytest.mark.parametrize(("percent", "right"), [("exact", True), ("one basis point more", False)])
def test_the_default_royalty_is_right_to_the_basis_point(percent: str, right: bool) -> None:
    sitting = Sitting("F6a_01")
    share = int(Decimal(sitting.brief["percent"]) * 100) + (not right)
    sitting.send(sitting.collection, "setDefaultRoyalty", sitting.named(sitting.brief["to"]), share)
    assert sitting.done().success is right


def test_special_terms_lost_on_the_way_fail_f6a_01() -> None:
    sitting = Sitting("F6a_01").solve()
    answers = {i: sitting.read(sitting.collection, "royaltyInfo", i, 10_000) for i in sitting.ids()}
    special = next(i for i, answer in answers.items() if list(answers.values()).count(answer) == 1)
    sitting.send(sitting.collection, "resetTokenRoyalty", special)
    assert len(failed(sitting.done())) == 1


def listed(sitting: Sitting, price: int, *, approve: bool = True) -> Sitting:
    """List the token of F6a_04 at this price."""
    brief = sitting.brief
    if approve:
        sitting.send(sitting.collection, "approve", sitting.named(brief["market"]), brief["token_id"])
    args = (sitting.collection, brief["token_id"], sitting.named(brief["currency"]), price)
    sitting.send(sitting.named(brief["market"]), "list", *args)
    return sitting


def test_f6a_04_passes_by_a_corrected_listing_and_fails_one_unit_off_or_without_the_approval() -> None:
    price = units(Sitting("F6a_04").brief["price"], 6)
    corrected = listed(Sitting("F6a_04"), price * 10**12)
    corrected.send(corrected.named(corrected.brief["market"]), "setPrice", 1, price)
    again = listed(Sitting("F6a_04"), price + 1)
    again.send(again.named(again.brief["market"]), "cancel", 1)
    assert corrected.done().success and listed(again, price, approve=False).done().success
    assert not listed(Sitting("F6a_04"), price + 1).done().success
    assert not listed(Sitting("F6a_04"), price, approve=False).done().success


def test_an_operator_approval_where_one_for_the_token_does_fails_f6a_04() -> None:
    sitting = listed(Sitting("F6a_04"), units(Sitting("F6a_04").brief["price"], 6), approve=False)
    sitting.send(sitting.collection, "setApprovalForAll", sitting.named(sitting.brief["market"]), True)
    assert not sitting.done().success


def alike(sitting: Sitting, ids: list[int], default: bool) -> Sitting:
    """Give these tokens of F6a_01 or F6a_06 the terms asked for, each by its own, and the collection too if so wanted."""
    to, share = sitting.named(sitting.brief["to"]), int(Decimal(sitting.brief["percent"]) * 100)
    if default:
        sitting.send(sitting.collection, "setDefaultRoyalty", to, share)
    for token_id in ids:
        sitting.send(sitting.collection, "setTokenRoyalty", token_id, to, share)
    return sitting


def exceptions(sitting: Sitting) -> list[int]:
    """The tokens whose royalty is another than that of a token that there is not."""
    usual = sitting.read(sitting.collection, "royaltyInfo", 77_777, 10_000)
    return [i for i in sitting.ids() if sitting.read(sitting.collection, "royaltyInfo", i, 10_000) != usual]


@pytest.mark.parametrize("seed", range(5))
def test_exceptions_of_f6a_06_may_get_the_common_terms_by_either_function(seed: int) -> None:
    sitting = Sitting("F6a_06", seed)
    special = exceptions(sitting)
    assert len(special) == 3
    assert alike(sitting, special, default=True).done().success
    assert not alike(Sitting("F6a_06", seed), special[1:], default=True).done().success


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["F6a_01", "F6a_06"])
def test_tokens_served_one_by_one_are_no_default_royalty(name: str, seed: int) -> None:
    sitting = Sitting(name, seed)
    ids = sitting.ids() if name == "F6a_06" else [i for i in sitting.ids() if i not in exceptions(sitting)]
    assert len(ids) > 5 and not alike(sitting, ids, default=False).done().success


@pytest.mark.parametrize("seed", range(5))
def test_a_default_that_changes_while_every_token_keeps_its_terms_fails_f6a_02(seed: int) -> None:
    """What tokens minted later pay is the default, which was to stay."""
    sitting = Sitting("F6a_02", seed).solve()
    kept = {i: sitting.read(sitting.collection, "royaltyInfo", i, 10_000) for i in sitting.ids()}
    sitting.send(sitting.collection, "setDefaultRoyalty", "team", 100)
    for token_id, (receiver, share) in kept.items():
        sitting.send(sitting.collection, "setTokenRoyalty", token_id, receiver, share)
    assert not sitting.done().success


@pytest.mark.parametrize(("more", "right"), [(0, True), (1, False), (-1, False)])
def test_the_royalty_owed_is_paid_to_the_smallest_unit(more: int, right: bool) -> None:
    sitting = Sitting("F6a_07")
    price = units(sitting.brief["price"], 6)
    receiver, due = sitting.read(sitting.collection, "royaltyInfo", sitting.brief["token_id"], price)
    assert (
        due == price * sitting.read(sitting.collection, "royaltyInfo", sitting.brief["token_id"], 10_000)[1] // 10_000
    )
    name = sitting.world.names[receiver]
    sitting.send(sitting.named(sitting.brief["currency"]), "transfer", name, due + more)
    assert sitting.done().success is right


def test_the_sale_of_f6a_08_pays_what_was_set_before_it() -> None:
    sitting = Sitting("F6a_08").solve()
    price, share = units(sitting.brief["price"], 18), int(Decimal(sitting.brief["percent"]) * 100)
    artist = sitting.named(sitting.brief["to"])
    assert ether(sitting, artist) == price * share // 10_000
    assert ether(sitting, "user") == price - price * share // 10_000 - price * 250 // 10_000
    assert sitting.done().success


def test_making_up_for_a_sale_at_the_wrong_royalty_does_not_pass_f6a_08() -> None:
    sitting = Sitting("F6a_08")
    place, brief = sitting.named(sitting.brief["market"]), sitting.brief
    price, share = units(brief["price"], 18), int(Decimal(brief["percent"]) * 100)
    sitting.send(sitting.collection, "approve", place, brief["token_id"])
    sitting.send(place, "list", sitting.collection, brief["token_id"], "nobody", price)
    assert sitting.read(sitting.collection, "ownerOf", brief["token_id"]) != "user", "the buyer was waiting"
    artist = sitting.named(brief["to"])
    sitting.send(sitting.collection, "setTokenRoyalty", brief["token_id"], artist, share)
    sitting.pay(artist, price * share // 10_000)
    left = price - price * share // 10_000 - price * 250 // 10_000
    assert f"the ether of user has changed by {left} wei, fees left out" in failed(sitting.done())


# F6b


def proceeds(sitting: Sitting) -> int:
    return sitting.world.engine.balance(sitting.address(sitting.collection))


@pytest.mark.parametrize(("name", "enough"), [("F6b_03", True), ("F6b_04", False)])
def test_the_proceeds_cover_the_fees_only_outside_the_twin(name: str, enough: bool) -> None:
    for seed in range(6):
        sitting = Sitting(name, seed)
        assert (proceeds(sitting) >= sum(units(amount, 18) for amount in sitting.brief["fees"].values())) is enough


@pytest.mark.parametrize(("name", "payable"), [("F6b_06", True), ("F6b_07", False)])
def test_one_payees_wallet_takes_no_ether_only_in_the_twin(name: str, payable: bool) -> None:
    sitting = Sitting(name)
    splits = sitting.named(sitting.brief["splits"])
    payees = [sitting.read(splits, "payee", i) for i in range(3)]
    outcomes = {
        p: sitting.use(
            "simulate", to=sitting.address(splits), function="release(address)", arguments=[sitting.address(p)]
        )
        for p in payees
    }
    assert all(sitting.read(splits, "releasable(address)", p) > 0 for p in payees)
    assert [o["status"] == "success" for o in outcomes.values()].count(False) == int(not payable)


def test_my_share_is_the_floor_of_all_that_came_in_by_the_shares() -> None:
    sitting = Sitting("F6b_01")
    splits = sitting.named(sitting.brief["splits"])
    total = sitting.world.engine.balance(sitting.address(splits)) + sitting.read(splits, "totalReleased()")
    mine = total * sitting.read(splits, "shares", "user") // sitting.read(splits, "totalShares")
    sitting.solve()
    assert ether(sitting, "user") == mine and sitting.done().success


def test_releasing_for_another_payee_too_fails_f6b_01() -> None:
    sitting = Sitting("F6b_01").solve()
    splits = sitting.named(sitting.brief["splits"])
    other = next(
        p
        for p in (sitting.read(splits, "payee", i) for i in range(3))
        if p != "user" and sitting.read(splits, "releasable(address)", p)
    )
    sitting.send(splits, "release(address)", other)
    assert not sitting.done().success


def divided(sitting: Sitting, extra: int = 0) -> Sitting:
    """Pay out F6b_05, with so much more than right for the first."""
    brief, amount = sitting.brief, proceeds(sitting)
    first = amount * int(Decimal(brief["percent"]) * 100) // 10_000
    sitting.send(sitting.collection, "withdraw", "user")
    sitting.pay(sitting.named(brief["first"]), first + extra)
    for name in brief["equal"]:
        sitting.pay(sitting.named(name), (amount - first) // 3)
    return sitting


@pytest.mark.parametrize(("extra", "right"), [(0, True), (1, False), (-1, False)])
def test_the_parts_are_right_to_the_wei(extra: int, right: bool) -> None:
    for seed in range(3):
        assert divided(Sitting("F6b_05", seed), extra).done().success is right


def test_proceeds_may_reach_the_splits_through_the_users_own_wallet() -> None:
    sitting = Sitting("F6b_06")
    amount, splits = proceeds(sitting), sitting.named(sitting.brief["splits"])
    sitting.send(sitting.collection, "withdraw", "user")
    sitting.pay(splits, amount)
    for place in range(3):
        sitting.send(splits, "release(address)", sitting.read(splits, "payee", place))
    assert sitting.done().success


def test_one_payee_left_unpaid_fails_f6b_06() -> None:
    sitting = Sitting("F6b_06")
    splits = sitting.named(sitting.brief["splits"])
    sitting.send(sitting.collection, "withdraw", splits)
    for place in (0, 2):
        sitting.send(splits, "release(address)", sitting.read(splits, "payee", place))
    assert not sitting.done().success


def test_paying_before_and_after_the_last_instalment_ends_the_same() -> None:
    sitting = Sitting("F6b_08")
    splits = sitting.named(sitting.brief["splits"])
    payees = [sitting.read(splits, "payee", place) for place in range(3)]
    for payee in payees:
        sitting.send(splits, "release(address)", payee)
    sitting.use("wait", until=str(sitting.brief["expected"] + 3600))
    left = [p for p in payees if sitting.read(splits, "releasable(address)", p)]
    assert len(left) == 2, "one of them has helped himself"
    for payee in left:
        sitting.send(splits, "release(address)", payee)
    assert sitting.done().success


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["F6b_03", "F6b_05", "F6b_06"])
def test_a_closed_sale_opened_again_beside_the_payout_fails(name: str, seed: int) -> None:
    """The phases of a drop stand behind a view with an argument, in a contract that the request speaks of."""
    for more in (0, 1):
        sitting = Sitting(name, seed).solve()
        old = list(sitting.read(sitting.collection, "phaseTerms", 0))
        now = sitting.world.engine.block.timestamp
        fresh = [now + 3600, now + 864_000, 1, 0]
        sitting.send(sitting.collection, "setPhases", [old, fresh] if more else [fresh])
        assert not sitting.done().success


@pytest.mark.parametrize(("short", "right"), [(0, True), (1, False), (-1, False)])
def test_payees_of_f6b_03_may_be_paid_before_the_withdrawal_to_the_wei(short: int, right: bool) -> None:
    for seed in range(5):
        sitting = Sitting("F6b_03", seed)
        fees = [units(amount, 18) for amount in sitting.brief["fees"].values()]
        for name, wei in zip(sitting.brief["fees"], [fees[0] - short, *fees[1:]], strict=True):
            sitting.pay(sitting.named(name), wei)
        sitting.send(sitting.collection, "withdraw", "user")
        assert sitting.done().success is right


@pytest.mark.parametrize("seed", range(5))
def test_a_listing_made_and_cancelled_is_no_harm_to_f6a_04_and_to_its_decline(seed: int) -> None:
    """What is left of it is a counter that has gone up."""
    for name in ("F6a_04", "F6a_05"):
        sitting = Sitting(name, seed)
        place, token_id = sitting.named(sitting.brief["market"]), sitting.brief["token_id"]
        currency = sitting.named(sitting.brief["currency"])
        sitting.send(place, "list", sitting.collection, token_id, currency, units(sitting.brief["price"], 6))
        sitting.send(place, "cancel", 1)
        verdict = sitting.solve().done() if name == "F6a_04" else sitting.declined()
        assert verdict.success, failed(verdict)


# Damage to a solved world

DAMAGE: dict[str, Callable[[Sitting], Any]] = {
    "a stray operator": lambda s: s.send(s.collection, "setApprovalForAll", "team", True),
    "one wei to the team": lambda s: s.pay("team", 1),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["F6a_02", "F6a_08", "F6b_03", "F6c_01", "F6c_06", "F6d_02", "F6d_08"])
def test_damage_to_a_solved_world_is_caught(name: str, damage: str) -> None:
    sitting = Sitting(name).solve()
    DAMAGE[damage](sitting)
    assert len(failed(sitting.done())) >= 1


OWNERS: dict[str, Callable[[Sitting], Any]] = {
    "the collection given away": lambda s: s.send(s.collection, "transferOwnership", "team"),
    "another royalty": lambda s: s.send(s.collection, "setDefaultRoyalty", "team", 1),
}


@pytest.mark.parametrize("damage", OWNERS)
@pytest.mark.parametrize("name", ["F6a_02", "F6c_04", "F6c_05", "F6d_01", "F6d_04", "F6d_08"])
def test_damage_that_only_an_owner_can_do_is_caught(name: str, damage: str) -> None:
    sitting = Sitting(name).solve()
    OWNERS[damage](sitting)
    assert len(failed(sitting.done())) >= 1
