"""Campaigns by part: each request is right or wrong for itself, and the ether of shared accounts is the sum of what they do."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.episode.limits import Limits
from nftbench.grading.checks import check_goal
from nftbench.grading.grade import grade
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.goals import EtherChange, EtherSum, Pays
from nftbench.tasks.ladders.l1_campaigns.plays import composed
from nftbench.tasks.model import Part, Task
from nftbench.tasks.playing import Step as Playing
from nftbench.tasks.playing import finish, state
from tests.tasks.sittings import Sitting

NO_LIMITS = Limits(max_turns=10_000, max_seconds=None)


def played(task: Task, play: Any = None) -> Result:
    return attempt(task, ReferenceAgent(play or catalog.policy(task)), limits=NO_LIMITS).result


def undone(task: Task) -> list[int]:
    """The places of the parts that can't be done."""
    return [place for place, part in enumerate(task.parts) if not part.feasible]


def eight() -> Task:
    """A list of which two or three can't be done."""
    lists = (catalog.task("L1d_01", seed) for seed in range(50))
    return next(task for task in lists if 1 < len(undone(task)) < 4)


def test_a_part_that_is_left_out_is_wrong_and_no_other() -> None:
    task = eight()
    skipped = next(number for number, part in enumerate(task.parts) if part.feasible)

    def all_but_one(name: str) -> Any:
        return catalog.SUB_FAMILIES[name].policy

    brief = {**task.brief, "parts": [dict(part) for part in task.brief["parts"]]}
    brief["parts"][skipped] = {"of": "nothing", "brief": {}}

    def nothing(_: dict[str, Any]) -> Playing:
        yield from state()
        yield from finish("Nothing.")

    result = played(task, lambda: composed(brief, lambda name: nothing if name == "nothing" else all_but_one(name)))
    assert not result.success
    assert [place for place, part in enumerate(result.parts) if not part.right] == [skipped]


def answered(sitting: Sitting, answer: Any) -> Any:
    sitting.use("finish_task", summary="Done.", **({} if answer is None else {"answer": answer}))
    return grade(sitting.instance, sitting.desk, "finish_task")


@pytest.mark.parametrize("answer", [None, [], "none", ["1", "2", "3", "4", "5", "6", "7", "8"], [{}]])
def test_the_answer_must_name_just_what_came_to_nothing(answer: Any) -> None:
    task = eight()
    named = [str(number) in (answer if isinstance(answer, list) else []) for number in range(1, 9)]
    found = answered(Sitting(task.id, task.suite_seed).solve(), answer)
    assert not found.success
    assert [part.right for part in found.parts] == [
        name is not part.feasible for name, part in zip(named, task.parts, strict=True)
    ]


def owned(sitting: Sitting, part: Part) -> tuple[str, int]:
    """A collection of the part's own, and a token of it that is the user's."""
    world = sitting.world
    for name in part.handles:
        interface = world.interfaces.get(world.addresses[name])
        if interface is not None and any(f.signature == "ownerOf(uint256)" for f in interface.functions):
            for token_id in sorted(world.surveyor.token_ids(world.addresses[name])):
                if sitting.read(name, "ownerOf", token_id) == "user":
                    return name, token_id
    raise LookupError(part.case)


def test_touching_what_cant_be_done_makes_that_part_wrong_and_no_other() -> None:
    """A token of the user's, in a collection that only this request is about, gets an approval."""
    lists = [catalog.task("L1c_01", seed) for seed in range(100)]
    found_in = ((task, place) for task in lists for place in undone(task) if task.parts[place].case.startswith("F1a"))
    task, place = next(found_in)
    sitting = Sitting(task.id, task.suite_seed).solve()
    collection, token_id = owned(sitting, task.parts[place])
    assert sitting.try_to(collection, "approve", "team", token_id) == "success"
    found = answered(sitting, [str(number + 1) for number in undone(task)])
    assert not found.success
    assert [n for n, part in enumerate(found.parts) if not part.right] == [place]


@pytest.mark.parametrize(("paid", "right"), [(4, False), (5, True), (9, True), (10, False)])
def test_one_of_several_payees_is_looked_at_on_its_own_side(paid: int, right: bool) -> None:
    """Fees are left out; what is paid to another is another's business, but all of it together adds up."""
    sitting = Sitting("F1a_01")
    first, second = [a.name for a in sitting.instance.fixture.accounts if a.label is not None][:2]
    sitting.pay(first, paid)
    sitting.pay(second, 11)
    goal = Pays("user", first, most=9, least=5, alone=False)
    assert check_goal(goal, sitting.desk, None).passed is right
    assert not check_goal(replace(goal, alone=True), sitting.desk, None).passed
    assert check_goal(EtherSum("user", -11, (first,)), sitting.desk, None).passed
    assert check_goal(EtherSum("user", 0, (first, second)), sitting.desk, None).passed
    assert check_goal(EtherSum("user", -11 - paid), sitting.desk, None).passed
    for wrong in (EtherSum("user", -10, (first,)), EtherSum("user", -11, (second,)), EtherSum("user", 0)):
        assert check_goal(wrong, sitting.desk, None).passed is False


def test_what_actors_send_of_themselves_counts_only_where_it_is_asked_for() -> None:
    """Somebody buys of the user: the price comes in, and the market's fee goes to the team, by them alone."""
    sitting = Sitting("F6c_08").solve()
    came_in = next(goal.wei for goal in sitting.instance.goals if isinstance(goal, EtherChange))
    assert came_in > 0
    for others in (True, False):
        assert check_goal(EtherSum("user", came_in, others=others), sitting.desk, None).passed is others
        assert check_goal(EtherSum("user", 0, others=others), sitting.desk, None).passed is not others
        assert check_goal(EtherSum("team", 0, others=others), sitting.desk, None).passed is not others
