"""L1: what goes together and what does not, sums over the parts, each part graded for itself, and plays that take turns."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.conversation import Call
from nftbench.episode.limits import Limits
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.drawing import Draw
from nftbench.tasks.family import Case, Story, able
from nftbench.tasks.goals import Answer, EtherChange, Owns, Pays, SendsNothing
from nftbench.tasks.ladders.l1_campaigns.composing import Campaign, Clash, Sum, compose, shaped
from nftbench.tasks.ladders.l1_campaigns.plays import composed
from nftbench.tasks.ladders.l1_campaigns.requests import PARTS, offered
from nftbench.tasks.model import Passing, Step, Task
from nftbench.tasks.playing import Step as Playing
from nftbench.tasks.playing import wait_until
from nftbench.tasks.policies import Sniper
from nftbench.tasks.scene import Scene
from nftbench.tasks.seaport import SeaportExchange
from nftbench.world.build import build_world

NO_LIMITS = Limits(max_turns=10_000, max_seconds=None)
DAY = 86_400


def played(task: Task, play: Any = None) -> Result:
    return attempt(task, ReferenceAgent(play or catalog.policy(task)), limits=NO_LIMITS).result


def scene() -> Scene:
    return Scene(Draw("a campaign"), "a campaign")


def gift(scene: Scene, feasible: bool) -> Story:
    friend, collection = scene.person(), scene.collection()
    scene.mint(collection, "user", [7])
    return Story(phrasings=("A gift.",), goals=(Owns(friend, collection, 7),), brief={})


@pytest.mark.parametrize("rung", "abcd")
@pytest.mark.parametrize("suite_seed", [0, 1, 5])
def test_the_composed_reference_solves_every_campaign(rung: str, suite_seed: int) -> None:
    for number in range(1, 5):
        task = catalog.task(f"L1{rung}_{number:02d}", suite_seed)
        result = played(task)
        assert result.success, (task.id, [check for check in result.checks if not check.passed])
        assert all(part.right for part in result.parts) and result.harm == ()
        assert len(result.parts) == task.size == {"a": 1, "b": 2, "c": 4, "d": 8}[rung]
        assert result.counts.tool_calls <= (task.turns - 40) // 3


@pytest.mark.slow
@pytest.mark.parametrize("rung", "efg")
def test_the_composed_reference_solves_long_lists(rung: str) -> None:
    for number in range(1, 5):
        task = catalog.task(f"L1{rung}_{number:02d}")
        result = played(task)
        assert result.success and result.counts.tool_calls <= (task.turns - 40) // 3, task.id


@pytest.mark.slow
@pytest.mark.parametrize(("rung", "seeds"), [("d", range(100, 150)), ("e", range(100, 113))])
def test_random_mixes_are_solved_without_exception(rung: str, seeds: range) -> None:
    """Two hundred lists of eight, and fifty of sixteen."""
    for suite_seed in seeds:
        for number in range(1, 5):
            task = catalog.task(f"L1{rung}_{number:02d}", suite_seed)
            result = played(task)
            failed = [(check.name, check.actual) for check in result.checks if not check.passed]
            assert result.success, (task.id, suite_seed, [part.case for part in task.parts], failed)


def test_every_case_that_is_offered_can_be_a_part_and_comes_of_itself() -> None:
    """Alone in a campaign, told and set; a part that can't be done asks for nothing."""
    sub_families = catalog.SUB_FAMILIES
    offers = [*offered(sub_families, feasible=True), *offered(sub_families, feasible=False)]
    assert {name for name, _, feasible, _ in offers if feasible} == {
        f"{name}_{number:02d}" for name, numbers in PARTS.items() for number in numbers
    }
    for name, case, feasible, of in offers:
        campaign = Campaign(scene())
        campaign.add(name, case, of, feasible=feasible)
        assert campaign.parts[0].case == name and (campaign.parts[0].goals > 0) is feasible
        assert catalog.task(name).feasible is feasible and catalog.task(name).sub_family == of


def test_a_quarter_of_the_parts_cant_be_done_and_the_first_rungs_say_which() -> None:
    parts = [part for n in range(40) for part in catalog.task("L1e_01", n).parts]
    assert 0.18 < sum(not part.feasible for part in parts) / len(parts) < 0.32
    for seed in range(5):
        assert [catalog.task(f"L1a_0{n}", seed).parts[0].feasible for n in (1, 2, 3, 4)] == [True, True, True, False]
        task = catalog.task("L1d_02", seed)
        undone = tuple(number for number, part in enumerate(task.parts, 1) if not part.feasible)
        assert task.goals[-1] == Answer("integer_set", undone)


