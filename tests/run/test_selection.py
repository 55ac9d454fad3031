"""What --instances may name, and what a slip is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nftbench.errors import Refusal
from nftbench.run.selection import resolve

KNOWN = tuple(f"F1{sub}_{number:02d}" for sub in "abcd" for number in range(1, 9))


def test_ids_globs_and_comma_lists_come_in_the_order_of_the_catalog() -> None:
    assert resolve(["F1b_02, F1a_0[12]", "F1a_04"], KNOWN, tier="t") == ("F1a_01", "F1a_02", "F1a_04", "F1b_02")


def test_nothing_named_is_everything() -> None:
    assert resolve(None, KNOWN, tier="t") == KNOWN


def test_a_glob_may_overlap_with_an_id() -> None:
    assert resolve(["F1a_0?,F1a_04"], KNOWN, tier="t") == KNOWN[:8]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["F1a_4"], "'F1a_4' is no instance of tier t (near names: F1a_04"),
        (["f1A_04"], "(near names: F1a_04"),
        (["F1a"], "(near names: F1a*)"),
        (["zzz"], "'zzz' is no instance of tier t; nftbench list shows all"),
        (["F9*"], "'F9*' matches no instance of tier t; nftbench list shows all"),
        (["F1a_01,F1a_01"], "'F1a_01' is named twice"),
        (["F1a*", "F1a*"], "'F1a*' is named twice"),
        (["F1a_01,"], "an empty name"),
        ([""], "an empty name"),
        (["F1a_01\x1b(B"], "'F1a_01\\x1b(B' is no instance"),
    ],
)
def test_a_slip_is_told_with_the_value_and_the_near_names(asked: list[str], words: str) -> None:
    with pytest.raises(Refusal) as refusal:
        resolve(asked, KNOWN, tier="t")
    assert words in str(refusal.value)


MANY = tuple(f"{family}{sub}_01" for family in ("F1", "F2", "F10", "F14") for sub in "ab")


@pytest.mark.parametrize(
    ("glob", "families"),
    [
        ("F1*", ["F1"]),
        ("F14*", ["F14"]),
        ("F[12]*", ["F1", "F2"]),
        ("F1[0-4]*", ["F10", "F14"]),
        ("F*", ["F1", "F2", "F10", "F14"]),
        ("F1*_01", ["F1"]),
        ("*", ["F1", "F2", "F10", "F14"]),
    ],
)
def test_a_familys_glob_takes_that_family_and_none_whose_number_begins_alike(glob: str, families: list[str]) -> None:
    assert resolve([glob], MANY, tier="t") == tuple(name for name in MANY if name[:-4] in families)
    assert resolve(["F1*a_01"], MANY, tier="t") == ("F1a_01",)


@given(st.sets(st.sampled_from(KNOWN), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_asking_does_not_matter(chosen: set[str], random: object) -> None:
    names = sorted(chosen)
    random.shuffle(names)  # type: ignore[attr-defined]
    assert resolve([",".join(names)], KNOWN, tier="t") == tuple(name for name in KNOWN if name in chosen)


CONTROLS = ("F1a_01-control", "F1b_02-control")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (["F1a_0*"], KNOWN[:8]),
        (["F1a_01-control"], CONTROLS[:1]),
        (["F1*-control"], CONTROLS),
        (["F1b_02-control,F1a_01"], ("F1a_01", "F1b_02-control")),
    ],
)
def test_controls_are_taken_only_if_they_are_asked_for_and_come_last(asked: list[str], names: tuple[str, ...]) -> None:
    assert resolve(asked, KNOWN, tier="t", controls=CONTROLS) == names


def test_no_control_is_taken_where_everything_is_asked_for_or_there_is_none() -> None:
    assert resolve(None, KNOWN, tier="t", controls=CONTROLS) == KNOWN
    with pytest.raises(Refusal, match="'F1a_02-control' is no instance"):
        resolve(["F1a_02-control"], KNOWN, tier="t", controls=CONTROLS)
