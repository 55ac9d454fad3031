"""Whether clauses of prompts cue an infeasible case: conditions, ways out, and words about giving up.

An infeasible case has its twin's prompt to the letter, so what could give answers away is a difference between the prompts of
pairs and those of feasible cases without one. A case is looked at with all wordings that ten suite seeds draw.

Two judges look at it. A naive Bayes classifier on the cues alone, asked about each sub-family after learning from all others,
must not tell pairs much better than by guessing. And no single cue may stand in more of the pairs than chance explains
(Fisher's exact test: R. A. Fisher, Statistical Methods for Research Workers, 21.02).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

CUES: dict[str, str] = {
    "if": r"\bif\b(?! you (?:like|want|please))",
    "unless": r"\bunless\b",
    "otherwise": r"\botherwise\b|\bor else\b|\bfailing that\b",
    "in case": r"\bin (?:case|the event)\b",
    "should it": r"(?:^|[.;:,])\s*should (?:it|he|she|they|that|this|there|any|the|\w+ (?:be|have|turn|prove))\b",
    "provided": r"\bprovided\b|\bas long as\b|\bon condition\b|\bassuming\b|\bonly (?:if|when|where)\b",
    "whether": r"\bwhether\b|\bor not\b",
    "possible": r"\b(?:im)?possible\b|\bfeasible\b|\bable to\b|\bcan(?:'t|not)? be done\b|\bwon't work\b|\bworks? out\b",
    "can't": r"\bcan(?:'t|not)\b|\bcould(?:n't| not)\b",
    "leave it": r"\bleave (?:it|that|them|everything|all|things)\b|\bkeep (?:it|everything) as\b|\bas it is\b|\bbe\b(?=[.;])",
    "do nothing": r"\b(?:do|change|touch|send|sign|move|buy|mint) nothing\b|\bnothing (?:is|be|should be) done\b|\bnot at all\b",
    "don't": r"\b(?:don't|do not)\b",
    "drop it": r"\b(?:drop|forget|skip|call off|give up)\b",
    "let me know": r"\blet me know\b|\btell me (?:so|if|why|that|in that)\b|\bsay (?:so|why)\b|\breport back\b",
    "gone": r"\b(?:gone|too late|no longer|any more|anymore|taken already|already taken|sold out)\b",
    "still": r"\bstill\b",
    "rather": r"\brather than\b|\binstead\b|\bbetter not\b|\brather not\b",
    "no way": r"\bno way\b|\bthere is no\b|\bnone (?:is|of)\b",
}
"""The cues, each as what stands in a clause, in lower case."""

LIKELY_BY_CHANCE = 0.05
"""How likely the strongest of all cues may be by chance before it is told."""

FEWEST_CASES = 60
"""Cases, a pair counted once, from which on prompts are judged."""

_CLAUSE = re.compile(r"[^.;:,!?()]+[.;:,!?()]*")


class Case(Struct, frozen=True):
    """A feasible case with all its wordings; `paired` if it has an infeasible twin, whose prompt is the same."""

    sub_family: str
    paired: bool
    prompts: tuple[str, ...]


class Telling(Struct, frozen=True):
    """A cue with the number of cases in which it stands, and a clause of a pair that has it."""

    cue: str
    paired: int
    alone: int
    clause: str


class Judgement(Struct, frozen=True):
    """How often the classifier tells pairs by their cues, the share of always naming the commoner kind, how far beyond it
    chance may go, and the cues that tell."""

    told: float
    base_rate: float
    margin: float
    telling: tuple[Telling, ...]

    def sentences(self) -> list[str]:
        """What does not hold, a line each."""
        found = [
            f"the cue {t.cue!r} stands in the prompts of {t.paired} pairs and of {t.alone} cases without an infeasible twin: "
            f"{t.clause}"
            for t in self.telling
        ]
        if self.told > self.base_rate + self.margin:
            found.append(
                f"the clauses of prompts tell which cases have an infeasible twin: {self.told:.1%} are told right, and "
                f"guessing has {self.base_rate:.1%}"
            )
        return found


@lru_cache(maxsize=2**16)
def cues(prompt: str) -> frozenset[str]:
    """The cues that stand in a prompt. Both judges ask for the same few thousand prompts again and again."""
    text = prompt.lower()
    return frozenset(name for name, pattern in CUES.items() if re.search(pattern, text))


def judge(cases: Sequence[Case]) -> Judgement | None:
    """What the prompts of these cases give away; None where there are too few cases of either kind to say."""
    paired = sum(case.paired for case in cases)
    if len(cases) < FEWEST_CASES or not 0 < paired < len(cases):
        return None
    base = max(paired, len(cases) - paired) / len(cases)
    margin = 2 * math.sqrt(base * (1 - base) / len(cases))
    return Judgement(_told(cases), base, margin, tuple(_telling(cases)))


def _told(cases: Sequence[Case]) -> float:
    """The mean share of wordings told right, each by what the other sub-families' cases teach."""
    shares = []
    for sub_family in dict.fromkeys(case.sub_family for case in cases):
        model = _Model([case for case in cases if case.sub_family != sub_family])
        for case in (case for case in cases if case.sub_family == sub_family):
            right = sum(model.says_paired(prompt) is case.paired for prompt in case.prompts)
            shares.append(right / len(case.prompts))
    return sum(shares) / len(shares)


