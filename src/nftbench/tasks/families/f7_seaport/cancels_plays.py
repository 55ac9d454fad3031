"""F7c's plays: reading one's own orders whole, and ending those that have to end."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import is_over, whole_orders
from nftbench.tasks.playing import (
    SAFE_TRANSFER,
    Step,
    by_brief,
    contract,
    finish,
    give_up,
    person,
    send,
    use,
    view,
    without_looking,
)

ETHER = 10**18
_NATIVE, _ERC20, _ERC721 = "0", "1", "2"


def gives(order: dict[str, Any], collection: str, token_id: int | None = None) -> bool:
    """Whether an order gives away this token of a collection (None: any)."""
    return any(
        item["token"] == collection and token_id in (None, int(item["identifierOrCriteria"]))
        for item in order["components"]["offer"]
        if item["itemType"] == _ERC721
    )


def price(order: dict[str, Any], end: str = "startAmount") -> int:
    """What the buyer pays in all, in whatever currency, at one end of the order's time."""
    asked = order["components"]["consideration"]
    return sum(int(item[end]) for item in asked if item["itemType"] in (_NATIVE, _ERC20))


def _currency(order: dict[str, Any]) -> str:
    return str(order["components"]["consideration"][0]["token"])


def _alive(exchange: str, found: list[dict[str, Any]], me: str, now: int) -> Step:
    """Those of one's own orders that are not over for good, whatever the book shows."""
    counter = yield from view(exchange, "getCounter", me)
    asked = [
        {"contract": exchange, "function": "getOrderStatus", "arguments": [order["order_hash"]]} for order in found
    ]
    told = yield from use("call_many", calls=asked)
    return [
        order
        for order, status in zip(found, told["results"], strict=True)
        if order["components"]["counter"] == counter
        and int(order["components"]["endTime"]) > now
        and not is_over(status["result"])
    ]


def _cancel(exchange: str, chosen: list[dict[str, Any]]) -> Step:
    return (yield from send(exchange, "cancel", [order["components"] for order in chosen]))


def _end(exchange: str, chosen: list[dict[str, Any]]) -> Step:
    """End these orders and say so, or say why not."""
    problem = yield from _cancel(exchange, chosen)
    yield from (give_up(str(problem), "authorisation") if problem else finish(f"{len(chosen)} ended."))


def _mine(seen: dict[str, Any], exchange: str) -> Step:
    found = yield from whole_orders(offerer=seen["you"])
    return (yield from _alive(exchange, found, seen["you"], int(seen["time"])))


