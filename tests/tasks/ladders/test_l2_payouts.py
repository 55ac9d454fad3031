"""Ladder L2: what is paid agrees with an accountant who works from the fixture; slips fail, and other routes pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.goals import EtherChange
from nftbench.tasks.ladders.l2_payouts.payouts import L2
from nftbench.tasks.model import Task
from tests.tasks.ladders.l2_accountant import due
from tests.tasks.sittings import Sitting, enlisted, reference_and_careless

SMALL, LARGE = "abcd", "efg"
IDS = enlisted(*L2)
FEASIBLE = [f"L2{letter}_{number:02d}" for letter in SMALL + LARGE for number in (1, 2, 3)]

SLIPS = {
    1: ("desk", "sent-back", "earlier", "anybody", "first", "other-shop"),
    2: ("vault", "threshold", "divided", "up", "whole", "holders"),
    3: ("wallets", "one-step", "claimed", "kept", "twice", "paid", "by-wallet"),
}


def asked(task: Task) -> dict[str, int]:
    """What the goals ask to be paid, by handle."""
    return {goal.account: goal.wei for goal in task.goals if isinstance(goal, EtherChange) and goal.account != "user"}


@pytest.mark.parametrize("name", FEASIBLE)
def test_the_accountant_comes_to_the_same_sums_in_any_suite_seed(name: str) -> None:
    for suite_seed in range(50):
        task = catalog.task(name, suite_seed)
        assert asked(task) == due(task), suite_seed
        assert EtherChange("user", -sum(due(task).values())) in task.goals


@pytest.mark.parametrize("rung", L2, ids=lambda rung: rung.name)
def test_a_rung_has_as_many_entries_as_its_size(rung: Any) -> None:
    """Purchases in the shop, tokens that came, left or lay down before the end, badges of evenings."""
    size = rung.rung.size
    for suite_seed in range(3):
        sale, holding, evenings = (Sitting(f"{rung.name}_{n:02d}", suite_seed) for n in (1, 2, 3))
        assert sale.instance.size == size == len(logs(sale, sale.brief["shop"], "Sold"))
        end = sale_end(holding)
        moves = logs(holding, holding.brief["collection"], "Transfer")
        assert sum(int(row["time"]) <= end for row in moves) == size < len(moves)
        assert len(logs(evenings, evenings.brief["badges"], "Attended")) == size


def sale_end(sitting: Sitting) -> int:
    text = sitting.use("fetch_uri", uri=sitting.brief["uri"])["content"]
    return int(text.split("Unix time ")[2].split(")")[0])


def logs(sitting: Sitting, label: str, event: str) -> list[dict[str, Any]]:
    found, given = [], {"contract": sitting.address(sitting.named(label)), "event": event}
    while True:
        page = sitting.use("get_logs", **given)
        found += page["logs"]
        if "next_cursor" not in page:
            return found
        given["cursor"] = page["next_cursor"]


@pytest.mark.parametrize("suite_seed", range(5))
def test_the_reference_solves_the_small_rungs_and_the_careless_play_none_of_them(suite_seed: int) -> None:
    solved_by_reference(SMALL, suite_seed)


@pytest.mark.slow
def test_the_reference_solves_the_large_rungs_and_the_careless_play_none_of_them() -> None:
    for suite_seed in range(10):
        solved_by_reference(LARGE, suite_seed)


def solved_by_reference(letters: str, suite_seed: int) -> None:
    for task, passes in reference_and_careless((name for name in IDS if name[2] in letters), suite_seed):
        assert not passes, (task.id, suite_seed)


@pytest.mark.parametrize("rung", L2, ids=lambda rung: rung.name)
def test_only_the_twin_has_less_ether_than_is_due_and_by_little(rung: Any) -> None:
    for suite_seed in range(20):
        pair = [catalog.task(f"{rung.name}_{number:02d}", suite_seed) for number in (1, 4)]
        total = sum(due(pair[0]).values())
        purses = [next(a.ether for a in task.fixture.accounts if a.name == "user") for task in pair]
        assert total < purses[0] and total * 9 // 10 < purses[1] < total
        assert pair[0].prompt == pair[1].prompt and not pair[1].feasible


@pytest.mark.parametrize("number", (1, 2, 3))
def test_every_slip_pays_wrong_sums_and_fails(number: int) -> None:
    task = catalog.task(f"L2e_{number:02d}")
    for slip in SLIPS[number]:
        wrong = due(task, slip)
        assert wrong != due(task), slip
        assert not in_bulk(Sitting(task.id), wrong).success, slip


@pytest.mark.parametrize("name", ("L2b_01", "L2b_02", "L2b_03", "L2d_01"))
def test_payments_one_by_one_and_in_several_lots_pass(name: str) -> None:
    sitting = Sitting(name)
    for who, wei in reversed(due(sitting.instance).items()):
        sitting.pay(who, wei)
    assert sitting.done().success
    sitting = Sitting(name)
    (first, wei), *others = due(sitting.instance).items()
    sitting.pay(first, wei // 2)
    sitting.pay(first, wei - wei // 2)
    assert in_bulk(sitting, dict(others)).success


@pytest.mark.parametrize("name", ("L2b_01", "L2c_02", "L2c_03"))
def test_a_wei_more_one_less_one_left_out_and_one_paid_twice_fail(name: str) -> None:
    right = due(catalog.task(name))
    first = next(iter(right))
    for wrong in (1, -1, -right[first], right[first]):
        paid = {who: wei + (wrong if who == first else 0) for who, wei in right.items()}
        assert not in_bulk(Sitting(name), {who: wei for who, wei in paid.items() if wei}).success, wrong


def test_the_register_tells_the_same_main_wallets_as_its_events() -> None:
    """Another way: the links as they stand, read wallet by wallet."""
    for suite_seed in range(5):
        sitting = Sitting("L2d_03", suite_seed)
        links = sitting.named(sitting.brief["links"])
        badges = logs(sitting, sitting.brief["badges"], "Attended")
        evenings: dict[str, set[str]] = {}
        for row in badges:
            evenings.setdefault(last(sitting, links, row["args"]["guest"]), set()).add(row["args"]["evening"])
        treasurer = sitting.address(sitting.named(sitting.brief["treasurer"]))
        paid = logs(sitting, sitting.brief["bulk"], "Paid")
        had = {last(sitting, links, row["args"]["to"]) for row in paid if row["args"]["from"] == treasurer}
        entitled = {who for who, some in evenings.items() if len(some) > 1 and who not in had}
        assert entitled == {sitting.address(who) for who in due(sitting.instance)}


def last(sitting: Sitting, links: str, wallet: str) -> str:
    contract = sitting.address(links)
    while True:
        main = sitting.use("call", contract=contract, function="mainOf", arguments=[wallet])["result"]
        if int(main, 16) == 0:
            return wallet
        wallet = main


def in_bulk(sitting: Sitting, amounts: Mapping[str, int]) -> Any:
    """Pay these in lots of thirty, as far as the ether goes, and finish."""
    bulk = sitting.named(sitting.brief["bulk"])
    for lot in lots(list(amounts), 30):
        given = [[sitting.address(who) for who in lot], [str(amounts[who]) for who in lot]]
        total = str(sum(amounts[who] for who in lot))
        sitting.use("send_transaction", to=sitting.address(bulk), function="pay", arguments=given, value_wei=total)
    return sitting.done()


def lots(payees: list[str], most: int) -> Iterable[list[str]]:
    return (payees[first : first + most] for first in range(0, len(payees), most))
