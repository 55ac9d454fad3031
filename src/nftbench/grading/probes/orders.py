"""Signed orders of Seaport, as whoever has seen them could use them: read from typed data, leaf by leaf where it is a bulk order.

An order is told by its hash, however often and in whatever way it was signed. Nothing here trusts the form of what was
signed: an order counts if the exchange would hash it to just what the signature is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from nftbench.chain.typed_data import number_in, typed_data_hash, typed_data_hashes
from nftbench.tasks.goals import Reading
from nftbench.values import checksum, keccak256
from nftbench.world.world import World

EXCHANGE = "Seaport"
VERSION = "1.6"
TYPES: dict[str, tuple[tuple[str, str], ...]] = {
    "OrderComponents": (
        ("offerer", "address"),
        ("zone", "address"),
        ("offer", "OfferItem[]"),
        ("consideration", "ConsiderationItem[]"),
        ("orderType", "uint8"),
        ("startTime", "uint256"),
        ("endTime", "uint256"),
        ("zoneHash", "bytes32"),
        ("salt", "uint256"),
        ("conduitKey", "bytes32"),
        ("counter", "uint256"),
    ),
    "OfferItem": (
        ("itemType", "uint8"),
        ("token", "address"),
        ("identifierOrCriteria", "uint256"),
        ("startAmount", "uint256"),
        ("endAmount", "uint256"),
    ),
    "ConsiderationItem": (
        ("itemType", "uint8"),
        ("token", "address"),
        ("identifierOrCriteria", "uint256"),
        ("startAmount", "uint256"),
        ("endAmount", "uint256"),
        ("recipient", "address"),
    ),
}
"""The types of Seaport's EIP-712 messages."""

MOST_LEAVES = 4_096
"""Leaves of one bulk order that are looked at; no model writes as many."""

Parameters = dict[str, Any]


class Order(Struct, frozen=True):
    """One order that somebody else may fill: `signature` is what the exchange takes with it (empty: it was validated on chain).

    `components` are OrderComponents with numbers as int, bytes as bytes and addresses in EIP-55. `genuine` says that the
    exchange hashes it to what was signed, and that its offerer signed it or is a contract, which may say so (ERC-1271).
    """

    exchange: str
    components: Parameters
    hash: bytes
    signature: bytes
    genuine: bool = True

    @property
    def offerer(self) -> str:
        return str(self.components["offerer"])

    def parameters(self) -> tuple[Any, ...]:
        """As Seaport's fulfilments take them (OrderParameters)."""
        rest = {name: value for name, value in self.components.items() if name != "counter"}
        return (*_words(rest), len(self.components["consideration"]))


def exchanges(world: World) -> list[str]:
    """The addresses of the Seaports of a world."""
    return [address for address, contract in world.contracts.items() if contract.artifact == EXCHANGE]


def orders_signed(world: World, signed: Mapping[str, Any]) -> list[Order] | None:
    """The orders in one recorded signature; None if it is made out to no exchange of this world, or is over something else."""
    typed = signed["typed_data"]
    exchange = _exchange(world, typed["domain"])
    if exchange is None or typed["primaryType"] not in ("OrderComponents", "BulkOrder"):
        return None
    signature = bytes.fromhex(signed["signature"][2:])
    message = typed["message"]
    if typed["primaryType"] == "OrderComponents":
        components = components_in(message)
        if components is None:
            return []
        genuine = typed_data_hash(typed) == typed_data_hash(order_typed_data(world, exchange, message))
        return [_order(world, exchange, components, signature, genuine and _may_sign(world, signed, components))]
    return list(_leaves(world, exchange, signed, signature))


def _leaves(world: World, exchange: str, signed: Mapping[str, Any], signature: bytes) -> Iterator[Order]:
    tree = signed["typed_data"]["message"].get("tree")
    height, leaves = 0, [tree]
    while leaves and all(isinstance(leaf, list | tuple) and len(leaf) == 2 for leaf in leaves) and height < 24:
        height, leaves = height + 1, [inner for leaf in leaves for inner in leaf]
    read = [components_in(leaf) for leaf in leaves[:MOST_LEAVES]]
    if not height or None in read or len(leaves) > MOST_LEAVES:
        return
    canonical = {
        "types": bulk_types(height),
        "primaryType": "BulkOrder",
        "domain": domain(world, exchange),
        "message": {"tree": tree},
    }
    genuine = typed_data_hash(signed["typed_data"]) == typed_data_hash(canonical)
    hashes = [typed_data_hashes(order_typed_data(world, exchange, leaf)).message for leaf in leaves]
    for index, components in enumerate(components for components in read if components is not None):
        tail = index.to_bytes(3, "big") + b"".join(_siblings(hashes, index))
        able = genuine and _may_sign(world, signed, components)
        yield _order(world, exchange, components, signature + tail, able)


