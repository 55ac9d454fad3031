"""Plain values: names go by the numbers within them."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from nftbench.values import in_order


def test_names_go_by_their_numbers() -> None:
    given_names = ["F14a_02", "F10", "F2a_10", "T3", "F2a_9", "F2", "F1b", "all"]
    assert sorted(given_names, key=in_order) == ["F1b", "F2", "F2a_9", "F2a_10", "F10", "F14a_02", "T3", "all"]


@given(st.lists(st.text(alphabet="F0129aé_٣", max_size=12)), st.integers(5_000, 6_000), st.randoms())
def test_any_names_have_one_order_however_they_come(names: list[str], digits: int, random: Random) -> None:
    names = [*names, "F" + "9" * digits]
    mixed = random.sample(names, len(names))
    assert sorted(mixed, key=in_order) == sorted(names, key=in_order)
