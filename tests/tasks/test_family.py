"""A sub-family's table of cases: who is whose twin, and what a twin is told."""

from __future__ import annotations

import pytest

from nftbench.tasks.family import Story, able, numbered, unable
from nftbench.tasks.scene import Scene


def tell(_: Scene, __: bool) -> Story:
    return Story(phrasings=("a", "b", "c"), goals=(), brief={})


def test_a_twin_is_told_as_its_case_is_and_has_its_tags_but_no_trap() -> None:
    cases = numbered(able(tell, "T1"), able(tell, "T3", "receiver", "trap:plain-transfer"), unable(2, "funds", "time"))
    assert [case.twin_of for case in cases] == [None, None, 2]
    assert (cases[2].tell, cases[2].difficulty, cases[2].tags) == (tell, "T3", ("receiver",))
    assert (cases[1].reasons, cases[2].reasons) == ((), ("funds", "time"))


def test_a_twin_may_stand_before_its_case_and_is_nobodys_case() -> None:
    assert numbered(unable(2, "locked"), able(tell, "T2"))[0].twin_of == 2
    with pytest.raises(ValueError, match="case 2 is itself a twin"):
        numbered(able(tell, "T2"), unable(1, "funds"), unable(2, "funds"))
