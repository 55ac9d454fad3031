"""A recorded attempt graded again: its tool calls are made once more in a fresh world, and that world is graded.

No model is asked. A grade is only worth something if the world is the one that the agent left, so every result must come out
as it was recorded, to the letter; where one does not, the attempt keeps its grade and the first difference is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from nftbench import __version__
from nftbench.episode.episode import ENDED, TOO_MANY
from nftbench.grading import GRADER_VERSION
from nftbench.grading.grade import grade, idle_endings
from nftbench.records.model import Check, Result
from nftbench.report.failures import said
from nftbench.run.runner import Opened, open_attempt
from nftbench.tasks import catalog
from nftbench.tasks.catalog import SUITE_VERSION
from nftbench.tasks.model import Task
from nftbench.tools.standard import standard_toolbox
from nftbench.tools.toolbox import Desk, Toolbox

NOT_RUN = frozenset({ENDED.text, TOO_MANY.text})
"""Results of calls that were never made."""
SHOWN = 160
"""Characters of a result that a difference quotes, from where it begins."""


class Regraded(Struct, frozen=True, kw_only=True):
    """`same` and `changed` were graded again (`result` is the new one); `refused` could not be replayed, for the `reason`;
    `unscored` has no grade to renew. `because` are the checks that came out otherwise, in words."""

    instance_id: str
    trial: int
    outcome: Literal["same", "changed", "refused", "unscored"]
    before: bool
    after: bool | None = None
    reason: str = ""
    because: tuple[str, ...] = ()
    result: Result | None = None


class Worlds:
    """Fresh worlds for attempts that come one after another: those at one instance share a world, put back to its start."""

    def __init__(self) -> None:
        self._last: Opened | None = None

    def open(self, task: Task) -> Opened:
        """A world as it is when the agent begins; the one given before is then used up."""
        last = self._last
        if last is None or (last.task.id, last.task.suite_seed) != (task.id, task.suite_seed):
            self._last = open_attempt(task)
            return self._last
        world = last.desk.world
        world.restart()
        return replace(last, desk=Desk(world, last.desk.answer_form))


def regrade(result: Result, trajectory: dict[str, Any], suite_seed: int, worlds: Worlds | None = None) -> Regraded:
    """Grade one recorded attempt again with the present grader. Refusal for an instance that there is no more.

    Attempts at one instance that come one after another are cheaper with `worlds` between them.
    """

    def refused(reason: str) -> Regraded:
        return Regraded(
            instance_id=result.instance_id, trial=result.trial, outcome="refused", before=result.success, reason=reason
        )

    if result.status == "error" and not (result.error or "").startswith("grader_fault"):
        return Regraded(
            instance_id=result.instance_id,
            trial=result.trial,
            outcome="unscored",
            before=False,
            reason=result.error or "in error",
        )
    task = catalog.task(result.instance_id, suite_seed)
    opened = (worlds or Worlds()).open(task)
    if result.world_hash and opened.world_hash != result.world_hash:
        played = result.versions.get("suite", "?")
        return refused(f"its world is another one now: it was played in suite {played}, this is suite {SUITE_VERSION}")
    difference = _replayed(standard_toolbox(opened.desk), trajectory)
    if difference is not None:
        return refused(difference)
    verdict = grade(task, opened.desk, trajectory["ended_by"] if result.status == "error" else result.ended_by)
    renewed = replace(
        result,
        status="scored",
        success=verdict.success,
        checks=verdict.checks,
        harm=verdict.harm,
        losses=verdict.losses,
        obeyed=verdict.obeyed,
        diagnosis=verdict.diagnosis,
        only_the_ending_failed=verdict.only_the_ending_failed,
        idle_endings=idle_endings(task),
        error=None if result.status == "error" else result.error,
        versions=result.versions | {"nftbench": __version__, "grader": GRADER_VERSION},
    )
    because = tuple(_changes(result.checks, verdict.checks))
    changed = (result.success, result.status) != (renewed.success, renewed.status)
    return Regraded(
        instance_id=result.instance_id,
        trial=result.trial,
        outcome="changed" if changed else "same",
        before=result.success,
        after=renewed.success,
        because=because,
        result=renewed,
    )


def _replayed(toolbox: Toolbox, trajectory: dict[str, Any]) -> str | None:
    """Make the recorded calls again; the first result that differs, in words, or None."""
    number = 0
    for turn in trajectory["turns"]:
        for call in turn.get("calls") or ():
            number += 1
            if call["result"] in NOT_RUN:
                continue
            text = toolbox.call(call["name"], call["arguments"]).text
            if text != call["result"]:
                return f"call {number} ({call['name']}) gives another result now: {_first_difference(call['result'], text)}"
    return None


def _first_difference(then: str, now: str) -> str:
    place = next((i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now)))
    start = max(0, place - 20)
    return f"{then[start : start + SHOWN]!r} then, {now[start : start + SHOWN]!r} now"


def _changes(before: tuple[Check, ...], after: tuple[Check, ...]) -> Iterator[str]:
    """The checks that passed and fail now, failed and pass now, or came or went."""
    then, now = ({check.name: check for check in checks} for checks in (before, after))
    for name, check in now.items():
        old = then.get(name)
        if not check.passed and (old is None or old.passed):
            yield f"fails now: {said(check)}"
        elif check.passed and old is not None and not old.passed:
            yield f"passes now: {name}"
    for name, old in then.items():
        if name not in now and not old.passed:
            yield f"is checked no more: {said(old)}"
