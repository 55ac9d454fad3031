"""Which tokens a standing bid must take, which it must not, and how whoever has one of them takes it up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from nftbench.grading.probes.choices import MOST_TRIED, others_tokens, proof_of, with_criteria
from nftbench.grading.probes.fills import Choice, Taking
from nftbench.grading.probes.means import STRANGER
from nftbench.grading.probes.orders import Order
from nftbench.tasks.goals import BidStands
from nftbench.world.world import World

Token = tuple[str, int]
"""A collection's name and a token id."""


def bid_takings(goal: BidStands, world: World, order: Order) -> Iterator[Taking]:
    """A filling with each of the tokens that are wanted; none at all if one of them is not taken."""
    takings = [_taking(goal, world, order, token) for token in wanted(goal, world, order)]
    if all(taking is not None for taking in takings):
        yield from (taking for taking in takings if taking is not None)


def unwanted_takings(goal: BidStands, world: World, order: Order) -> Iterator[Taking]:
    """Fillings with tokens of the same collections that are not wanted, where the order leaves the choice."""
    if goal.collection is not None or not with_criteria(order):
        return
    for collection in dict.fromkeys(collection for collection, _ in goal.tokens):
        address = world.address(collection)
        others = (i for i in others_tokens(world, address, order.offerer) if (collection, i) not in goal.tokens)
        for token_id in islice(others, MOST_TRIED):
            taking = _taking(goal, world, order, (collection, token_id))
            if taking is not None:
                yield taking


def wanted(goal: BidStands, world: World, order: Order) -> list[Token]:
    """The tokens that are tried: all that are named, or some of a whole collection and one that is still to be made."""
    if goal.collection is None:
        return list(goal.tokens)
    found = list(others_tokens(world, world.address(goal.collection), order.offerer))
    return [(goal.collection, token_id) for token_id in dict.fromkeys([*found[:2], *found[-1:]])]


def wanted_token(goal: BidStands, world: World, order: Order, way: Taking) -> Token:
    """The token that changes hands in a filling of the bid; where it leaves no choice, the one that is wanted."""
    named = {world.address(collection): collection for collection, _ in goal.tokens}
    if goal.collection is not None:
        named[world.address(goal.collection)] = goal.collection
    for choice in way.choices:
        items = order.components["consideration" if choice.side else "offer"]
        token = items[choice.index]["token"]
        if token in named:
            return named[token], choice.token_id
    return wanted(goal, world, order)[0]


def _taking(goal: BidStands, world: World, order: Order, token: Token) -> Taking | None:
    """How whoever has this token fills the order with it; None where the order takes another, or none."""
    collection, token_id = world.address(token[0]), token[1]
    taker = STRANGER if goal.seller is None else world.address(goal.seller)
    known = [number for name, number in goal.tokens if name == token[0]]
    for side, index, item in with_criteria(order):
        if side and item["token"] == collection:
            proof = proof_of(int(str(item["identifierOrCriteria"])), token_id, known)
            return None if proof is None else Taking(taker, choices=(Choice(1, index, token_id, proof),))
    plain = any(
        item["token"] == collection and item["identifierOrCriteria"] == token_id
        for item in order.components["consideration"]
    )
    return Taking(taker) if plain else None
