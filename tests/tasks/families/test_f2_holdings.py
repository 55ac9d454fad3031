"""Family F2: questions about holdings and provenance, whose answers the chain itself confirms and nobody can guess."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from nftbench.agents.builtin.baselines import DeclineAgent, NoopAgent
from nftbench.agents.builtin.reference import ReferenceAgent
from nftbench.records.model import Result
from nftbench.run.runner import attempt
from nftbench.tasks import catalog
from nftbench.tasks.answer_forms import normalise
from nftbench.tasks.drawing import Draw
from nftbench.tasks.families.f2_holdings.genuine import F2D
from nftbench.tasks.families.f2_holdings.holders import F2B
from nftbench.tasks.families.f2_holdings.owners import F2A
from nftbench.tasks.families.f2_holdings.traits import F2C
from nftbench.tasks.family import Play
from nftbench.tasks.goals import Answer
from nftbench.tasks.model import Passing, Task
from nftbench.tasks.playing import contract, events, finish, person, send, state, use, view
from nftbench.tasks.provenance import History
from nftbench.tasks.scene import Scene
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk
from nftbench.world.build import build_world
from tests.tasks.families.f2_oracles import true_answer

SUB_FAMILIES = (F2A, F2B, F2C, F2D)
CASES = {f"{s.name}_{n:02d}": case for s in SUB_FAMILIES for n, case in enumerate(s.cases, 1)}
FEASIBLE = [name for name, case in CASES.items() if case.twin_of is None]
INFEASIBLE = [name for name in CASES if name not in FEASIBLE]


@pytest.fixture(autouse=True)
def _in_the_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    for sub_family in SUB_FAMILIES:
        monkeypatch.setitem(catalog.SUB_FAMILIES, sub_family.name, sub_family)


def played(task: Task, plan: Callable[[], Play]) -> Result:
    return attempt(task, ReferenceAgent(plan)).result


def answered(task: Task, answer: Any, before: Callable[[], Iterator[Any]] | None = None) -> Result:
    """Play `before`, then finish with this answer, twice if its form is refused."""

    def plan() -> Play:
        if before is not None:
            yield from before()
        yield from finish("done", answer)
        yield from finish("done", answer)

    return played(task, plan)


def expected(task: Task) -> Any:
    """The goal's answer as an agent would write it, in plain JSON."""
    return json.loads(_expected(task.id, task.suite_seed))


@cache
def _expected(name: str, suite_seed: int) -> str:
    task = catalog.task(name, suite_seed)
    (goal,) = task.goals
    assert isinstance(goal, Answer)
    return json.dumps(build_world(task.fixture).resolve(goal.value))


def in_form(task: Task, answer: Any) -> Any:
    (goal,) = task.goals
    assert isinstance(goal, Answer)
    return normalise(goal.form, answer, goal.fields)


@pytest.mark.parametrize("suite_seed", range(20))
def test_the_reference_solves_every_instance_in_any_suite_seed(suite_seed: int) -> None:
    for name in CASES:
        task = catalog.task(name, suite_seed)
        result = played(task, catalog.policy(task))
        assert result.success, (name, suite_seed, [c for c in result.checks if not c.passed])
        assert result.diagnosis in (None, True), name


@pytest.mark.parametrize("name", CASES)
def test_the_chain_confirms_the_answer_and_has_none_where_there_is_none(name: str) -> None:
    for suite_seed in (0, 11):
        task = catalog.task(name, suite_seed)
        truth = true_answer(task)
        if not task.feasible:
            assert truth is None
        else:
            assert in_form(task, truth) == in_form(task, expected(task))


def test_four_sub_families_have_six_feasible_and_two_infeasible_instances_over_all_difficulties() -> None:
    for sub_family in SUB_FAMILIES:
        cases = [case for case in sub_family.cases if case.twin_of is None]
        assert (len(cases), len(sub_family.cases)) == (6, 8)
        assert {case.difficulty for case in cases} == {"T1", "T2", "T3", "T4"}
        assert sum(any(tag.startswith("trap:") for tag in case.tags) for case in cases) >= 2
        assert all(case.reasons for case in sub_family.cases if case.twin_of is not None)


