"""What a task lets differ beyond its goals has a bound, or stands on the reviewed list."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from nftbench.tasks import catalog
from nftbench.tasks.goals import At, Change, Goal, JsonView, Owns, Reading, SoleListing, ViewEquals
from nftbench.tasks.model import Otherwise, Task
from nftbench.validation.harmless import OPEN_CHANGES, open_change_line
from nftbench.validation.open_changes import open_changes

BOUNDED = {
    "owner": Change(kind="owner", contract="cats", subject=1, to=At("mira")),
    "units": Change(kind="units", contract="ore", subject="user", detail=7, to=3),
    "operator": Change(kind="operator", contract="cats", subject="user", detail="mira", to=False),
    "allowance": Change(kind="allowance", contract="gold", subject="user", detail="mira", to=0),
    "role": Change(kind="role", contract="cats", subject=b"", detail="mira", to=False),
    "ether": Change(kind="ether", contract=None, subject="mira", to=5),
    "view": Change(kind="view", contract="cats", subject="paused()", to=True),
    "detailed view": Change(kind="view", contract="cats", subject="tokenURI(uint256)", detail=(1,), to="x"),
    "storage": Change(kind="storage", contract="desk"),
}


def task(*allowed: Change, goals: tuple[Goal, ...] = (), **fields: Any) -> Task:
    wanted = goals or (Owns("mira", "cats", 1),)
    return replace(catalog.task("F1a_01"), allowed=allowed, goals=wanted, **fields)


@pytest.mark.parametrize("suite_seed", [0, 1, 2])
def test_every_allowed_change_of_the_suite_has_a_bound(suite_seed: int) -> None:
    found = {name: list(open_changes(catalog.task(name, suite_seed))) for name in catalog.instance_ids()}
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


def test_every_line_of_the_reviewed_list_is_needed() -> None:
    tasks = map(catalog.task, catalog.instance_ids())
    lines = {open_change_line(task, change.read_aloud()) for task in tasks for change in task.allowed}
    assert lines - {None} == set(OPEN_CHANGES)


@pytest.mark.parametrize("kind", BOUNDED)
def test_a_change_with_all_its_parts_is_bounded_and_without_any_one_it_is_not(kind: str) -> None:
    whole = BOUNDED[kind]
    assert list(open_changes(task(whole))) == []
    for part in ("contract", "subject", "detail", "to"):
        if getattr(whole, part) is UNSET:
            continue
        less = replace(whole, **{part: UNSET})
        [sentence] = open_changes(task(less))
        assert less.read_aloud() in sentence and part in sentence
        [otherwise] = open_changes(task(otherwise=Otherwise(goals=(Owns("user", "cats", 1),), allowed=(less,))))
        assert otherwise == sentence


def test_a_view_that_a_goal_judges_needs_no_value_beside_the_goal() -> None:
    uri = Change(kind="view", contract="cats", subject="tokenURI(uint256)", detail=(1,))
    reading = Reading("cats", "tokenURI", (1,))
    for goal in (JsonView(reading, {}), ViewEquals(reading, "x"), ViewEquals(Reading("cats", "hashOf", (reading,)), 1)):
        assert list(open_changes(task(uri, goals=(goal,)))) == []
    for other in (
        Reading("cats", "tokenURI", (2,)),
        Reading("dogs", "tokenURI", (1,)),
        Reading("cats", "hashOf", (1,)),
    ):
        assert len(list(open_changes(task(uri, goals=(JsonView(other, {}),))))) == 1
    of = Change(kind="view", contract="market", subject="listingOf(address,uint256)", detail=(At("cats"), 1))
    assert list(open_changes(task(of, goals=(SoleListing("market", "cats", 1),)))) == []
    assert len(list(open_changes(task(of, goals=(SoleListing("market", "cats", 2),))))) == 1
