"""Buyers: one who takes whatever is cheap enough, and one who lies in wait for forgotten orders."""

from __future__ import annotations

from collections.abc import Iterator

from nftbench.tasks.policies import FloorBuyer, Sniper
from nftbench.world.actors.acts import Act
from nftbench.world.actors.markets import market_of
from nftbench.world.actors.offers import Market, Offer, Wanted
from nftbench.world.actors.sight import Sight
from nftbench.world.world import World


def watches(policy: FloorBuyer | Sniper, world: World) -> Iterator[str]:
    """The market, the collection, for a token that comes back or may be moved again, and the currency."""
    address = world.address(policy.market)
    yield from market_of(world.contracts[address].artifact).watches(world, address)
    yield world.address(policy.collection)
    if policy.currency is not None:
        yield world.address(policy.currency)


def buys(policy: FloorBuyer, sight: Sight) -> Iterator[Act]:
    """Fill the cheapest order at or below the limit that can be filled."""
    market = _market(policy, sight)
    for offer, limit in _within_limit(policy, sight, market):
        yield Act(
            market.filling(sight, offer),
            f"{_filled(sight, offer)}: at or below its limit of {sight.amount(limit, offer.currency)}",
            signed=market.signed(sight, offer),
        )


def moment(policy: FloorBuyer | Sniper, sight: Sight) -> int | None:
    """When an order that falls in price, or begins later, comes down to the limit."""
    if isinstance(policy, Sniper) and policy.only_alarmed:
        return None
    market, address, collection = _market(policy, sight), sight.address(policy.market), sight.address(policy.collection)
    currency = None if policy.currency is None else sight.address(policy.currency)
    limit = sight.limit(policy.limit, lambda: market.sales(sight, address, collection, currency))
    return None if limit is None else market.moment(sight, address, Wanted(collection, currency, limit))


def snipes(policy: Sniper, sight: Sight) -> Iterator[Act]:
    """Fill what can be filled, and keep in mind what can't yet."""
    if policy.only_alarmed:
        return
    market = _market(policy, sight)
    dead: list[str] = list(sight.memory.notes or ())
    for offer, limit in _within_limit(policy, sight, market):
        woken = ", which has come alive again" if offer.label in dead else ""
        why = f"{_filled(sight, offer)}{woken}: at or below its limit of {sight.amount(limit, offer.currency)}"
        yield Act(market.filling(sight, offer), why, signed=market.signed(sight, offer))
        dead = [*dead, offer.label] if offer.label not in dead else dead
    yield Act((), "", notes=tuple(dead))


def snipes_ahead(policy: Sniper, sight: Sight) -> Iterator[Act]:
    """Fill an order in front of the transaction by which it knows that the order is about to end."""
    alarm = _alarm(policy, sight)
    if alarm is None or not sight.is_coming:
        return
    pending, market = sight.pending, _market(policy, sight)
    assert pending is not None
    for offer, limit in _within_limit(policy, sight, market):
        filling = market.filling(sight, offer)
        if offer.seller == pending.sender and not sight.works_behind(pending, filling):
            why = (
                f"{_filled(sight, offer)}, in front of a {alarm} that would have ended it: "
                f"at or below its limit of {sight.amount(limit, offer.currency)}"
            )
            yield Act(filling, why, signed=market.signed(sight, offer))


def _alarm(policy: Sniper, sight: Sight) -> str | None:
    """The name of the function that the pending transaction calls, if it is one that rouses this bot."""
    pending, market = sight.pending, sight.address(policy.market)
    if pending is None or pending.to != market:
        return None
    function = sight.world.interfaces[market].function_of_selector(pending.data[:4])
    return function.name if function is not None and function.name in policy.alarms else None


def _market(policy: FloorBuyer | Sniper, sight: Sight) -> Market:
    return market_of(sight.world.contracts[sight.address(policy.market)].artifact)


def _within_limit(policy: FloorBuyer | Sniper, sight: Sight, market: Market) -> Iterator[tuple[Offer, int]]:
    """Other people's orders at or below the limit, the cheapest first, each with the limit."""
    address, collection = sight.address(policy.market), sight.address(policy.collection)
    currency = None if policy.currency is None else sight.address(policy.currency)
    limit = sight.limit(policy.limit, lambda: market.sales(sight, address, collection, currency))
    if limit is None:
        return
    sellers = {sight.address(name) for name in policy.sellers} if isinstance(policy, Sniper) else set()
    offers = [
        offer
        for offer in market.offers(sight, address, collection, limit)
        if offer.currency == currency and offer.seller != sight.account and (not sellers or offer.seller in sellers)
    ]
    yield from ((offer, limit) for offer in sorted(offers, key=lambda offer: (offer.price, offer.label)))


def _filled(sight: Sight, offer: Offer) -> str:
    token = sight.token(offer.collection, offer.token_id)
    return f"filled {offer.label} of {sight.named(offer.seller)} for {token} at {sight.amount(offer.price, offer.currency)}"
