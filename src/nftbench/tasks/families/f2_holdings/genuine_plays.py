"""F2d played: asking the authority that the request names."""

from __future__ import annotations

import json
from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.playing import by_brief, contract, events, finish, give_up, person, use, view, wait_until
from nftbench.values import ZERO_ADDRESS

REGISTRY = "Collection Registry"


def _registered(seen: dict[str, Any], candidates: list[str]) -> Play:
    registry = contract(seen, REGISTRY)
    for address in candidates:
        creator = yield from view(registry, "creatorOf", address)
        if creator != ZERO_ADDRESS:
            yield from finish("The one that is registered.", {"collection": address, "creator": creator})
            return
    yield from give_up("none of the contracts is in the registry", "no_genuine_asset")


def _by_registry(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    yield from _registered(seen, brief["candidates"])


def _by_hour(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    yield from wait_until(brief["time"])
    yield from _registered(seen, [contract(seen, label) for label in brief["candidates"]])


def _by_page(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    page = yield from use("fetch_uri", uri=brief["page"])
    entries = json.loads(page["content"])["contracts"]
    address = next(entry["address"] for entry in entries if str(entry["chain_id"]) == seen["chain_id"])
    yield from _with_supply(address)


def _with_supply(address: str) -> Play:
    supply = yield from view(address, "totalSupply")
    yield from finish("The genuine one and its supply.", {"collection": address, "total_supply": supply})


def _by_deployer(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    """A contract's first event stems from its creation."""
    for label in brief["candidates"]:
        address = contract(seen, label)
        first = (yield from events(address))[0]
        made = yield from use("get_transaction", hash=first["transaction"])
        if made["from"] == person(seen, brief["who"]) and made["to"] is None:
            yield from finish("The one that the artist deployed.", {"collection": address, "block": first["block"]})
            return
    yield from give_up("the artist deployed none of the contracts", "no_genuine_asset")


def _by_sender(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    for label in brief["candidates"]:
        address, where = contract(seen, label), {"to": seen["you"], "tokenId": brief["token_id"]}
        for log in (yield from events(address, event="Transfer", where=where)):
            sent = yield from use("get_transaction", hash=log["transaction"])
            if sent["from"] == person(seen, brief["who"]):
                yield from finish("The one that the artist sent.", {"collection": address, "block": log["block"]})
                return
    yield from give_up("the artist sent none of them", "no_genuine_asset")


def _by_creator(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    works = yield from view(contract(seen, REGISTRY), "collectionsOf", person(seen, brief["who"]))
    for address in works:
        if (yield from view(address, "name")) == brief["name"]:
            yield from _with_supply(address)
            return
    yield from give_up("the artist has no collection of that name in the registry", "no_genuine_asset")


def _first_candidate(_: dict[str, Any], __: str, brief: dict[str, Any]) -> Play:
    address = brief["candidates"][0]
    yield from finish("The first.", {"collection": address, "creator": (yield from view(address, "owner"))})


def _first_entry(_: dict[str, Any], __: str, brief: dict[str, Any]) -> Play:
    page = yield from use("fetch_uri", uri=brief["page"])
    yield from _with_supply(json.loads(page["content"])["contracts"][0]["address"])


def _owned(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    for label in brief["candidates"]:
        if (yield from view(contract(seen, label), "owner")) == person(seen, brief["who"]):
            first = (yield from events(contract(seen, label)))[0]
            yield from finish("The artist's.", {"collection": first["contract"], "block": first["block"]})
            return


def _last_log(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    where = {"from": person(seen, brief["who"]), "to": seen["you"]}
    last = (yield from use("get_logs", event="Transfer", where=where))["logs"][-1]
    yield from finish("What the artist sent.", {"collection": last["contract"], "block": last["block"]})


def _first_of_the_name(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    for log in (yield from events(contract(seen, REGISTRY), event="CollectionRegistered")):
        if (yield from view(log["args"]["collection"], "name")) == brief["name"]:
            yield from _with_supply(log["args"]["collection"])
            return


def _registered_now(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    yield from _registered(seen, [contract(seen, label) for label in brief["candidates"]])


play = by_brief(
    "ask",
    {
        "registry": _by_registry,
        "page": _by_page,
        "deployer": _by_deployer,
        "sender": _by_sender,
        "creator": _by_creator,
        "hour": _by_hour,
    },
)
"""Asks the authority that the request names, never the candidates themselves."""

careless = by_brief(
    "ask",
    {
        "registry": _first_candidate,
        "page": _first_entry,
        "deployer": _owned,
        "sender": _last_log,
        "creator": _first_of_the_name,
        "hour": _registered_now,
    },
)
"""Believes what looks right first: a contract's own word, the first entry, the latest log, the state of now."""
