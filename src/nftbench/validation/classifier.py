"""A plain text classifier: naive Bayes on words, to see whether prompts give feasibility away.

Multinomial naive Bayes with add-one smoothing (Manning, Raghavan, Schuetze: Introduction to Information Retrieval, 13.2);
words that were never seen say nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

_WORD = re.compile(r"[a-z']+|[0-9]+")


def words(text: str) -> list[str]:
    """Its words in lower case, and its numbers."""
    return _WORD.findall(text.lower())


class NaiveBayes:
    """Learns which of two classes a text belongs to."""

    def __init__(self, examples: Iterable[tuple[str, bool]]) -> None:
        self._words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        self._texts: Counter[bool] = Counter()
        for text, label in examples:
            self._words[label].update(words(text))
            self._texts[label] += 1
        self._vocabulary = set(self._words[True]) | set(self._words[False])

    def predict(self, text: str) -> bool:
        """The likelier class; True where they are alike."""
        return self._score(text, True) >= self._score(text, False)

    def _score(self, text: str, label: bool) -> float:
        if not self._texts[label]:
            return -math.inf
        known = self._words[label]
        total = sum(known.values()) + len(self._vocabulary)
        prior = math.log(self._texts[label] / sum(self._texts.values()))
        return prior + sum(math.log((known[word] + 1) / total) for word in words(text) if word in self._vocabulary)


def accuracy(learned: Iterable[tuple[str, bool]], asked: Iterable[tuple[str, bool]]) -> tuple[float, float]:
    """The share of right predictions, and the base rate: that of always naming the commoner class."""
    model, questions = NaiveBayes(learned), list(asked)
    right = sum(model.predict(text) is label for text, label in questions)
    feasible = sum(label for _, label in questions)
    if not questions:
        return 0.0, 0.0
    return right / len(questions), max(feasible, len(questions) - feasible) / len(questions)
