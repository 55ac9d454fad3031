"""Orders in a world: a fixture's are made and signed, the book tells of them, and what is to be posted is looked at as the
exchange would."""

from __future__ import annotations

from nftbench.chain.seaport import Components, bulk_hash, bulk_leaves, bulk_signature, digest, order_hash
from nftbench.chain.signing import to_compact
from nftbench.errors import BenchmarkDefect
from nftbench.tasks.goals import Reading
from nftbench.tasks.orders import ConduitKey, Order, PostOrder, SignOrders
from nftbench.values import ZERO_ADDRESS
from nftbench.world.order_book import Entry
from nftbench.world.signed_orders import SignedOrder, parameters_of
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


def status_told(world: World, entry: Entry) -> str:
    """What the book tells of an order: what it knew when the agent began, and what the exchange's events have said since."""
    if entry.status != "active" or (entry.poster is None and world.engine.block.number == world.start_block):
        return entry.status
    since = None if entry.poster is not None else world.start_block
    now, before = _on_chain(world, entry, None), None if since is None else _on_chain(world, entry, since)
    if now == before:
        return entry.status
    (_, cancelled, filled, size), counter = now
    if cancelled or counter != entry.components[10]:
        return "cancelled"
    return "filled" if size and filled >= size else f"active, {filled}/{size} filled" if filled else "active"


def _on_chain(world: World, entry: Entry, block: int | None) -> tuple[tuple[bool, bool, int, int], int]:
    """An order's status and its offerer's counter, now or after a block."""
    exchange = world.names[entry.exchange]
    status = world.read(Reading(exchange, "getOrderStatus", (entry.hash,)), block=block)
    return status, world.read(Reading(exchange, "getCounter", (entry.offerer,)), block=block)


def objection(world: World, entry: Entry) -> str | None:
    """Why the exchange would refuse an order that is to be posted, in its own terms; None if it would not."""
    starts, ends = entry.components[5:7]
    if ends <= max(starts, world.engine.block.timestamp):
        return f"InvalidTime(startTime: {starts}, endTime: {ends}): the order is over or never begins"
    (_, cancelled, filled, size), counter = _on_chain(world, entry, None)
    if counter != entry.components[10]:
        return f"the offerer's counter is {counter}, and the order has {entry.components[10]}"
    if cancelled:
        return f"OrderIsCancelled(orderHash: 0x{entry.hash.hex()})"
    if size and filled >= size:
        return f"OrderAlreadyFilled(orderHash: 0x{entry.hash.hex()})"
    return _conduit_objection(world, entry) or _signature_objection(world, entry)


def _conduit_objection(world: World, entry: Entry) -> str | None:
    key = entry.components[9]
    exchange = world.names[entry.exchange]
    if not any(key):
        return None
    _, _, controller = world.read(Reading(exchange, "information"))
    name = world.names.get(controller)
    if name is None:
        return None
    conduit, exists = world.read(Reading(name, "getConduit", (key,)))
    if not exists:
        return f"InvalidConduit(conduitKey: 0x{key.hex()}, conduit: {conduit}): there is no such conduit"
    if not world.read(Reading(name, "getChannelStatus", (conduit, entry.exchange))):
        return f"ChannelClosed(channel: {entry.exchange}): the conduit {conduit} does not serve this exchange"
    return None


def _signature_objection(world: World, entry: Entry) -> str | None:
    """As the exchange checks it: `validate`, run read-only from somebody else, takes full, compact and bulk signatures, and asks
    offerers that are contracts (ERC-1271)."""
    validate = world.interfaces[entry.exchange].function("validate")
    data = validate.encode((((parameters_of(entry.components), entry.signature),),))
    result = world.engine.call(entry.exchange, data, sender=ZERO_ADDRESS)
    return None if result.success else world.explain(result.output, result.halt)
