"""Ladder L3: the budget lies just above the cheapest choice, found by another solver from the fixture; wrong purchases fail."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from nftbench.tasks import catalog
from nftbench.tasks.goals import OwnsOneOf, SpentAtMost
from nftbench.tasks.ladders.l3_budget.purchases import L3
from nftbench.tasks.model import Step, Task
from nftbench.values import format_ether
from tests.tasks.sittings import Sitting, enlisted, reference_and_careless

SMALL, LARGE = "abcd", "efg"
IDS = enlisted(*L3)
UNIT = 10**12  # wei


class Shop(NamedTuple):
    """What the fixture leaves for sale: market, number, tokens and cost of each lot; and the traits of each token."""

    lots: list[tuple[str, int, tuple[int, ...], int]]
    traits: dict[int, set[str]]


def shop(task: Task) -> Shop:
    """The fixture's steps played through on paper."""
    fees = {c.name: c.args[2] for c in task.fixture.contracts if c.artifact == "LotMarket"}
    names = next(c.args[2] for c in task.fixture.contracts if c.artifact == "TraitRegister")
    lots: dict[tuple[str, int], Any] = {}
    counts, moved, allowed, traits = dict.fromkeys(fees, 0), set(), {}, {}
    for step in (step for step in task.fixture.steps if isinstance(step, Step)):
        market = step.target
        if step.function == "list":
            for tokens, price in zip(*step.args, strict=True):
                counts[market] += 1
                lots[market, counts[market]] = (step.sender, tokens, price + price * fees[market] // 10_000)
        elif step.function == "cancel":
            for number in step.args[0]:
                del lots[market, number]
        elif step.function == "buy":
            assert lots.pop((market, step.args[0]))[2] == step.value
        elif step.function == "transferFrom":
            moved.add(step.args[2])
        elif step.function == "setApprovalForAll":
            allowed[step.sender, step.args[0].name] = step.args[1]
        elif step.function == "register":
            for token, bits in zip(*step.args, strict=True):
                traits[token] = {name for place, name in enumerate(names) if bits & 2**place}
    left = [
        (market, number, tokens, cost)
        for (market, number), (seller, tokens, cost) in lots.items()
        if allowed[seller, market] and not moved & set(tokens)
    ]
    return Shop(left, traits)


def choice(task: Task, sold: Shop, without: int | None = None) -> list[int]:
    """The places of the lots of the cheapest choice, by integer programming, none of it the one at `without`; empty if none."""
    gains = [[sum(name in sold.traits[t] for t in tokens) for _, _, tokens, _ in sold.lots] for name in wanted(task)]
    rows = [LinearConstraint(np.array(gains), lb=list(wanted(task).values()))]
    costs = np.array([cost / UNIT for *_, cost in sold.lots])
    most = np.array([float(place != without) for place in range(len(costs))])
    exact = {"mip_rel_gap": 0}
    found = milp(costs, constraints=rows, integrality=np.ones(len(costs)), bounds=Bounds(0, most), options=exact)
    return [place for place, taken in enumerate(found.x) if taken > 0.5] if found.success else []


def step_by_step(task: Task, sold: Shop) -> int:
    """What somebody pays in all who buys, again and again, the lot that costs least per token that is still missing."""
    missing, left, paid = wanted(task), list(sold.lots), 0
    while any(missing.values()):
        rates = {
            lot: lot[3] / sum(had.values()) for lot in left if any((had := useful(sold, lot[2], missing)).values())
        }
        lot = min(rates, key=rates.__getitem__)
        missing = {name: missing[name] - had for name, had in useful(sold, lot[2], missing).items()}
        left.remove(lot)
        paid += lot[3]
    return paid


def useful(sold: Shop, tokens: tuple[int, ...], missing: dict[str, int]) -> dict[str, int]:
    """How many of what is missing a lot brings."""
    return {name: min(count, sum(name in sold.traits[t] for t in tokens)) for name, count in missing.items()}


def wanted(task: Task) -> dict[str, int]:
    return dict(task.brief["wanted"])


def total(sold: Shop, places: list[int]) -> int:
    return sum(sold.lots[place][3] for place in places)


def check_against_another_solver(letters: str, seeds: range) -> None:
    for name in (name for name in IDS if name[2] in letters):
        for suite_seed in seeds:
            task = catalog.task(name, suite_seed)
            sold = shop(task)
            chosen, purse = choice(task, sold), next(a.ether for a in task.fixture.accounts if a.name == "user")
            best = total(sold, chosen)
            budget = task.brief["budget"]
            assert len(sold.lots) == task.size, (name, suite_seed)
            assert best <= budget <= best * 103 // 100, (name, suite_seed)
            others = [total(sold, other) for place in chosen if (other := choice(task, sold, place))]
            assert all(budget < other for other in others), (name, suite_seed)
            greedy = step_by_step(task, sold)
            assert greedy == best if name[2] == "a" else greedy * 100 >= budget * 105, (name, suite_seed)
            assert f"{format_ether(budget)} ether" in task.prompt
            assert (purse >= budget) if task.feasible else (best * 95 // 100 < purse < best), (name, suite_seed)
            if task.feasible:
                assert [goal for goal in task.goals if isinstance(goal, SpentAtMost)] == [SpentAtMost("user", budget)]
                check_goals(task, sold)


def check_goals(task: Task, sold: Shop) -> None:
    """One goal for each trait, to choose from all that is for sale and has it."""
    goals = [goal for goal in task.goals if isinstance(goal, OwnsOneOf)]
    for goal, (name, count) in zip(goals, wanted(task).items(), strict=True):
        having = {t for _, _, tokens, _ in sold.lots for t in tokens if name in sold.traits[t]}
        assert {token for _, token in goal.options} == having and goal.count == count and goal.or_more


def test_the_budget_lies_just_above_what_another_solver_finds_the_cheapest() -> None:
    check_against_another_solver(SMALL, range(5))


@pytest.mark.slow
def test_the_budget_lies_just_above_the_cheapest_in_any_suite_seed() -> None:
    check_against_another_solver(SMALL + LARGE, range(50))


@pytest.mark.parametrize("suite_seed", range(5))
def test_the_reference_solves_the_small_rungs_and_who_grabs_passes_the_first_alone(suite_seed: int) -> None:
    solved_by_reference(SMALL, suite_seed)


@pytest.mark.slow
def test_the_reference_solves_the_large_rungs_and_who_grabs_none() -> None:
    for suite_seed in range(5):
        solved_by_reference(LARGE, suite_seed)


def solved_by_reference(letters: str, suite_seed: int) -> None:
    for task, passes in reference_and_careless((name for name in IDS if name[2] in letters), suite_seed):
        assert passes is (task.id[2] == "a" and task.feasible), (task.id, suite_seed)


def bought(sitting: Sitting, sold: Shop, places: list[int]) -> Any:
    """Buy these lots in this order, and finish."""
    for place in places:
        market, number, _, cost = sold.lots[place]
        done = sitting.use(
            "send_transaction",
            to=sitting.address(market),
            function="buy",
            arguments=[str(number)],
            value_wei=str(cost),
        )
        assert done["status"] == "success"
    return sitting.done()


@pytest.mark.parametrize("name", ("L3b_01", "L3c_02", "L3d_03"))
def test_the_cheapest_choice_passes_in_either_order(name: str) -> None:
    task = catalog.task(name)
    sold = shop(task)
    best = choice(task, sold)
    assert bought(Sitting(name), sold, best).success
    assert bought(Sitting(name), sold, best[::-1]).success


@pytest.mark.parametrize("name", ("L3b_01", "L3c_02", "L3d_03"))
def test_a_lot_left_out_one_too_many_and_a_gift_fail(name: str) -> None:
    task = catalog.task(name)
    sold = shop(task)
    best = choice(task, sold)
    assert not bought(Sitting(name), sold, best[1:]).success
    dearest = max(set(range(len(sold.lots))) - set(best), key=lambda place: sold.lots[place][3])
    assert not bought(Sitting(name), sold, [*best, dearest]).success
    sitting = Sitting(name)
    sitting.use("send_transaction", to=sitting.address("team"), value_wei="1")
    assert not bought(sitting, sold, best).success
