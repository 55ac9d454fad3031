"""The faults of the first suite come back if what mends them is taken out of a task, and validation finds each of them.

A task is weakened to what the first suite had: without the goal that holds it now, or with the writes that were seen by nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from msgspec import structs

from nftbench.tasks import catalog
from nftbench.tasks.goals import (
    Always,
    Change,
    EventEmitted,
    Never,
    OnlyFor,
    RoyaltyOfNew,
    SendsNothing,
    ViewEquals,
)
from nftbench.tasks.model import Task
from nftbench.validation.forbidden import in_between
from nftbench.validation.one_more_call import call_once_more
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play
from nftbench.validation.ways import compare_ways
from nftbench.values import ZERO_ADDRESS

UNSEEN = (Change(kind="storage"), Change(kind="view"))


def without(*kinds: type) -> Callable[[Task], Task]:
    return lambda task: structs.replace(task, goals=tuple(g for g in task.goals if not isinstance(g, kinds)))


def allowing(*changes: Change) -> Callable[[Task], Task]:
    return lambda task: structs.replace(task, allowed=(*task.allowed, *changes))


def unpaid(task: Task) -> Task:
    """A sale whose goal is only who owns the token."""
    return allowing(Change(kind="ether"), *UNSEEN)(without(OnlyFor)(task))


def any_filter(task: Task) -> Task:
    """A filter list of which one entry is asked for, and the others are not looked at."""
    kept = [g for g in task.goals if not (isinstance(g, ViewEquals) and "filteredCodeHashes" in g.reading.function)]
    return allowing(*UNSEEN)(structs.replace(task, goals=tuple(kept)))


def one_by_one(task: Task) -> Task:
    """A standard royalty that is asked for at samples only."""
    return allowing(*UNSEEN)(without(RoyaltyOfNew)(task))


class Fault(NamedTuple):
    """What the step says once the task is weakened, and with it as it is does not say."""

    instance: str
    weaken: Callable[[Task], Task]
    step: Callable[[Rehearsal], tuple[str, ...]]
    said: str


def once_more(one: Rehearsal) -> tuple[str, ...]:
    return call_once_more(one, one).unnoticed


def ways(one: Rehearsal) -> tuple[str, ...]:
    return compare_ways(one).passing


FAULTS: dict[str, Fault] = {
    "a closed sale is reopened": Fault("F6b_03", allowing(*UNSEEN), once_more, ".setPhases(("),
    "a closed sale is reopened, in a drop with two phases": Fault(
        "F6b_05", allowing(*UNSEEN), once_more, ".setPhases(("
    ),
    "a hash is approved in a wallet of several": Fault("F3b_07", allowing(*UNSEEN), once_more, ".approveHash("),
    "a hash is approved in a club's wallet": Fault("F1b_03", allowing(*UNSEEN), once_more, ".approveHash("),
    "a hash is approved in the studio's wallet": Fault("F5a_06", allowing(*UNSEEN), once_more, ".approveHash("),
    "a further code hash is put on the filter": Fault("F6c_04", any_filter, once_more, ".updateCodeHash("),
    "a token loses its own terms": Fault("F6a_01", one_by_one, once_more, ".resetTokenRoyalty("),
    "a token is given for nothing in place of the sale": Fault("F5c_08", unpaid, ways, "ransferFrom(user, "),
}


def rehearsal(task: Task) -> Rehearsal:
    return Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_comes_back_is_found(name: str) -> None:
    fault = FAULTS[name]
    found = fault.step(rehearsal(fault.weaken(catalog.task(fault.instance))))
    assert any(fault.said in sentence for sentence in found), found


FORBIDDEN = {
    "F3d_01": SendsNothing,
    "F3d_02": SendsNothing,
    "F3d_03": SendsNothing,
    "F3d_06": SendsNothing,
    "F5a_08": Never,
    "F1a_05": Always,
    "F3a_03": Never,
}


@pytest.mark.slow
@pytest.mark.parametrize("instance", FORBIDDEN)
def test_what_is_forbidden_in_between_is_done_and_only_the_goal_that_forbids_it_notices(instance: str) -> None:
    task = catalog.task(instance)
    whole, weak = rehearsal(task), rehearsal(without(FORBIDDEN[instance])(task))
    whole.solve()
    spoils = list(in_between(whole))
    assert spoils
    for one, passes in ((whole, False), (weak, True)):
        for spoil in spoils:
            one.solve()
            assert spoil.do(one) and one.grade().success is passes, spoil.what


@pytest.mark.slow
def test_an_event_where_the_effect_counts_is_shown_for_review() -> None:
    """The token whose terms are set to the default's by another function than the one whose event is asked for."""
    task = catalog.task("F6a_06")
    resets = [act for act in rehearsal(task).acts if str(act.arguments.get("function")).startswith("resetTokenRoyalty")]
    collection = next(goal.reading.contract for goal in task.goals if isinstance(goal, ViewEquals))
    ids = [int(act.arguments["arguments"][0]) for act in resets]
    wanted = [EventEmitted(collection, "TokenRoyaltyChanged", {"tokenId": i, "receiver": ZERO_ADDRESS}) for i in ids]
    shown = compare_ways(rehearsal(structs.replace(task, goals=(*task.goals, *wanted)))).failing
    assert any("TokenRoyaltyChanged" in sentence for sentence in shown), shown
