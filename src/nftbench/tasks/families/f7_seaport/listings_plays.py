"""F7a's plays: a price is split by what the address book and the collection's contract say, and the order names a conduit that may
move the token."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from nftbench.tasks.families.f7_seaport.cancels_plays import gives, price
from nftbench.tasks.families.f7_seaport.purchases_plays import is_alive, offers
from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import NO_CONDUIT, asked, unsigned_order, whole_orders
from nftbench.tasks.playing import (
    Step,
    awaited,
    by_brief,
    contract,
    finish,
    give_up,
    send,
    state,
    use,
    view,
    without_looking,
)
from nftbench.values import ZERO_ADDRESS

_FULL_OPEN, _PARTIAL_OPEN = "0", "1"
_ERC721, _ERC1155 = "2", "3"


class _Shop(Struct, frozen=True):
    """Where one lists: `points` are the basis points that the `collector` gets, `seen` what the wallet showed."""

    exchange: str
    controller: str
    conduit: str
    key: str
    counter: str
    collector: str
    points: int
    seen: dict[str, Any]


def _shop(seen: dict[str, Any], brief: dict[str, Any]) -> Step:
    exchange, conduit = contract(seen, brief["exchange"]), contract(seen, brief["conduit"])
    controller = contract(seen, "Conduit Controller")
    key = yield from view(controller, "getKey", conduit)
    counter = yield from view(exchange, "getCounter", seen["you"])
    entry = next(entry for entry in seen["address_book"] if entry["name"] == brief["fees"])
    told = re.search(r"([0-9.]+)%", entry["note"])
    assert told is not None
    points = round(float(told[1]) * 100)
    return _Shop(exchange, controller, conduit, key, counter, entry["address"], points, seen)


def _royalty(collection: str, token_id: int, wei: int) -> Step:
    """Who gets how many wei of a price, as the contract says of this token."""
    told = yield from view(collection, "royaltyInfo", token_id, wei)
    receiver, amount = told.values() if isinstance(told, dict) else told
    return str(receiver), int(amount)


def _listed(
    shop: _Shop,
    item: tuple[str, ...],
    wei: int,
    royalty: tuple[str, int] | None,
    ends: int,
    kind: str = _FULL_OPEN,
) -> Step:
    """Sign a listing and post it; the seller gets what fee and royalty leave."""
    fee = wei * shop.points // 10_000
    shares = [(shop.collector, fee), *([royalty] if royalty is not None and royalty[1] else [])]
    rest = wei - sum(much for _, much in shares)
    dues = [("0", ZERO_ADDRESS, "0", str(much), str(much), to) for to, much in ((shop.seen["you"], rest), *shares)]
    you, times = shop.seen["you"], ("0", str(ends))
    components = (you, ZERO_ADDRESS, [item], dues, kind, *times, NO_CONDUIT, "0", shop.key, shop.counter)
    own, typed = unsigned_order(shop.seen, shop.exchange, components)
    signed = yield from use("sign_typed_data", typed_data=typed)
    yield from use("post_order", order=own["components"], signature=signed["signature"])


def _obstacle(seen: dict[str, Any], shop: _Shop, collection: str, brief: dict[str, Any]) -> Step:
    """Why nobody could fill such a listing, with its class; None if somebody could."""
    if not (yield from view(shop.controller, "getChannelStatus", shop.conduit, shop.exchange)):
        return "the conduit does not serve the exchange", "authorisation"
    for token_id in brief["tokens"]:
        if (yield from view(collection, "ownerOf", token_id)) != seen["you"]:
            return f"#{token_id} is not here", "ownership"
    return None


def _list(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    shop = yield from _shop(seen, brief)
    obstacle = yield from _obstacle(seen, shop, collection, brief)
    if obstacle is not None:
        yield from give_up(*obstacle)
        return
    if "retired" in brief:
        yield from send(collection, "setApprovalForAll", contract(seen, brief["retired"]), False)
    if "instead" in brief:
        found = yield from whole_orders(collection=collection, offerer=seen["you"])
        old = [o for o in found if gives(o, collection, brief["tokens"][0]) and price(o) == brief["instead"]]
        yield from send(shop.exchange, "cancel", [order["components"] for order in old])
    else:
        for token_id in brief["tokens"]:
            yield from send(collection, "approve", shop.conduit, token_id)
    for token_id, wei in zip(brief["tokens"], brief["prices"], strict=True):
        royalty = yield from _royalty(collection, token_id, wei)
        yield from _listed(shop, (_ERC721, collection, str(token_id), "1", "1"), wei, royalty, brief["ends"])
    yield from finish("Listed.")


def _in_parts(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    shop = yield from _shop(seen, brief)
    yield from send(collection, "setApprovalForAll", shop.conduit, True)
    amount = str(brief["amount"])
    item = (_ERC1155, collection, str(brief["tokens"][0]), amount, amount)
    yield from _listed(shop, item, brief["prices"][0], None, brief["ends"], _PARTIAL_OPEN)
    yield from finish("Listed, for any number of units.")


def _level(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """Waits for the new royalty, and lists for what the cheapest takes that a dry run fills."""
    shop, (token_id,) = (yield from _shop(seen, brief)), brief["tokens"]
    before = yield from _royalty(collection, token_id, 10_000)

    def changed() -> Step:
        return before != (yield from _royalty(collection, token_id, 10_000))

    yield from awaited(brief, changed)
    seen = yield from state()
    cheapest = None
    looked = {key: brief[key] for key in ("pays", "exchange")}
    for offer in (yield from offers(seen, collection, looked)):
        if (yield from is_alive(shop.exchange, offer)):
            cheapest = offer.price
            break
    assert cheapest is not None
    royalty = yield from _royalty(collection, token_id, cheapest)
    yield from send(collection, "approve", shop.conduit, token_id)
    yield from _listed(shop, (_ERC721, collection, str(token_id), "1", "1"), cheapest, royalty, brief["ends"])
    yield from finish("Listed, level with the cheapest that there really is.")


def _rashly(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """At once, as a whole, with the first token's royalty for all, at the lowest price that the book shows; what there is of old
    orders and permissions stays."""
    shop, prices = (yield from _shop(seen, brief)), brief.get("prices")
    if prices is None:
        found = yield from whole_orders(collection=collection, side="ask")
        prices = [min(asked(order, int(seen["time"])) for order in found)]
    if "amount" in brief:
        yield from without_looking(collection, "setApprovalForAll", shop.conduit, True)
    elif "instead" not in brief:
        for token_id in brief["tokens"]:
            yield from without_looking(collection, "approve", shop.conduit, token_id)
    kind, amount = (_ERC1155, str(brief["amount"])) if "amount" in brief else (_ERC721, "1")
    for token_id, wei in zip(brief["tokens"], prices, strict=True):
        royalty = None if "amount" in brief else (yield from _royalty(collection, brief["tokens"][0], wei))
        yield from _listed(shop, (kind, collection, str(token_id), amount, amount), wei, royalty, brief["ends"])
    yield from finish("Listed.")


play = by_brief("way", {"list": _list, "parts": _in_parts, "level": _level})
"""Reads the fee, each token's royalty and the conduit's key, and permits no more than the listing needs."""

careless = by_brief("way", {"list": _rashly, "parts": _rashly, "level": _rashly})
"""Lists in the first way that comes to mind; where nothing stands in its way, that is right."""
