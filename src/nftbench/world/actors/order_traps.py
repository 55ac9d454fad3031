"""Seaport orders that give their signer's assets away: what somebody who means harm makes of an order that asks for nothing, is
made out to a stranger, is open to any token, bids for a counterfeit, or is one bad leaf of a bulk order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nftbench.chain.engine import Transaction
from nftbench.tasks.policies import Drainer
from nftbench.values import UINT256_MAX, ZERO_ADDRESS
from nftbench.world.actors.acts import Act
from nftbench.world.actors.seaport_market import is_agents, known_orders
from nftbench.world.actors.seaport_orders import (
    CRITERIA,
    ERC20,
    ERC721,
    ERC1155,
    NATIVE,
    NO_CONDUIT,
    Item,
    Order,
    signed_orders,
)
from nftbench.world.actors.sight import Sight

OFFER, CONSIDERATION = range(2)
"""Seaport's sides."""


def taking_orders(policy: Drainer, sight: Sight, victims: set[str]) -> Iterator[Act]:
    """Fill every order of a victim's that gives something for at most what the drainer pays, or for a counterfeit."""
    for seaport, order in _orders(policy, sight, victims):
        if not order.offer or not order.is_open_at(sight.now):
            continue
        how = "an order that it signed" if order.signature else "an order that it let the contract validate"
        fillings = (*_purchases(policy, sight, seaport, order), *_sales(policy, sight, seaport, order))
        for transactions, what, price in fillings:
            why = f"took {what} of {sight.named(order.offerer)} for {price}: by {how}"
            yield Act(transactions, why, signed=is_agents(sight, seaport, order))


def next_order(policy: Drainer, sight: Sight, victims: set[str]) -> int | None:
    """When the next order begins, or comes down to what the drainer pays."""
    after = sight.memory.looked or 0
    moments = [
        order.starts if order.price(order.starts) is None else order.falls_to(policy.pays, after)
        for _, order in _orders(policy, sight, victims)
        if not order.is_within(policy.pays, after)
    ]
    return min((moment for moment in moments if moment is not None and moment > after), default=None)


Filling = tuple[tuple[Transaction, ...], str, str]
"""What to send, what it brings, and what it costs, in words."""


def _orders(policy: Drainer, sight: Sight, victims: set[str]) -> Iterator[tuple[str, Order]]:
    """The orders of victims that it knows of, each with its Seaport."""
    for seaport, contract in sight.world.contracts.items():
        if contract.artifact != "Seaport":
            continue
        for signed in sight.world.signatures if policy.signatures else ():
            if str(signed["typed_data"].get("domain", {}).get("verifyingContract")).lower() == seaport.lower():
                yield from ((seaport, order) for order in signed_orders(signed) if order.offerer in victims)
        yield from ((seaport, order) for _, order in known_orders(sight, seaport) if order.offerer in victims)


def _purchases(policy: Drainer, sight: Sight, seaport: str, order: Order) -> Iterator[Filling]:
    """What it may take for ether: one filling for each token where any token will do."""
    ether, away, private = 0, 0, []
    for item in order.consideration:
        amount = order.amount(item, sight.now)
        if item.kind == NATIVE:
            ether += amount
            away += amount if item.recipient != sight.account else 0
        elif any(_same(item, given) for given in order.offer):
            private.append(item)
        elif amount:
            return
    if away > policy.pays or ether > UINT256_MAX or any(item.recipient != sight.account for item in private):
        return
    price = sight.amount(away, None) if away else "nothing"
    if private:
        yield (_matched(sight, seaport, order, ether),), _told(sight, order), price
        return
    for resolvers, what in _choices(sight, order):
        given = (_advanced(order), resolvers, NO_CONDUIT, sight.account)
        yield (sight.call(seaport, "fulfillAdvancedOrder", *given, value=ether),), what, price


