"""Puts a campaign together: parts of one world, their goals, and one message that asks for all of them.

What would make a request mean something else beside others is refused (Clash): another thing of the same name in the wallet, a
second order book, a second thief, blocks that are counted, and goals about all that the wallet does. What accounts have of ether
that all parts share, the user's and the team's, is the sum of what each part comes to; what it comes to is looked at on the side
of whom it pays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from nftbench.tasks.family import Case, Story
from nftbench.tasks.goals import (
    Answer,
    Change,
    EtherChange,
    EtherSum,
    Goal,
    OnlyFor,
    Pays,
    SendsNothing,
    Signature,
    SpentAtMost,
)
from nftbench.tasks.ladders.l1_campaigns.part_scene import Clash, PartDraw, PartScene
from nftbench.tasks.model import FixtureStep, Part
from nftbench.tasks.scene import Scene

SHARED = ("user", "team")
"""The accounts that all parts have in common."""
Offer = tuple[str, Case, bool, str]
"""A case that can be a part: its name, itself, whether it is told as feasible, and the sub-family whose policy plays it."""
ALONE = (Answer, OnlyFor, SendsNothing, Signature)
"""Goals about all that an agent does, says or signs."""


class Sum(Struct, frozen=True):
    """What changes the ether of a shared account: `wei`, less whatever the payees get."""

    wei: int = 0
    payees: tuple[str, ...] = ()

    def plus(self, other: Sum) -> Sum:
        return Sum(self.wei + other.wei, (*self.payees, *other.payees))


class Campaign:
    """The parts so far; they go into `scene`, which gets a background of its own first."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        scene.fill()
        self.parts: list[Part] = []
        self.requests: list[str] = []
        self.briefs: list[dict[str, Any]] = []
        self._names = set(scene.labels.values())
        self._taken = {word for name in self._names for word in (name, name.split()[0])}
        self._steps: list[tuple[int, FixtureStep]] = []
        self._goals: list[Goal] = []
        self._allowed: list[Change] = []
        self._controlled: list[str] = []
        self._sums: dict[str, Sum] = {}
        self._thief: int | None = None
        self._purse = 0

    def add(self, name: str, case: Case, brief_of: str, *, feasible: bool) -> None:
        """One more request: the case of this name, in a form that is drawn for this place. `brief_of` names the sub-family whose
        policy plays it. Clash, with nothing changed, where it does not go together with the others."""
        taken = set(self._taken)
        draw = PartDraw(f"{self.scene.seed}/{len(self.parts) + 1}/{name}", taken)
        part = PartScene(self.scene, draw)
        story = case.tell(part, feasible)
        self._refuse(part, story)
        goals, sums = shaped(story.goals, story.deadline) if feasible else ((), {})
        for change in story.allowed:
            if change.contract is UNSET or (change.kind == "ether" and change.subject in (UNSET, *SHARED)):
                raise Clash("what it allows reaches beyond it")
        self._taken = taken
        self._absorb(part)
        self._goals += goals
        for account, one in sums.items():
            self._sums[account] = self._sums.get(account, Sum()).plus(one)
        self._allowed += story.allowed if feasible else ()
        self._controlled += story.controlled
        self.requests.append(draw.choice(story.phrasings))
        self.briefs.append({"of": brief_of, "brief": story.brief})
        self.parts.append(Part(case=name, feasible=feasible, goals=len(goals), handles=tuple(sorted(part.handles))))

    def _refuse(self, part: PartScene, story: Story) -> None:
        if part.names & self._names:
            raise Clash(f"there is something named {min(part.names & self._names)} already")
        if part.hostile and self._thief is not None:
            raise Clash("there is a thief already")
        if part.order_book is not None and self.scene.order_book is not None:
            raise Clash("there is an order book already")
        if story.otherwise is not None or part.injections:
            raise Clash("it says what to do otherwise, or others say it")
        if any(self.scene.uris.get(uri, text) != text for uri, text in part.uris.items()):
            raise Clash("one of its documents is there already, and says something else")

    def _absorb(self, part: PartScene) -> None:
        """All that the part has put into its scene."""
        number, world = len(self.parts) + 1, self.scene
        self._names |= part.names
        self._purse += part.purse_wei
        self._steps += part.history()
        if part.hostile:
            self._thief = number - 1
        part.join(world, number)

    def story(self, phrasings: tuple[str, ...]) -> Story:
        """All of it as one story, once all parts are there."""
        self.scene.purse(self._purse)
        self._write_history()
        undone = tuple(number for number, part in enumerate(self.parts, 1) if not part.feasible)
        sums = (EtherSum(who, one.wei, one.payees, others=who == "user") for who, one in self._sums.items())
        return Story(
            phrasings=phrasings,
            goals=(*self._goals, *sums, Answer("integer_set", undone)),
            allowed=tuple(self._allowed),
            controlled=tuple(self._controlled),
            brief={"parts": self.briefs, **({} if self._thief is None else {"first": self._thief})},
            parts=tuple(self.parts),
        )

    def _write_history(self) -> None:
        """The parts' histories side by side: each step as long after the first as in its own."""
        passed = 0
        for since, step in sorted(self._steps, key=lambda timed: timed[0]):
            if since > passed:
                self.scene.passing(since - passed)
                passed = since
            self.scene.add(step)


def shaped(goals: Iterable[Goal], deadline: int | None) -> tuple[list[Goal], dict[str, Sum]]:
    """A part's goals as they stand in a campaign, each with the part's own deadline, and what it adds to the ether of shared
    accounts. Clash for goals that would speak of other parts, too."""
    kept: list[Goal] = []
    sums: dict[str, Sum] = {}

    def change(account: str, one: Sum) -> None:
        if account in SHARED:
            sums[account] = sums.get(account, Sum()).plus(one)

    for goal in goals:
        if isinstance(goal, ALONE) or (isinstance(goal, SpentAtMost) and goal.token is None):
            raise Clash(f"{type(goal).__name__} speaks of all that is done")
        timed = replace(goal, by=deadline) if goal.by is None and deadline is not None else goal
        if isinstance(goal, EtherChange) and goal.account in SHARED:
            change(goal.account, Sum(goal.wei))
        elif isinstance(goal, Pays) and goal.token is None and goal.payee in SHARED:
            if goal.least != goal.most:
                raise Clash("who gets an open sum of it gets others', too")
            change(goal.payer, Sum(-goal.most))
            change(goal.payee, Sum(goal.most))
        elif isinstance(goal, Pays) and goal.token is None:
            change(goal.payer, Sum(0, (goal.payee,)))
            kept.append(replace(timed, alone=goal.payer not in SHARED))
        else:
            kept.append(timed)
    if not kept:
        raise Clash("nothing that it asks for is its own")
    return kept, sums


def compose(scene: Scene, places: Sequence[Sequence[Offer]], tries: int = 400) -> Campaign:
    """A campaign with a part for each place, drawn from what is offered there; no case twice as long as there are others.
    ValueError where nothing more goes together with what is there."""
    campaign, used, clashes = Campaign(scene), set[str](), 0
    for offers in places:
        while True:
            fresh = [offer for offer in offers if offer[0] not in used] or list(offers)
            name, case, feasible, of = scene.draw.choice(fresh)
            used.add(name)
            try:
                campaign.add(name, case, of, feasible=feasible)
                break
            except Clash as clash:
                clashes += 1
                if clashes > tries:
                    raise ValueError(f"no more parts fit into the campaign: {clash}") from clash
    return campaign
