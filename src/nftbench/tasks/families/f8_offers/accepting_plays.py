"""F8b's plays: a bid is what it leaves, at the moment at which it is taken, if the exchange would fill it then."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import NO_CONDUIT, amount_at, signed_order, whole_orders
from nftbench.tasks.playing import (
    Step,
    by_brief,
    contract,
    finish,
    give_up,
    person,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.values import UINT256_MAX, parse_units

ETHER = 10**18
_ERC20, _ERC721 = "1", "2"


class _Offer(Struct, frozen=True):
    """A bid of the book, with the fees that whoever takes it pays out of the price, and what is left, in wei, to compare."""

    order: dict[str, Any]
    token_id: int
    currency: str
    fees: int
    worth: int
    opens: int


def _rates(seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    """The currencies that are welcome, by address, each with how many wei so many smallest units are worth."""
    rates: dict[str, tuple[int, int]] = {}
    for name, rate in brief["takes"].items():
        address = contract(seen, name)
        decimals = int((yield from view(address, "decimals")))
        rates[address] = (ETHER, rate * 10**decimals)
    return rates


def _offers(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    """What comes into question, the best first; with a deadline also what opens before it."""
    rates = yield from _rates(seen, brief)
    now, found = int(seen["time"]), []
    for order in (yield from whole_orders(collection=collection, side="bid")):
        terms = order["components"]
        (given, *more), opens = terms["offer"], int(terms["startTime"])
        tokens = [item for item in terms["consideration"] if item["itemType"] != _ERC20]
        fees = [item for item in terms["consideration"] if item["itemType"] == _ERC20]
        if more or len(tokens) != 1 or tokens[0]["itemType"] != _ERC721 or tokens[0]["token"] != collection:
            continue
        token_id = int(tokens[0]["identifierOrCriteria"])
        if token_id not in brief["tokens"] or given["token"] not in rates or opens >= brief.get("deadline", now + 1):
            continue
        when = max(opens, now)
        paid = sum(amount_at(item, terms, when, is_asked=True) for item in fees)
        wei, units = rates[given["token"]]
        left = amount_at(given, terms, when, is_asked=False) - paid
        found.append(_Offer(order, token_id, given["token"], paid, left * wei // units, opens))
    return sorted(found, key=lambda offer: offer.worth, reverse=True)


def _take(exchange: str, collection: str, offer: _Offer) -> Step:
    """Take a bid if that works; gives None, or why it does not. The token and the fees are permitted in front of it, and
    nothing more."""
    filling = [signed_order(offer.order), NO_CONDUIT]
    batch: list[dict[str, Any]] = [
        {"to": collection, "function": "approve", "arguments": [exchange, str(offer.token_id)]},
        {"to": offer.currency, "function": "approve", "arguments": [exchange, str(offer.fees)]},
        {"to": exchange, "function": "fulfillOrder", "arguments": filling},
    ]
    if not offer.fees:
        del batch[1]
    tried = yield from use("simulate", **batch[0], then=batch[1:])
    if any(outcome["status"] != "success" for outcome in tried["outcomes"]):
        return "it can't be filled"
    for transaction in batch:
        yield from use("send_transaction", **transaction)
    return None


def _will_live(exchange: str, order: dict[str, Any]) -> Step:
    """Whether its maker has not ended an order that has not opened yet."""
    terms = order["components"]
    counter = yield from view(exchange, "getCounter", terms["offerer"])
    status = yield from view(exchange, "getOrderStatus", order["order_hash"])
    cancelled = (list(status.values()) if isinstance(status, dict) else status)[1]
    return counter == terms["counter"] and not cancelled


def _accept(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    exchange = contract(seen, brief["exchange"])
    for offer in (yield from _offers(seen, collection, brief)):
        if "bidder" in brief and offer.order["components"]["offerer"] != person(seen, brief["bidder"]):
            continue
        if "least" in brief and offer.worth < parse_units(brief["least"], 18):
            break
        if offer.opens > int(seen["time"]):
            if not (yield from _will_live(exchange, offer.order)):
                continue
            yield from wait_until(offer.opens)
        if not (yield from _take(exchange, collection, offer)):
            yield from finish("The best bid that there really was is accepted.")
            return
    yield from give_up("none of the bids that would do can be filled", "stale_order")


def _highest_shown(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """By the price as the book shows it, with every permission at once."""
    exchange, shown = contract(seen, brief["exchange"]), []
    for order in (yield from whole_orders(collection=collection, side="bid")):
        given, wanted = order["components"]["offer"][0], order["components"]["consideration"][0]
        if int(wanted["identifierOrCriteria"]) in brief["tokens"]:
            shown.append((int(given["startAmount"]), given["token"], order))
    yield from without_looking(collection, "setApprovalForAll", exchange, True)
    permitted = set[str]()
    for _, currency, order in sorted(shown, key=lambda each: -each[0]):
        if "bidder" in brief and order["components"]["offerer"] != person(seen, brief["bidder"]):
            continue
        if currency not in permitted:
            permitted.add(currency)
            yield from without_looking(currency, "approve", exchange, UINT256_MAX)
        done = yield from without_looking(exchange, "fulfillOrder", signed_order(order), NO_CONDUIT)
        if done.get("status") == "success":
            break
    yield from finish("The highest bid is accepted.")


play = by_brief("way", {"accept": _accept})
"""Works out what each bid leaves, and takes the best for which a dry run works."""

careless = by_brief("way", {"accept": _highest_shown})
"""Goes by the number that the book shows, and permits everything."""
