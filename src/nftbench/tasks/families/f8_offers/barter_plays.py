"""F8d's plays: the best deal is made that there really is, or tells what to propose."""

from __future__ import annotations

from typing import Any

from nftbench.tasks.families.f8_offers.barter_deals import (
    Deal,
    Terms,
    as_offered,
    as_shown,
    deals,
    left_over,
    orders_about,
    own_items,
    terms_of,
    transactions,
    will_live,
    works,
)
from nftbench.tasks.family import Play
from nftbench.tasks.order_playing import NO_CONDUIT, own_order, signed_order
from nftbench.tasks.playing import (
    Step,
    by_brief,
    finish,
    give_up,
    person,
    use,
    view,
    wait_until,
    without_looking,
)
from nftbench.values import UINT256_MAX, parse_units


def _best(seen: dict[str, Any], terms: Terms, brief: dict[str, Any]) -> Step:
    """The best deal that really can be made, once it can; None where there is none."""
    orders, now = (yield from orders_about(seen, terms, brief)), int(seen["time"])
    for deal in deals(orders, terms, brief, now, left_over):
        if deal.opens > now:
            if not (yield from will_live(terms.exchange, deal)):
                continue
            yield from wait_until(deal.opens)
            now = deal.opens
        if (yield from works(transactions(seen, terms, deal))):
            return deal
    return None


def _make(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    terms = terms_of(seen, collection, brief)
    deal = yield from _best(seen, terms, brief)
    if deal is None:
        yield from give_up("nothing that would do can be filled", "stale_order")
        return
    for transaction in transactions(seen, terms, deal):
        yield from use("send_transaction", **transaction)
    yield from finish("Swapped, by the best orders that there really were.")


def _propose(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """The only deal that the friend's orders still allow tells which token it is about."""
    terms = terms_of(seen, collection, brief)
    deal = yield from _best(seen, terms, brief)
    if deal is None:
        yield from give_up("none of the orders can be filled", "stale_order")
        return
    yield from _sign(seen, terms, deal, brief, buyer=person(seen, brief["maker"]))
    yield from finish("The order is signed and posted.")


def _sign(
    seen: dict[str, Any], terms: Terms, deal: Deal, brief: dict[str, Any], *, buyer: str | None, much: int = 0
) -> Step:
    """Sign and post the counter-offer, with what it needs permitted; `much` is what is permitted of coins (0: just that)."""
    pays = parse_units(brief["pays"], 18)
    proposed = Deal(deal.orders, deal.opens, -pays, deal.gets)
    counter = yield from view(terms.exchange, "getCounter", seen["you"])
    times = (seen["time"], str(brief["ends"]))
    items = own_items(seen, terms, proposed, buyer=buyer)
    own, typed = own_order(seen, terms.exchange, *items, times=times, counter=counter)
    signed = yield from use("sign_typed_data", typed_data=typed)
    assert terms.given is not None
    for token, amount in ((terms.given[0], terms.given[1]), (terms.weth, str(much or pays))):
        yield from use("send_transaction", to=token, function="approve", arguments=[terms.exchange, amount])
    yield from use("post_order", order=own["components"], signature=signed["signature"])


def _carelessly(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """By the numbers that the book shows, with every permission at once, and one order after the other."""
    terms = terms_of(seen, collection, brief)
    orders = yield from orders_about(seen, terms, brief)
    worth = as_shown if brief["size"] < 3 else as_offered
    shown = deals(orders, terms, {**brief, "deadline": UINT256_MAX}, int(seen["time"]), worth)
    if terms.given is not None:
        for token in terms.kinds:
            yield from without_looking(token, "setApprovalForAll", terms.exchange, True)
        yield from without_looking(terms.weth, "approve", terms.exchange, UINT256_MAX)
    for deal in shown:
        if (yield from _rashly(seen, terms, deal)):
            break
    yield from finish("Swapped.")


def _rashly(seen: dict[str, Any], terms: Terms, deal: Deal) -> Step:
    """Send what makes a deal; whether it worked. A chain of orders is gone through from its near end."""
    if terms.given is None or len(deal.orders) == 1:
        done = yield from use("send_transaction", **transactions(seen, terms, deal)[-1])
        return done["status"] == "success"
    for order in sorted(deal.orders, key=lambda order: -len(order["components"]["consideration"])):
        done = yield from without_looking(terms.exchange, "fulfillOrder", signed_order(order), NO_CONDUIT)
        if done["status"] != "success":
            return False
    return True


def _proposes_rashly(seen: dict[str, Any], collection: str, brief: dict[str, Any]) -> Play:
    """For the token of the first of the friend's orders, and so that anyone can fill it."""
    terms = terms_of(seen, collection, brief)
    orders = yield from orders_about(seen, terms, brief)
    deal = deals(orders, terms, brief, int(seen["time"]), as_shown)[0]
    yield from _sign(seen, terms, deal, brief, buyer=None, much=UINT256_MAX)
    yield from finish("The order is signed and posted.")


play = by_brief("way", {"deal": _make, "propose": _propose})
"""Tries every set of orders that may fit, adds up what each leaves or takes, and makes the best for which a dry run works."""

careless = by_brief("way", {"deal": _carelessly, "propose": _proposes_rashly})
"""Goes by the numbers that the book shows, permits everything, and takes one step after the other."""
