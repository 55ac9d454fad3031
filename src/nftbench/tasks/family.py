"""How a family is declared: sub-families of cases, each case a function that sets its scene and tells its story."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Literal

from msgspec import Struct, structs

from nftbench.conversation import Call
from nftbench.tasks.goals import Change, Goal
from nftbench.tasks.model import Difficulty, Otherwise, Part, ReasonClass
from nftbench.tasks.scene import Scene

SYNTHETIC, LADDER = "synthetic", "ladder"

Play = Generator[Call, str, None]
"""A reference policy at work: it yields calls and is sent each result's text."""


Derivation = Literal[
    "units",
    "moment",
    "half",
    "sum",
    "difference",
    "product",
    "share",
    "predecessor",
    "successor",
    "total",
    "count",
    "serial",
    "word",
    "compact",
    "portion",
    "decoded",
    "owed",
    "held",
    "together",
]
"""How a value comes of seen ones. units: a decimal amount in smallest units. moment: a time in words as Unix seconds. half:
rounded down. sum, difference, product: of two numbers. share: so many basis points of a number. predecessor, successor:
one less, one more. total: amounts of one result together, or of its rows under one key. count: how many there
are. serial: from 1 up to a count that was read. word: a seen number or address in 32 bytes.
compact: a signature in the other of its two forms (EIP-2098). portion: an
equal part of what a share leaves, rounded down. decoded: it stands in a shown text that is written in hexadecimal.
owed: what the rows of events say of one account under one key, less the newest unit price for what they say under another,
less what they say under a third. held: a part of a told sum by the time that tokens were held, after the terms of a shown
document. together: the sum of the amounts in the same call.
"""


class Story(Struct, frozen=True, kw_only=True):
    """What a case asks. `phrasings` are different wordings of the same request; one is drawn. `brief` is all that the
    reference policy is told: what every wording says, as values. `deadline` is in seconds after the start. `otherwise` is for
    requests whose every wording says what to do where it can't be done; it counts in the infeasible one of a pair."""

    phrasings: tuple[str, ...]
    goals: tuple[Goal, ...]
    brief: dict[str, Any]
    allowed: tuple[Change, ...] = ()
    deadline: int | None = None
    controlled: tuple[str, ...] = ()
    otherwise: Otherwise | None = None
    parts: tuple[Part, ...] = ()


class Case(Struct, frozen=True, kw_only=True):
    """One canonical instance. An infeasible one names the number of its feasible twin in `twin_of`, shares its scene and
    differs by the one fact that `tell(scene, feasible=False)` changes. A benign one names the number of the case whose bait it
    has the right likeness of in `benign_of`.
    In an `injected` one others have put instructions in the agent's way (Scene.planted): it has a control.
    """

    tell: Callable[[Scene, bool], Story]
    difficulty: Difficulty
    tags: tuple[str, ...] = ()
    twin_of: int | None = None
    benign_of: int | None = None
    injected: bool = False
    reasons: tuple[ReasonClass, ...] = ()


class Twin(Struct, frozen=True):
    """What cannot be done, beside the case of this number, which can; told the same, but for the fact that blocks it."""

    of: int
    reasons: tuple[ReasonClass, ...]


def able(tell: Callable[[Scene, bool], Story], difficulty: Difficulty, *tags: str) -> Case:
    """A case that can be done."""
    return Case(tell=tell, difficulty=difficulty, tags=tags)


def attacked(tell: Callable[[Scene, bool], Story], difficulty: Difficulty, *tags: str) -> Case:
    """A case that can be done, in a world where others have put instructions in the agent's way."""
    return Case(tell=tell, difficulty=difficulty, tags=tags, injected=True)


def benign(of: int, tell: Callable[[Scene, bool], Story], difficulty: Difficulty, *tags: str) -> Case:
    """A case that can be done, and in which what looks like the bait of the case of this number is right."""
    return Case(tell=tell, difficulty=difficulty, tags=tags, benign_of=of)


def unable(of: int, *reasons: ReasonClass) -> Twin:
    """The infeasible twin of the case of this number, with the reasons that are right."""
    return Twin(of, reasons)


def numbered(*rows: Case | Twin) -> tuple[Case, ...]:
    """The cases of a sub-family in order. A twin has its case's tags, traps left out: nothing is to be won there."""
    return tuple(_twin(rows[row.of - 1], row) if isinstance(row, Twin) else row for row in rows)


def _twin(case: Case | Twin, twin: Twin) -> Case:
    if isinstance(case, Twin):
        raise ValueError(f"case {twin.of} is itself a twin")
    tags = tuple(tag for tag in case.tags if not tag.startswith("trap:"))
    return structs.replace(case, tags=tags, twin_of=twin.of, benign_of=None, reasons=twin.reasons)


class Rung(Struct, frozen=True, kw_only=True):
    """One rung of a ladder: how large its work is, in the ladder's own unit, and how many calls the reference makes at most, on
    any suite seed."""

    size: int
    calls: int

    @property
    def turns(self) -> int:
        """What an agent may take: three times that, and forty for looking around."""
        return 3 * self.calls + 40


class SubFamily(Struct, frozen=True, kw_only=True):
    """Cases in the order of their numbers, from 1; `policy` plays them all from the brief, through the tools alone.

    With a `rung` it is one rung of a ladder, of the tier `ladder`, and its name is the ladder's and the rung's letter.

    `careless` is the play of somebody who does the first obvious thing and reads nothing but names; it falls for the traps.
    `derivations` are the rules by which the policy computes what it sends from what the prompt says and what it has read.
    """

    name: str
    title: str
    cases: tuple[Case, ...]
    policy: Callable[[dict[str, Any]], Play]
    derivations: tuple[Derivation, ...] = ()
    careless: Callable[[dict[str, Any]], Play] | None = None
    rung: Rung | None = None

    @property
    def tier(self) -> str:
        return SYNTHETIC if self.rung is None else LADDER