def _one(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    found = yield from whole_orders(collection=collection, token_id=str(brief["token"]))
    (wrong,) = (o for o in found if price(o) == brief["price"] and gives(o, collection, brief["token"]))
    if wrong["components"]["offerer"] != seen["you"]:
        yield from give_up("that order was signed by an account whose key is not here", "authorisation")
        return
    yield from _end(contract(seen, brief["exchange"]), [wrong])


def _token(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    exchange = contract(seen, brief["exchange"])
    mine = yield from _mine(seen, exchange)
    yield from _end(exchange, [order for order in mine if gives(order, collection, brief["token"])])


def _floor(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    exchange, coin = contract(seen, brief["exchange"]), contract(seen, brief["coin"])
    decimals = int((yield from view(coin, "decimals")))
    mine = yield from _mine(seen, exchange)

    def lowest(order: dict[str, Any]) -> int:
        """Wei for each of its tokens, at the cheaper end."""
        least = min(price(order), price(order, "endAmount"))
        if _currency(order) == coin:
            least = least * ETHER // (brief["rate"] * 10**decimals)
        return least // len(order["components"]["offer"])

    chosen = [order for order in mine if gives(order, collection) and lowest(order) < brief["floor"]]
    yield from _end(exchange, chosen)


def _everything(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    exchange = contract(seen, brief["exchange"])
    for account in (None, person(seen, brief["second"])):
        problem = yield from send(exchange, "incrementCounter", sender=account)
        if problem:
            yield from give_up(str(problem), "authorisation")
            return
    yield from finish("Both counters are raised.")


def _watched(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """With the conduit's permission taken back nobody can fill the order while it is being cancelled."""
    exchange = contract(seen, brief["exchange"])
    found = yield from whole_orders(collection=collection, token_id=str(brief["token"]), offerer=seen["you"])
    alive = yield from _alive(exchange, found, seen["you"], int(seen["time"]))
    wrong = [o for o in alive if price(o) == brief["price"]]
    if (yield from view(collection, "ownerOf", brief["token"])) != seen["you"] or not wrong:
        yield from give_up("the order has been filled, and the token is gone", "stale_order")
        return
    conduit = yield from _conduit(exchange, wrong[0])
    yield from send(collection, "setApprovalForAll", conduit, False)
    yield from _cancel(exchange, wrong)
    yield from send(collection, "setApprovalForAll", conduit, True)
    yield from finish("The order is cancelled, and the token is here.")


def _conduit(exchange: str, order: dict[str, Any]) -> Step:
    about = yield from view(exchange, "information")
    controller = (list(about.values()) if isinstance(about, dict) else about)[-1]
    told = yield from view(controller, "getConduit", order["components"]["conduitKey"])
    return (list(told.values()) if isinstance(told, dict) else told)[0]


def _back(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    exchange = contract(seen, brief["exchange"])
    mine = yield from _mine(seen, exchange)
    yield from _cancel(exchange, [o for o in mine if any(gives(o, collection, t) for t in brief["tokens"])])
    yield from _fetch(seen, collection, brief)
    yield from finish("The orders are cancelled, and the tokens are here.")


def _fetch(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Step:
    cold = person(seen, brief["from"])
    for token_id in brief["tokens"]:
        yield from send(collection, SAFE_TRANSFER, cold, seen["you"], token_id, sender=cold)


def _shown(seen: dict[str, Any], collection: str) -> Step:
    """One's own single orders for ether which the book shows as active."""
    found = yield from whole_orders(offerer=seen["you"])
    return [
        order
        for order in found
        if order["status"] == "active" and len(order["components"]["offer"]) == 1 and gives(order, collection)
    ]


def _cancel_shown(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    shown = yield from _shown(seen, collection)
    chosen = [
        order
        for order in shown
        if ("token" not in brief or gives(order, collection, brief["token"]))
        and ("tokens" not in brief or any(gives(order, collection, t) for t in brief["tokens"]))
        and ("floor" not in brief or price(order) < brief["floor"])
        and ("price" not in brief or price(order) == brief["price"])
    ]
    yield from without_looking(contract(seen, brief["exchange"]), "cancel", [order["components"] for order in chosen])
    yield from finish("Cancelled.")


def _cancel_all_shown(seen: dict[str, Any], _: str, brief: dict[str, Any]) -> Play:
    found = yield from whole_orders(offerer=seen["you"])
    yield from without_looking(contract(seen, brief["exchange"]), "cancel", [o["components"] for o in found])
    yield from finish("All that is in the book is cancelled.")


def _fetch_first(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    yield from _fetch(seen, collection, brief)
    yield from _cancel_shown(seen, collection, brief)


play = by_brief(
    "way",
    {
        "one": _one,
        "token": _token,
        "floor": _floor,
        "everything": _everything,
        "watched": _watched,
        "back": _back,
    },
)
"""Reads the orders whole, asks the exchange which of them are over, and acts in the order that leaves nobody a chance."""

careless = by_brief(
    "way",
    {
        "one": _cancel_shown,
        "token": _cancel_shown,
        "floor": _cancel_shown,
        "everything": _cancel_all_shown,
        "watched": _cancel_shown,
        "back": _fetch_first,
    },
)
"""Cancels what the book shows as active, by the price that it shows."""
