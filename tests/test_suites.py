"""The suite from outside: filters that name their choices, and tasks that give nothing away unasked."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

import nftbench
from nftbench.tasks import catalog


def test_filters_are_joined_and_keep_the_order_of_the_catalogue() -> None:
    assert nftbench.instances() == catalog.instance_ids()
    assert nftbench.instances(family="F1a", difficulty="T1") == ("F1a_01",)
    both = nftbench.instances(family=["F3c", "F1"], difficulty=("T2", "T3"))
    assert both == tuple(
        name
        for name in catalog.instance_ids()
        if name.startswith(("F1a", "F1b", "F1c", "F1d", "F3c")) and catalog.task(name).difficulty in ("T2", "T3")
    )
    assert nftbench.instances(["F2*_08", "F1a_02"], family="F2") == tuple(f"F2{each}_08" for each in "abcd")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"family": "F1z"}, r"'F1z'.*F1a"),
        ({"difficulty": "hard"}, r"'hard'.*T1, T2, T3, T4"),
        ({"tier": "moon"}, r"'moon'.*synthetic"),
        ({"match": "F99*"}, r"F99"),
    ],
)
def test_a_filter_that_names_nothing_is_refused_with_the_choices(bad: dict[str, str], words: str) -> None:
    with pytest.raises(nftbench.Refusal, match=words):
        nftbench.instances(**bad)  # type: ignore[arg-type]


@given(st.sampled_from(catalog.instance_ids()), st.integers(0, 5))
def test_a_task_tells_what_an_agent_is_shown_and_where_it_stands_and_nothing_that_solves_it(
    name: str, seed: int
) -> None:
    view, task = nftbench.task(name, seed), catalog.task(name, seed)
    told = to_builtins(view)
    assert set(told) == {"id", "tier", "family", "sub_family", "difficulty", "suite_seed", "prompt", "turns", "size"}
    assert (told["id"], told["prompt"], told["suite_seed"]) == (name, task.prompt, seed)
    assert "feasible" not in repr(view) and pickle.loads(pickle.dumps(view)) == view


def test_the_messages_of_a_task_are_those_that_its_episode_begins_with() -> None:
    limits = nftbench.Limits(max_turns=7)
    assert nftbench.task("F2a_03", 2).messages(limits) == nftbench.Env("F2a_03", 2, limits=limits).messages


def test_answers_are_told_to_those_who_ask() -> None:
    """F1a_04 can't be done, as every suite has it."""
    view = nftbench.task("F1a_04", 9)
    answers = view.answers()
    assert not answers.feasible and answers.reason_classes and answers.twin is not None
    assert nftbench.task(answers.twin, 9).answers().feasible
