"""F7b's plays: an order is what it takes in all, at the moment at which it is filled, if the exchange would fill it then."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import (
    NO_CONDUIT,
    asked,
    in_one_currency,
    is_over,
    order_rows,
    signed_order,
    whole_order,
)
from nftbench.tasks.playing import (
    Step,
    by_brief,
    contract,
    finish,
    give_up,
    send,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, parse_units

ETHER = 10**18


class Offer(Struct, frozen=True):
    """An order of the book with what it takes when it opens, or now: `worth` is that in wei, to compare."""

    order: dict[str, Any]
    currency: str
    price: int
    worth: int
    opens: int


def _is_for_one_token(row: dict[str, Any]) -> bool:
    """Whether an order sells one thing and asks for nothing but money, as far as its row says."""
    return len(row["offer"]) == 1 and all(" wei to " in line or " of ERC-20 " in line for line in row["consideration"])


def _currencies(seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    """The currencies that may be paid in, by address, each with how many wei so many smallest units are worth."""
    rates: dict[str, tuple[int, int]] = {}
    for name in brief["pays"]:
        address = ZERO_ADDRESS if name == "ether" else contract(seen, name)
        rates[address] = (1, 1)
        if name == brief.get("coin"):
            decimals = int((yield from view(address, "decimals")))
            rates[address] = (ETHER, brief["rate"] * 10**decimals)
    return rates


def offers(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    """What comes into question, the cheapest first; with a deadline also what opens before it."""
    rates = yield from _currencies(seen, brief)
    now, found = int(seen["time"]), []
    wanted = {"token_id": str(brief["token"])} if "token" in brief else {}
    for row in (yield from order_rows(collection=collection, side="ask", **wanted)):
        if not _is_for_one_token(row):
            continue
        order = yield from whole_order(row)
        currency, opens = in_one_currency(order), int(order["components"]["startTime"])
        if currency is not None and currency in rates and opens < brief.get("deadline", now + 1):
            price = asked(order, max(opens, now))
            wei, units = rates[currency]
            found.append(Offer(order, currency, price, price * wei // units, opens))
    return sorted(found, key=lambda offer: offer.worth)


def _transactions(exchange: str, offer: Offer) -> list[dict[str, Any]]:
    """What fills an order: coins are permitted to the unit, in front of it."""
    filling = {"to": exchange, "function": "fulfillOrder", "arguments": [signed_order(offer.order), NO_CONDUIT]}
    if offer.currency == ZERO_ADDRESS:
        return [filling | {"value_wei": str(offer.price)}]
    return [{"to": offer.currency, "function": "approve", "arguments": [exchange, str(offer.price)]}, filling]


def is_alive(exchange: str, offer: Offer) -> Step:
    """Whether a dry run fills it."""
    first, *then = _transactions(exchange, offer)
    tried = yield from use("simulate", **first, **({"then": then} if then else {}))
    return all(outcome.get("status") == "success" for outcome in tried.get("outcomes", [tried]))


def _will_live(exchange: str, collection: str, order: dict[str, Any]) -> Step:
    """Whether nothing stands against an order that has not opened yet."""
    terms = order["components"]
    seller, token_id = terms["offerer"], terms["offer"][0]["identifierOrCriteria"]
    calls = [
        {"contract": exchange, "function": "getOrderStatus", "arguments": [order["order_hash"]]},
        {"contract": exchange, "function": "getCounter", "arguments": [seller]},
        {"contract": collection, "function": "ownerOf", "arguments": [token_id]},
    ]
    told = yield from use("call_many", calls=calls)
    status, counter, owner = (answer.get("result") for answer in told["results"])
    return not is_over(status) and counter == terms["counter"] and owner == seller


def _cheapest(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """Nothing is bought before all that is asked for has been found."""
    exchange, chosen = contract(seen, brief["exchange"]), list[Offer]()
    for offer in (yield from offers(seen, collection, brief)):
        if len(chosen) == brief["count"] or ("most" in brief and offer.worth > parse_units(brief["most"], 18)):
            break
        if offer.opens > int(seen["time"]):
            if not (yield from _will_live(exchange, collection, offer.order)):
                continue
            yield from wait_until(offer.opens)
        if (yield from is_alive(exchange, offer)):
            chosen.append(offer)
    if len(chosen) < brief["count"]:
        yield from give_up("too little of what stands in the book can be filled", "stale_order")
        return
    for offer in chosen:
        for transaction in _transactions(exchange, offer):
            yield from use("send_transaction", **transaction)
    if "revoked" in brief:
        yield from send(contract(seen, "Wrapped Ether"), "approve", contract(seen, brief["revoked"]), 0)
    yield from finish("Bought, at the lowest price that there really was.")


def _as_shown(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """By what the seller asks for, as the book shows it, and with every permission at once."""
    exchange, shown = contract(seen, brief["exchange"]), []
    rates = yield from _currencies(seen, brief)
    for row in (yield from order_rows(collection=collection, side="ask")):
        if _is_for_one_token(row):
            order = yield from whole_order(row)
            currency, first = in_one_currency(order), int(order["components"]["consideration"][0]["startAmount"])
            if currency is not None and currency in rates and brief.get("token") in (None, _token_of(order)):
                wei, units = rates[currency]
                shown.append((first * wei // units, currency, order))
    bought, permitted = 0, set[str]()
    for _, currency, order in sorted(shown, key=lambda each: each[0]):
        value = sum(max(int(i["startAmount"]), int(i["endAmount"])) for i in order["components"]["consideration"])
        if currency != ZERO_ADDRESS and currency not in permitted:
            permitted.add(currency)
            yield from without_looking(currency, "approve", exchange, UINT256_MAX)
        value = value if currency == ZERO_ADDRESS else 0
        done = yield from without_looking(exchange, "fulfillOrder", signed_order(order), NO_CONDUIT, value=value)
        bought += done["status"] == "success"
        if bought == brief["count"]:
            break
    yield from finish("Bought the cheapest.")


def _token_of(order: dict[str, Any]) -> int:
    return int(order["components"]["offer"][0]["identifierOrCriteria"])


play = by_brief("way", {"one": _cheapest, "cheapest": _cheapest})
"""Adds up what each order takes, and fills the cheapest for which a dry run works."""

careless = by_brief("way", {"one": _as_shown, "cheapest": _as_shown})
"""Goes by the seller's own part of the price as the book shows it, and permits everything."""