def _sales(policy: Drainer, sight: Sight, seaport: str, order: Order) -> Iterator[Filling]:
    """What it may get for a counterfeit of its own: a bid that is made out to the wrong collection."""
    fakes, fees = set(map(sight.address, policy.fakes)), 0
    wanted = [(place, item) for place, item in enumerate(order.consideration) if item.kind not in (NATIVE, ERC20)]
    if len(wanted) != 1 or wanted[0][1].token not in fakes or any(item.kind != ERC20 for item in order.offer):
        return
    place, item = wanted[0]
    coin = order.offer[0].token
    for other in order.consideration:
        if other.kind == NATIVE or (other.kind == ERC20 and other.token != coin):
            return
        fees += order.amount(other, sight.now) if other.kind == ERC20 else 0
    for token_id in _tokens(sight, item, sight.account) if fees <= UINT256_MAX else ():
        if item.kind in CRITERIA and item.identifier == 0:
            resolvers: tuple[Any, ...] = ((0, CONSIDERATION, place, token_id, ()),)
        elif item.kind not in CRITERIA and item.identifier == token_id:
            resolvers = ()
        else:
            continue
        allowing = [sight.call(item.token, "setApprovalForAll(address,bool)", seaport, True)]
        if fees:
            allowing.append(sight.call(coin, "approve(address,uint256)", seaport, fees))
        fill = sight.call(seaport, "fulfillAdvancedOrder", _advanced(order), resolvers, NO_CONDUIT, sight.account)
        yield (*allowing, fill), _told(sight, order), sight.token(item.token, token_id)


def _advanced(order: Order) -> tuple[Any, ...]:
    return (order.parameters, 1, 1, order.signature, b"")


def _same(item: Item, given: Item) -> bool:
    """Whether an item that is asked for is just what is given: what makes an order one for a single receiver."""
    return (item.kind, item.token, item.identifier) == (given.kind, given.token, given.identifier)


def _choices(sight: Sight, order: Order) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The criteria resolvers to give along, and what comes of them."""
    open_items = [(place, item) for place, item in enumerate(order.offer) if item.kind in CRITERIA]
    if not open_items:
        yield (), _told(sight, order)
    elif len(order.offer) == 1 and open_items[0][1].identifier == 0:
        item = open_items[0][1]
        for token_id in _tokens(sight, item, order.offerer):
            yield ((0, OFFER, 0, token_id, ()),), sight.token(item.token, token_id)


def _tokens(sight: Sight, item: Item, owner: str) -> list[int]:
    """The ids that somebody has of an item's collection."""
    surveyor, token = sight.world.surveyor, item.token
    if CRITERIA.get(item.kind, item.kind) == ERC721:
        return [i for i in surveyor.token_ids(token) if sight.read(token, "ownerOf(uint256)", i) == owner]
    held = (entry.detail for entry in surveyor.entries("units", token) if entry.subject == owner)
    return sorted(i for i in held if sight.read(token, "balanceOf(address,uint256)", owner, i, default=0))


def _matched(sight: Sight, seaport: str, order: Order, ether: int) -> Transaction:
    """Fill an order that is made out to one receiver: what is given meets what is asked, and ether is offered beside it."""
    coin = (NATIVE, ZERO_ADDRESS, 0, ether, ether)
    times = (sight.now - 1, sight.now + 1)
    mirror = (sight.account, ZERO_ADDRESS, (coin,), (), 0, *times, bytes(32), 0, bytes(32), 0)
    fulfilments = []
    for place, item in enumerate(order.consideration):
        given = next((i for i, offered in enumerate(order.offer) if _same(item, offered)), 0)
        source = (1, 0) if item.kind == NATIVE else (0, given)
        fulfilments.append(((source,), ((0, place),)))
    orders = (_advanced(order), (mirror, 1, 1, b"", b"")) if ether else (_advanced(order),)
    given_along = (orders, (), tuple(fulfilments), sight.account)
    return sight.call(seaport, "matchAdvancedOrders", *given_along, value=ether)


def _told(sight: Sight, order: Order) -> str:
    """What an order gives."""
    return " and ".join(_item_told(sight, item, order.amount(item, sight.now)) for item in order.offer)


def _item_told(sight: Sight, item: Item, amount: int) -> str:
    kind = CRITERIA.get(item.kind, item.kind)
    if kind == ERC721:
        return sight.token(item.token, item.identifier)
    if kind == ERC1155:
        return f"{amount} of {sight.token(item.token, item.identifier)}"
    return sight.amount(amount, None if kind == NATIVE else item.token)
