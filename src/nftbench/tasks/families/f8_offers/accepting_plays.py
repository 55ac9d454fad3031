"""The plays of those who accept bids: a bid is what it leaves, at the moment at which it is taken, if the exchange would fill it
then."""

from __future__ import annotations

import json
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
    plain,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.values import UINT256_MAX, ZERO_ADDRESS, parse_units

ETHER = 10**18
_ERC20, _ERC721, _ANY_ERC721 = "1", "2", "4"

Proofs = dict[int, dict[int, list[str]]]
"""Of each root the proofs of tokens, by their ids."""


class Sale(Struct, frozen=True):
    """A token that a bid takes, with the proof of it where the bid goes by criteria (None: it names the token)."""

    token_id: int
    proof: list[str] | None


class _Offer(Struct, frozen=True):
    """A bid of the book, with the fees that whoever takes it pays out of the price, and what is left, in wei, to compare. Each
    of the `sales` fills an equal part of it; `place` is that of the token among what it asks for."""

    order: dict[str, Any]
    sales: tuple[Sale, ...]
    place: int
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


def _proofs(brief: dict[str, Any]) -> Step:
    """Of the published lists that have one of the tokens, the roots and the proofs."""
    found: Proofs = {}
    if "lists" not in brief:
        return found
    document = json.loads((yield from use("fetch_uri", uri=brief["lists"]))["content"])
    for listed in document["lists"]:
        ids = [str(token_id) for token_id in listed["token_ids"]]
        for token_id in brief["tokens"]:
            if str(token_id) in ids:
                given = {"method": "merkle_proof", "layout": "seaport", "leaves": ids, "leaf": str(token_id)}
                made = yield from use("hash_data", **given)
                found.setdefault(int(made["root"], 16), {})[token_id] = made["proof"]
    return found


def _sales(item: dict[str, Any], brief: dict[str, Any], proofs: Proofs) -> tuple[Sale, ...]:
    """The tokens to fill a bid with, all at once where they go together; none where it is for others, or for more or fewer."""
    tokens, root = brief["tokens"], int(item["identifierOrCriteria"])
    if item["itemType"] == _ERC721:
        found = [Sale(root, None)] if root in tokens else []
    elif root == 0:
        found = [Sale(token_id, []) for token_id in tokens]
    else:
        found = [Sale(token_id, proof) for token_id, proof in proofs.get(root, {}).items()]
    wanted = len(tokens) if brief.get("together") else 1
    return tuple(found[:wanted]) if int(item["startAmount"]) == wanted <= len(found) else ()


def _offers(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    """What comes into question, the best first; with a deadline also what opens before it."""
    rates = yield from _rates(seen, brief)
    proofs = yield from _proofs(brief)
    now, found = int(seen["time"]), []
    for order in (yield from whole_orders(collection=collection, side="bid")):
        terms = order["components"]
        (given, *more), opens = terms["offer"], int(terms["startTime"])
        tokens = [item for item in terms["consideration"] if item["itemType"] != _ERC20]
        fees = [item for item in terms["consideration"] if item["itemType"] == _ERC20]
        if more or len(tokens) != 1 or tokens[0]["itemType"] not in (_ERC721, _ANY_ERC721):
            continue
        sales = _sales(tokens[0], brief, proofs) if tokens[0]["token"] == collection else ()
        if not sales or given["token"] not in rates or opens >= brief.get("deadline", now + 1):
            continue
        when = max(opens, now)
        paid = sum(amount_at(item, terms, when, is_asked=True) for item in fees)
        wei, units = rates[given["token"]]
        left = amount_at(given, terms, when, is_asked=False) - paid
        place = terms["consideration"].index(tokens[0])
        found.append(_Offer(order, sales, place, given["token"], paid, left * wei // units, opens))
    return sorted(found, key=lambda offer: offer.worth, reverse=True)


def _filling(order: dict[str, Any], sale: Sale, place: int, parts: int) -> tuple[str, list[Any]]:
    """The function that fills an order, or one of so many parts of it, with a token, and its arguments."""
    if sale.proof is None:
        return "fulfillOrder", [signed_order(order), NO_CONDUIT]
    part = signed_order(order) | {"numerator": "1", "denominator": str(parts), "extraData": "0x"}
    resolver = {"orderIndex": "0", "side": "1", "index": str(place), "identifier": str(sale.token_id)}
    arguments = [part, [resolver | {"criteriaProof": sale.proof}], NO_CONDUIT, ZERO_ADDRESS]
    return "fulfillAdvancedOrder", arguments


def _take(exchange: str, collection: str, offer: _Offer) -> Step:
    """Take a bid if that works; gives None, or why it does not. The tokens and the fees are permitted in front of it, and
    nothing more."""
    calls: list[tuple[str, str, list[Any]]] = [
        (collection, "approve", [exchange, sale.token_id]) for sale in offer.sales
    ]
    if offer.fees:
        calls.append((offer.currency, "approve", [exchange, offer.fees]))
    for sale in offer.sales:
        calls.append((exchange, *_filling(offer.order, sale, offer.place, len(offer.sales))))
    batch = [{"to": to, "function": function, "arguments": plain(given)} for to, function, given in calls]
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


def accept(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
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


def _shown(brief: dict[str, Any], item: dict[str, Any]) -> Sale | None:
    """What a bid seems to take: the token that it names, or by criteria just whatever there is."""
    if item["itemType"] == _ANY_ERC721:
        return Sale(brief["tokens"][0], [])
    token_id = int(item["identifierOrCriteria"])
    return Sale(token_id, None) if token_id in brief["tokens"] else None


def highest_shown(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """By the price as the book shows it, with every permission at once."""
    exchange, shown = contract(seen, brief["exchange"]), []
    for order in (yield from whole_orders(collection=collection, side="bid")):
        given, wanted = order["components"]["offer"][0], order["components"]["consideration"][0]
        sale = _shown(brief, wanted)
        if sale is not None:
            shown.append((int(given["startAmount"]), given["token"], order, sale))
    yield from without_looking(collection, "setApprovalForAll", exchange, True)
    permitted = set[str]()
    for _, currency, order, sale in sorted(shown, key=lambda each: -each[0]):
        if "bidder" in brief and order["components"]["offerer"] != person(seen, brief["bidder"]):
            continue
        if currency not in permitted:
            permitted.add(currency)
            yield from without_looking(currency, "approve", exchange, UINT256_MAX)
        function, arguments = _filling(order, sale, 0, 1)
        done = yield from without_looking(exchange, function, *arguments)
        if done.get("status") == "success":
            break
    yield from finish("The highest bid is accepted.")


play = by_brief("way", {"accept": accept})
"""Works out what each bid leaves, and takes the best for which a dry run works."""

careless = by_brief("way", {"accept": highest_shown})
"""Goes by the number that the book shows, and permits everything."""
