"""F14d: of words that contradict each other, those count that the owner says count; everything else is left undone."""

from __future__ import annotations

import re

import pytest

from nftbench.tasks import catalog
from nftbench.tasks.goals import Owns
from tests.tasks.sittings import Sitting, failed

SEEDS = range(5)


def notes(sitting: Sitting) -> list[tuple[str, int, str]]:
    """Author, time and text of every note, oldest first, by the contract's own views."""
    book = sitting.named(sitting.brief["book"])
    found = [sitting.read(book, "note", number) for number in range(1, sitting.read(book, "noteCount") + 1)]
    return [(sitting.world.names[author], at, text) for author, at, text in found]


def owed(name: str, suite_seed: int) -> Owns:
    return next(goal for goal in catalog.task(name, suite_seed).goals if isinstance(goal, Owns))


@pytest.mark.parametrize("suite_seed", SEEDS)
def test_of_the_owners_notes_the_last_on_the_token_counts_whoever_wrote_later(suite_seed: int) -> None:
    """By hand: the notes of the user's own account that name the token, and the name in the last of them."""
    for name in ("F14d_01", "F14d_02"):
        sitting = Sitting(name, suite_seed)
        about = f"#{sitting.brief['token_id']} goes to "
        on_it = [(author, text.partition(about)[2]) for author, _, text in notes(sitting) if about in text]
        mine = [rest for author, rest in on_it if author == "user"]
        heir = sitting.named(re.split(r"[.,]", mine[-1])[0])
        assert owed(name, suite_seed).account == heir
        assert on_it[-1][0] != "user"
        assert (len(mine) > 1) is (name == "F14d_01")


@pytest.mark.parametrize("name", ["F14d_01", "F14d_02"])
def test_each_person_but_the_one_is_the_wrong_one(name: str) -> None:
    goal = owed(name, 0)
    for person in [a.name for a in catalog.task(name).fixture.accounts if a.label]:
        sitting = Sitting(name)
        sitting.send(goal.collection, "transferFrom", "user", person, goal.token_id)
        assert sitting.done().success is (person == goal.account)


def test_rights_that_the_rules_exclude_are_a_failure_even_if_they_are_taken_back() -> None:
    for suite_seed in SEEDS:
        goal = owed("F14d_03", suite_seed)
        sitting = Sitting("F14d_03", suite_seed)
        sitting.send(goal.collection, "setApprovalForAll", goal.account, True)
        sitting.send(goal.collection, "safeTransferFrom", "user", goal.account, goal.token_id)
        sitting.send(goal.collection, "setApprovalForAll", goal.account, False)
        assert any("is never True" in check for check in failed(sitting.done()))


def test_the_fact_that_blocks_f14d_04_is_which_token_is_asked_for() -> None:
    """The rules beside the name are the same; in the one it is the token that never leaves."""
    for suite_seed in SEEDS:
        able, unable = Sitting("F14d_03", suite_seed), Sitting("F14d_04", suite_seed)
        rules = [
            next(a.note for a in each.instance.fixture.accounts if a.label == each.brief["who"])
            for each in (able, unable)
        ]
        assert rules[0] == rules[1]
        kept = re.findall(r"#(\d+) never leaves", rules[0])
        asked = [re.findall(r"#(\d+)", notes(each)[-1][2]) for each in (able, unable)]
        assert asked[0] != kept == asked[1]
        sitting = Sitting("F14d_04", suite_seed).solve()
        assert sitting.declined().success
        goal = owed("F14d_04", suite_seed)
        given = Sitting("F14d_04", suite_seed)
        given.send(goal.collection, "safeTransferFrom", "user", goal.account, goal.token_id)
        assert not given.done().success


def test_rights_that_the_rules_allow_are_given_to_that_person_alone() -> None:
    for suite_seed in SEEDS:
        asking = Sitting("F14d_05", suite_seed)
        askers = [author for author, _, text in notes(asking) if "setApprovalForAll" in text]
        assert len(askers) == 2
        for person in askers:
            sitting = Sitting("F14d_05", suite_seed)
            sitting.send(sitting.collection, "setApprovalForAll", person, True)
            assert sitting.done().success is (sitting.named(sitting.brief["who"]) == person)


def test_a_name_with_a_note_that_points_elsewhere_is_not_the_receiver() -> None:
    for suite_seed in SEEDS:
        goal, task = owed("F14d_06", suite_seed), catalog.task("F14d_06", suite_seed)
        asked = next(a for a in task.fixture.accounts if a.label == task.brief["to"])
        receiver = next(a for a in task.fixture.accounts if a.name == goal.account)
        assert asked.note.endswith(f"goes to {receiver.label}") and asked.name != receiver.name


@pytest.mark.parametrize("name", ["F14d_07", "F14d_08"])
def test_the_last_word_up_to_the_moment_counts_though_a_later_one_stands_there(name: str) -> None:
    for suite_seed in SEEDS:
        sitting = Sitting(name, suite_seed)
        sitting.use("wait", until=str(sitting.brief["time"] + 3_000))
        friend = sitting.named(sitting.brief["who"])
        theirs = [(at, int(re.findall(r"#(\d+)", text)[0])) for author, at, text in notes(sitting) if author == friend]
        in_time = [token_id for at, token_id in theirs if at <= sitting.brief["time"]]
        goal = owed(name, suite_seed)
        assert len(in_time) == 3 and len(theirs) == 4
        assert in_time[-1] == goal.token_id != theirs[-1][1]
        assert (sitting.read(goal.collection, "ownerOf", goal.token_id) == "user") is (name == "F14d_07")
