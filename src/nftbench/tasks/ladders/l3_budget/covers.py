"""Choosing lots that together have all wanted traits: the cheapest choice, the next best one, and the one that takes what is
cheapest per trait.

A lot is worth what it has of each wanted trait, up to what is wanted of it: one or two. The cheapest choice is found by dynamic
programming over what is had so far, in one pass over the lots.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Offer(NamedTuple):
    """A lot: what it costs in all, in wei, and how many tokens of each wanted trait it has."""

    cost: int
    gains: tuple[int, ...]


class Choice(NamedTuple):
    """Places of chosen offers, ascending, and what they cost together in wei."""

    cost: int
    places: tuple[int, ...]


def _bits(counts: Sequence[int], least: int) -> int:
    return sum(1 << place for place, count in enumerate(counts) if count >= least)


def cheapest(
    offers: Sequence[Offer], demand: Sequence[int], *, without: int | None = None, limit: int | None = None
) -> Choice | None:
    """The cheapest choice that meets the demand, none of it the offer at the place `without`, for at most `limit` wei; None if
    there is none. ValueError where more than two of a trait are wanted."""
    if max(demand) > 2:
        raise ValueError(f"one or two of a trait can be wanted: {demand}")
    places = _worthwhile(offers, demand, without)
    two, width = _bits(demand, 2), len(demand)
    all_of_it = _bits(demand, 1) | two << width
    least = min((offers[place].cost // sum(map(min, offers[place].gains, demand)) for place in places), default=0)
    best: dict[int, Choice] = {0: Choice(0, ())}
    for place in places:
        cost, gains = offers[place]
        once, twice = _bits(gains, 1), _bits(gains, 2) & two
        for had, before in list(best.items()):
            now = had | once & all_of_it | ((had & once & two) | twice) << width
            spent = before.cost + cost
            if now == had or (limit is not None and spent + least * (all_of_it & ~now).bit_count() > limit):
                continue
            if now not in best or spent < best[now].cost:
                best[now] = Choice(spent, (*before.places, place))
    return best.get(all_of_it)


def _worthwhile(offers: Sequence[Offer], demand: Sequence[int], without: int | None) -> list[int]:
    """Of those that have the same, as many of the cheapest as can be of use; ascending."""
    kept: dict[tuple[int, ...], list[int]] = {}
    for place in sorted(range(len(offers)), key=lambda each: offers[each].cost):
        gains = tuple(map(min, offers[place].gains, demand))
        alike = kept.setdefault(gains, [])
        if place != without and any(gains) and len(alike) < max(demand):
            alike.append(place)
    return sorted(place for alike in kept.values() for place in alike)


def next_best(offers: Sequence[Offer], demand: Sequence[int], best: Choice, limit: int) -> int | None:
    """What the cheapest choice costs that does without one of the best one's lots; None if that is more than `limit` wei, or none
    can be done without."""
    others = [cheapest(offers, demand, without=place, limit=limit) for place in best.places]
    return min((other.cost for other in others if other), default=None)


def handiest(offers: Sequence[Offer], missing: Sequence[int]) -> list[int]:
    """The places of the offers that cost least per token that is still missing, all that cost the same; empty if none has any."""
    worth = {place: sum(map(min, offer.gains, missing)) for place, offer in enumerate(offers)}
    rates = {place: Fraction(offers[place].cost, gain) for place, gain in worth.items() if gain}
    lowest = min(rates.values(), default=None)
    return [place for place, rate in rates.items() if rate == lowest]


def at_sight(offers: Sequence[Offer], demand: Sequence[int]) -> Choice | None:
    """The choice of somebody who always takes what is handiest; None if that leads nowhere, or where two are just as handy."""
    missing, cost, left, places = tuple(demand), 0, list(offers), []
    while any(missing):
        found = handiest(left, missing)
        if len(found) != 1:
            return None
        place = found[0]
        missing = tuple(max(0, most - gain) for most, gain in zip(missing, left[place].gains, strict=True))
        cost += left[place].cost
        places.append(place)
        left[place] = Offer(0, (0,) * len(demand))
    return Choice(cost, tuple(sorted(places)))
