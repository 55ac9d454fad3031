"""Seeded draws: everything that varies between suite seeds comes from here, and from nowhere else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

T = TypeVar("T")


def words(text: str) -> tuple[str, ...]:
    """The words of a text; a tilde stands for a space within one."""
    return tuple(word.replace("~", " ") for word in text.split())


PEOPLE = words(
    "Abena Anselm Arlo Beatriz Bram Calla Cormac Dagny Delphine Dov Edda Emeka Farah Felix Greta Hana "
    "Hollis Ines Ivo Jonna Jules Kaito Katya Lars Leila Linus Maren Mateo Mira Nadia Nils Odile Oskar "
    "Paloma Piet Quinn Rafa Renske Rosalind Sanna Silas Soren Tamsin Tess Tomas Una Viggo Wanda Xenia "
    "Yara Yusuf Zofia"
)
QUALITIES = words(
    "Amber Ashen Brass Candlelit Cobalt Copper Drifting Dusty Foggy Gilded Hollow Indigo Juniper Lunar "
    "Marble Midnight Mossy Northern Opal Paper Quiet Rusty Saffron Silver Tidal Umber Velvet Wandering "
    "Willow Winter"
)
THINGS = words(
    "Almanacs Barges Beetles Bellows Compasses Cranes Ferries Foxes Gardens Herons Hourglasses Kettles "
    "Lanterns Lighthouses Looms Magpies Meteors Moths Observatories Otters Owls Pebbles Puffins Sextants "
    "Sparrows Tapestries Teapots Thimbles Tortoises Windmills"
)
ITEMS = words(
    "Ale~Barrel Bone~Key Bronze~Shield Cedar~Plank Cloth~Bolt Copper~Ingot Ember~Stone Fishing~Net Flint "
    "Glass~Phial Grain~Sack Healing~Herb Hemp~Rope Iron~Sword Leather~Boots Map~Fragment Oak~Bow "
    "Salt~Block Silver~Coin Torch Wax~Candle Wool~Cloak"
)

FIRST_START = 1_798_797_600  # 2027-01-01 10:00:00 UTC
DAY = 86_400
HOUR = 3_600


class Draw:
    """A stream of choices that depends on its seed text alone (not on PYTHONHASHSEED)."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._taken: set[str] = set()

    def choice(self, options: Sequence[T]) -> T:
        return options[self._random.randrange(len(options))]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        return self._random.sample(list(options), count)

    def shuffled(self, options: Sequence[T]) -> list[T]:
        return self.sample(options, len(options))

    def number(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return self._random.randint(low, high)

    def numbers(self, count: int, low: int, high: int) -> list[int]:
        """Different whole numbers, ascending."""
        return sorted(self._random.sample(range(low, high + 1), count))

    def _unused(self, options: Sequence[str]) -> str:
        name = self.choice([option for option in options if option not in self._taken])
        self._taken.add(name)
        return name

    def person(self) -> str:
        """A first name that was not drawn before."""
        return self._unused(PEOPLE)

    def collection(self) -> str:
        """A collection's name, of a quality and a thing that were not drawn before."""
        return f"{self._unused(QUALITIES)} {self._unused(THINGS)}"

    def items(self, count: int) -> list[str]:
        return self.sample(ITEMS, count)

    def start_time(self) -> int:
        """A whole hour of some day in 2027, from 08:00 to 15:00 UTC."""
        day, hour = self.number(0, 330), self.number(-2, 5)
        return FIRST_START + day * DAY + hour * HOUR


def moment(timestamp: int) -> str:
    """A time as a person writes it: `Thursday 14 January, 18:00 UTC`."""
    when = datetime.fromtimestamp(timestamp, UTC)
    return f"{when:%A} {when.day} {when:%B}, {when:%H:%M} UTC"


def listed(words: Sequence[str]) -> str:
    """Words as an English list: `a, b and c`."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
