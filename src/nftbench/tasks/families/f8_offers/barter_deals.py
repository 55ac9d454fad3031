"""Deals on an order book: orders that fit together, so that every token comes and goes as was asked for, and what matters is how much
wrapped ether is left over or has to be added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from msgspec import Struct

from nftbench.tasks.order_playing import (
    NO_CONDUIT,
    advanced_order,
    amount_at,
    is_over,
    order_rows,
    own_order,
    signed_order,
    whole_order,
)
from nftbench.tasks.playing import (
    Step,
    contract,
    person,
    use,
)
from nftbench.tasks.seaport import WETH_LABEL
from nftbench.values import parse_units

_ERC20, _ERC721, _ERC721_WITH_CRITERIA = "1", "2", "4"
_CONSIDERATION = "1"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")

Order = dict[str, Any]
Token = tuple[str, str]
"""A collection's address and a token id."""
Worth = Callable[[Sequence[Order], int], int]
"""What orders leave of wrapped ether at a moment."""


class Terms(Struct, frozen=True):
    """What is asked for: of the tokens, of what kind, and in what currency. `given` is what the agent gives, if anything."""

    exchange: str
    weth: str
    kinds: tuple[str, ...]
    wanted: str
    given: Token | None


class Deal(Struct, frozen=True):
    """Orders that fit together from a moment on, with what is left over then for whoever brings them together (below nothing: what is
    missing), and what that is of tokens."""

    orders: tuple[Order, ...]
    opens: int
    over: int
    gets: Token | None


class _Choice(Struct, frozen=True):
    """That an order which wants any token of a collection, as its item of this number, is to have this one."""

    item: int
    token_id: str


def terms_of(seen: dict[str, Any], wanted: str, brief: dict[str, Any]) -> Terms:
    kinds = tuple(contract(seen, kind) for kind in brief["kinds"])
    given = (contract(seen, brief["gives"][0]), str(brief["gives"][1])) if "gives" in brief else None
    return Terms(contract(seen, brief["exchange"]), contract(seen, WETH_LABEL), kinds, wanted, given)


def orders_about(seen: dict[str, Any], terms: Terms, brief: dict[str, Any]) -> Step:
    """The orders that are about nothing but tokens of these kinds and wrapped ether, whole."""
    maker = {"offerer": person(seen, brief["maker"])} if "maker" in brief else {}
    found, dealt_in = [], {*terms.kinds, terms.weth}
    for row in (yield from order_rows(**maker)):
        lines = [line.split(" to 0x")[0] for line in (*row["offer"], *row["consideration"])]
        if all(set(_ADDRESS.findall(line)) & dealt_in for line in lines):
            found.append((yield from whole_order(row)))
    return found


def _chosen(orders: Sequence[Order]) -> Iterator[Order]:
    """The orders, and in the place of each that wants any token of a collection the same with each token that others offer."""
    for order in orders:
        components = order["components"]
        asked = components["consideration"]
        free = [place for place, item in enumerate(asked) if item["itemType"] == _ERC721_WITH_CRITERIA]
        if not free:
            yield order
        elif len(free) == 1 and asked[free[0]]["identifierOrCriteria"] == "0":
            (place,), wanted = free, asked[free[0]]
            for _, item in _items(orders, "offer"):
                if (item["itemType"], item["token"]) == (_ERC721, wanted["token"]):
                    token_id = item["identifierOrCriteria"]
                    met = {**wanted, "itemType": _ERC721, "identifierOrCriteria": token_id}
                    others = {"consideration": [*asked[:place], met, *asked[place + 1 :]]}
                    yield {
                        **order,
                        "components": {**components, **others},
                        "whole": order,
                        "choice": _Choice(place, token_id),
                    }


def _items(orders: Iterable[Order], side: str) -> Iterator[tuple[Order, dict[str, Any]]]:
    for order in orders:
        for item in order["components"][side]:
            yield order, item


def left_over(orders: Sequence[Order], now: int) -> int:
    """What orders leave of wrapped ether at a moment."""
    total = 0
    for side, sign in (("offer", 1), ("consideration", -1)):
        for order, item in _items(orders, side):
            if item["itemType"] == _ERC20:
                total += sign * amount_at(item, order["components"], now, is_asked=sign < 0)
    return total


def as_shown(orders: Sequence[Order], _: int) -> int:
    """The same, by the first amounts that the book shows: what goes to others than the maker is overlooked."""
    total = sum(int(item["startAmount"]) for _, item in _items(orders, "offer") if item["itemType"] == _ERC20)
    for order in orders:
        asked = [item for item in order["components"]["consideration"] if item["itemType"] == _ERC20]
        own = [item for item in asked if item["recipient"] == order["components"]["offerer"]]
        total -= sum(int(item["startAmount"]) for item in own)
    return total


def as_offered(orders: Sequence[Order], _: int) -> int:
    """The same, by what the makers give alone."""
    return sum(int(item["startAmount"]) for _, item in _items(orders, "offer") if item["itemType"] == _ERC20)


def _tokens(orders: Sequence[Order]) -> Counter[Token]:
    """Tokens that are left over, and tokens that are missing (-1)."""
    net: Counter[Token] = Counter()
    for side, sign in (("offer", 1), ("consideration", -1)):
        for _, item in _items(orders, side):
            if item["itemType"] != _ERC20:
                net[item["token"], item["identifierOrCriteria"]] += sign
    return Counter({token: much for token, much in net.items() if much})


