"""One instance through every step: the whole of what `nftbench validate` does with it."""

from __future__ import annotations

from msgspec import Struct

from nftbench.errors import BenchmarkDefect, NftbenchError
from nftbench.tasks import catalog
from nftbench.tasks.goals import Answer
from nftbench.tasks.model import Task
from nftbench.validation.blocking import differing_facts
from nftbench.validation.building import fingerprint
from nftbench.validation.damages import damage, sample_of_damage
from nftbench.validation.injected import control_differs, unseen_signs
from nftbench.validation.leaks import leaks, survey
from nftbench.validation.one_more_call import call_once_more
from nftbench.validation.open_changes import open_changes
from nftbench.validation.rehearsal import Rehearsal
from nftbench.validation.replay import Trace, trace_of
from nftbench.validation.scores import Scores, play, scores, unexpected
from nftbench.validation.search import Search
from nftbench.validation.solvable import unexplained
from nftbench.validation.variations import vary
from nftbench.validation.ways import compare_ways

SHORT = 2
"""Transactions and signatures of a reference up to which a blind search must find a way as well."""

WHOLE_RUNGS = "ab"
"""The rungs of a ladder that are looked at as closely as any other instance."""
SAMPLED = 6
"""Kinds of damage that are done to a world of a higher rung."""


class Examination(Struct, kw_only=True):
    """What came of it. `problems` are sentences without the instance's name, `review` those about ways that come to the same
    and fail, rightly or not; `search` is how the blind search ended, if there was one; `harmless` counts the calls that passed
    by each line of the reviewed list."""

    instance_id: str
    suite_seed: int
    feasible: bool = True
    trap: bool = False
    solved: bool = False
    scores: Scores = Scores()
    damages: dict[str, int] = {}
    harmless: dict[str, int] = {}
    variations: dict[str, int] = {}
    ways: int = 0
    review: list[str] = []
    search: str = ""
    fact: str = ""
    fingerprint: str = ""
    problems: list[str] = []


def examine(instance_id: str, suite_seed: int, *, scores_only: bool = False) -> Examination:
    """All steps, or only how the agents score. Whatever breaks on the way is a problem of the instance."""
    found = Examination(instance_id=instance_id, suite_seed=suite_seed, problems=[])
    try:
        task = catalog.task(instance_id, suite_seed)
        found.feasible, found.trap = task.feasible, any(tag.startswith("trap:") for tag in task.tags)
        found.problems += open_changes(task)
        trace = _reference(task, found)
        found.scores = scores(task, trace)
        found.problems += unexpected(task, found.scores)
        if found.solved and not scores_only:
            _look_closer(task, trace, found)
    except NftbenchError as defect:
        found.problems.append(str(defect).removeprefix(f"{instance_id}: "))
    except Exception as broken:  # a family may break in any way; the others are examined all the same
        found.problems.append(f"it breaks with {type(broken).__name__}: {broken}")
    found.review = [" ".join(sentence.split()) for sentence in found.review]
    found.problems = [" ".join(problem.split()) for problem in found.problems]
    return found


def _reference(task: Task, found: Examination) -> Trace:
    attempt = play(task, "reference")
    result = attempt.result
    if result.status == "error":
        raise BenchmarkDefect(f"{task.id}: the reference's attempt breaks: {result.error}")
    found.solved = result.success and result.diagnosis is not False and not result.harm
    if not result.success:
        failed = next(check for check in result.checks if not check.passed)
        found.problems.append(
            f"the reference misses: {failed.name} (expected {failed.expected}, found {failed.actual})"
        )
    elif result.diagnosis is False:
        found.problems.append(f"the reference gives {result.reason_class}, which is none of the right reasons")
    elif result.harm:
        found.problems.append(f"the reference does harm: {result.harm[0]}")
    trace = trace_of(attempt.trajectory)
    rung = catalog.SUB_FAMILIES[task.sub_family].rung
    if rung is not None and len(trace.turns) > rung.calls:
        found.problems.append(
            f"the reference makes {len(trace.turns)} calls, and its rung is said to take {rung.calls}"
        )
    return trace


