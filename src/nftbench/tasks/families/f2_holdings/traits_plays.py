"""F2c played: reading markets and cards."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import by_brief, contract, events, finish, give_up, person, use, view, wait_until
from nftbench.values import ZERO_ADDRESS


def _traits(address: str, token_id: Any) -> Any:
    traits = yield from view(address, "traitsOf", token_id)
    return {trait["kind"]: trait["value"] for trait in traits}


def _card(_: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    traits = yield from _traits(address, brief["token_id"])
    yield from finish("From the token's card.", {kind.lower(): value for kind, value in traits.items()})


def _on_sale(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Any:
    """The collection's listings as they stand, by token id, from the market's events."""
    offers: dict[str, dict[str, Any]] = {}
    for log in (yield from events(contract(seen, brief["market"]))):
        about = log.get("args", {})
        if log["event"] == "Listed":
            offers[about["listingId"]] = dict(about)
        elif log["event"] == "PriceChanged":
            offers[about["listingId"]]["price"] = about["price"]
        elif log["event"] in ("Cancelled", "Bought"):
            offers.pop(about["listingId"], None)
    return {offer["tokenId"]: offer for offer in offers.values() if offer["collection"] == address}


def _cheapest(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    offers = yield from _on_sale(seen, address, brief)
    for token_id, offer in sorted(offers.items(), key=lambda item: int(item[1]["price"])):
        traits = yield from _traits(address, token_id)
        if traits[brief["kind"]] == brief["value"]:
            yield from finish("The cheapest with the trait.", {"token_id": token_id, "price_wei": offer["price"]})
            return
    yield from give_up("no token with that trait is on sale", "sold_out")


def _hour(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    yield from wait_until(brief["time"])
    yield from _cheapest(seen, address, brief)


def _rare(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    offers = yield from _on_sale(seen, address, brief)
    values = {}
    for log in (yield from events(address, event="Transfer", where={"from": ZERO_ADDRESS})):
        token_id = log["args"]["tokenId"]
        values[token_id] = (yield from _traits(address, token_id))[brief["kind"]]
    counts = Counter(values.values())
    for token_id, offer in offers.items():
        if counts[values[token_id]] > 2 or int(offer["price"]) > brief["budget"]:
            continue
        if (yield from view(address, "ownerOf", token_id)) == offer["seller"]:
            found = {"token_id": token_id, "count": counts[values[token_id]], "price_wei": offer["price"]}
            yield from finish("Rare, within the budget and held by its seller.", found)
            return
    yield from give_up("nothing rare is really on sale within the budget", "limit")


def _ether(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    offers = yield from _on_sale(seen, address, brief)
    for token_id, offer in sorted(offers.items(), key=lambda item: int(item[1]["price"])):
        if offer["currency"] != ZERO_ADDRESS:
            continue
        uri = yield from view(address, "tokenURI", token_id)
        card = yield from use("fetch_uri", uri=uri)
        if {"trait_type": brief["kind"], "value": brief["value"]} in json.loads(card["content"])["attributes"]:
            yield from finish("The cheapest for ether.", {"token_id": token_id, "price_wei": offer["price"]})
            return
    yield from give_up("no token with that trait is on sale for ether", "sold_out")


def _numbers(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    who, owned = person(seen, brief["who"]), set()
    for log in (yield from events(address, event="Transfer", to_block=brief["block"])):
        about = log["args"]
        if about["from"] == who:
            owned.discard(about["tokenId"])
        if about["to"] == who:
            owned.add(about["tokenId"])
    yield from finish("From the transfers up to that block.", sorted(owned))


def _listed(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Any:
    """Whatever was ever listed of the collection, the lowest price first."""
    page = yield from use("get_logs", contract=contract(seen, brief["market"]), event="Listed")
    offers = [log["args"] for log in page["logs"] if log["args"]["collection"] == address]
    return sorted(offers, key=lambda offer: int(offer["price"]))


def _lowest(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    best = (yield from _listed(seen, address, brief))[0]
    found = {"token_id": best["tokenId"], "price_wei": best["price"]} | ({"count": 1} if brief["ask"] == "rare" else {})
    yield from finish("The cheapest listing.", found)


def _lowest_with_trait(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    for offer in (yield from _listed(seen, address, brief)):
        if (yield from _traits(address, offer["tokenId"]))[brief["kind"]] == brief["value"]:
            yield from finish("The cheapest.", {"token_id": offer["tokenId"], "price_wei": offer["price"]})
            return


def _listing_call(seen: dict[str, Any], address: str, brief: dict[str, Any]) -> Play:
    owned = yield from view(address, "tokensOfOwner", person(seen, brief["who"]), block=brief["block"])
    yield from finish("All the tokens.", owned or [])


play = by_brief(
    "ask",
    {
        "card": _card,
        "cheapest": _cheapest,
        "rare": _rare,
        "ether": _ether,
        "numbers": _numbers,
        "hour": _hour,
    },
)
"""Reads what is on sale from the market and what is on the cards from the collection, at the moment that is meant."""

careless = by_brief(
    "ask",
    {
        "card": _card,
        "cheapest": _lowest_with_trait,
        "rare": _lowest,
        "ether": _lowest,
        "numbers": _listing_call,
        "hour": _lowest_with_trait,
    },
)
"""Takes the lowest price that was ever listed for the collection; lists a wallet by the call that is there for it."""