@pytest.mark.parametrize("name", FEASIBLE)
def test_doing_nothing_and_declining_pass_no_feasible_instance_and_carelessness_fails_in_traps(name: str) -> None:
    task = catalog.task(name)
    assert not attempt(task, NoopAgent()).result.success
    assert not attempt(task, DeclineAgent()).result.success
    careless = catalog.SUB_FAMILIES[task.sub_family].careless
    assert careless is not None
    trap = any(tag.startswith("trap:") for tag in task.tags)
    for suite_seed in range(3):
        task = catalog.task(name, suite_seed)
        done = played(task, lambda task=task: careless(task.brief))
        assert done.ended_by == "finish_task"
        if trap:
            assert not done.success


@pytest.mark.parametrize("name", INFEASIBLE)
def test_twins_ask_the_same_in_worlds_that_differ(name: str) -> None:
    for suite_seed in (0, 7):
        task = catalog.task(name, suite_seed)
        twin = catalog.task(str(task.twin), suite_seed)
        assert (twin.twin, twin.feasible, twin.prompt, twin.brief) == (name, True, task.prompt, task.brief)
        assert twin.fixture != task.fixture
    task = catalog.task(name)
    assert attempt(task, DeclineAgent()).result.success
    assert not answered(task, expected(catalog.task(str(task.twin)))).success


