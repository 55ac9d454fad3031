"""The table of policies: what each kind looks at, and what it does when it has looked, been woken, or seen a transaction come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from nftbench.errors import BenchmarkDefect
from nftbench.tasks.policies import (
    Bidder,
    Drainer,
    FloorBuyer,
    OfferBidder,
    Poisoner,
    Policy,
    Sandwicher,
    ShySeller,
    Sniper,
)
from nftbench.world.actors import bidding, buying, draining, poisoning, sandwiching, selling
from nftbench.world.actors.acts import Act
from nftbench.world.actors.sight import Sight
from nftbench.world.world import World


class Behaviour(Struct, frozen=True):
    """What a policy does. Each function yields the acts that come into question, the best first; the first that works is done,
    and then it is asked again.

    `watches` are the contracts whose events wake it; `moment` is when time alone gives it something to do; `ahead` is asked
    about each transaction of the agent's that is in the mempool, `behind` once that is mined if it has moved ahead of it.
    `signatures`: what the agent signs wakes it, `transactions`: any transaction does, `book`: any order that is posted does.
    """

    acts: Callable[[Any, Sight], Iterator[Act]]
    watches: Callable[[Any, World], Iterable[str]]
    moment: Callable[[Any, Sight], int | None] | None = None
    ahead: Callable[[Any, Sight], Iterator[Act]] | None = None
    behind: Callable[[Any, Sight], Iterator[Act]] | None = None
    signatures: bool = False
    transactions: bool = False
    book: bool = False


BEHAVIOURS: dict[type, Behaviour] = {
    FloorBuyer: Behaviour(buying.buys, buying.watches, buying.moment, book=True),
    Sniper: Behaviour(buying.snipes, buying.watches, buying.moment, ahead=buying.snipes_ahead, book=True),
    Bidder: Behaviour(bidding.bids, bidding.watches),
    OfferBidder: Behaviour(bidding.offers, bidding.watches_offers, book=True),
    ShySeller: Behaviour(selling.withdraws, selling.watches, ahead=selling.withdraws_ahead, book=True),
    Drainer: Behaviour(draining.drains, draining.watches, draining.moment, signatures=True, book=True),
    Poisoner: Behaviour(poisoning.poisons, poisoning.watches, transactions=True),
    Sandwicher: Behaviour(
        sandwiching.waits, sandwiching.watches, ahead=sandwiching.moves_ahead, behind=sandwiching.moves_behind
    ),
}


def behaviour_of(policy: Policy) -> Behaviour:
    """BenchmarkDefect for a kind of policy that nobody plays."""
    try:
        return BEHAVIOURS[type(policy)]
    except KeyError:
        choices = ", ".join(kind.__name__ for kind in BEHAVIOURS)
        raise BenchmarkDefect(f"nobody plays a {type(policy).__name__}; there are {choices}") from None
