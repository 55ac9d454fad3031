"""The classifier learns what words tell, and no more."""

from __future__ import annotations

from nftbench.validation.classifier import NaiveBayes, accuracy, words


def test_words_and_numbers_are_told_apart_without_case() -> None:
    assert words("It's #17, 2 of Them!") == ["it's", "17", "2", "of", "them"]


def test_by_hand_with_one_smoothed_word() -> None:
    """P(no|true) = 1/(2+3) and P(no|false) = 2/(1+3): `no` speaks for false, `yes` for true; an unknown word for neither."""
    model = NaiveBayes([("yes please", True), ("no", False)])
    assert model.predict("yes") and not model.predict("no") and model.predict("maybe")


def test_a_word_that_gives_the_class_away_is_found() -> None:
    learned = [(f"send {n} now", True) for n in range(8)] + [(f"send {n} if possible", False) for n in range(8)]
    asked = [("send 9 now", True), ("send 9 if possible", False)] * 3
    assert accuracy(learned, asked) == (1.0, 0.5)


def test_twins_with_the_same_words_are_told_no_better_than_by_guessing() -> None:
    pairs = [(f"send {n}", feasible) for n in range(10) for feasible in (True, False)]
    alone = [(f"burn {n}", True) for n in range(10)]
    right, base_rate = accuracy(pairs + alone, pairs + alone)
    assert right <= base_rate == 20 / 30
