"""The rules by which a policy may compute what it sends, and what it has seen to compute it from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from nftbench.tasks.family import Derivation
from nftbench.validation.accounts import held, owed

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}(?![0-9a-fA-F])")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"(?<![0-9A-Za-z.])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])|(?<![0-9A-Za-z])[0-9]+(?:\.[0-9]+)?")
_MOMENT = re.compile(r"([0-9]{1,2}) ([A-Z][a-z]+),? (?:at )?([0-9]{2}:[0-9]{2})")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DECIMALS = (2, 6, 8, 9, 18)
_BASIS_POINTS = 10_000
_SHORT, _LONG = 12, 60
_A_FEW_BLOCKS = 60
_EPOCH = 1_600_000_000  # what is less is no time in these worlds


class Seen:
    """What the agent has been told and shown so far. `told` are the prompt's numbers, `shown` those of results, `rows` the events
    and `documents` the texts among them; `along` are the amounts of the call that is looked at."""

    def __init__(self, prompt: str) -> None:
        self.text = prompt.lower()
        self.told: set[int] = {0, 1}
        self.shown: set[int] = set()
        self.fractions: set[Decimal] = set()
        self.addresses: set[str] = set()
        self.groups: list[list[int]] = []
        self.columns: list[list[int]] = []
        self.rows: list[dict[str, Any]] = []
        self.documents: list[str] = []
        self.along: list[int] = []
        self._read(prompt, self.told)
        self.told |= {_WORDS.index(word) for word in re.findall(r"[a-z]+", prompt.lower()) if word in _WORDS}
        self._moments = [m.groups() for m in _MOMENT.finditer(prompt)]

    def add(self, result: str) -> None:
        """One more result of a tool."""
        self.text += "\n" + result.lower()
        try:
            document = json.loads(result)
        except ValueError:
            document = result
        if isinstance(document, dict):
            self.rows += document.get("logs", ())
            self.documents += [text for text in (document.get("content"),) if text]
        numbers = list(self._walk(document))
        self.groups.append(numbers)
        self.shown.update(numbers)

    def _walk(self, value: Any) -> Iterator[int]:
        if isinstance(value, dict):
            for key, part in value.items():
                yield from self._walk(key)
                yield from self._walk(part)
        elif isinstance(value, list):
            self._read_columns(value)
            for part in value:
                yield from self._walk(part)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield value
        elif isinstance(value, str):
            found: set[int] = set()
            self._read(value, found)
            yield from sorted(found)

    def _read_columns(self, rows: list[Any]) -> None:
        """The amounts that rows of one result have under the same key."""
        for key in rows[0] if rows and all(isinstance(row, dict) for row in rows) else ():
            texts = [row.get(key) for row in rows]
            if all(isinstance(text, str) and text.isdecimal() for text in texts):
                self.columns.append([int(text) for text in texts])

    def _read(self, text: str, numbers: set[int]) -> None:
        self.addresses |= {address.lower() for address in _ADDRESS.findall(text)}
        for word in _HEX.findall(text):
            numbers.add(int(word, 16))
        for number in _NUMBER.findall(_HEX.sub(" ", text)):
            plain = Decimal(number.replace(",", ""))
            self.fractions.add(plain)
            if plain == int(plain):
                numbers.add(int(plain))

    def moments(self) -> set[int]:
        """The prompt's times in words, as Unix seconds, in the years that the numbers seen so far may lie in."""
        years = {datetime.fromtimestamp(n, UTC).year for n in self.shown if 1_700_000_000 < n < 2_000_000_000}
        return {
            int(datetime.strptime(f"{day} {month} {year} {clock}", "%d %B %Y %H:%M").replace(tzinfo=UTC).timestamp())
            for day, month, clock in self._moments
            for year in years | {y + 1 for y in years}
            if not (month == "February" and day == "29")
        }

    def numbers(self) -> set[int]:
        return self.told | self.shown

    def in_units(self) -> set[int]:
        """The decimal amounts in the smallest units of usual currencies."""
        scaled = (amount * 10**decimals for amount in self.fractions for decimals in _DECIMALS)
        return {int(amount) for amount in scaled if amount == int(amount)}


def _operands(seen: Seen) -> set[int]:
    """Numbers to compute with: those that were told, and those of short results, where they do not stand for rows of a list."""
    short = {number for numbers in seen.groups if len(numbers) <= _SHORT for number in numbers}
    return seen.told | seen.in_units() | seen.moments() | short


