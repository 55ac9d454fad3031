"""A seller who is shy of buyers: withdraws an order, or asks more, when it sees that somebody is after it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from nftbench.tasks.policies import ShySeller
from nftbench.world.actors.acts import Act
from nftbench.world.actors.markets import market_of
from nftbench.world.actors.offers import Market, Offer
from nftbench.world.actors.sight import Sight
from nftbench.world.sightings import APPROVAL, TRANSFER, account, number
from nftbench.world.world import World

ALLOWANCE = "allowance(address,address)"


def watches(policy: ShySeller, world: World) -> Iterator[str]:
    """The market, and where allowances are a sign, every coin."""
    address = world.address(policy.market)
    yield from market_of(world.contracts[address].artifact).watches(world, address)
    if "allowance" in policy.signs:
        yield from (a for a, i in world.interfaces.items() if any(f.signature == ALLOWANCE for f in i.functions))


def withdraws(policy: ShySeller, sight: Sight) -> Iterator[Act]:
    """Go by what has been mined: somebody has let the market take the currency of an order."""
    if "bid" in policy.signs:
        yield from _withdraws_from_bids(policy, sight)
    if "allowance" in policy.signs:
        market = _market(policy, sight)
        for offer in _own(policy, sight, market):
            spenders = market.spenders(sight, offer)
            for log in sight.news:
                if log.address == offer.currency and len(log.topics) == 3 and log.topics[0] == APPROVAL:
                    owner, spender = account(log.topics[1]), account(log.topics[2])
                    if spender in spenders and owner != sight.account and any(log.data):
                        why = f"{sight.named(owner)} let {sight.named(spender)} take {sight.named(offer.currency)}"
                        yield _withdrawn(policy, sight, market, offer, why)


def _withdraws_from_bids(policy: ShySeller, sight: Sight) -> Iterator[Act]:
    """A bid for the token of an order, or for any of the collection, that it has not seen before."""
    market, address, collection = _market(policy, sight), sight.address(policy.market), sight.address(policy.collection)
    known: tuple[bytes, ...] = sight.memory.notes or ()
    for bid in market.bids(sight, address, collection):
        if bid.key in known or bid.bidder == sight.account:
            continue
        for offer in _own(policy, sight, market):
            if bid.token_id in (offer.token_id, None):
                why = f"{sight.named(bid.bidder)} bids {sight.amount(bid.amount, bid.currency)} by {bid.label}"
                act = _withdrawn(policy, sight, market, offer, why)
                yield replace(act, notes=(*known, bid.key))


def withdraws_ahead(policy: ShySeller, sight: Sight) -> Iterator[Act]:
    """Move in front of a transaction that would fill its order."""
    if "pending" not in policy.signs or sight.pending is None or not sight.pending.data or not sight.is_coming:
        return
    preview = sight.preview
    market = _market(policy, sight)
    sold = {
        (log.address, number(log.topics[3]))
        for log in getattr(preview, "logs", ())
        if len(log.topics) == 4 and log.topics[0] == TRANSFER and account(log.topics[1]) == sight.account
    }
    for offer in _own(policy, sight, market) if sold else ():
        if (offer.collection, offer.token_id) in sold:
            why = f"a transaction of {sight.named(sight.pending.sender)} in the mempool would have filled it"
            yield _withdrawn(policy, sight, market, offer, why)


def _withdrawn(policy: ShySeller, sight: Sight, market: Market, offer: Offer, why: str) -> Act:
    token = sight.token(offer.collection, offer.token_id)
    if policy.raised is None:
        return Act(market.cancelling(sight, offer), f"cancelled its {offer.label} for {token}: {why}")
    price = offer.price * policy.raised // 10_000
    told = f"asks {sight.amount(price, offer.currency)} instead of {sight.amount(offer.price, offer.currency)}"
    sent, posts = market.repricing(sight, offer, price)
    return Act(sent, f"{told} by its {offer.label} for {token}: {why}", posts=posts)


def _own(policy: ShySeller, sight: Sight, market: Market) -> Iterator[Offer]:
    address, collection = sight.address(policy.market), sight.address(policy.collection)
    return (offer for offer in market.offers(sight, address, collection) if offer.seller == sight.account)


def _market(policy: ShySeller, sight: Sight) -> Market:
    return market_of(sight.world.contracts[sight.address(policy.market)].artifact)
