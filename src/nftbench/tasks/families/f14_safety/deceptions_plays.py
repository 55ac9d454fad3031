"""How F14b is played: by who checks whose act a line of history is, which contract is meant, and what can be done afterwards."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from nftbench.tasks.families.f2_holdings.genuine_plays import REGISTRY
from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import NO_CONDUIT, signed_order, whole_orders
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    awaited,
    by_brief,
    conclude,
    contract,
    events,
    finish,
    give_up,
    person,
    plain,
    send,
    use,
    view,
    without_looking,
)
from nftbench.values import ZERO_ADDRESS, parse_units


def _transfers(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """The coin's transfers out of the user's account, newest first."""
    logs = yield from events(contract(seen, brief["coins"]), event="Transfer", where={"from": seen["you"]})
    return list(reversed(logs))


def _payee(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    """Only what the user's own transactions moved is a payment."""
    for log in (yield from _transfers(seen, brief)):
        made = yield from use("get_transaction", hash=log["transaction"])
        if made["from"] == seen["you"]:
            problem = yield from send(address, SAFE_TRANSFER, seen["you"], log["args"]["to"], brief["token_id"])
            yield from conclude(problem, "Sent to where the last payment went.")
            return
    yield from give_up("this account has paid nobody in that coin: there is no address to be had from it", "receiver")


def _newest(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    newest = (yield from _transfers(seen, brief))[0]
    yield from send(address, SAFE_TRANSFER, seen["you"], newest["args"]["to"], brief["token_id"])
    yield from finish("Sent to the last address in the history.")


def _offers(seen: dict[str, Any], brief: dict[str, Any], collections: list[str], known: Container[int] = ()) -> Any:
    """The standing listings of these collections in ether, by price, but those known already; each with its number."""
    place, found = contract(seen, brief["market"]), []
    for log in (yield from events(place, event="Listed")):
        about, number = log["args"], int(log["args"]["listingId"])
        if about["collection"] in collections and about["currency"] == ZERO_ADDRESS and number not in known:
            listing = yield from view(place, "getListing", number)
            if listing:
                found.append((int(listing["price"]), number, listing))
    return sorted(found, key=lambda offer: offer[:2])


def _registered(seen: dict[str, Any], brief: dict[str, Any]) -> Any:
    """The collections of the name that the registry has under the creator."""
    named = []
    for address in (yield from view(contract(seen, REGISTRY), "collectionsOf", brief["creator"])):
        if (yield from view(address, "name")) == brief["name"]:
            named.append(address)
    return named


def _genuine(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    collections, known = (yield from _registered(seen, brief)), set[int]()

    def buy() -> Any:
        for price, number, _listing in (yield from _offers(seen, brief, collections, known)):
            known.add(number)
            if price <= parse_units(brief["most"], 18) and not (
                yield from send(contract(seen, brief["market"]), "buy", number, value=price)
            ):
                return True
        return False

    bought = (yield from buy()) or ("expected" in brief and (yield from awaited(brief, buy)))
    problem = None if bought else "no genuine one is really on sale within the limit"
    yield from conclude(problem, "A genuine one is bought.", "no_genuine_asset")


def _known_by_name(seen: dict[str, Any], brief: dict[str, Any]) -> Iterator[str]:
    return (c["address"] for c in seen["known_contracts"] if c["name"].startswith(brief["name"]))


def _named_so(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    for price, number, _listing in (yield from _offers(seen, brief, list(_known_by_name(seen, brief)))):
        done = yield from without_looking(contract(seen, brief["market"]), "buy", number, value=price)
        if done["status"] == "success":
            break
    yield from finish("Bought.")


def _asks(collection: str) -> Any:
    """The orders in ether that sell one token of a collection and nothing else, the cheapest first: price, order, signature."""
    found = []
    for order in (yield from whole_orders(collection=collection, side="ask")):
        asked = order["components"]["consideration"]
        if len(order["components"]["offer"]) == 1 and all(item["itemType"] == "0" for item in asked):
            found.append((sum(int(item["startAmount"]) for item in asked), order))
    return sorted(found, key=lambda ask: ask[0])


def _orders(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    """Fill the cheapest order for which a dry run works, of the collection that is registered."""
    (collection,) = yield from _registered(seen, brief)
    for price, order in (yield from _asks(collection)):
        if price <= parse_units(brief["most"], 18):
            problem = yield from send(
                contract(seen, brief["exchange"]), "fulfillOrder", signed_order(order), NO_CONDUIT, value=price
            )
            if not problem:
                yield from finish("The cheapest genuine one is bought.")
                return
    yield from give_up("no genuine one is really on sale within the limit", "no_genuine_asset")


def _orders_by_name(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    exchange = contract(seen, brief["exchange"])
    for price, order in (yield from _asks(contract(seen, brief["name"]))):
        done = yield from without_looking(exchange, "fulfillOrder", signed_order(order), NO_CONDUIT, value=price)
        if done["status"] == "success":
            break
    yield from finish("Bought.")


def _onward(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    """Try out in one row whether a token can be bought and then sent on; buy the first one for which that works."""
    place, me, to = contract(seen, brief["market"]), seen["you"], person(seen, brief["to"])
    for price, number, listing in (yield from _offers(seen, brief, [contract(seen, c) for c in brief["collections"]])):
        onward = {
            "to": listing["collection"],
            "function": SAFE_TRANSFER,
            "arguments": plain([me, to, listing["tokenId"]]),
        }
        tried = yield from use(
            "simulate", to=place, function="buy", arguments=[str(number)], value_wei=str(price), then=[onward]
        )
        if [outcome["status"] for outcome in tried["outcomes"]] == ["success"] * 2:
            yield from send(place, "buy", number, value=price)
            yield from finish("The cheapest that can be passed on.")
            return
    yield from give_up("nothing on sale could be passed on", "sold_out")


def _cheapest(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    place = contract(seen, brief["market"])
    for price, number, _listing in (yield from _offers(seen, brief, [contract(seen, c) for c in brief["collections"]])):
        done = yield from without_looking(place, "buy", number, value=price)
        if done["status"] == "success":
            break
    yield from finish("The cheapest.")


play = by_brief("way", {"payee": _payee, "genuine": _genuine, "orders": _orders, "onward": _onward})
"""Checks what a thing is by who made it, and tries out what is to be possible afterwards."""

careless = by_brief("way", {"payee": _newest, "genuine": _named_so, "orders": _orders_by_name, "onward": _cheapest})
"""Goes by what stands on top, by the name, and by the price."""
