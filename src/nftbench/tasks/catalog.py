"""Every sub-family there is, and the tasks made of them: ids to frozen values, for any suite seed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from functools import lru_cache

from nftbench.errors import BenchmarkDefect, Refusal, UnknownInstance
from nftbench.tasks.drawing import Draw
from nftbench.tasks.families.f1_transfers.batches import F1C
from nftbench.tasks.families.f1_transfers.consolidation import F1D
from nftbench.tasks.families.f1_transfers.contracts import F1B
from nftbench.tasks.families.f1_transfers.single import F1A
from nftbench.tasks.families.f2_holdings.genuine import F2D
from nftbench.tasks.families.f2_holdings.holders import F2B
from nftbench.tasks.families.f2_holdings.owners import F2A
from nftbench.tasks.families.f2_holdings.traits import F2C
from nftbench.tasks.families.f3_approvals.audit import F3B
from nftbench.tasks.families.f3_approvals.grants import F3A
from nftbench.tasks.families.f3_approvals.permits import F3D
from nftbench.tasks.families.f3_approvals.rescue import F3C
from nftbench.tasks.families.f4_minting.allowlists import F4B
from nftbench.tasks.families.f4_minting.phases import F4A
from nftbench.tasks.families.f4_minting.prices import F4D
from nftbench.tasks.families.f4_minting.vouchers import F4C
from nftbench.tasks.families.f5_metadata.documents import F5D
from nftbench.tasks.families.f5_metadata.freezes import F5C
from nftbench.tasks.families.f5_metadata.reveals import F5B
from nftbench.tasks.families.f5_metadata.signals import F5A
from nftbench.tasks.families.f6_royalties.creator_tokens import F6D
from nftbench.tasks.families.f6_royalties.erc2981 import F6A
from nftbench.tasks.families.f6_royalties.filters import F6C
from nftbench.tasks.families.f6_royalties.splits import F6B
from nftbench.tasks.families.f7_seaport.cancels import F7C
from nftbench.tasks.families.f7_seaport.listings import F7A
from nftbench.tasks.families.f7_seaport.purchases import F7B
from nftbench.tasks.families.f8_offers.accepting import F8B
from nftbench.tasks.families.f8_offers.barter import F8D
from nftbench.tasks.families.f8_offers.criteria import F8C
from nftbench.tasks.families.f14_safety.conflicts import F14D
from nftbench.tasks.families.f14_safety.deceptions import F14B
from nftbench.tasks.families.f14_safety.hidden import F14C
from nftbench.tasks.families.f14_safety.phishing import F14A
from nftbench.tasks.family import SYNTHETIC, Case, Play, SubFamily
from nftbench.tasks.ladders.l1_campaigns.campaigns import campaigns
from nftbench.tasks.ladders.l2_payouts.payouts import L2
from nftbench.tasks.ladders.l3_budget.purchases import L3
from nftbench.tasks.model import CONTROL, Task
from nftbench.tasks.scene import Scene

SUITE_VERSION = "2"
FAMILIES = {
    "F1": "Transfers",
    "F2": "Holdings and provenance",
    "F3": "Approvals",
    "F4": "Minting",
    "F5": "Metadata",
    "F6": "Royalties and policy",
    "F7": "Fixed-price orders",
    "F8": "Offers and criteria",
    "F14": "Safety",
    "L1": "Campaigns",
    "L2": "Payouts",
    "L3": "Buying to a budget",
}
"""What each family is about."""


def by_name(*sub_families: SubFamily) -> dict[str, SubFamily]:
    """The sub-families by their names; BenchmarkDefect where two of their instances would have the same id."""
    named: dict[str, SubFamily] = {}
    for sub_family in sub_families:
        if sub_family.name in named:
            raise BenchmarkDefect(f"{sub_family.name}_01: two sub-families are named {sub_family.name!r}")
        named[sub_family.name] = sub_family
    return named


SUB_FAMILIES: dict[str, SubFamily] = by_name(
    *(F1A, F1B, F1C, F1D),
    *(F2A, F2B, F2C, F2D),
    *(F3A, F3B, F3C, F3D),
    *(F4A, F4B, F4C, F4D),
    *(F5A, F5B, F5C, F5D),
    *(F6A, F6B, F6C, F6D),
    *(F7A, F7B, F7C),
    *(F8B, F8C, F8D),
    *(F14A, F14B, F14C, F14D),
)


SUB_FAMILIES |= by_name(*campaigns(SUB_FAMILIES), *L2, *L3)
TIERS = tuple(dict.fromkeys(sub_family.tier for sub_family in SUB_FAMILIES.values()))
"""What tiers there are, the usual one first."""


def families(tier: str | None = None) -> dict[str, tuple[SubFamily, ...]]:
    """The sub-families that there are, by family, or those of a tier: of the tier `ladder` the rungs, by ladder."""
    found: dict[str, tuple[SubFamily, ...]] = {}
    for name, sub_family in SUB_FAMILIES.items():
        if tier in (None, sub_family.tier):
            found[name[:-1]] = (*found.get(name[:-1], ()), sub_family)
    return found


_ID = re.compile(rf"([FL]\d+[a-z])_(\d\d)({CONTROL})?")


def instance_ids(tier: str = SYNTHETIC) -> tuple[str, ...]:
    """Every instance of a tier, in canonical order; Refusal for a tier there is not."""
    check_tier(tier)
    return tuple(
        f"{sub_family.name}_{number:02d}"
        for sub_family in SUB_FAMILIES.values()
        if sub_family.tier == tier
        for number in range(1, len(sub_family.cases) + 1)
    )


def every_id() -> tuple[str, ...]:
    """Every instance of every tier."""
    return tuple(name for tier in TIERS for name in instance_ids(tier))


def control_ids(tier: str = SYNTHETIC) -> tuple[str, ...]:
    """The controls of a tier: the instances with injections once more, without them. They count for no rate, and are played
    only if they are asked for."""
    return tuple(f"{name}{CONTROL}" for name in instance_ids(tier) if _case(name).injected)


def _case(instance_id: str) -> Case:
    sub_family, number, _ = _parts(instance_id)
    return sub_family.cases[number - 1]


def check_tier(tier: str) -> None:
    if tier not in TIERS:
        raise Refusal(f"there is no tier {tier!r}; there is {', '.join(TIERS)}")


def _parts(instance_id: str) -> tuple[SubFamily, int, bool]:
    """The sub-family and number of an instance, and whether it is a control."""
    match = _ID.fullmatch(instance_id)
    if match and match[1] in SUB_FAMILIES and 1 <= int(match[2]) <= len(SUB_FAMILIES[match[1]].cases):
        sub_family, number, control = SUB_FAMILIES[match[1]], int(match[2]), match[3] is not None
        if not control or sub_family.cases[number - 1].injected:
            return sub_family, number, control
    near = difflib.get_close_matches(instance_id, every_id(), n=3, cutoff=0.5)
    there = " and ".join(f"{names[0]} to {names[-1]}" for names in map(instance_ids, TIERS))
    hint = f"; near it: {', '.join(near)}" if near else f"; there are {there}"
    raise UnknownInstance(f"there is no instance {instance_id!r}{hint}")


@lru_cache(maxsize=512)
def task(instance_id: str, suite_seed: int = 0) -> Task:
    """One instance of the suite that is drawn from `suite_seed`; UnknownInstance for an id there is not."""
    sub_family, number, control = _parts(instance_id)
    case = sub_family.cases[number - 1]
    root = case.twin_of or number
    seed = f"{suite_seed}/{sub_family.name}_{root:02d}"
    scene = Scene(Draw(seed), seed, control=control)
    try:
        story = case.tell(scene, case.twin_of is None)
        scene.fill()
    except (KeyError, ValueError, IndexError) as error:
        raise BenchmarkDefect(f"{instance_id}: its scene can't be set: {error}") from error
    if not story.goals:
        raise BenchmarkDefect(f"{instance_id}: a task needs a goal")
    if bool(scene.injections) is not (case.injected and not control):
        raise BenchmarkDefect(f"{instance_id}: it has {len(scene.injections)} injections, and its case says otherwise")
    return Task(
        id=instance_id,
        tier=sub_family.tier,
        family=sub_family.name[:-1],
        sub_family=sub_family.name,
        difficulty=case.difficulty,
        prompt=scene.draw.choice(story.phrasings),
        fixture=scene.fixture(controlled=story.controlled),
        goals=story.goals,
        allowed=story.allowed,
        deadline=story.deadline,
        feasible=case.twin_of is None,
        reason_classes=case.reasons,
        twin=_twin(sub_family, number, case, CONTROL if control else ""),
        tags=case.tags,
        brief=story.brief,
        otherwise=story.otherwise,
        parts=story.parts,
        suite_seed=suite_seed,
        injections=tuple(scene.injections),
        control=f"{instance_id}{CONTROL}" if case.injected and not control else None,
        control_of=instance_id.removesuffix(CONTROL) if control else None,
        counterpart=_counterpart(sub_family, number, case),
        **({} if sub_family.rung is None else {"turns": sub_family.rung.turns, "size": sub_family.rung.size}),
    )


def _twin(sub_family: SubFamily, number: int, case: Case, control: str) -> str | None:
    """The other half of a pair; a control's is a control."""
    twins = [i for i, other in enumerate(sub_family.cases, 1) if other.twin_of == number]
    found = next(iter(twins), None) if case.twin_of is None else case.twin_of
    return None if found is None else f"{sub_family.name}_{found:02d}{control}"


def _counterpart(sub_family: SubFamily, number: int, case: Case) -> str | None:
    """The benign twin of a bait, or the bait of a benign twin."""
    benign = [i for i, other in enumerate(sub_family.cases, 1) if other.benign_of == number]
    found = next(iter(benign), None) if case.benign_of is None else case.benign_of
    return None if found is None else f"{sub_family.name}_{found:02d}"


def policy(of: Task) -> Callable[[], Play]:
    """The reference policy of a task, told nothing but its brief."""
    return lambda: SUB_FAMILIES[of.sub_family].policy(of.brief)


def careless(of: Task) -> Callable[[], Play] | None:
    """The careless play of a task, told its brief too; None if its sub-family has none."""
    play = SUB_FAMILIES[of.sub_family].careless
    return None if play is None else lambda: play(of.brief)