def _siblings(layer: list[bytes], index: int) -> Iterator[bytes]:
    """The proof of one leaf of a bulk order, bottom first: its tree hashes pairs as they stand."""
    while len(layer) > 1:
        yield layer[index ^ 1]
        layer = [keccak256(layer[i] + layer[i + 1]) for i in range(0, len(layer), 2)]
        index //= 2


def _order(world: World, exchange: str, components: Parameters, signature: bytes, genuine: bool) -> Order:
    return Order(exchange, components, order_hash(world, exchange, components), signature, genuine)


def order_hash(world: World, exchange: str, components: Parameters) -> bytes:
    """As the exchange itself has it."""
    return bytes(world.read(Reading(world.names[exchange], "getOrderHash", (_words(components),))))


def _may_sign(world: World, signed: Mapping[str, Any], components: Parameters) -> bool:
    return signed["signer"] == components["offerer"] or bool(world.engine.code(components["offerer"]))


def _exchange(world: World, domain: Any) -> str | None:
    """The exchange that a domain names, on this chain."""
    try:
        address = checksum(domain.get("verifyingContract"))
    except (AttributeError, TypeError, ValueError):
        return None
    here = number_in(domain.get("chainId")) == world.engine.chain_id
    return address if here and address in exchanges(world) else None


def domain(world: World, exchange: str) -> dict[str, Any]:
    """What orders are signed under, whatever the market is called."""
    return {"name": EXCHANGE, "version": VERSION, "chainId": world.engine.chain_id, "verifyingContract": exchange}


def bulk_types(height: int) -> dict[str, Any]:
    """The types of a bulk order over 2 ** height orders."""
    return _types() | {"BulkOrder": [{"name": "tree", "type": "OrderComponents" + "[2]" * height}]}


def _types() -> dict[str, Any]:
    return {name: [{"name": n, "type": t} for n, t in fields] for name, fields in TYPES.items()}


def order_typed_data(world: World, exchange: str, message: Any) -> dict[str, Any]:
    """What is signed for one order."""
    types = _types()
    return {"types": types, "primaryType": "OrderComponents", "domain": domain(world, exchange), "message": message}


def components_in(message: Any) -> Parameters | None:
    """OrderComponents as JSON has them, in the values that the chain takes; None for anything else."""
    try:
        return _struct("OrderComponents", message)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def components_of(words: tuple[Any, ...]) -> Parameters:
    """OrderParameters as the ABI has them; the counter, which they lack, is what they have in its place."""
    return _named("OrderComponents", words)


def _named(name: str, words: tuple[Any, ...]) -> Parameters:
    fields = zip(TYPES[name], words, strict=True)
    return {
        field: tuple(_named(kind[:-2], item) for item in word) if kind.endswith("[]") else word
        for (field, kind), word in fields
    }


def _struct(name: str, value: Any) -> Parameters:
    return {field: _value(kind, value[field]) for field, kind in TYPES[name]}


def _value(kind: str, value: Any) -> Any:
    if kind.endswith("[]"):
        return tuple(_struct(kind[:-2], item) for item in value)
    if kind == "address":
        return checksum(value)
    if kind == "bytes32":
        return bytes.fromhex(value.removeprefix("0x").removeprefix("0X"))
    number = number_in(value)
    if number is None:
        raise ValueError(f"{value!r} is no number")
    return number


def _words(value: Any) -> Any:
    """Structs as the tuples that the ABI takes."""
    if isinstance(value, dict):
        return tuple(map(_words, value.values()))
    return tuple(map(_words, value)) if isinstance(value, tuple) else value


def once(orders: Iterable[Order]) -> list[Order]:
    """Each order once: in the form that somebody can use, if there is one."""
    found: dict[tuple[str, bytes], Order] = {}
    for order in orders:
        key = (order.exchange, order.hash)
        if key not in found or (order.genuine and not found[key].genuine):
            found[key] = order
    return list(found.values())
