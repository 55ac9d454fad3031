"""F8b: the reference takes the best bid, and what the book shows as the highest is not it."""

from __future__ import annotations

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.families.f8_offers.accepting import F8B
from tests.tasks.sittings import Sitting, careless, enlisted, failed, is_trap, reference


@pytest.mark.parametrize("name", enlisted(F8B))
def test_the_reference_solves_it_and_the_highest_number_is_a_trap(name: str) -> None:
    task = catalog.task(name, 3)
    assert reference(task).success
    assert not (is_trap(task) and careless(task).success)


def test_an_allowance_left_behind_fails() -> None:
    sitting = Sitting("F8b_02").solve()
    exchange = sitting.named(sitting.brief["exchange"])
    assert sitting.try_to(sitting.named("Wrapped Ether"), "approve", exchange, 1) == "success"
    verdict = sitting.done()
    assert not verdict.success and failed(verdict)
