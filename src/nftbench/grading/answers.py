"""Answers against what was asked: both sides are normalised first, and a wrong form is told apart from a wrong value."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.answer_forms import WrongForm, as_said, normalise
from nftbench.tasks.goals import Answer


def judge(goal: Answer, expected: Any, given: Any) -> tuple[bool, str]:
    """Whether the answer is right, and what it was, as text; `expected` is the goal's value with names resolved."""
    if given is None:
        return False, "no answer"
    try:
        actual = normalise(goal.form, given, goal.fields)
    except WrongForm as problem:
        return False, f"wrong form: {problem}"
    return actual == normalise(goal.form, expected, goal.fields), as_said(given, 500)