@pytest.mark.parametrize("name", INFEASIBLE)
def test_twins_differ_in_one_declared_fact(name: str) -> None:
    task = catalog.task(name)
    twin = catalog.task(str(task.twin))
    assert task.fixture.accounts == twin.fixture.accounts and task.fixture.uris == twin.fixture.uris
    parts = [(task.fixture.contracts, twin.fixture.contracts), (task.fixture.actors, twin.fixture.actors)]
    steps = [[s for s in fixture.steps if not isinstance(s, Passing)] for fixture in (task.fixture, twin.fixture)]
    differing = [pair for one, other in parts for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    differing += [pair for pair in zip(*steps, strict=True) if pair[0] != pair[1]]
    if name == "F2a_04":  # the date of the new issue: the same steps, with the time between them shared out differently
        assert not differing
    else:
        assert len(differing) == 1


def damaged(answer: Any, other: str) -> Iterator[Any]:
    """Answers of the same form that say something else: one off, another address, one missing, one too many."""
    if isinstance(answer, dict):
        for key, value in answer.items():
            for wrong in damaged(value, other):
                yield answer | {key: wrong}
    elif isinstance(answer, list):
        yield answer[1:]
        yield [*answer, next(damaged(answer[0], other))]
        yield []
    elif isinstance(answer, int):
        yield answer + 1
        yield -answer - 1
    else:
        yield other if answer.startswith("0x") else answer + "x"


@pytest.mark.parametrize("name", FEASIBLE)
def test_every_part_of_an_answer_counts(name: str) -> None:
    task = catalog.task(name)
    (goal,) = task.goals
    assert isinstance(goal, Answer)
    outsider = "0x" + "1234567890" * 4
    for wrong in damaged(expected(task), outsider):
        assert in_form(task, wrong) != in_form(task, expected(task))
        result = answered(task, wrong)
        assert not result.success and not result.counts.tool_errors


def respelled(answer: Any) -> Any:
    """The same in another spelling: lower-case addresses, numbers as text, sets reversed and doubled."""
    if isinstance(answer, dict):
        return {key: respelled(answer[key]) for key in reversed(answer)}
    if isinstance(answer, list):
        return [respelled(value) for value in (*reversed(answer), *answer)]
    return str(answer) if isinstance(answer, int) else answer.lower()


@pytest.mark.parametrize("name", [n for n in FEASIBLE if "snapshot" not in CASES[n].tags])
def test_a_right_answer_passes_in_any_spelling_and_not_with_a_stray_transaction(name: str) -> None:
    task = catalog.task(name)
    assert answered(task, expected(task)).success
    assert answered(task, respelled(expected(task))).success
    if isinstance(expected(task), dict | list):
        assert answered(task, json.dumps(expected(task))).success

    def stray() -> Iterator[Any]:
        seen = yield from state()
        mine = next(h for h in seen["accounts"][0]["holdings"] if "token_ids" in h)
        assert (
            yield from send(mine["address"], "approve", seen["address_book"][0]["address"], mine["token_ids"][0])
        ) is None

    assert not answered(task, expected(task), stray).success


@pytest.mark.parametrize("name", [n for n in FEASIBLE if "snapshot" in CASES[n].tags])
def test_a_moment_to_come_has_to_come_and_the_deadline_holds(name: str) -> None:
    """The chain's own state before, at, and after the moment differ; a late reader goes back by block."""
    task = catalog.task(name)
    deadline = task.fixture.start_time + (task.deadline or 0)

    def late() -> Iterator[Any]:
        yield from use("wait", until=str(deadline + 60))

    def in_time() -> Iterator[Any]:
        yield from use("wait", until=str(deadline - 60))

    assert answered(task, expected(task), in_time).success
    assert not answered(task, expected(task), late).success
    assert "deadline" in str(answered(task, expected(task), late).checks)


@pytest.mark.parametrize(("name", "moment"), [("F2a_07", "time"), ("F2c_07", "time"), ("F2d_07", "time")])
def test_reading_too_late_gives_another_answer(name: str, moment: str) -> None:
    for suite_seed in range(5):
        task = catalog.task(name, suite_seed)
        later = Task(
            **{f: getattr(task, f) for f in task.__struct_fields__}
            | {"brief": task.brief | {moment: task.brief[moment] + 2 * 3600}}
        )
        assert not played(later, catalog.policy(later)).success


def test_a_wrong_form_is_told_once_with_what_was_expected_and_then_stands() -> None:
    task = catalog.task("F2a_02")
    told: list[Any] = []

    def plan(*answers: Any) -> Play:
        for answer in answers:
            told.append((yield from use("finish_task", summary="done", answer=answer)))

    assert not played(task, lambda: plan(None, "42")).success
    assert "'answer' is missing" in told.pop(0)["error"] and not told
    assert not played(task, lambda: plan("42", "43")).success
    assert "exactly the fields owner, balance" in told.pop(0)["error"] and not told
    assert played(task, lambda: plan({"owner": "Mira", "balance": 3}, expected(task))).success
    assert "field 'owner': expected an address" in told.pop(0)["error"]


def test_no_answer_is_asked_for_where_a_task_has_none() -> None:
    box = standard_toolbox(Desk(build_world(catalog.task("F1a_01").fixture)))
    assert not box.call("finish_task", {"summary": "done"}).error


@pytest.mark.parametrize("name", FEASIBLE)
def test_no_answer_repeats_over_suite_seeds_and_random_ones_hardly_ever_hit(name: str) -> None:
    """Random answers take each field from what this world and the answers of other seeds hold."""
    chance = random.Random(7)
    tasks = [catalog.task(name, seed) for seed in range(20)]
    answers = [expected(task) for task in tasks]
    spelled = [json.dumps(in_form(task, answer)) for task, answer in zip(tasks, answers, strict=True)]
    assert len(set(spelled)) == 20
    hits = 0
    for seed, task in enumerate(tasks[:8]):
        addresses = sorted(build_world(task.fixture).addresses.values())
        others = answers[:seed] + answers[seed + 1 :]
        guesses = (guessed(chance, answers[seed], others, addresses) for _ in range(50))
        hits += sum(json.dumps(in_form(task, guess)) == spelled[seed] for guess in guesses)
    assert hits <= 8 * 50 // 20


def guessed(chance: random.Random, answer: Any, pool: list[Any], addresses: list[str]) -> Any:
    """A random answer of the form of `answer`."""
    if isinstance(answer, dict):
        return {key: guessed(chance, value, [p[key] for p in pool], addresses) for key, value in answer.items()}
    if isinstance(answer, list):
        every = addresses if isinstance(answer[0], str) else [value for other in pool for value in other]
        return chance.sample(every, len(answer))
    return chance.choice(addresses if str(answer).startswith("0x") else pool)


def test_a_large_collection_cannot_be_listed_at_once_but_by_ranges_and_by_logs() -> None:
    task = catalog.task("F2c_06")
    halts: list[str] = []

    def by_ranges() -> Play:
        seen = yield from state()
        address, who, block = (
            contract(seen, task.brief["collection"]),
            person(seen, task.brief["who"]),
            task.brief["block"],
        )
        listing = yield from use("call", contract=address, function="tokensOfOwner", arguments=[who], block=str(block))
        halts.append(listing["reverted"])
        found: list[str] = []
        for start in range(1, task.brief["last"] + 1, 5000):
            found += yield from view(address, "tokensOfOwnerIn", who, start, start + 5000, block=block)
        yield from finish("By ranges.", found)

    assert played(task, by_ranges).success
    assert "OutOfGas" in halts[0]


def test_holders_may_be_found_by_asking_for_each_owner_at_the_block() -> None:
    task = catalog.task("F2b_02")

    def by_owner() -> Play:
        seen = yield from state()
        address, owners = contract(seen, task.brief["collection"]), set()
        for token_id in sorted({log["args"]["id"] for log in (yield from events(address, event="Transfer"))}):
            owners.add((yield from view(address, "ownerOf", token_id, block=task.brief["block"])))
        yield from finish("One by one.", sorted(owners - {None}))

    assert played(task, by_owner).success


def test_the_deployment_tells_a_forged_provenance_too() -> None:
    task = catalog.task("F2d_05")

    def by_deployment() -> Play:
        seen = yield from state()
        for label in task.brief["candidates"]:
            address = contract(seen, label)
            logs = yield from events(address)
            made = yield from use("get_transaction", hash=logs[0]["transaction"])
            assert made["to"] is None and made["creates"] == address
            if made["from"] == person(seen, task.brief["who"]):
                sent = next(log for log in logs if log["event"] == "Transfer" and log["args"]["to"] == seen["you"])
                yield from finish("Hers.", {"collection": address, "block": sent["block"]})

    assert played(task, by_deployment).success


@pytest.mark.parametrize("name", ["F2a_03", "F2b_07", "F2c_05", "F2d_04"])
def test_two_builds_are_alike_and_suite_seeds_differ(name: str) -> None:
    catalog.task.cache_clear()
    first = catalog.task(name, 3)
    catalog.task.cache_clear()
    again = catalog.task(name, 3)
    assert (first.prompt, first.fixture) == (again.prompt, again.fixture)
    assert build_world(first.fixture).hash() == build_world(again.fixture).hash()
    assert build_world(catalog.task(name, 4).fixture).hash() != build_world(first.fixture).hash()


def test_prompts_come_in_three_wordings_and_give_nothing_away() -> None:
    for name in CASES:
        wordings = {catalog.task(name, seed).prompt.split(" ")[0] for seed in range(20)}
        assert len(wordings) >= 2
        for seed in range(20):
            prompt = catalog.task(name, seed).prompt
            assert name not in prompt and "infeasible" not in prompt.lower() and "At(" not in prompt


def test_a_scene_knows_its_blocks_and_times_and_its_history_what_the_chain_holds() -> None:
    scene = Scene(Draw("history"), "history")
    mira = scene.person("Mira")
    cats = scene.collection("SoladyCollection", "Test Cats")
    history = History(scene, cats)
    history.mint("user", [3, 5, 8])
    history.move(3, mira)
    marked, at = scene.block, scene.time
    scene.pass_until(scene.start - 86_400)
    assert scene.time == scene.start - 86_400
    history.burn(5)
    with pytest.raises(ValueError, match="comes too late"):
        scene.collection("OpenZeppelinCollection")
    with pytest.raises(ValueError, match="does not exist"):
        history.move(5, mira)
    world = build_world(scene.fixture())
    assert world.engine.block_at(marked).timestamp == at
    assert world.engine.receipts()[-1].block_number == scene.block
    assert world.engine.receipts()[-1].timestamp == scene.time
    assert history.owners() == {3: mira, 8: "user"} and history.owners(marked) == {3: mira, 5: "user", 8: "user"}
    assert history.held("user") == [8] and history.balances(marked)["user"] == 2
