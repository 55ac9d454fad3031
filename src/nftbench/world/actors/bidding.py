"""Bidders: one in an auction, and one who leaves offers on a Seaport. Both outbid whoever leads, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.tasks.policies import Bidder, OfferBidder
from nftbench.values import ZERO_ADDRESS
from nftbench.world.actors.acts import Act
from nftbench.world.actors.markets import market_of
from nftbench.world.actors.seaport_market import announced
from nftbench.world.actors.seaport_orders import ERC20, ERC721, NO_CONDUIT, Item, Order
from nftbench.world.actors.sight import Sight
from nftbench.world.world import Reverted, World

ANY_ERC721 = 4
"""Seaport's item type of an ERC-721 by criteria."""


def watches(policy: Bidder, world: World) -> Iterator[str]:
    """The auction."""
    yield from {world.address(name): None for name in (policy.bid.target, policy.highest.contract)}


def bids(policy: Bidder, sight: Sight) -> Iterator[Act]:
    """Bid the next amount if somebody else leads and it is within the limit."""
    highest, leader = sight.world.read(policy.highest), sight.world.read(policy.leader)
    if isinstance(highest, Reverted) or leader == sight.account:
        return
    step = max(policy.step, highest * policy.step_basis_points // 10_000)
    amount = highest + step if highest else policy.opening
    if not 0 < amount <= policy.limit:
        return
    stood = f"over {highest} of {sight.named(str(leader))}" if highest else "as the first"
    yield Act((sight.sending(policy.bid, amount),), f"bid {amount} {stood}: within its limit of {policy.limit}")


def watches_offers(policy: OfferBidder, world: World) -> Iterator[str]:
    """The market, the collection, and the currency, whose owners may be unable to pay any more."""
    address = world.address(policy.market)
    yield from market_of(world.contracts[address].artifact).watches(world, address)
    yield from (world.address(name) for name in (policy.collection, policy.currency))


def offers(policy: OfferBidder, sight: Sight) -> Iterator[Act]:
    """Bid over the best of the others that is covered, in the place of its own last bid."""
    seaport, collection, currency = map(sight.address, (policy.market, policy.collection, policy.currency))
    market = market_of(sight.world.contracts[seaport].artifact)
    standing = [
        bid
        for bid in market.bids(sight, seaport, collection)
        if bid.currency == currency and bid.token_id in (policy.token_id, None)
    ]
    own = [bid for bid in standing if bid.bidder == sight.account and bid.token_id == policy.token_id]
    others = [bid for bid in standing if bid.bidder != sight.account and bid.covered]
    best = max(others, key=lambda bid: bid.amount, default=None)
    amount = policy.opening if best is None else best.amount + policy.step
    mine = max((bid.amount for bid in own), default=0)
    if not mine < amount <= policy.limit or (best is not None and mine > best.amount):
        return
    over = "as the first" if best is None else f"over {best.amount} of {sight.named(best.bidder)}"
    order = _order(policy, sight, seaport, amount)
    sent, posts = announced(sight, seaport, order)
    if sight.read(currency, "allowance(address,address)", sight.account, seaport, default=0) < amount:
        sent = (sight.call(currency, "approve(address,uint256)", seaport, amount), *sent)
    if own:
        sent = (*sent, sight.call(seaport, "cancel", tuple(bid.terms.components for bid in own)))
    why = f"bid {sight.amount(amount, currency)} {over}: within its limit of {policy.limit}"
    yield Act(sent, why, notes=(sight.memory.notes or 0) + 1, posts=posts)


def _order(policy: OfferBidder, sight: Sight, seaport: str, amount: int) -> Order:
    collection, currency = sight.address(policy.collection), sight.address(policy.currency)
    kind, identifier = (ANY_ERC721, 0) if policy.token_id is None else (ERC721, policy.token_id)
    return Order(
        offerer=sight.account,
        zone=ZERO_ADDRESS,
        offer=(Item(ERC20, currency, 0, amount, amount),),
        consideration=(Item(kind, collection, identifier, 1, 1, sight.account),),
        kind=0,
        starts=sight.engine.block.timestamp,
        ends=sight.now + policy.lasts,
        zone_hash=bytes(32),
        salt=sight.memory.notes or 0,
        conduit_key=NO_CONDUIT,
        counter=sight.read(seaport, "getCounter", sight.account, default=0),
    )