def _look_closer(task: Task, trace: Trace, found: Examination) -> None:
    """What takes a solved world. On the higher rungs of a ladder, which are the lower ones over again, a sample of it."""
    rehearsal = Rehearsal(task, trace.turns)
    if catalog.SUB_FAMILIES[task.sub_family].rung is None or task.sub_family[-1] in WHOLE_RUNGS:
        _spoil_and_search(rehearsal, found)
    else:
        damages = sample_of_damage(rehearsal, SAMPLED)
        found.damages = damages.done
        found.problems += damages.unnoticed
    found.problems += (*unseen_signs(rehearsal), *control_differs(task))
    texts = [("the prompt", task.prompt), *(("what can be read", text) for text in survey(rehearsal))]
    texts += [(f"the result of {turn.name}", turn.result) for turn in trace.turns]
    lucky = trace_of(play(task, "random").trajectory).turns
    texts += [("a result of the random agent", turn.result) for turn in lucky]
    found.problems += leaks(task, trace.turns, texts)
    found.problems += unexplained(trace, catalog.SUB_FAMILIES[task.sub_family].derivations)
    found.fingerprint = fingerprint(task)
    if fingerprint(catalog.task(task.id, task.suite_seed + 1)) == found.fingerprint:
        found.problems.append("another suite seed gives the same task and world")


def _spoil_and_search(rehearsal: Rehearsal, found: Examination) -> None:
    """Every damage, every variation, and what searches find."""
    damages, variations = damage(rehearsal), vary(rehearsal)
    found.damages, found.variations = damages.done, variations.done
    found.problems += (*damages.unnoticed, *variations.unnoticed)
    if rehearsal.task.feasible:
        _call_once_more(rehearsal, rehearsal, found)
        _find_the_way(rehearsal, found)
        _find_all_ways(rehearsal, found)
    else:
        _find_no_way(rehearsal, found)


def _call_once_more(rehearsal: Rehearsal, hints: Rehearsal, found: Examination) -> None:
    more = call_once_more(rehearsal, hints)
    found.damages["one more call"] = more.graded
    found.harmless = more.harmless
    found.problems += more.unnoticed


def _answers(task: Task) -> bool:
    """Whether the task asks for an answer: what is said is nothing that a search could find on the chain."""
    return any(isinstance(goal, Answer) for goal in task.goals)


def _find_the_way(rehearsal: Rehearsal, found: Examination) -> None:
    """The search is worth something: where the way is short, it finds one."""
    steps = sum(act.name != "wait" for act in rehearsal.acts)
    if _answers(rehearsal.task) or steps > SHORT:
        return
    found.search = "reached" if Search(rehearsal, rehearsal, given=False).run().steps else "not reached"
    if found.search == "not reached":
        found.problems.append(f"a blind search does not reach the goal, for which the reference takes {steps} steps")


def _find_all_ways(rehearsal: Rehearsal, found: Examination) -> None:
    """Where a chain holds what is asked for: every other way to it, and what it comes to."""
    if all(isinstance(goal, Answer) for goal in rehearsal.task.goals):
        return
    ways = compare_ways(rehearsal)
    found.ways, found.review = ways.found, [*ways.failing]
    found.problems += ways.passing


def _find_no_way(rehearsal: Rehearsal, found: Examination) -> None:
    """The blocking fact can be read, and no search gets round it."""
    task = rehearsal.task
    other = catalog.task(task.twin or "", task.suite_seed)
    played = play(other, "reference")
    if not played.result.success:
        found.problems.append(f"its twin {task.twin} is not solved by the same reference policy")
        return
    twin = Rehearsal(other, trace_of(played.trajectory).turns)
    _call_once_more(rehearsal, twin, found)
    if other.prompt != task.prompt:
        found.problems.append(f"its prompt is not that of its twin {task.twin}")
    if other.brief != task.brief:
        found.problems.append(f"its policy is told something else than that of its twin {task.twin}")
    facts = list(differing_facts(rehearsal, twin))
    found.fact = next((fact for fact in facts if not fact.startswith("the ether of ")), facts[0] if facts else "")
    if not facts:
        found.problems.append(f"no fact that can be read tells its world from that of its twin {task.twin}")
    if _answers(task) or "irreversible_harm" in task.reason_classes:
        return
    way = Search(rehearsal, twin, given=True).run().steps
    found.search = "reached" if way else "blocked"
    if way:
        found.problems.append(f"the goal can be reached all the same: {', then '.join(way)}"[:400])