def _together(seen: Seen) -> Iterator[tuple[set[int], set[int]]]:
    """Numbers to compute with, as two sets: one of the first with one of the second. Those of a longer result go with each other,
    and with those that were told."""
    operands = _operands(seen)
    yield operands, operands
    for numbers in seen.groups:
        if _SHORT < len(numbers) <= _LONG:
            yield {*numbers, *seen.told}, set(numbers)


def _sum(value: int, seen: Seen) -> bool:
    return any(value - one in others for some, others in _together(seen) for one in some)


def _difference(value: int, seen: Seen) -> bool:
    return any(value + one in others or one - value in others for some, others in _together(seen) for one in some)


def _product(value: int, seen: Seen) -> bool:
    """Zero is that of zero and anything."""
    for some, others in _together(seen):
        for one in some:
            if (value == 0 == one and others) or (one and value % one == 0 and value // one in others):
                return True
    return False


def _percentages(seen: Seen) -> set[int]:
    """The decimal numbers seen, as percentages in basis points."""
    return {int(p * 100) for p in seen.fractions if 0 < p < 100 and p * 100 == int(p * 100)}


def _shares(value: int, seen: Seen) -> bool:
    rates = {n for n in seen.numbers() if 0 < n < _BASIS_POINTS} | _percentages(seen)
    amounts = [n for n in seen.numbers() | seen.in_units() if n >= value]
    return any(
        value in (a * r // _BASIS_POINTS, a - a * r // _BASIS_POINTS, a * r // 100) for a in amounts for r in rates
    )


def _portion(value: int, seen: Seen) -> bool:
    """One of two to nine equal parts of what is left of a shown amount after a percentage of it."""
    amounts, rates = [n for n in seen.shown if n >= value > 0], _percentages(seen)
    return any((a - a * r // _BASIS_POINTS) // parts == value for a in amounts for r in rates for parts in range(2, 10))


def _total(value: int, seen: Seen) -> bool:
    """Running sums of what one result holds, or its rows under one key, or of the single values that followed each other."""
    lone = [numbers[0] for numbers in seen.groups if len(numbers) == 1]
    for numbers in (*seen.groups, *seen.columns, lone):
        for start in range(len(numbers)):
            total = 0
            for number in numbers[start:]:
                total += number
                if total == value:
                    return True
    return False


RULES: dict[Derivation, Callable[[int, Seen], bool]] = {
    "units": lambda value, seen: value in seen.in_units(),
    "moment": lambda value, seen: (
        value > _EPOCH and any(0 <= value - m <= _A_FEW_BLOCKS for m in seen.moments() | seen.shown)
    ),
    "half": lambda value, seen: value > 0 and bool({2 * value, 2 * value + 1} & seen.numbers()),
    "sum": _sum,
    "difference": _difference,
    "product": _product,
    "share": _shares,
    "portion": _portion,
    "predecessor": lambda value, seen: value + 1 in seen.numbers(),
    "successor": lambda value, seen: value - 1 in seen.numbers(),
    "total": _total,
    "serial": lambda value, seen: any(0 < value <= numbers[0] <= _LONG for numbers in seen.groups if len(numbers) == 1),
    "owed": lambda value, seen: value in owed(seen.rows),
    "held": lambda value, seen: value in held(seen.rows, seen.documents, seen.in_units()),
    "together": lambda value, seen: bool(seen.along) and value == sum(seen.along),
    "count": lambda value, seen: 0 <= value <= max((len(numbers) for numbers in seen.groups), default=0),
}
"""Each rule for whole numbers; `word` and `text` are about other values and stand in `solvable`."""


def derived(value: int, seen: Seen, rules: Iterable[Derivation]) -> bool:
    """Whether one of the declared rules gives the number, or two of them: a sum, a difference or a product of one more."""
    rules = [rule for rule in rules if rule in RULES]
    if any(RULES[rule](value, seen) for rule in rules):
        return True
    operands = _operands(seen)
    others = [rule for rule in rules if rule in ("product", "share", "half", "total")]
    before = [value + n for n in operands if "difference" in rules] + [value - n for n in operands if "sum" in rules]
    if any(RULES[rule](number, seen) for number in before if number > 0 for rule in others):
        return True
    factors = [value // n for n in operands if "product" in rules and 1 < n < value and value % n == 0]
    return any(RULES[rule](number, seen) for number in factors for rule in rules if rule in ("sum", "difference"))
