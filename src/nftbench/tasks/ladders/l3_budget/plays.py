"""The policies that buy: read every list once, see what can be bought, and take the cheapest choice or nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

from nftbench.tasks.family import Play
from nftbench.tasks.ladders.l3_budget.covers import Offer, cheapest, handiest
from nftbench.tasks.playing import Step, by_brief, contract, events, finish, give_up, plain, use, without_looking

AT_ONCE = 50
"""Calls of one call_many."""


class Lot(NamedTuple):
    """What an event says of a lot."""

    market: str
    number: int
    seller: str
    tokens: tuple[int, ...]


def _asked(calls: list[tuple[str, str, list[Any]]]) -> Step:
    """The results of many views; None for one that reverts."""
    results: list[Any] = []
    for first in range(0, len(calls), AT_ONCE):
        some = [
            {"contract": where, "function": function, "arguments": plain(arguments)}
            for where, function, arguments in calls[first : first + AT_ONCE]
        ]
        answer = yield from use("call_many", calls=some)
        results += [row.get("result") for row in answer["results"]]
    return results


def _listed(markets: list[str]) -> Step:
    """All lots that were ever listed."""
    lots = []
    for market in markets:
        for row in (yield from events(market, event="LotListed")):
            given = row["args"]
            tokens = tuple(int(token) for token in given["tokenIds"])
            lots.append(Lot(market, int(given["lotId"]), given["seller"], tokens))
    return lots


def _priced(lots: list[Lot]) -> Step:
    """Those that stand on their market, with what each costs."""
    costs = yield from _asked([(lot.market, "costOf", [lot.number]) for lot in lots])
    return {lot: int(cost) for lot, cost in zip(lots, costs, strict=True) if cost is not None}


def _facts(collection: str, register: str, lots: list[Lot]) -> Step:
    """Of these lots' tokens the owners and the traits, and of their sellers which markets they let move tokens."""
    tokens = [token for lot in lots for token in lot.tokens]
    pairs = sorted({(lot.seller, lot.market) for lot in lots})
    answers = yield from _asked(
        [
            *((collection, "ownerOf", [token]) for token in tokens),
            *((register, "traitsOf", [token]) for token in tokens),
            *((collection, "isApprovedForAll", [*pair]) for pair in pairs),
        ]
    )
    owners = dict(zip(tokens, answers[: len(tokens)], strict=True))
    traits = dict(zip(tokens, answers[len(tokens) : 2 * len(tokens)], strict=True))
    return owners, traits, dict(zip(pairs, answers[2 * len(tokens) :], strict=True))


def _gains(lot: Lot, traits: dict[int, list[str]], wanted: dict[str, int]) -> tuple[int, ...]:
    return tuple(sum(name in traits[token] for token in lot.tokens) for name in wanted)


def _buy(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    markets = [contract(seen, label) for label in brief["markets"]]
    priced = yield from _priced((yield from _listed(markets)))
    owners, traits, allowed = yield from _facts(collection, contract(seen, brief["register"]), list(priced))
    lots = [
        lot
        for lot in priced
        if allowed[lot.seller, lot.market] and all(owners[token] == lot.seller for token in lot.tokens)
    ]
    offers = [Offer(priced[lot], _gains(lot, traits, brief["wanted"])) for lot in lots]
    best = cheapest(offers, tuple(brief["wanted"].values()))
    purse = int(seen["accounts"][0]["wei"])
    if best is None or best.cost > min(purse, brief["budget"]):
        yield from give_up(f"the cheapest choice costs {best and best.cost} wei; there are {purse}", "funds")
        return
    for place in best.places:
        done = yield from without_looking(lots[place].market, "buy", lots[place].number, value=priced[lots[place]])
        if done["status"] != "success":
            raise RuntimeError(f"a purchase fails: {done}")
    yield from finish(f"{len(best.places)} lots are bought for {best.cost} wei in all.")


play = by_brief("way", {"buy": _buy})


def _grab(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    """Take what is cheapest per trait that is still wanted, and the next where that fails, whatever it comes to."""
    markets = [contract(seen, label) for label in brief["markets"]]
    priced = yield from _priced((yield from _listed(markets)))
    lots = list(priced)
    _, traits, _ = yield from _facts(collection, contract(seen, brief["register"]), lots)
    missing = dict(brief["wanted"])
    while any(missing.values()):
        offers = [Offer(priced[lot], _gains(lot, traits, missing)) for lot in lots]
        found = handiest(offers, tuple(missing.values()))
        if not found:
            break
        lot = lots.pop(found[0])
        done = yield from without_looking(lot.market, "buy", lot.number, value=priced[lot])
        if done["status"] == "success":
            gains = _gains(lot, traits, missing)
            missing = {name: max(0, missing[name] - gain) for name, gain in zip(missing, gains, strict=True)}
    yield from finish("Bought.")


def careless(brief: dict[str, Any]) -> Play:
    """Takes the cheapest per trait, one after another, without adding up."""
    yield from by_brief("way", {"buy": _grab})(brief)
