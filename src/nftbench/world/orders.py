"""Makes a fixture's orders: resolves their names, reads counters, signs, and puts them into the order book."""

from __future__ import annotations

from nftbench.chain.seaport import Components, bulk_hash, bulk_leaves, bulk_signature, digest, order_hash
from nftbench.chain.signing import to_compact
from nftbench.errors import BenchmarkDefect
from nftbench.tasks.goals import Reading
from nftbench.tasks.orders import ConduitKey, Order, PostOrder, SignOrders
from nftbench.world.order_book import Entry
from nftbench.world.signed_orders import SignedOrder
from nftbench.world.world import World


def signed(world: World, step: SignOrders) -> dict[str, SignedOrder]:
    """The orders of a step by their names, signed now."""
    made = [_components(world, order) for order in step.orders]
    hashes = [order_hash(components) for components in made]
    if step.form == "bulk":
        signatures = _bulk(world, step, hashes)
    else:
        signatures = [_signature(world, step, order, h) for order, h in zip(step.orders, hashes, strict=True)]
    return {
        order.name: SignedOrder(order.name, world.address(order.exchange), components, h, signature)
        for order, components, h, signature in zip(step.orders, made, hashes, signatures, strict=True)
    }


def posted(world: World, step: PostOrder) -> Entry:
    """An order as it enters the book now."""
    order = world.order(step.order)
    now = world.engine.block.timestamp
    return Entry(order.hash, order.exchange, order.components, order.signature, now, step.status)


def _components(world: World, order: Order) -> Components:
    offerer = world.address(order.offerer)
    key = order.conduit_key
    if key is None:
        key = world.resolve(ConduitKey(order.conduit or "nobody"))
    counter = order.counter
    if counter is None:
        counter = world.read(Reading(order.exchange, "getCounter", (offerer,)))
    return (
        offerer,
        world.address(order.zone),
        tuple(world.resolve(item.words()) for item in order.offer),
        tuple(world.resolve(item.words()) for item in order.consideration),
        int(order.order_type),
        order.start_time,
        order.end_time,
        order.zone_hash,
        order.salt,
        key,
        counter,
    )


def _signature(world: World, step: SignOrders, order: Order, hash_: bytes) -> bytes:
    if step.form == "none":
        return b""
    signature = _by(world, step, order, hash_)
    return to_compact(signature) if step.form == "compact" else signature


def _bulk(world: World, step: SignOrders, hashes: list[bytes]) -> list[bytes]:
    """One signature over all, which proves each of them with its place and its proof."""
    first, leaves = step.orders[0], bulk_leaves(hashes)
    if any((o.offerer, o.exchange) != (first.offerer, first.exchange) for o in step.orders):
        raise BenchmarkDefect("the orders of one bulk signature must have one offerer and one exchange")
    signature = _by(world, step, first, bulk_hash(leaves))
    return [bulk_signature(signature, leaves, place) for place in range(len(hashes))]


def _by(world: World, step: SignOrders, order: Order, struct_hash: bytes) -> bytes:
    signer = step.signer or order.offerer
    if signer not in world.keys:
        raise BenchmarkDefect(f"the order {order.name!r} can't be signed: {signer!r} has no key")
    exchange = world.address(order.exchange)
    return world.keys[signer].sign_digest(digest(world.engine.chain_id, exchange, struct_hash))
