"""Answers in their form: what a task's answer must look like, and the one spelling in which two answers are compared."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from nftbench.calls import DEEPEST_ARGUMENTS, nests_deeper
from nftbench.tasks.goals import Answer
from nftbench.values import checksum

_INTEGER = re.compile(r"-?[0-9]{1,80}")


class WrongForm(ValueError):
    """The answer has not the form that the task asks for; the message says what was expected."""


class Form(Struct, frozen=True):
    """What an answer must look like, without what it must say. `fields` are a record's."""

    form: str
    fields: Mapping[str, str] = {}


def form_asked(goals: Iterable[Any]) -> Form | None:
    """The form of the answer among a task's goals; None if it asks for none."""
    return next((Form(goal.form, goal.fields) for goal in goals if isinstance(goal, Answer)), None)


def normalise(form: str, value: Any, fields: Mapping[str, str] | None = None) -> Any:
    """The value in its canonical spelling: addresses checksummed, integers as int, text case-folded, sets as sorted tuples.

    A list or an object may come as JSON text, as models like to send it. WrongForm for what can't be read so.
    """
    if form == "address":
        return _address(value)
    if form == "integer":
        return _integer(value)
    if form == "text":
        if not isinstance(value, str):
            raise WrongForm(f"expected text, got {type(value).__name__}")
        return " ".join(unicodedata.normalize("NFC", value).casefold().split())
    value = _parsed(value)
    if form in ("address_set", "integer_set"):
        one, kind = (_address, "addresses") if form == "address_set" else (_integer, "whole numbers")
        if not isinstance(value, list | tuple):
            raise WrongForm(f"expected a list of {kind}, got {type(value).__name__}")
        return tuple(sorted({one(v) for v in value}))
    return _record(value, fields or {})


def as_said(value: Any, longest: int) -> str:
    """An answer as text of at most so many characters, also where Python can't print it: it nests, or has digits, without end."""
    try:
        return str(value)[:longest]
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} that is too large to print"[:longest]


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if nests_deeper(read, DEEPEST_ARGUMENTS) else read


def _record(value: Any, fields: Mapping[str, str]) -> Any:
    if not isinstance(value, dict) or set(value) != set(fields):
        raise WrongForm(f"expected an object with exactly the fields {', '.join(fields)}")
    normalised = []
    for name in sorted(fields):
        try:
            normalised.append((name, normalise(fields[name], value[name])))
        except WrongForm as problem:
            raise WrongForm(f"field {name!r}: {problem}") from None
    return tuple(normalised)


def _address(value: Any) -> str:
    try:
        return checksum(value.strip())
    except (ValueError, AttributeError):
        raise WrongForm(f"expected an address, got {as_said(value, 60)!r}") from None


def _integer(value: Any) -> int:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and _INTEGER.fullmatch(text):
        return int(text)
    if isinstance(text, bool) or not isinstance(text, int):
        raise WrongForm(f"expected a whole number, got {as_said(value, 60)!r}")
    return text


_LEADS = ("Answer with", "Give me the answer as", "Please answer with", "I need the answer in the form")


def asking(phrasings: Iterable[str], form: str) -> tuple[str, ...]:
    """The wordings, each with its own sentence about the form of the answer, as `a list of addresses`."""
    return tuple(f"{text} {_LEADS[i % len(_LEADS)]} {form}." for i, text in enumerate(phrasings))


def an_object(**fields: str) -> str:
    """The form of a record in words: its fields, and what each is to hold."""
    return "an object {" + ", ".join(f'"{name}": {meaning}' for name, meaning in fields.items()) + "}"
