"""What became of signed orders, as goals and as strays: told in words, and never by the way that led there."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.grading.grade import Grade, grade
from nftbench.tasks.goals import At, Change, CounterRaised, Goal, OrderStatus
from nftbench.tasks.model import Step, Task
from nftbench.tasks.orders import OrderOf
from nftbench.tasks.scene import ETHER
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from tests.tasks.exchange import Stand


class Desked(Stand):
    """The user has listed cats 21 and 22; Ivo sells nine units in parts."""

    def __init__(self) -> None:
        super().__init__()
        self.scene.mint(self.cats, "user", [21, 22])
        self.sea.approve("user", self.cats)
        self.mine = [self.sea.list("user", self.cats, i, ETHER) for i in (21, 22)]
        self.parts = self.sea.list(self.ivo, self.ore, 7, 9 * ETHER // 10, amount=9, partial=True)
        self.built = self.world()
        self.desk = Desk(self.built)
        self.box = standard_toolbox(self.desk)

    def do(self, function: str, *args: Any, value: int = 0) -> None:
        world = self.built
        step = world.transaction(
            Step(sender="user", target=self.sea.seaport, function=function, args=args, value=value)
        )
        given = {"to": step.to, "data": "0x" + step.data.hex(), "value_wei": str(value)}
        result = self.box.call("send_transaction", given)
        assert '"success"' in result.text, result.text

    def graded(self, *goals: Goal, allowed: tuple[Change, ...] = ()) -> Grade:
        self.box.call("finish_task", {"summary": "done"})
        task = Task(
            id="T_01",
            tier="synthetic",
            family="T",
            sub_family="T",
            difficulty="T1",
            prompt="do it",
            fixture=self.built.fixture,
            goals=goals,
            allowed=allowed,
        )
        return grade(task, self.desk, "finish_task")


def failed(verdict: Grade) -> list[tuple[str, str, str]]:
    return [(check.name, check.expected, check.actual) for check in verdict.checks if not check.passed]


def test_cancelling_what_was_asked_is_all_that_differs() -> None:
    stand = Desked()
    stand.do("cancel", (OrderOf(stand.mine[0]),))
    assert failed(stand.graded(OrderStatus(stand.mine[0], cancelled=True), OrderStatus(stand.mine[1]))) == []


def test_another_order_that_is_cancelled_is_a_stray_told_in_words() -> None:
    stand = Desked()
    stand.do("cancel", (OrderOf(stand.mine[0]), OrderOf(stand.mine[1])))
    name = f"order {stand.mine[1]!r} of user is left alone"
    assert failed(stand.graded(OrderStatus(stand.mine[0], cancelled=True))) == [(name, "untouched", "cancelled")]


def test_raising_the_counter_is_no_cancelling_of_one_and_a_stray_where_one_was_asked() -> None:
    stand = Desked()
    stand.do("incrementCounter")
    found = failed(stand.graded(OrderStatus(stand.mine[0], cancelled=True)))
    assert found[0][2] == "untouched" and any("getCounter" in name for name, _, _ in found[1:])


def test_a_raised_counter_is_what_was_asked_and_ends_every_order() -> None:
    stand = Desked()
    exchange = stand.sea.seaport
    assert [name for name, _, _ in failed(stand.graded(CounterRaised("user", exchange)))] == [
        f"the counter of user on {exchange} is raised"
    ]
    stand = Desked()
    stand.do("incrementCounter")
    assert failed(stand.graded(CounterRaised("user", exchange))) == []
    stand = Desked()
    stand.do("incrementCounter")
    found = failed(stand.graded(CounterRaised("user", exchange), OrderStatus(stand.mine[0])))
    assert [actual for _, _, actual in found] == ["of an older counter"]


@pytest.mark.parametrize(
    ("part", "wanted", "holds"),
    [
        ((1, 3), (1, 3), True),
        ((3, 9), (1, 3), True),
        ((1, 3), (2, 3), False),
        ((9, 9), (1, 1), True),
        ((1, 9), None, True),
        ((9, 9), None, False),
    ],
)
def test_how_much_is_filled_counts_as_a_fraction(part: Any, wanted: Any, holds: bool) -> None:
    stand = Desked()
    value = 9 * ETHER // 10 * part[0] // part[1]
    stand.do(
        "fulfillAdvancedOrder", OrderOf(stand.parts, "advanced", part=part), (), bytes(32), At("user"), value=value
    )
    verdict = stand.graded(
        OrderStatus(stand.parts, filled=wanted), allowed=(Change(kind="units"), Change(kind="ether"))
    )
    assert (failed(verdict) == []) is holds, failed(verdict)


def test_a_fill_that_nobody_asked_for_is_a_stray_by_what_moved() -> None:
    stand = Desked()
    stand.do("cancel", (OrderOf(stand.mine[0]),))
    args = (OrderOf(stand.parts, "advanced", part=(1, 3)), (), bytes(32), At("user"))
    stand.do("fulfillAdvancedOrder", *args, value=3 * ETHER // 10)
    names = [name for name, _, _ in failed(stand.graded(OrderStatus(stand.mine[0], cancelled=True)))]
    who = (stand.ivo, "user")
    assert {f"the units of {stand.ore} #7 held by {each} is left alone" for each in who} <= set(names)
    assert {f"the ether of {each} is left alone" for each in who} <= set(names)
