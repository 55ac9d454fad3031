"""Answers in their form: both sides are normalised before they are compared, a wrong form is told apart from a wrong value."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from nftbench.tasks.goals import Answer
from nftbench.values import checksum

_INTEGER = re.compile(r"-?[0-9]{1,80}")


class WrongForm(ValueError):
    """The answer has not the form that the task asks for."""


def normalise(form: str, value: Any, fields: Mapping[str, str] | None = None) -> Any:
    """The value in its canonical spelling: addresses checksummed, integers as int, text case-folded, sets as sorted tuples."""
    if form == "address":
        return _address(value)
    if form == "integer":
        return _integer(value)
    if form == "text":
        if not isinstance(value, str):
            raise WrongForm(f"expected text, got {type(value).__name__}")
        return " ".join(unicodedata.normalize("NFC", value).casefold().split())
    if form in ("address_set", "integer_set"):
        if not isinstance(value, list | tuple):
            raise WrongForm(f"expected a list, got {type(value).__name__}")
        one = _address if form == "address_set" else _integer
        return tuple(sorted({one(v) for v in value}))
    return _record(value, fields or {})


def _record(value: Any, fields: Mapping[str, str]) -> Any:
    if not isinstance(value, dict) or set(value) != set(fields):
        raise WrongForm(f"expected an object with exactly the fields {', '.join(fields)}")
    return tuple((name, normalise(fields[name], value[name])) for name in sorted(fields))


def _address(value: Any) -> str:
    try:
        return checksum(value.strip())
    except (ValueError, AttributeError):
        raise WrongForm(f"expected an address, got {str(value)[:60]!r}") from None


def _integer(value: Any) -> int:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and _INTEGER.fullmatch(text):
        return int(text)
    if isinstance(text, bool) or not isinstance(text, int):
        raise WrongForm(f"expected a whole number, got {str(value)[:60]!r}")
    return text


def judge(goal: Answer, expected: Any, given: Any) -> tuple[bool, str]:
    """Whether the answer is right, and what it was, as text; `expected` is the goal's value with names resolved."""
    if given is None:
        return False, "no answer"
    try:
        actual = normalise(goal.form, given, goal.fields)
    except WrongForm as problem:
        return False, f"wrong form: {problem}"
    return actual == normalise(goal.form, expected, goal.fields), str(given)[:500]
