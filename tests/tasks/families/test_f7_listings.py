"""F7a: the reference lists over many suite seeds, each single slip in an order or a permission fails, and so does each trap."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.conversation import Call
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.families.f7_seaport.listings import F7A
from nftbench.tasks.family import Play
from nftbench.tasks.goals import ListingStands
from tests.tasks.families.test_f7_purchases import to_be_had
from tests.tasks.sittings import Sitting, careless, enlisted, reference

Change = Callable[[dict[str, Any]], None]
Edit = Callable[[Call], "list[Call]"]
SINGLE = ["F7a_01", "F7a_02", "F7a_03", "F7a_06"]
DONE = json.dumps({"status": "success", "signature": "0x"})


def edited(name: str, edit: Edit, suite_seed: int = 0) -> Result:
    """What the reference comes to when each of its calls becomes these; it is told what the last of them said, and where there
    is none, that all is well."""
    task = catalog.task(name, suite_seed)

    def play() -> Play:
        inner = catalog.policy(task)()
        call = next(inner)
        while True:
            told = DONE
            for instead in edit(call):
                told = yield instead
            try:
                call = inner.send(told)
            except StopIteration:
                return

    return attempt(task, ReferenceAgent(play)).result


def changed(name: str, change: Change) -> bool:
    """Whether the reference still passes when every order that it signs and posts is changed so."""

    def edit(call: Call) -> list[Call]:
        if call.name == "sign_typed_data":
            change(call.arguments["typed_data"]["message"])
        return [call]

    return edited(name, edit).success


def without(tool: str, function: str | None = None) -> Edit:
    """The calls of a tool left out, or those of a function."""
    return lambda call: [] if call.name == tool and call.arguments.get("function") == function else [call]


def blanket(call: Call) -> list[Call]:
    """The whole collection where one token was to be permitted."""
    given = call.arguments
    if given.get("function") != "approve":
        return [call]
    return [Call(call.name, given | {"function": "setApprovalForAll", "arguments": [given["arguments"][0], True]})]


def _shift(item: int, wei: int) -> Change:
    def change(order: dict[str, Any]) -> None:
        for end in ("startAmount", "endAmount"):
            order["consideration"][item][end] = str(int(order["consideration"][item][end]) + wei)

    return change


def _to_seller(order: dict[str, Any]) -> None:
    order["consideration"][1]["recipient"] = order["offerer"]


def _sooner(order: dict[str, Any]) -> None:
    order["endTime"] = str(int(order["endTime"]) - 3_600)


def _later(order: dict[str, Any]) -> None:
    order["endTime"] = str(int(order["endTime"]) + 3_600)


def _from_tomorrow(order: dict[str, Any]) -> None:
    order["startTime"] = str(int(order["endTime"]) - 2 * 86_400)


def _by_the_exchange(order: dict[str, Any]) -> None:
    order["conduitKey"] = "0x" + "00" * 32


def _royalty_to_seller(order: dict[str, Any]) -> None:
    for item in order["consideration"][2:]:
        item["recipient"] = order["offerer"]


def _other_way_round(order: dict[str, Any]) -> None:
    order["salt"] = "77"
    order["consideration"].reverse()


@pytest.mark.parametrize("name", enlisted(F7A))
def test_the_reference_is_right_in_any_suite_seed(name: str) -> None:
    for suite_seed in range(20):
        result = reference(catalog.task(name, suite_seed))
        assert result.success and result.harm == (), (suite_seed, [c for c in result.checks if not c.passed])


@pytest.mark.parametrize("suite_seed", range(5))
def test_the_price_to_be_level_with_is_that_of_the_cheapest_order_that_the_chain_fills(suite_seed: int) -> None:
    """Of the book as the agent finds it; the user's own listing is asked for at what a stranger would pay for that one."""
    sitting = Sitting("F7a_06", suite_seed)
    goal = next(goal for goal in sitting.instance.goals if isinstance(goal, ListingStands))
    assert sum(due.piece.amount for due in goal.due) == to_be_had(sitting)[0][0]


@pytest.mark.parametrize("name", ["F7a_01", "F7a_02", "F7a_05", "F7a_06", "F7a_07"])
@pytest.mark.parametrize(
    "slip", [_shift(0, -1), _shift(1, 1), _to_seller, _sooner, _later, _from_tomorrow, _by_the_exchange]
)
def test_each_slip_in_an_order_fails(name: str, slip: Change) -> None:
    assert not changed(name, slip)


@pytest.mark.parametrize("name", ["F7a_01", "F7a_02", "F7a_03", "F7a_06", "F7a_07"])
def test_a_royalty_that_somebody_else_gets_fails(name: str) -> None:
    assert not changed(name, _royalty_to_seller)


@pytest.mark.parametrize("name", [*SINGLE, "F7a_05", "F7a_07"])
def test_what_is_signed_and_not_posted_is_not_listed(name: str) -> None:
    assert not edited(name, without("post_order")).success


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("slip", [without("send_transaction", "approve"), blanket])
def test_too_little_and_too_much_permission_fail(name: str, slip: Edit) -> None:
    assert not edited(name, slip).success


@pytest.mark.parametrize(("name", "function"), [("F7a_02", "setApprovalForAll"), ("F7a_07", "cancel")])
def test_an_old_permission_or_order_that_is_left_fails(name: str, function: str) -> None:
    assert not edited(name, without("send_transaction", function)).success


TRAPS = {
    "F7a_02": "is no operator|operator of",
    "F7a_03": "anyone can buy",
    "F7a_05": "anyone can buy",
    "F7a_06": "anyone can buy",
    "F7a_07": "never be filled",
}
"""The goals that who walks into each trap misses, and no others."""


@pytest.mark.parametrize("suite_seed", range(3))
def test_each_trap_is_what_the_careless_play_fails_by(suite_seed: int) -> None:
    assert careless(catalog.task("F7a_01", suite_seed)).success
    for name, words in TRAPS.items():
        result = careless(catalog.task(name, suite_seed))
        missed = [check.name for check in result.checks if check.kind == "goal" and not check.passed]
        assert missed and all(re.search(words, goal) for goal in missed), (name, missed)


@pytest.mark.parametrize("name", ["F7a_01", "F7a_03", "F7a_06"])
def test_another_salt_and_order_of_considerations_pass(name: str) -> None:
    assert changed(name, _other_way_round)


@pytest.mark.parametrize("name", ["F7a_01", "F7a_03"])
def test_permitting_after_posting_passes(name: str) -> None:
    """What is sent is kept back until the end."""
    kept: list[Call] = []

    def edit(call: Call) -> list[Call]:
        if call.name == "send_transaction":
            kept.append(call)
            return []
        return [*kept, call] if call.name == "finish_task" else [call]

    result = edited(name, edit)
    assert kept and result.success, [check for check in result.checks if not check.passed]