def test_the_message_has_every_request_under_its_number_and_says_not_which_can_be_done() -> None:
    task = catalog.task("L1d_01", 3)
    for number in range(1, 9):
        assert task.prompt.count(f"\n\n{number}. ") == 1
    assert "\n\n9. " not in task.prompt


def test_no_two_things_in_the_wallet_have_the_same_name() -> None:
    for seed in range(3):
        fixture = catalog.task("L1g_01", seed).fixture
        for things in (fixture.accounts, fixture.contracts):
            labels = Counter(one.label for one in things if one.label is not None)
            assert max(labels.values()) == 1
        names = Counter(one.name for one in (*fixture.accounts, *fixture.contracts))
        assert max(names.values()) == 1


def test_addresses_that_requests_spell_out_are_those_of_the_world() -> None:
    """A scene works an address out before there is a world: for a contract, from how many its deployer has made in all parts."""
    campaign = Campaign(scene())
    told: list[tuple[str, str]] = []

    def asked(scene: Scene, feasible: bool) -> Story:
        story = gift(scene, feasible)
        told.extend((name, scene.contract_address(name)) for name in [str(story.goals[0].collection)])  # type: ignore[union-attr]
        return story

    for number in range(4):
        campaign.add(f"F1a_{number + 1:02d}", able(asked, "T1"), "F1a", feasible=True)
    campaign.story(("All.",))
    world = build_world(campaign.scene.fixture())
    assert [(name, world.address(name)) for name, _ in told] == told


def test_histories_stand_side_by_side_each_step_as_long_after_the_start_as_in_its_own() -> None:
    """One part waits two days and then one, another waits two and a half: the passes between are 2, half and half a day."""

    def waits(*days: float) -> Case:
        def tell(scene: Scene, feasible: bool) -> Story:
            story = gift(scene, feasible)
            collection = str(story.goals[0].collection)  # type: ignore[union-attr]
            for place, day in enumerate(days):
                scene.passing(int(day * DAY))
                scene.mint(collection, "user", [100 + place])
            return story

        return able(tell, "T1")

    campaign = Campaign(scene())
    campaign.add("F1a_01", waits(2, 1), "F1a", feasible=True)
    campaign.add("F1a_02", waits(2.5), "F1a", feasible=True)
    campaign.story(("All.",))
    steps = campaign.scene.fixture().steps
    assert [step.seconds for step in steps if isinstance(step, Passing)] == [2 * DAY, DAY // 2, DAY // 2]
    first, second = (part.handles for part in campaign.parts)
    order = [
        ("first" if step.target in first else "second")
        for step in steps
        if isinstance(step, Step)
        if step.args[1:] != ()
    ]
    assert order[-3:] == ["first", "second", "first"]
    assert set(first).isdisjoint(second)


def test_what_shared_accounts_have_is_the_sum_of_the_parts() -> None:
    """By hand: some goes to a shop, however much, the user gets 4 and pays the team 2."""
    goals = (
        Pays("user", "shop", most=9, least=5),
        EtherChange("user", 4),
        EtherChange("split", -4),
        Pays("user", "team", most=2, least=2),
        Pays("user", "desk", most=30, least=30, token="dollars"),
    )
    kept, sums = shaped(goals, None)
    assert sums == {"user": Sum(4 - 2, ("shop",)), "team": Sum(2)}
    assert kept == [Pays("user", "shop", most=9, least=5, alone=False), EtherChange("split", -4), goals[4]]


def test_a_parts_deadline_is_that_of_its_goals_but_for_those_that_have_their_own() -> None:
    kept, _ = shaped((Owns("mira", "cats", 1), Owns("mira", "cats", 2, by=60)), 900)
    assert kept == [Owns("mira", "cats", 1, by=900), Owns("mira", "cats", 2, by=60)]


@pytest.mark.parametrize("goal", [SendsNothing(), Answer("integer", 1)])
def test_goals_about_all_that_is_done_are_refused(goal: Any) -> None:
    with pytest.raises(Clash, match="speaks of all that is done"):
        shaped((Owns("mira", "cats", 1), goal), None)


def labelled(scene: Scene, feasible: bool) -> Story:
    scene.person("Cold wallet")
    return gift(scene, feasible)


def thieving(scene: Scene, feasible: bool) -> Story:
    story = gift(scene, feasible)
    sea = str(story.goals[0].collection)  # type: ignore[union-attr]
    scene.counterparty("thief", scene.person(listed=False), Sniper(sea, sea, limit=1), hostile=True)
    return story


def trading(scene: Scene, feasible: bool) -> Story:
    SeaportExchange(scene, label=f"{scene.draw.collection()} Exchange")
    return gift(scene, feasible)


def counting(scene: Scene, feasible: bool) -> Story:
    assert scene.block >= 0
    return gift(scene, feasible)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (labelled, "there is something named Cold wallet already"),
        (thieving, "there is a thief already"),
        (trading, "there is something named|there is an order book already"),
    ],
)
def test_what_would_mean_something_else_beside_another_is_refused_and_leaves_no_trace(case: Any, why: str) -> None:
    campaign = Campaign(scene())
    campaign.add("F1a_01", able(case, "T1"), "F1a", feasible=True)
    before = campaign.scene.fixture()
    with pytest.raises(Clash, match=why):
        campaign.add("F1a_02", able(case, "T1"), "F1a", feasible=True)
    assert campaign.scene.fixture() == before and len(campaign.parts) == 1
    campaign.add("F1a_03", able(gift, "T1"), "F1a", feasible=True)
    assert len(campaign.parts) == 2