class _Model:
    """Naive Bayes over the presence of cues, with add-one smoothing; every case counts alike, however many wordings it has."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = {kind: [case for case in cases if case.paired is kind] for kind in (True, False)}
        self._rates = {
            (kind, cue): (sum(_share(case, cue) for case in of) + 1) / (len(of) + 2)
            for kind, of in self._cases.items()
            for cue in CUES
        }

    def says_paired(self, prompt: str) -> bool:
        found = cues(prompt)
        return self._score(True, found) > self._score(False, found)

    def _score(self, kind: bool, found: frozenset[str]) -> float:
        prior = math.log(max(len(self._cases[kind]), 1))
        rates = ((self._rates[kind, cue], cue in found) for cue in CUES)
        return prior + sum(math.log(rate if there else 1 - rate) for rate, there in rates)


def _share(case: Case, cue: str) -> float:
    return sum(cue in cues(prompt) for prompt in case.prompts) / len(case.prompts)


def _telling(cases: Sequence[Case]) -> Iterator[Telling]:
    """Cues that stand in more pairs than chance explains, the strongest first."""
    pairs, others = [c for c in cases if c.paired], [c for c in cases if not c.paired]
    found = []
    for cue in CUES:
        having = [sum(_share(case, cue) > 0 for case in of) for of in (pairs, others)]
        chance = by_chance(having[0], len(pairs), having[1], len(others))
        if chance * len(CUES) < LIKELY_BY_CHANCE:
            clause = next(_clauses(cue, (prompt for case in pairs for prompt in case.prompts)), "")
            found.append((chance, Telling(cue, having[0], having[1], clause)))
    yield from (telling for _, telling in sorted(found, key=lambda pair: pair[0]))


def by_chance(first: int, of_first: int, second: int, of_second: int) -> float:
    """How likely as many or more of the first kind have what so many of both kinds have (Fisher's exact test, one-sided)."""
    having, all_of = first + second, of_first + of_second
    ways = sum(
        math.comb(of_first, k) * math.comb(of_second, having - k) for k in range(first, min(having, of_first) + 1)
    )
    return ways / math.comb(all_of, having)


def _clauses(cue: str, prompts: Iterable[str]) -> Iterator[str]:
    """The clauses of the prompts in which a cue stands."""
    for prompt in prompts:
        for clause in _CLAUSE.findall(prompt):
            if re.search(CUES[cue], clause.lower()):
                yield clause.strip()
