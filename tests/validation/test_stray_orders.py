"""An order that gives something away beside what was asked for is a damage that the grade notices."""

from __future__ import annotations

from nftbench.tasks import catalog
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import trace_of
from nftbench.validation.scores import play
from nftbench.validation.stray_orders import for_less, for_nothing


def test_a_token_and_coins_for_nothing_flip_the_grade() -> None:
    task = catalog.task("F14b_05", 0)
    rehearsal = Rehearsal(task, trace_of(play(task, "reference").trajectory).turns)
    rehearsal.solve()
    assert rehearsal.passes()
    found = list(for_nothing(rehearsal))
    assert found and list(for_less(rehearsal)) == []  # no goal speaks of a listing here
    for spoil in found:
        rehearsal.solve()
        assert spoil.do(rehearsal) and not rehearsal.passes(), spoil.what
