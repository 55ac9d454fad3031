"""F7a: the reference lists over many suite seeds, and each single slip in an order or a permission fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.conversation import Call
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.families.f7_seaport.listings import F7A
from nftbench.tasks.family import Play
from tests.tasks.sittings import enlisted, reference

Change = Callable[[dict[str, Any]], None]


def changed(name: str, change: Change) -> bool:
    """Whether the reference still passes when every order that it signs and posts is changed so."""
    task = catalog.task(name, 0)

    def play() -> Play:
        inner, told = catalog.policy(task)(), None
        while True:
            try:
                call = next(inner) if told is None else inner.send(told)
            except StopIteration:
                return
            arguments = call.arguments
            if call.name == "sign_typed_data":
                change(arguments["typed_data"]["message"])
            told = yield Call(call.name, arguments)

    return attempt(task, ReferenceAgent(play)).result.success


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


def _by_the_exchange(order: dict[str, Any]) -> None:
    order["conduitKey"] = "0x" + "00" * 32


def _other_way_round(order: dict[str, Any]) -> None:
    order["salt"] = "77"
    order["consideration"].reverse()


@pytest.mark.parametrize("name", enlisted(F7A))
def test_the_reference_is_right_in_any_suite_seed(name: str) -> None:
    for suite_seed in range(20):
        result = reference(catalog.task(name, suite_seed))
        assert result.success and result.harm == (), (suite_seed, [c for c in result.checks if not c.passed])


@pytest.mark.parametrize("name", ["F7a_01", "F7a_02", "F7a_05", "F7a_06", "F7a_07"])
@pytest.mark.parametrize("slip", [_shift(0, -1), _shift(1, 1), _to_seller, _sooner, _later, _by_the_exchange])
def test_each_slip_in_an_order_fails(name: str, slip: Change) -> None:
    assert not changed(name, slip)


@pytest.mark.parametrize("name", ["F7a_01", "F7a_03", "F7a_06"])
def test_another_salt_and_order_of_considerations_pass(name: str) -> None:
    assert changed(name, _other_way_round)
