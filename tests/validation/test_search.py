"""The blind search finds short ways, through waits and permissions too, and stops where there is none."""

from __future__ import annotations

import pytest

from nftbench.tasks import catalog
from nftbench.validation.argument_values import combinations
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play
from nftbench.validation.search import BLIND, Search
from tests.validation import swapping
from tests.validation.families import examined


def rehearsal(name: str) -> Rehearsal:
    task = catalog.task(name)
    return Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)


def named(step: str) -> str:
    return step.partition("(")[0].rpartition(".")[2]


def test_combinations_come_by_the_sum_of_their_ranks() -> None:
    found = list(combinations([("a", "b", "c"), (1, 2)], 5))
    assert found == [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)]
    assert list(combinations([("a",), ()], 5)) == [] and list(combinations([], 5)) == [()]


def test_a_way_of_two_transactions_is_found() -> None:
    """Unlock, then send; nothing of the reference's own calls is tried as it is."""
    one = rehearsal("F1a_05")
    steps = Search(one, one, given=False).run().steps
    assert steps is not None and [named(step) for step in steps] == ["unlock", "safeTransferFrom"]


def test_a_way_that_needs_a_wait_is_found() -> None:
    one = rehearsal("F1a_07")
    steps = Search(one, one, given=False).run().steps
    assert steps is not None and steps[0].startswith("wait until") and len(steps) == 2


@pytest.mark.parametrize("name", ["F1a_04", "F1b_08", "F1c_04"])
def test_an_infeasible_world_has_no_way_that_the_search_finds(name: str) -> None:
    one = rehearsal(name)
    found = Search(one, rehearsal(str(one.task.twin)), given=True).run()
    assert found.steps is None and found.worlds > 20 and found.tried <= BLIND.tried


def test_a_way_that_takes_a_struct_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The old desk closes a swap that nobody opened, back to the owner, and the approval is used up."""
    found = examined(monkeypatch, swapping.FAMILY, 2)
    (problem,) = [p for p in found.problems if p.startswith("the goal can be reached all the same: ")]
    assert found.search == "reached" and "closeSwap((" in problem


def test_a_search_leaves_the_world_as_it_was() -> None:
    one = rehearsal("F1c_08")
    one.solve()
    before = one.effect()
    Search(one, rehearsal("F1c_07"), given=True).run()
    one.solve()
    assert one.effect() == before == one.solved_effect
