"""Every tier of the catalogue as a task of Inspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sample_limits
from rich.text import Text

from nftbench import __version__, suites
from nftbench.adapters.inspect.agents import wallet_agent
from nftbench.adapters.inspect.scoring import grade
from nftbench.adapters.inspect.tools import tool_definitions
from nftbench.adapters.inspect.worlds import LiveWorld, leave, stand
from nftbench.episode.limits import Limits
from nftbench.episode.prompt import system_text
from nftbench.errors import Refusal
from nftbench.grading import GRADER_VERSION
from nftbench.tasks import catalog
from nftbench.tasks.model import Task as Work


def suite(tier: str, instances: Sequence[str], suite_seed: int, limits: Limits) -> Task:
    """These instances of a tier as a task. Of the limits, turns and repairs are ours; the others are Inspect's own."""
    suites.check_suite_seed(suite_seed)
    works = [catalog.task(name, suite_seed) for name in instances]
    most = max((limits.of(work.turns).turns for work in works), default=limits.turns)
    return Task(
        dataset=MemoryDataset([sample_of(work) for work in works], name=f"{tier}, suite seed {suite_seed}"),
        setup=world(most, limits.max_turns, limits.max_repairs),
        solver=wallet_agent(),
        scorer=grade(),
        cleanup=_clean_up,
        continue_on_fail=True,
        turn_limit=most,
        version=f"{catalog.SUITE_VERSION}.{GRADER_VERSION}",
        metadata={"nftbench": __version__, "suite": catalog.SUITE_VERSION, "grader": GRADER_VERSION},
        description="NFT work on EVM chains, graded on what the chain holds afterwards.",
    )


def chosen(tier: str, *, instances: Any = None, families: Any = None) -> tuple[str, ...]:
    """The instances of a tier that are asked for: ids and globs, and families (`F1`) or sub-families (`F1a`); where both are
    given, those that are in both. Each may be a list, or one text with commas, as Inspect's command line gives them."""
    wanted = _texts("families", families)
    found = suites.instances(_texts("instances", instances), tier=tier, family=wanted)
    if not found:
        raise Refusal(f"none of the instances asked for is of {', '.join(wanted or ())}")
    return found


def sample_of(work: Work) -> Sample:
    """A task as a sample. Nothing of its metadata and its target reaches the model."""
    return Sample(
        id=work.id,
        input=work.prompt,
        target=work.describe() if work.feasible else [f"can't be done: {', '.join(work.reason_classes)}"],
        metadata={
            "tier": work.tier,
            "family": work.family,
            "sub_family": work.sub_family,
            "difficulty": work.difficulty,
            "feasible": work.feasible,
            "pair": work.id if work.feasible else work.twin or work.id,
            "twin": work.twin or "",
            "tags": list(work.tags),
            "suite_seed": work.suite_seed,
        },
    )


@solver
def world(most: int, max_turns: int | None = None, max_repairs: int = 3) -> Solver:
    """Builds the sample's world and tells the agent its position. Runs whoever plays then. The turns told, and given to our own
    loop, are those of Inspect's limit where somebody set it; `most` is what it is otherwise, for whichever sample may take
    most."""

    async def build(state: TaskState, generate: Generate) -> TaskState:
        work = catalog.task(str(state.sample_id), int(state.metadata["suite_seed"]))
        limit = sample_limits().turn.limit
        given = max_turns if limit is None or limit == most else int(limit)
        limits = Limits(max_turns=given, max_seconds=None, max_repairs=max_repairs).of(work.turns)
        stand(state.uuid, LiveWorld(work, state.epoch, limits))
        state.messages.insert(0, ChatMessageSystem(content=system_text(limits.turns)))
        state.tools = [definition.as_tool() for definition in tool_definitions(work)]
        return state

    return build


async def _clean_up(state: TaskState) -> None:
    leave(state.uuid)


def _texts(name: str, given: Any) -> list[str] | None:
    if given is None:
        return None
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise Refusal(f"{name} are texts, such as F1a_04 or 'F1*', and not {given!r}")
    return [part.strip() for text in texts for part in text.split(",")]


def _registered(tier: str) -> Any:
    def tier_of_nftbench(
        instances: str | list[str] | None = None,
        families: str | list[str] | None = None,
        suite_seed: int = 0,
        max_turns: int | None = None,
        max_repairs: int = 3,
    ) -> Task:
        try:
            names = chosen(tier, instances=instances, families=families)
            return suite(tier, names, suite_seed, Limits(max_turns=max_turns, max_repairs=max_repairs))
        except Refusal as refusal:
            raise PrerequisiteError(Text(str(refusal))) from None

    return task(name=tier)(tier_of_nftbench)


TASKS = {tier: _registered(tier) for tier in catalog.TIERS}
"""The tasks by the names of their tiers: `inspect eval nftbench/<tier>`."""
ABSENT = {tier: _registered(tier) for tier in ("ladder",) if tier not in TASKS}
"""Tiers that people ask for and that this release has not: they are told which there are, where Inspect would only say that it
found no task."""