def deals(orders: Sequence[Order], terms: Terms, brief: dict[str, Any], now: int, worth: Worth) -> list[Deal]:
    """All that come into question, the best first; with a deadline also those that open before it."""
    found = []
    for some in combinations(list(_chosen(orders)), brief["size"]):
        opens = max(now, *(int(order["components"]["startTime"]) for order in some))
        net = _tokens(some)
        missing = [token for token, much in net.items() if much < 0]
        more = [token for token, much in net.items() if much > 0]
        fits = missing == ([terms.given] if terms.given else []) and [kind for kind, _ in more] == (
            [terms.wanted] if terms.given else []
        )
        over = worth(some, opens)
        if not fits or opens >= brief.get("deadline", now + 1):
            continue
        if (terms.given is None and over < 0) or ("least" in brief and over < parse_units(brief["least"], 18)):
            continue
        if "most" in brief and -over > parse_units(brief["most"], 18):
            continue
        found.append(Deal(some, opens, over, more[0] if more else None))
    return sorted(found, key=lambda deal: deal.over, reverse=True)


def _fulfillments(orders: Sequence[Order], now: int) -> list[Any]:
    """For everything that is asked for, which offer it comes of."""
    left = {
        (place, number): amount_at(item, order["components"], now, is_asked=False)
        for place, order in enumerate(orders)
        for number, item in enumerate(order["components"]["offer"])
    }
    found = []
    for place, order in enumerate(orders):
        for number, item in enumerate(order["components"]["consideration"]):
            much = amount_at(item, order["components"], now, is_asked=True)
            source = next((where for where in left if left[where] >= much and _alike(orders, where, item)), None)
            if source is not None:
                left[source] -= much
                found.append([[_component(*source)], [_component(place, number)]])
    return found


def _alike(orders: Sequence[Order], where: tuple[int, int], item: dict[str, Any]) -> bool:
    offered = orders[where[0]]["components"]["offer"][where[1]]
    return all(offered[key] == item[key] for key in ("itemType", "token", "identifierOrCriteria"))


def _component(order: int, item: int) -> list[str]:
    return [str(order), str(item)]


def transactions(seen: dict[str, Any], terms: Terms, deal: Deal) -> list[dict[str, Any]]:
    """What makes a deal: permissions to the unit in front of it, and one order filled, or several matched. The agent's own part in a match
    is an order of its own, which needs no signature where its maker hands it in."""
    exchange, orders, batch = terms.exchange, list(deal.orders), list[dict[str, Any]]()
    if terms.given is not None:
        collection, token_id = terms.given
        batch.append({"to": collection, "function": "approve", "arguments": [exchange, token_id]})
        if deal.over < 0:
            batch.append({"to": terms.weth, "function": "approve", "arguments": [exchange, str(-deal.over)]})
    if len(orders) == 1:
        filling = [signed_order(orders[0]), NO_CONDUIT]
        return [*batch, {"to": exchange, "function": "fulfillOrder", "arguments": filling}]
    if terms.given is not None and deal.gets is not None:
        orders.append(own_order(seen, exchange, *own_items(seen, terms, deal))[0])
    return [*batch, {"to": exchange, **_match(orders, deal.opens, seen["you"])}]


def _match(orders: Sequence[Order], now: int, receiver: str) -> dict[str, Any]:
    """The call that matches orders; where one of them leaves a choice, by the function that takes it."""
    chosen = [(place, order["choice"]) for place, order in enumerate(orders) if "choice" in order]
    fulfillments = _fulfillments(orders, now)
    if not chosen:
        return {"function": "matchOrders", "arguments": [[signed_order(order) for order in orders], fulfillments]}
    whole = [advanced_order(order.get("whole", order)) for order in orders]
    resolvers = [[str(place), _CONSIDERATION, str(choice.item), choice.token_id, []] for place, choice in chosen]
    return {"function": "matchAdvancedOrders", "arguments": [whole, resolvers, fulfillments, receiver]}


def own_items(
    seen: dict[str, Any], terms: Terms, deal: Deal, *, buyer: str | None = None
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """What the agent offers and asks for in a deal; for a `buyer` alone it goes to that account, whoever fills the order."""
    assert terms.given is not None and deal.gets is not None
    offer: list[tuple[str, ...]] = [(_ERC721, *terms.given, "1", "1")]
    if deal.over < 0:
        offer.append((_ERC20, terms.weth, "0", str(-deal.over), str(-deal.over)))
    asked: list[tuple[str, ...]] = [(_ERC721, *deal.gets, "1", "1", seen["you"])]
    return offer, asked + ([(*item, buyer) for item in offer] if buyer else [])


def works(transactions: Sequence[dict[str, Any]]) -> Step:
    """Whether a dry run of all of them succeeds."""
    first, *then = transactions
    tried = yield from use("simulate", **first, **({"then": then} if then else {}))
    return all(outcome.get("status") == "success" for outcome in tried.get("outcomes", [tried]))


def will_live(exchange: str, deal: Deal) -> Step:
    """Whether nobody has ended any of the orders, and everybody has what they give."""
    for order in deal.orders:
        terms = order["components"]
        calls = [
            {"contract": exchange, "function": "getOrderStatus", "arguments": [order["order_hash"]]},
            {"contract": exchange, "function": "getCounter", "arguments": [terms["offerer"]]},
        ]
        for item in terms["offer"]:
            if item["itemType"] == _ERC721:
                asked = {"function": "ownerOf", "arguments": [item["identifierOrCriteria"]]}
                calls.append({"contract": item["token"], **asked})
        told = yield from use("call_many", calls=calls)
        status, counter, *owners = (answer.get("result") for answer in told["results"])
        if is_over(status) or counter != terms["counter"] or set(owners) - {terms["offerer"]}:
            return False
    return True