def test_blocks_cant_be_counted_in_a_part() -> None:
    with pytest.raises(Clash, match="it counts blocks"):
        Campaign(scene()).add("F1a_01", able(counting, "T1"), "F1a", feasible=True)


def test_composing_ends_where_nothing_goes_together_any_more() -> None:
    offers = [("F1a_01", able(labelled, "T1"), True, "F1a")]
    with pytest.raises(ValueError, match="no more parts fit into the campaign: there is something named Cold wallet"):
        compose(scene(), [offers, offers], tries=5)


# Taking turns


def scripted(*calls: Call | int) -> Any:
    """A play that makes these calls, and waits where a time stands; it notes nothing of what it is told."""

    def play(_: dict[str, Any]) -> Playing:
        for call in calls:
            if isinstance(call, int):
                yield from wait_until(call)
            else:
                yield call

    return play


def order_of(plays: dict[str, Any], **brief: Any) -> list[str]:
    """What a composed play does, told of a wallet of two pages at 100 and of a clock that goes where it is waited for."""
    pages = {"{}": {"time": "100", "next_cursor": "2"}, '{"cursor": "2"}': {"time": "100"}}
    parts = [{"of": name, "brief": {}} for name in plays]
    play = composed({"parts": parts, **brief}, lambda name: plays[name])
    done, call = [], next(play)
    while True:
        done.append(f"{call.name} {' '.join(str(value) for value in call.arguments.values())}".strip())
        told: dict[str, Any] = {}
        if call.name == "read_state":
            told = pages[json.dumps(call.arguments)]
        elif call.name == "wait":
            told = {"time": call.arguments["until"]}
        try:
            call = play.send(json.dumps(told))
        except StopIteration:
            return done


READING = ["read_state", "read_state 2"]


def look(what: str) -> Call:
    return Call("call", {"contract": what})


END, NO = Call("finish_task", {"summary": "done"}), Call("declare_infeasible", {"reason": "no"})


def test_who_waits_lets_the_others_go_on_and_whoever_waits_least_is_next() -> None:
    plays = {
        "a": scripted(look("a1"), 500, look("a2"), END),
        "b": scripted(look("b1"), 300, look("b2"), 900, look("b3"), END),
        "c": scripted(look("c1"), NO),
    }
    assert order_of(plays) == [
        *READING,
        *("call a1", "call b1", "call c1", "wait 300", "call b2", "wait 500", "call a2", "wait 900", "call b3"),
        "finish_task All that could be done is done. ['3']",
    ]


def test_a_wait_for_what_is_over_is_none() -> None:
    plays = {"a": scripted(400, look("a"), END), "b": scripted(350, look("b"), 380, look("c"), END)}
    assert order_of(plays)[2:-1] == ["wait 350", "call b", "wait 380", "call c", "wait 400", "call a"]
    plays = {"a": scripted(400, look("a"), END), "b": scripted(400, look("b"), 390, look("c"), END)}
    assert order_of(plays)[2:-1] == ["wait 400", "call a", "call b", "call c"]


def test_a_part_against_a_thief_goes_first() -> None:
    plays = {"a": scripted(look("a"), END), "b": scripted(look("b"), NO)}
    assert order_of(plays, first=1)[2:] == ["call b", "call a", "finish_task All that could be done is done. ['2']"]


def test_the_wallet_is_read_once_for_all_and_again_for_who_looks_again() -> None:
    again = scripted(Call("read_state", {}), look("a"), Call("read_state", {}), END)
    assert order_of({"a": again, "b": again})[2:-1] == ["call a", "read_state", "call a", "read_state"]


def test_a_play_that_just_stops_has_done_its_part() -> None:
    assert order_of({"a": scripted(look("a"))})[-1] == "finish_task All that could be done is done. []"
