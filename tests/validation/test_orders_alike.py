"""Which changes to a signed order are other orders for a goal, and which come to the same by the rules of Seaport."""

from __future__ import annotations

from typing import Any

import pytest

from nftbench.tasks.goals import Goal, ListingStands, Piece
from nftbench.validation.orders_alike import told_apart
from tests.tasks.sittings import Sitting

STRANGER = "0x" + "ab" * 20


@pytest.fixture(scope="module")
def sitting() -> Sitting:
    return Sitting("F14a_02")


def told(sitting: Sitting, goals: tuple[Goal, ...], path: tuple[Any, ...] = (), value: Any = None) -> tuple[str, str]:
    """What is told of the prepared swap, with one thing in it changed."""
    (step,) = sitting.document(sitting.brief["page"])["steps"]
    typed = step["sign"]
    part = typed["message"]
    for key in path[:-1]:
        part = part[key]
    if path:
        part[path[-1]] = value
    return told_apart(sitting.world, {"signer": "me", "typed_data": typed, "signature": repr(typed)}, goals)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("salt",), "1"),
        (("zone",), STRANGER),
        (("zoneHash",), "0x" + "01" * 32),
        (("orderType",), "1"),
        (("offer", 0, "endAmount"), "2"),
        (("offer", 1, "startAmount"), "2"),
    ],
)
def test_what_nobody_who_fills_it_can_notice_is_no_other_order(
    sitting: Sitting, path: tuple[Any, ...], value: Any
) -> None:
    goals = sitting.instance.goals
    assert told(sitting, goals, path, value) == told(sitting, goals)
    assert told(sitting, (), path, value) != told(sitting, ())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("orderType",), "2"),
        (("counter",), "1"),
        (("conduitKey",), "0x" + "00" * 32),
        (("endTime",), "5"),
        (("offerer",), STRANGER),
        (("offer", 0, "identifierOrCriteria"), "1"),
        (("offer", 0, "endAmount"), "0"),
        (("consideration", 0, "recipient"), STRANGER),
        (("consideration", 1, "startAmount"), "2"),
        (("consideration", 1, "token"), STRANGER),
    ],
)
def test_what_somebody_would_notice_is_another_order(sitting: Sitting, path: tuple[Any, ...], value: Any) -> None:
    assert told(sitting, sitting.instance.goals, path, value) != told(sitting, sitting.instance.goals)


def test_times_count_where_the_goal_says_some(sitting: Sitting) -> None:
    (step,) = sitting.document(sitting.brief["page"])["steps"]
    later = str(int(step["sign"]["message"]["endTime"]) - 60)
    dated = (ListingStands("exchange", (Piece("cats"),), (), ends=5),)
    assert told(sitting, sitting.instance.goals, ("endTime",), later) == told(sitting, sitting.instance.goals)
    assert told(sitting, dated, ("endTime",), later) != told(sitting, dated)
