"""Clauses that speak of giving up are found where they stand with infeasible cases, and let be where they stand with all."""

from __future__ import annotations

import pytest

from nftbench.validation.clauses import CUES, Case, by_chance, cues, judge
from nftbench.validation.suite import Wordings, cases_of, told_by_prompts

PLAIN = ("Send my #{n} to Mira.", "Mira gets #{n}, please.")


def suite(paired: tuple[str, ...], alone: tuple[str, ...], share: float = 1.0, every: int = 4) -> list[Case]:
    """Ten made-up sub-families of eight, with a twin for one in `every`; `share` of each kind has these wordings."""
    cases = []
    for number in range(80):
        kind = number % every == 0
        worded = (number // 4 % 10) < 10 * share
        wordings = (paired if kind else alone) if worded else PLAIN
        cases.append(Case(f"F{number // 8}", kind, tuple(w.format(n=number) for w in wordings)))
    return cases


CUED = {
    "if": "If it's gone already, Mira gets #{n} another time.",
    "otherwise": "Send #{n} while it can be had, otherwise nothing.",
    "should it": "Send #{n} to Mira. Should it be locked, wait for the key.",
    "leave it": "Send #{n} to Mira, or leave it.",
    "do nothing": "Send #{n}; do nothing by halves.",
    "provided": "Send #{n} to Mira, provided it's mine.",
}


@pytest.mark.parametrize("cue", CUED)
def test_a_cue_that_only_pairs_have_is_told_with_a_clause(cue: str) -> None:
    found = judge(suite((CUED[cue], *PLAIN), PLAIN, share=0.5))
    assert found is not None
    assert cue in [one.cue for one in found.telling]
    told = next(sentence for sentence in found.sentences() if f"the cue {cue!r}" in sentence)
    assert "10 pairs and of 0 cases without" in told and cue in cues(told.partition("twin: ")[2])


def test_cues_that_all_have_alike_tell_nothing() -> None:
    worded = tuple(CUED.values())
    found = judge(suite(worded, worded, share=0.5))
    assert found is not None and found.sentences() == [] and found.told == pytest.approx(0.75)


def test_many_weak_cues_together_are_told_by_the_classifier() -> None:
    """Each pair has another way of saying it, so that no single cue is beyond chance."""
    cases = suite(PLAIN, PLAIN, every=2)
    ways, number = list(CUED.values()), 0
    for place, case in enumerate(cases):
        if case.paired:
            cases[place] = Case(case.sub_family, True, (ways[number % len(ways)].format(n=place),))
            number += 1
    found = judge(cases)
    assert found is not None and found.told == 1.0 > found.base_rate + found.margin and found.telling == ()
    (sentence,) = found.sentences()
    assert sentence.startswith("the clauses of prompts tell which cases have an infeasible twin: 100.0% are told right")


def test_too_few_cases_are_not_judged() -> None:
    cases = suite(PLAIN, PLAIN)
    assert judge(cases[:40]) is None and judge([]) is None
    assert judge([case for case in cases * 2 if not case.paired]) is None


def test_chance_by_hand() -> None:
    """Three of three and none of three: 1 of 20 draws. Two of three and one of three: 9 + 1 of 20."""
    assert by_chance(3, 3, 0, 3) == pytest.approx(1 / 20)
    assert by_chance(2, 3, 1, 3) == pytest.approx(10 / 20)
    assert by_chance(0, 3, 3, 3) == pytest.approx(1)


def test_what_a_request_says_of_itself_is_no_cue() -> None:
    assert cues("Tell me how many tokens Mira holds.") == frozenset()
    assert cues("Send #5 to Mira by Friday.") == frozenset()
    assert cues("Send it unless it's locked.") == {"unless"} and set(CUES) >= {"if", "unless", "otherwise"}


def test_a_pair_counts_once_and_only_if_it_is_whole() -> None:
    told = {
        "A_01": Wordings("A", True, "A_02", ("one",) * 20),
        "A_02": Wordings("A", False, "A_01", ("one",) * 20),
        "A_03": Wordings("A", True, None, ("two", "three") * 10),
    }
    assert cases_of(told) == [Case("A", True, ("one",)), Case("A", False, ("two", "three"))]
    assert told_by_prompts(told)[1] == pytest.approx(2 / 3)
    del told["A_01"]
    assert told_by_prompts(told)[1] == 1.0
